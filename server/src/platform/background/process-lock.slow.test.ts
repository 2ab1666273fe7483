// The lock of a process: its leases are released when the process is gone, and never while it lives, also where its
// connection or the whole server is lost.
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { eventually } from "../../../test/eventually.ts";
import { service } from "../../../test/world.ts";
import { startEmbedded } from "../database/embedded/postgres.ts";
import { migrate } from "../database/start/migrations.ts";
import { createLog } from "../wire/log.ts";
import { processId } from "../wire/process-id.ts";
import { startWorker, type Worker } from "./jobs.ts";
import { holdProcessLock, LOCKS_SINCE, type ProcessLockOptions } from "./process-lock.ts";
import { releaseLeases } from "./release-leases.ts";

const running = service({});
let owner: pg.Client;
let pool: pg.Pool;
const clients: pg.Client[] = [];
const children: ChildProcess[] = [];
const closing: (() => Promise<unknown>)[] = [];
const client = async () => {
  const opened = new pg.Client(running.databaseUrl);
  opened.on("error", () => {});
  clients.push(opened);
  await opened.connect();
  return opened;
};
beforeAll(async () => {
  owner = await client();
  pool = new pg.Pool({ connectionString: running.databaseUrl });
  pool.on("error", () => {});
});
afterEach(async () => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
  await Promise.all(closing.splice(0).map((close) => close()));
});
afterAll(async () => {
  await pool.end();
  await Promise.all(clients.map((each) => each.end()));
});

let ids = 1000;
/** A process on this server, or on the one before a failover. */
const register = async (server = LOCKS_SINCE, workers: string[] = [], by = owner) => {
  const id = ++ids;
  await by.query(`insert into processes (id, server, workers) values ($1, ${server}, $2)`, [id, workers]);
  return id;
};
const BEFORE_FAILOVER = "pg_postmaster_start_time() - interval '1 day'";
const isRegistered = async (id: number, by = owner) =>
  (await by.query("select from processes where id = $1", [id])).rowCount === 1;
const LOCK = "select pg_advisory_lock(process_lock(), $1)";
function observe(options: Partial<ProcessLockOptions> = {}, of = pool) {
  const lock = holdProcessLock(of, {
    id: ++ids,
    log: createLog("silent"),
    workers: () => [],
    released: () => {},
    isAlone: false,
    freeMs: { settled: 200, failover: 1500 },
    ...options,
  });
  closing.push(lock.close);
}
/** A process whose one job takes so long; says what it has done. */
async function slowProcess(name: string, ms: number) {
  const child = fork(new URL("../../../test/slow-worker.ts", import.meta.url), {
    env: { ...process.env, DATABASE_URL: running.databaseUrl },
  });
  children.push(child);
  const said: unknown[] = [];
  child.on("message", (message) => said.push(message));
  await eventually(() => expect(said).toEqual(["ready"]));
  await owner.query("select graphile_worker.add_job('slow', $1)", [JSON.stringify({ name, ms })]);
  const locked = "select locked_by from graphile_worker.jobs where task_identifier = 'slow' and locked_at is not null";
  const by = await eventually(async () => {
    const { rows } = await owner.query<{ locked_by: string }>(locked);
    expect(rows).toHaveLength(1);
    return (rows[0] as { locked_by: string }).locked_by;
  });
  const registered = "select id from processes where $1 = any(workers) and process_lives(id)";
  const id = await eventually(async () => {
    const { rows } = await owner.query<{ id: number }>(registered, [by]);
    expect(rows).toHaveLength(1);
    return (rows[0] as { id: number }).id;
  });
  return { child, said, id };
}
/** Runs the same job here, once it can be taken. */
async function worker(done: unknown[]): Promise<Worker> {
  const slow = async (payload: unknown) => void done.push((payload as { name: string }).name);
  const started = await startWorker(running.databaseUrl, { jobs: { slow } }, createLog("silent"), 100);
  closing.push(started.stop);
  return started;
}

test("a lease is released where the lock of its process is free, and not where it is held", async () => {
  const [gone, living] = [await register(), await register()];
  await (await client()).query(LOCK, [living]);
  observe();
  await eventually(async () => expect(await isRegistered(gone)).toBe(false));
  expect(await isRegistered(living)).toBe(true);
  expect(await releaseLeases(pool, living), "nor by whoever tries").toBe(false);
  expect(await isRegistered(living)).toBe(true);
  await owner.query("delete from processes where id = $1", [living]);
});

test("a process whose lock was free long before it is observed has as long to take it again as any other", async () => {
  const back = await register();
  await owner.query("update processes set confirmed_at = now() - interval '1 minute' where id = $1", [back]);
  const taken = await client();
  observe({ freeMs: { settled: 3000, failover: 3_600_000 } });
  await once(pool, "release");
  await once(pool, "release");
  await taken.query(LOCK, [back]);
  const gone = await register();
  await eventually(async () => expect(await isRegistered(gone)).toBe(false));
  expect(await isRegistered(back)).toBe(true);
  await owner.query("delete from processes where id = $1", [back]);
});

