// The storm of followers: many sockets at two servers hear of writes while the servers are killed, one, the other and both in turn. Everybody resumes behind what they
// have applied. In the end each was told, of every Task that they see, the revision that it has, and of no Task that they do not see.
// Bounded in count and time. It kills only the servers that it starts.
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { migrate } from "../../server/src/database/migrate.ts";
import { csrfTokenOf, newId } from "../../server/src/wire/ids.ts";
import { until } from "../../server/test/editing.ts";
import { type Data, fill } from "../data.ts";
import { type Verdict, violations } from "./check.ts";
import { Server } from "./killable.ts";
import { Listener } from "./listener.ts";
import { randomOf } from "./random.ts";
import type { Outcome } from "./storm.ts";

export interface Following {
  databaseUrl: string;
  seed: number;
  faults: number;
  sockets: number;
  /** Attempts at a write. */
  perSecond: number;
  limitMs: number;
  progress?: (faults: number, cut: number) => void;
}
const [LEAST_MS, MOST_MS] = [400, 1500];
const PATIENCE_MS = 60_000;
const LANES = 24;

const headersOf = ({ session }: Data["people"][number]) => {
  const token = csrfTokenOf(session);
  return { cookie: `__Host-svc_session=${session}; __Host-svc_csrf=${token}`, "x-csrf-token": token };
};

export async function following(options: Following): Promise<Outcome> {
  const began = performance.now();
  const { databaseUrl, seed } = options;
  const directory = mkdtempSync(join(tmpdir(), "svc-chaos-"));
  chmodSync(directory, 0o711);
  const { PATH = "", NODE_COMPILE_CACHE } = process.env;
  const env = {
    ...{ PATH, DATABASE_URL: databaseUrl, DATA_DIR: join(directory, "data"), PORT: "0", ROLES: "api,realtime" },
    ...{ RATE_LIMITS: "off", LOG_LEVEL: "fatal", ...(NODE_COMPILE_CACHE ? { NODE_COMPILE_CACHE } : {}) },
  };
  const servers = [new Server(["server/src/main.ts"], env), new Server(["server/src/main.ts"], env)] as const;
  const found = Object.fromEntries(violations.map((name) => [name, []])) as unknown as Verdict["found"];
  const [broken, back]: [string[], number[]] = [[], []];
  const random = randomOf(seed, "following");
  const writing = { stopped: false, answered: 0, failed: 0 };
  let [faults, listeners]: [number, Listener[]] = [0, []];
  const client = new pg.Client(databaseUrl);
  try {
    await migrate(databaseUrl);
    await client.connect();
    // Of two Projects the second is private: whoever leads it hears of it, and nobody else.
    const data = await fill(databaseUrl, [200, 200], "RT");
    await client.query("update projects set visibility = 'private' where id = $1", [data.projectIds[1]]);
    const { rows: hidden } = await client.query("select id from tasks where project_id = $1", [data.projectIds[1]]);
    for (const server of servers) await server.start();
    const portFor = (at: number) => servers[(at % 2) as 0 | 1].port ?? servers[((at + 1) % 2) as 0 | 1].port;
    const people = Array.from(
      { length: options.sockets },
      (_, at) => data.people[at % data.people.length] as Data["people"][number],
    );
    const cursors = await Promise.all(people.map((person, at) => cursorOf(portFor(at) as number, person)));
    listeners = people.map(
      (person, at) => new Listener({ session: person.session, port: () => portFor(at), cursor: cursors[at] as string }),
    );
    const everybodyIsThere = () =>
      until("everybody is there", () => listeners.every(({ subscribed }) => subscribed), PATIENCE_MS);
    await everybodyIsThere();
    const lanes = Array.from({ length: LANES }, (_, at) =>
      write(
        { ...data, hidden: hidden.map(({ id }) => id) },
        at,
        () => portFor(at),
        randomOf(seed, `lane ${at}`),
        (LANES * 1000) / options.perSecond,
        writing,
      ),
    );
    for (; faults < options.faults && performance.now() - began < options.limitMs; faults++) {
      await sleep(LEAST_MS + random() * (MOST_MS - LEAST_MS));
      const struck = [[servers[0]], [servers[1]], servers][faults % 3] as readonly Server[];
      await Promise.all(struck.map((server) => server.kill()));
      const since = performance.now();
      await Promise.all(struck.map((server) => server.start()));
      await everybodyIsThere();
      back.push(performance.now() - since);
      options.progress?.(faults + 1, writing.failed);
    }
    writing.stopped = true;
    await Promise.all(lanes);
    const differs = async () => judge(await truthOf(client, data), listeners, found);
    for (const late = performance.now() + PATIENCE_MS; performance.now() < late; await sleep(200))
      if ((await differs()) === 0) break;
  } catch (error) {
    const missing = listeners.flatMap(({ subscribed, last }, at) => (subscribed ? [] : `${at}: ${last}`));
    broken.push([(error as Error).message, ...missing].join("\n  "));
  } finally {
    writing.stopped = true;
    for (const listener of listeners) listener.end();
    await client.end();
    await Promise.all(servers.map((server) => server.kill()));
    rmSync(directory, { recursive: true, force: true });
  }
  const sum = (of: (listener: Listener) => number) => listeners.reduce((total, one) => total + of(one), 0);
  const counts = {
    "writes answered": writing.answered,
    "  a second": Math.round(writing.answered / ((performance.now() - began) / 1000)),
    "changes heard": sum(({ changes }) => changes),
    "  times that somebody came back": sum(({ connections }) => connections - 1),
  };
  return {
    ...{ counts, found, broken, back, faults, directory, cut: writing.failed, killsDuringStart: 0, seen: {} },
    ended: servers.flatMap((server) => server.ended),
    enough: faults >= options.faults && writing.answered > 0 && counts["  times that somebody came back"] > 0,
    seconds: (performance.now() - began) / 1000,
  };
}

