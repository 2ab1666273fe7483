// Connections of a network that swallows: whoever waits for an answer is told, and PostgreSQL keeps no backend of a
// connection that was given up.
import pg from "pg";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { ownerUrl, testDatabase } from "../../../../test/database.ts";
import { eventually } from "../../../../test/eventually.ts";
import { FaultyNetwork } from "../../../../test/faulty-network.ts";
import { type Liveness, liveness } from "./liveness.ts";
import { ownerSession } from "./session.ts";

const LONG_MS = 600_000;
let drop: () => Promise<void>;
let admin: pg.Client;
let network: FaultyNetwork;
let lives: Liveness;
let pool: pg.Pool;

beforeAll(async () => {
  const database = await testDatabase();
  drop = database.drop;
  admin = new pg.Client(database.url);
  await admin.connect();
  network = await FaultyNetwork.to(ownerUrl(database.url));
  lives = liveness(network.url);
  pool = lives.openPool(ownerSession("svc-test"), { max: 4, answerMs: LONG_MS });
});
afterAll(async () => {
  await lives.end(0);
  await network.close();
  await admin.end();
  await drop();
});

let pids: number[];
/** Opens all connections of the pool. */
beforeEach(async () => {
  const clients = await eventually(() => Promise.all(Array.from({ length: 4 }, () => pool.connect())));
  const answers = await Promise.all(clients.map((client) => client.query("select pg_backend_pid() as pid")));
  pids = answers.map(({ rows }) => rows[0].pid);
  for (const client of clients) client.release();
});
const swallowAll = async () => {
  network.begin("swallow");
  await network.heal();
};
const left = async () =>
  (await admin.query("select pid from pg_stat_activity where pid = any($1)", [pids])).rows.map(({ pid }) => pid);

test("a question that was swallowed fails, and the backends of its connection and of the idle ones are ended", async () => {
  await swallowAll();
  await expect(pool.query("select 1")).rejects.toThrow("the database did not answer");
  await eventually(async () => expect(await left()).toEqual([]));
  expect((await pool.query("select 1 as one")).rows).toEqual([{ one: 1 }]);
});

test("a question fails whose backend has ended while the network swallowed its good-bye", async () => {
  await swallowAll();
  await admin.query("select pg_terminate_backend(pid, 60000) from unnest($1::int[]) pid", [pids]);
  await expect(pool.query("select 1")).rejects.toThrow("the database did not answer");
  expect((await pool.query("select 1 as one")).rows).toEqual([{ one: 1 }]);
});

test("a statement that takes long, and one that waits for a lock, are left alone", async () => {
  await admin.query("begin; select pg_advisory_lock(1)");
  const waiting = pool.query("select pg_advisory_lock(1)");
  // Wait: longer than silence may last; how much longer changes nothing.
  expect((await pool.query("select pg_sleep(3), 1 as one")).rows[0].one).toBe(1);
  await admin.query("select pg_advisory_unlock(1); commit");
  await waiting;
  expect(await left()).toHaveLength(4);
});
