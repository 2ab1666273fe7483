// A worker whose connections are lost or taken: it looks for jobs again, holds its lock again, and is alive while jobs
// hold all that they may.
import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ownerUrl, testDatabase } from "../../../test/database.ts";
import { eventually } from "../../../test/eventually.ts";
import { FaultyNetwork } from "../../../test/faulty-network.ts";
import { createLog } from "../wire/log.ts";
import { processId } from "../wire/process-id.ts";
import { startWorker, type Worker } from "./jobs.ts";

const JOBS_AT_ONCE = 4;
const MANY = 3;
let drop: () => Promise<void>;
let admin: pg.Client;
let network: FaultyNetwork;
let worker: Worker;
const done: string[] = [];
const held = { connections: 0, end: Promise.withResolvers<void>() };

beforeAll(async () => {
  const database = await testDatabase();
  drop = database.drop;
  admin = new pg.Client(database.url);
  await admin.connect();
  await admin.query("set svc.owner = 'on'");
  network = await FaultyNetwork.to(ownerUrl(database.url));
  const jobs = {
    note: async (payload: unknown) => void done.push((payload as { name: string }).name),
    /** Wants several connections at once, and keeps those that it gets. */
    hold: async (_payload: unknown, { withPgClient }: { withPgClient: WithClient }) => {
      const hold = () =>
        withPgClient(async () => {
          held.connections++;
          await held.end.promise;
        });
      await Promise.allSettled(Array.from({ length: MANY }, hold));
    },
  };
  worker = await startWorker(network.url, { jobs }, createLog("silent"), 100);
});
afterAll(async () => {
  await worker.stop();
  await network.close();
  await admin.end();
  await drop();
});
type WithClient = (work: () => Promise<void>) => Promise<void>;

const isAlive = () => eventually(async () => expect(await worker.alive()).toBe(true));
const add = (job: string, name = "") =>
  admin.query("select graphile_worker.add_job($1, json_build_object('name', $2::text))", [job, name]);
const holdsLock = async () => (await admin.query("select process_lives($1) as lives", [processId])).rows[0].lives;

test.for([1, 2, 3])("a network that swallows connections whose backends end meanwhile, time %i", async (time) => {
  await isAlive();
  network.begin("swallow");
  await admin.query(
    `select pg_terminate_backend(pid, 60000) from pg_stat_activity
      where datname = current_database() and usename = 'svc_owner'`,
  );
  expect(await holdsLock()).toBe(false);
  await network.heal();
  await add("note", `after ${time}`);
  await isAlive();
  await eventually(async () => expect(await holdsLock()).toBe(true));
  await eventually(() => expect(done).toContain(`after ${time}`));
});

test("jobs that hold every connection they can get leave the worker those of its own", async () => {
  await isAlive();
  for (let job = 0; job < JOBS_AT_ONCE; job++) await add("hold");
  await eventually(() => expect(held.connections).toBeGreaterThanOrEqual(JOBS_AT_ONCE));
  // Those that got none have been refused by then.
  for (let look = 0; look < 10; look++) expect(await worker.alive()).toBe(true);
  held.end.resolve();
  await add("note", "after all");
  await eventually(() => expect(done).toContain("after all"));
});