async function cursorOf(port: number, person: Data["people"][number]): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${port}/api/v1/realtime/baseline`, { headers: headersOf(person) });
  if (!response.ok) throw new Error(`the baseline answered ${response.status}`);
  return ((await response.json()) as { cursor: string }).cursor;
}

/** Makes and changes Tasks of both Projects in one lane, as somebody who may; what a kill cuts off is left as it is. */
async function write(
  data: Data & { hidden: string[] },
  lane: number,
  port: () => number | null,
  random: () => number,
  everyMs: number,
  writing: { stopped: boolean; answered: number; failed: number },
) {
  const headers = { ...headersOf(data.people[0] as Data["people"][number]), "content-type": "application/json" };
  await sleep((everyMs * lane) / LANES);
  for (let next = performance.now(); !writing.stopped; next += everyMs) {
    await sleep(Math.max(0, next - performance.now()));
    const at = port();
    if (at === null) continue;
    const secret = random() < 0.3;
    const made = random() < 0.5;
    const ids = secret ? data.hidden : data.taskIds;
    const id = ids[Math.floor(random() * ids.length)];
    const path = made ? `/projects/${data.projectIds[secret ? 1 : 0]}/tasks` : `/tasks/${id}`;
    await fetch(`http://127.0.0.1:${at}/api/v1${path}`, {
      method: made ? "POST" : "PATCH",
      headers: { ...headers, "idempotency-key": newId(), ...(made ? {} : { "if-match": "*" }) },
      body: JSON.stringify({ title: `Written ${newId()}` }),
      signal: AbortSignal.timeout(10_000),
    }).then(
      async (response) => {
        await response.arrayBuffer();
        if (response.ok) writing.answered++;
        else writing.failed++;
      },
      () => {
        writing.failed++;
      },
    );
  }
}

type Truth = Map<string, { revision: string; hidden: boolean }>;
const CHANGED = `
select t.id, t.revision::text, t.project_id = $2 as hidden from tasks t
where t.workspace_id = $1 and exists (select from domain_events e where e.workspace_id = $1 and e.task_id = t.id)`;
async function truthOf(client: pg.Client, { workspaceId, projectIds }: Data): Promise<Truth> {
  const { rows } = await client.query(CHANGED, [workspaceId, projectIds[1]]);
  return new Map(rows.map(({ id, ...task }) => [id, task]));
}

/** The first of them owns the Workspace and sees all of it. How much is amiss. */
function judge(truth: Truth, listeners: readonly Listener[], found: Verdict["found"]): number {
  const [missed, wrong]: [string[], string[]] = [[], []];
  for (const [at, { told, wrong: said }] of listeners.entries()) {
    wrong.push(...said.map((what) => `follower ${at} heard ${what}`));
    const seesAll = at % 64 === 0;
    for (const [id, { revision, hidden }] of truth)
      if ((seesAll || !hidden) && told.get(id) !== revision)
        missed.push(`follower ${at} has Task ${id} at ${told.get(id)}, and it is at ${revision}`);
    for (const id of told.keys())
      if (!truth.has(id) || (truth.get(id)?.hidden && !seesAll)) wrong.push(`follower ${at} heard of Task ${id}`);
  }
  found["changes missed"] = missed;
  found["changes told to the wrong"] = wrong;
  return missed.length + wrong.length;
}
