// Background work: enqueued by a commit, picked up after a crash; sweeps that keep what must be kept.
import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { eventually } from "../../../test/eventually.ts";
import { service, world } from "../../../test/world.ts";
import { background } from "../../domain-jobs.ts";
import type { Connection } from "../database/db.ts";
import { newId } from "../wire/ids.ts";
import { createLog } from "../wire/log.ts";
import { createMetrics } from "../wire/metrics.ts";
import { type Background, enqueue, gather, type JobParts, startWorker } from "./jobs.ts";
import { background as maintenance } from "./maintenance.ts";

const running = service();
const done: unknown[] = [];
/** How many runs of the frequent job are at work, the most there were, and what they wait for. */
const frequent = { now: 0, most: 0, gate: Promise.resolve() };
/** What the long job waits for. */
const long = Promise.withResolvers<void>();
let owner: pg.Client;
let worker: { stop(): Promise<void> };

beforeAll(async () => {
  owner = new pg.Client(running.databaseUrl);
  await owner.connect();
  const note = async (payload: unknown) => void done.push((payload as { name: string }).name);
  const notify = async () => {
    frequent.most = Math.max(frequent.most, ++frequent.now);
    await frequent.gate;
    frequent.now--;
  };
  const slow = () => long.promise;
  const domain: Background = { jobs: () => ({ note, slow }), frequent: () => ({ notify }) };
  const work = gather([maintenance, domain], { database: running.database } as JobParts);
  worker = await startWorker(running.databaseUrl, work, createLog("silent"), 100);
});
afterAll(async () => {
  await worker.stop();
  await owner.end();
});

const inTransaction = (end: "commit" | "rollback", work: (tx: Connection) => Promise<unknown>) =>
  running.database.writer.use(async (tx) => {
    await tx.begin();
    await work(tx);
    await tx[end]();
  });

test("a job runs when its transaction commits and never when it rolls back", async () => {
  await inTransaction("rollback", (tx) => enqueue(tx, "note", { name: "rolled back" }));
  await inTransaction("commit", (tx) => enqueue(tx, "note", { name: "committed" }));
  await eventually(() => expect(done).toContain("committed"));
  expect(done).not.toContain("rolled back");
});

test("what is done every ten seconds is asked for when the worker starts, and not only from the next minute on", async () => {
  const soon = `select count(*)::int as count from graphile_worker.jobs
      where task_identifier = 'notify' and run_at < now() + interval '12 seconds'`;
  expect((await owner.query(soon)).rows[0].count).toBeGreaterThan(0);
});

test("of what is done every ten seconds one run is at work, and other jobs go on beside it however many are behind", async () => {
  let release = () => {};
  frequent.gate = new Promise((resolve) => {
    release = resolve;
  });
  const asked = "select queue_name as queue from graphile_worker.jobs where task_identifier = 'notify'";
  const queues = (await owner.query(asked)).rows.map(({ queue }) => queue);
  expect(queues.length > 0 && queues.every((queue) => queue === "notify"), queues.join()).toBe(true);
  await owner.query("select enqueue_job('notify', '{}', now(), 'notify') from generate_series(1, 10)");
  await eventually(() => expect(frequent.now).toBe(1));
  await inTransaction("commit", (tx) => enqueue(tx, "note", { name: "beside" }));
  await eventually(() => expect(done).toContain("beside"));
  release();
  const waiting = "select from graphile_worker.jobs where task_identifier = 'notify' and run_at <= now()";
  await eventually(async () => expect((await owner.query(waiting)).rowCount).toBe(0));
  expect(frequent.most).toBe(1);
});

test("a job of a worker that died is given back once its lock is 30 seconds old", async () => {
  const hold =
    "update graphile_worker._private_jobs set locked_by = 'worker-of-' || $1, locked_at = now() - $2::interval " +
    "where payload->>'name' = $1";
  await owner.query("begin");
  for (const [name, age] of [
    ["orphan", "20 seconds"],
    ["older orphan", "31 seconds"],
  ]) {
    await owner.query("select graphile_worker.add_job('note', json_build_object('name', $1::text))", [name]);
    await owner.query(hold, [name, age]);
  }
  await owner.query("commit");
  // One statement looks at both locks.
  await eventually(() => expect(done).toContain("older orphan"));
  expect(done).not.toContain("orphan");
  await owner.query(hold, ["orphan", "31 seconds"]);
  await eventually(() => expect(done).toContain("orphan"));
});