test("after a crash of PostgreSQL, which frees all locks, a process has as long as after a failover, also for an observer that started later", async () => {
  const directory = mkdtempSync(join(tmpdir(), "svc-crash-"));
  chmodSync(directory, 0o711);
  const embedded = await startEmbedded(directory);
  const own = new pg.Pool({ connectionString: embedded.url });
  own.on("error", () => {});
  const connect = async () => {
    const opened = new pg.Client(embedded.url);
    opened.on("error", () => {});
    await opened.connect();
    return opened;
  };
  try {
    await migrate(embedded.url);
    const victim = await connect();
    const living = await register(LOCKS_SINCE, [], victim);
    const { rows } = await victim.query("select pg_backend_pid() as pid, pg_postmaster_start_time() as started");
    // PostgreSQL ends all connections when it notices the crash; until then it accepts new ones.
    const witness = await connect();
    const lost = new Promise((ended) => witness.once("end", ended));
    process.kill(rows[0].pid, "SIGKILL");
    await lost;
    const other = await eventually(connect);
    expect((await other.query("select pg_postmaster_start_time() as started")).rows[0].started).toEqual(
      rows[0].started,
    );
    observe({ freeMs: { settled: 200, failover: 3_600_000 } }, own);
    const gone = await register(LOCKS_SINCE, [], other);
    await eventually(async () => expect(await isRegistered(gone, other)).toBe(false));
    expect(await isRegistered(living, other)).toBe(true);
    await other.end();
  } finally {
    await Promise.all(closing.splice(0).map((close) => close()));
    await own.end();
    await embedded.stop();
    rmSync(directory, { recursive: true, force: true });
  }
});

test("after a failover a process has longer to take its lock again, and is released where it does not", async () => {
  const [back, gone, killed] = [await register(BEFORE_FAILOVER), await register(BEFORE_FAILOVER), await register()];
  observe({ freeMs: { settled: 200, failover: 3_600_000 } });
  // This one died on the new server: when it is released, the others have had longer than that.
  await eventually(async () => expect(await isRegistered(killed)).toBe(false));
  expect([await isRegistered(back), await isRegistered(gone)]).toEqual([true, true]);
  await (await client()).query(LOCK, [back]);
  observe();
  await eventually(async () => expect(await isRegistered(gone)).toBe(false));
  expect(await isRegistered(back)).toBe(true);
  await owner.query("delete from processes where id = $1", [back]);
});

test("where PostgreSQL was started by this process, no other one can come back", async () => {
  const gone = await register(BEFORE_FAILOVER);
  observe({ isAlone: true, freeMs: { settled: 3_600_000, failover: 3_600_000 } });
  await eventually(async () => expect(await isRegistered(gone)).toBe(false));
});

test("the job of a process that is killed is run by another one, long before its lock is old", async () => {
  const { child, id } = await slowProcess("killed", 3_600_000);
  child.kill("SIGKILL");
  // The age of a lock releases nothing.
  await owner.query("update graphile_worker._private_jobs set locked_at = now() + interval '1 hour'");
  await owner.query(
    "update graphile_worker._private_job_queues set locked_at = now() + interval '1 hour' where locked_at is not null",
  );
  const done: unknown[] = [];
  await worker(done);
  await eventually(() => expect(done).toEqual(["killed"]));
  expect(await isRegistered(id)).toBe(false);
});

test("a job that is at work while its process stops is done once: its lock is held until then", async () => {
  const { child, said } = await slowProcess("stopped", 2500);
  const done: unknown[] = [];
  await worker(done);
  const ended = once(child, "exit");
  child.kill("SIGTERM");
  await ended;
  expect(said).toEqual(["ready", "stopped"]);
  expect(done).toEqual([]);
  expect((await owner.query("select from graphile_worker.jobs where task_identifier = 'slow'")).rowCount).toBe(0);
});

test("a worker that stops holds its lock until the others that lease work have ended", async () => {
  const started = await worker([]);
  const isHeld = async () =>
    (await owner.query("select process_lives($1) as held", [processId])).rows[0].held as boolean;
  expect(await isHeld()).toBe(true);
  const others = Promise.withResolvers<void>();
  closing.splice(closing.indexOf(started.stop), 1);
  const stopping = started.stop(others.promise);
  for (let look = 0; look < 50; look++) expect(await isHeld()).toBe(true);
  others.resolve();
  await stopping;
  await eventually(async () => expect(await isHeld()).toBe(false));
});

test("a process that lives and loses the connection of its lock takes it again, and keeps its job", async () => {
  const { said, id } = await slowProcess("kept", 4000);
  const done: unknown[] = [];
  await worker(done);
  const holder = `select pid from pg_locks
      where locktype = 'advisory' and classid = process_lock()::oid and objid = $1::oid and granted`;
  const pid = async () => (await owner.query<{ pid: number }>(holder, [id])).rows[0]?.pid;
  const before = await pid();
  await owner.query("select pg_terminate_backend($1)", [before]);
  await eventually(async () => {
    const after = await pid();
    expect(after !== undefined && after !== before).toBe(true);
  });
  expect(await isRegistered(id)).toBe(true);
  await eventually(() => expect(said).toEqual(["ready", "kept"]));
  expect(done).toEqual([]);
});

test("what is done every ten seconds stays due when a worker starts: one that is killed again and again does not put it off", async () => {
  await owner.query(
    `select graphile_worker.add_job('often', '{}', queue_name => 'often', job_key => 'often 0',
      run_at => now() - interval '5 seconds')`,
  );
  const started = await startWorker(running.databaseUrl, { jobs: {}, frequent: ["often"] }, createLog("silent"), 100);
  closing.push(started.stop);
  const due =
    "select key, run_at <= now() as due from graphile_worker.jobs where task_identifier = 'often' order by key";
  const { rows } = await owner.query<{ key: string; due: boolean }>(due);
  expect(rows.map(({ key, due: isDue }) => [key, isDue])).toEqual([
    ["often 0", true],
    ...[1, 2, 3, 4, 5].map((n) => [`often ${n}`, false]),
  ]);
});
