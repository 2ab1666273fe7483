// npm run bench -- --only webhooks: 500 deliveries per second for a minute (`--what 10` for ten seconds), in sequence
// for each of twenty resources, each sent at its scheduled time even if the service falls behind. Measures the answer
// time, whether all deliveries are stored and processed in order, and the processing rate of the backlog. With a
// database of its own.
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { Agent, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { signingRow } from "../server/src/connect/integrations/rules.ts";
import { startEmbedded } from "../server/src/platform/database/embedded/postgres.ts";
import { migrate } from "../server/src/platform/database/start/migrations.ts";
import { newId } from "../server/src/platform/wire/ids.ts";
import { secretBox } from "../server/src/platform/wire/secret-box.ts";
import { newWebhookSecret, signed } from "../server/src/platform/wire/standard-webhooks.ts";
import { type Data, fill } from "./data.ts";
import { endAll, startService } from "./processes.ts";

const PER_SECOND = 500;
const LANES = 20;
/**
 * Warm-up: after the first ten thousand requests the optimising compiler recompiles the code of the new service and of
 * this process, which occupies both cores for half a second.
 */
const WARM_SECONDS = 24;
const secret = newWebhookSecret();
const agent = new Agent({ keepAlive: true, maxSockets: 64 });

const PLANT = `
with actor as (insert into actors (workspace_id, id, kind, name) values ($1, $2, 'service', 'Bench')),
installed as (
  insert into integration_installations (workspace_id, id, provider_key, external_id, account_name, actor_id,
    installed_by_actor_id, sealed_secret)
  values ($1, $3, 'webhook', gen_random_uuid()::text, 'Bench', $2, $4, $5)),
resource as (
  insert into integration_resources (workspace_id, id, installation_id, external_id, kind, name)
  values ($1, $6, $3, 'endpoint', 'endpoint', 'Webhook')),
bound as (
  insert into integration_bindings (workspace_id, id, project_id, installation_id, resource_id, rules,
    created_by_actor_id)
  values ($1, $7, $8, $3, $6, $9, $4))
insert into integration_subscriptions (workspace_id, id, binding_id, event_kinds, created_by_actor_id)
values ($1, $10, $7, '{message}', $4)`;
/** Installs the twenty resources; only deliveries of the first create Tasks, which is one delivery in twenty. */
async function plant(client: pg.Client, { workspaceId, people, projectIds }: Data, key: Buffer): Promise<string[]> {
  const ids = Array.from({ length: LANES }, () => newId());
  for (const [at, id] of ids.entries()) {
    const sealed = secretBox([{ id: "bench", key }]).seal(secret, signingRow(id));
    const values = [workspaceId, newId(), id, people[0]?.actorId, sealed, newId(), newId(), projectIds[0]];
    await client.query(PLANT, [...values, { create_tasks: at === 0 }, newId()]);
  }
  return ids;
}

/**
 * Creates log files in advance, as in a database that has been in use: creating one takes 100 ms, which every commit
 * waits for.
 */
async function writeAhead(client: pg.Client) {
  await client.query("create table ahead (bytes bytea); alter table ahead alter column bytes set storage external");
  for (let written = 0; written < 50; written++)
    await client.query("insert into ahead select decode(repeat('ab', 500000), 'hex') from generate_series(1, 20)");
  await client.query("drop table ahead");
  await client.query("checkpoint");
}

/** Milliseconds since the delivery was due. */
function deliver(port: number, id: string, sequence: number, due: number): Promise<number> {
  const body = Buffer.from(JSON.stringify({ id: sequence, title: `Number ${sequence}`, text: "x".repeat(2000) }));
  const headers = { "content-type": "application/json", "content-length": body.length };
  const all = { ...headers, ...signed([secret], `${sequence}`, body, new Date()) };
  const path = `/api/v1/webhooks/integrations/webhook/${id}`;
  return new Promise((resolve, reject) => {
    request({ agent, port, host: "127.0.0.1", method: "POST", path, headers: all }, (answer) => {
      answer.resume().on("end", () => {
        if (answer.statusCode === 200) resolve(performance.now() - due);
        else reject(new Error(`answered ${answer.statusCode}`));
      });
    })
      .on("error", reject)
      .end(body);
  });
}

const WAITING = "select count(*)::int as waiting from integration_deliveries where state = 'waiting'";
const ORDER = `
select count(*)::int as stored, count(*) filter (where state = 'done')::int as done,
  count(*) filter (where wrong)::int as wrong from (
  select state, delivery_key::int < lag(delivery_key::int) over (partition by installation_id
    order by worked_at, number) as wrong from integration_deliveries) d`;

export async function measureWebhooks(seconds = 60) {
  console.log(`\nWebhooks: ${PER_SECOND} deliveries of 2 KB a second for ${seconds} s, in ${LANES} lanes`);
  const directory = mkdtempSync(join(tmpdir(), "svc-bench-"));
  const database = await startEmbedded(directory);
  const client = new pg.Client(database.url);
  try {
    await migrate(database.url);
    const data = await fill(database.url, [1000], "HOOK");
    await client.connect();
    const key = randomBytes(32);
    const ids = await plant(client, data, key);
    await writeAhead(client);
    const { port } = await startService(database.url, { SECRET_KEYS: `bench:${key.toString("base64url")}` });
    const first = performance.now() + 100;
    const warm = (WARM_SECONDS * PER_SECOND) / LANES;
    const count = warm + (seconds * PER_SECOND) / LANES;
    const lane = async (id: string, place: number) => {
      const times: number[] = [];
      for (let at = 0; at < count; at++) {
        const due = first + ((at * LANES + place) * 1000) / PER_SECOND;
        await sleep(Math.max(0, due - performance.now()));
        const time = await deliver(port, id, at, due);
        if (at >= warm) times.push(time);
      }
      return times;
    };
    const times = (await Promise.all(ids.map(lane))).flat().sort((a, b) => a - b);
    const took = (performance.now() - first) / 1000 - WARM_SECONDS;
    const of = (share: number) =>
      (times[Math.min(times.length - 1, Math.floor(times.length * share))] as number).toFixed(1);
    const left = (await client.query(WAITING)).rows[0].waiting as number;
    const draining = performance.now();
    while ((await client.query(WAITING)).rows[0].waiting > 0) await sleep(50);
    const drained = (performance.now() - draining) / 1000;
    const { stored, done, wrong } = (await client.query(ORDER)).rows[0];
    console.log(
      `  ${times.length} answered in ${took.toFixed(1)} s: p50 ${of(0.5)} ms, p99 ${of(0.99)} ms (wanted 50), ` +
        `worst ${of(1)} ms. Stored ${stored}, worked ${done}, out of order ${wrong}.`,
    );
    console.log(
      `  Worked meanwhile: ${((stored - left) / (took + WARM_SECONDS)).toFixed(0)} a second. ` +
        `${left} were left${left > 0 ? `, and worked in ${drained.toFixed(1)} s: ${(left / drained).toFixed(0)} a second` : ""}.`,
    );
  } finally {
    agent.destroy();
    await client.end().catch(() => {});
    await endAll();
    await database.stop();
    rmSync(directory, { recursive: true, force: true });
  }
}