test("a job that takes long stays with the worker that lives", async () => {
  const held = `from graphile_worker._private_jobs j join graphile_worker._private_tasks t on t.id = j.task_id
      where t.identifier = 'slow'`;
  await owner.query("select graphile_worker.add_job('slow')");
  const locked = `select locked_at is not null as held,
    coalesce(locked_at > now() - interval '5 seconds', false) as fresh ${held}`;
  await eventually(async () => expect((await owner.query(locked)).rows).toEqual([{ held: true, fresh: true }]));
  await owner.query(
    `update graphile_worker._private_jobs set locked_at = now() - interval '20 seconds'
      where id in (select j.id ${held})`,
  );
  await eventually(async () => expect((await owner.query(locked)).rows).toEqual([{ held: true, fresh: true }]));
  // While it is at work, a job whose answer was lost is locked under the same name: nothing refreshes that lock, and it
  // is given back.
  await owner.query("begin");
  await owner.query("select graphile_worker.add_job('note', '{\"name\": \"lost\"}')");
  await owner.query(
    `update graphile_worker._private_jobs set locked_at = now(), locked_by = (select locked_by ${held}) where ` +
      "payload->>'name' = 'lost'",
  );
  await owner.query("commit");
  await eventually(() => expect(done).toContain("lost"));
  long.resolve();
  await eventually(async () => expect((await owner.query(`select ${held}`)).rowCount).toBe(0));
});

test("a worker whose first look for jobs fails, because its connections die, looks again", async () => {
  const own = new pg.Client(running.databaseUrl);
  await own.connect();
  await own.query("begin; lock table graphile_worker._private_tasks in share mode");
  const seen: unknown[] = [];
  const starting = startWorker(
    running.databaseUrl,
    { jobs: { late: async () => void seen.push("late") } },
    createLog("silent"),
    100,
  );
  const end = `select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock' and query like '%insert into%_private_tasks%'`;
  await eventually(async () => expect((await owner.query(end)).rowCount).toBeGreaterThan(0));
  await own.query("commit");
  const late = await starting;
  await own.query("select graphile_worker.add_job('late')");
  await eventually(() => expect(seen).toEqual(["late"]));
  await eventually(async () => expect(await late.alive()).toBe(true));
  await late.stop();
  await own.end();
});

test("the application's role may add jobs and touch nothing else of the queue", async () => {
  await expect(running.sql("select * from graphile_worker._private_jobs")).rejects.toThrow(/permission denied/);
  await expect(running.sql("select audit_span(1)")).rejects.toThrow(/permission denied/);
});

test("an idempotency key is kept for 24 hours and then swept", async () => {
  const { workspaceId, owner: person } = await world(running);
  const key = (age: string) =>
    owner.query(
      `insert into idempotency_keys (workspace_id, principal_id, operation, key_hash, fingerprint, status, body,
        command_id, created_at) values ($1, $2, 'x', $3, '', 201, '', $2, now() - $4::interval)`,
      [workspaceId, person.actorId, Buffer.from(age), age],
    );
  await key("23 hours 59 minutes");
  await key("24 hours 1 minute");
  await owner.query("select graphile_worker.add_job('sweep_idempotency_keys')");
  const left = () =>
    owner.query("select convert_from(key_hash, 'UTF8') as age from idempotency_keys where workspace_id = $1", [
      workspaceId,
    ]);
  await eventually(async () => expect((await left()).rows).toEqual([{ age: "23 hours 59 minutes" }]));
});

test("what is used once is swept a day after it has expired, and not before", async () => {
  const { owner: person } = await world(running);
  const link = (kind: string, age: string) =>
    owner.query(
      `insert into email_links (user_id, kind, token_hash, email, expires_at)
        values ($1, $2, $3, 'a@example.com', now() - $4::interval)`,
      [person.userId, kind, Buffer.from(newId()), age],
    );
  await link("password_reset", "23 hours 59 minutes");
  await link("email_change", "24 hours 1 minute");
  await owner.query("select graphile_worker.add_job('sweep_single_use')");
  const left = () => owner.query("select kind from email_links where user_id = $1", [person.userId]);
  await eventually(async () => expect((await left()).rows).toEqual([{ kind: "password_reset" }]));
});

test("a client that nobody granted anything in 30 days is forgotten, and a grant once nothing is left of it for 90", async () => {
  const { owner: person } = await world(running);
  const name = newId();
  const client = (id: string, days: number) =>
    owner.query(
      `insert into oauth_clients (id, name, redirect_uris, scopes, created_at)
        values ($1, 'x', '{}', '{}', now() - make_interval(days => $2))`,
      [`${name} ${id}`, days],
    );
  const grant = (of: string, days: number) =>
    owner.query(
      `insert into oauth_grants (id, family, client_id, client_name, user_id, scopes, updated_at)
       values ($1, 'mcp', $2, 'x', $3, '{}', now() - make_interval(days => $4)) returning id`,
      [newId(), `${name} ${of}`, person.userId, days],
    );
  for (const [id, days] of [
    ["young", 29],
    ["old", 31],
    ["granted", 31],
    ["dead", 31],
  ] as const)
    await client(id, days);
  await grant("granted", 89);
  await grant("dead", 91);
  const kept = await grant("kept", 91);
  await owner.query(
    "insert into oauth_refresh_tokens (token_hash, grant_id, expires_at) values ($1, $2, now() + interval '1 day')",
    [Buffer.from(name), kept.rows[0].id],
  );
  await owner.query("select graphile_worker.add_job('sweep_oauth')");
  const left = (sql: string) =>
    owner.query(sql, [`${name} %`]).then(({ rows }) => rows.map(({ id }) => id.split(" ")[1]));
  const clients = () => left("select id from oauth_clients where id like $1 order by id");
  await eventually(async () => expect(await clients()).toEqual(["granted", "young"]));
  expect(await left("select client_id as id from oauth_grants where client_id like $1 order by 1")).toEqual([
    "granted",
    "kept",
  ]);
});

test("those that are frequent are spread over their ten seconds, and asked for again within the minute", async () => {
  const domain: Background = {
    frequent: () => ({ first: async () => {}, second: async () => {}, third: async () => {} }),
  };
  const { jobs, schedule } = gather([domain], { database: running.database } as JobParts);
  expect(schedule?.trim()).toBe("* * * * * ask_frequent");
  await (jobs.ask_frequent as (payload: unknown) => Promise<void>)({});
  const { rows } = await owner.query(`
    select task_identifier as name, round(extract(epoch from run_at - min(run_at) over ()), 1)::float as seconds
    from graphile_worker.jobs where task_identifier in ('first', 'second', 'third') order by run_at`);
  expect(rows.slice(0, 4).map(({ name, seconds }) => [name, seconds])).toEqual([
    ["first", 0],
    ["second", 3.3],
    ["third", 6.7],
    ["first", 10],
  ]);
  expect(rows).toHaveLength(18);
});

test("two domains that bring a job of the same name are refused at the start", () => {
  const one = { jobs: () => ({ note: async () => {} }) };
  expect(() => gather([one, one], {} as JobParts)).toThrow("two jobs have the name note");
});

test("whatever is scheduled is a job that somebody brings, at a time of its own", async () => {
  const {
    schedule = "",
    jobs,
    frequent = [],
  } = gather(background, {
    config: {},
    database: running.database,
    outside: {},
    metrics: createMetrics(),
  } as JobParts);
  const lines = schedule.split("\n").filter(Boolean);
  expect(lines.length).toBeGreaterThan(12);
  for (const line of lines) expect(Object.keys(jobs)).toContain(line.split(" ")[5]);
  const hourly = lines.filter((line) => /^\d/.test(line)).map((line) => line.split(" ").slice(0, 2).join(" "));
  expect(new Set(hourly).size).toBe(hourly.length);
  expect(frequent.sort()).toEqual([
    ...["deliver_reminders", "index_knowledge", "index_search", "notify"],
    ...["request_repository_exports", "tell_providers"],
  ]);
});
