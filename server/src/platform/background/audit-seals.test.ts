// Seals of the audit log: whatever somebody does who can write to the database and has neither the keys nor the head is
// found. What the service itself does is no alarm: a crash between commit and head, several workers, a new key,
// pruning.
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import pg from "pg";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type TestDatabase, testDatabase } from "../../../test/database.ts";
import { secretKey, storages } from "../../../test/storages.ts";
import { newId } from "../wire/ids.ts";
import { createLog } from "../wire/log.ts";
import { createMetrics } from "../wire/metrics.ts";
import { auditJobs, pruneAuditRows, pruneEvents } from "./audit-jobs.ts";
import { type AuditHead, acceptHead, readHead, sealAudit, verifyAudit } from "./audit-seals.ts";

const found = storages();
const keys = [secretKey("k1")];
const log = createLog("silent");
let database: TestDatabase;
let client: pg.Client;
/** What lies outside of the database. */
let kept: Map<string, Buffer>;
const storage = {
  get: async (key: string) => kept.get(key),
  put: async (key: string, bytes: Buffer) => void kept.set(key, bytes),
};
const [one, two] = [newId(), newId()];

beforeEach(async () => {
  kept = new Map();
  database = await testDatabase();
  client = new pg.Client(database.url);
  await client.connect();
});
afterEach(async () => {
  await client.end();
  await database.drop();
});

const row = (age: string, workspace = one) =>
  client.query(
    `insert into audit_log (workspace_id, id, operation, correlation_id, occurred_at)
      values ($1, $2, 'test', 'c', now() - $3::interval)`,
    [workspace, newId(), age],
  );
const seal = (own = keys, most = 1000) => sealAudit(client, own, storage, most);
const verify = (own = keys) => verifyAudit(client, own, storage);
const seals = async () =>
  (await client.query("select number::int as n from audit_seals order by 1")).rows.map(({ n }) => n);
/** Ten seals with two rows each, from 20 to 2 hours ago. */
async function tenSeals() {
  for (let hour = 20; hour > 0; hour--) await row(`${hour} hours`, hour % 2 ? one : two);
  await seal(keys, 1);
  const count = (await seals()).length;
  expect(count).toBeGreaterThan(9);
  expect(await verify()).toBeNull();
  return count;
}
const last = "(select max(number) from audit_seals)";

describe("found is", () => {
  const cases: Record<string, [attack: string, says: RegExp]> = {
    "a row that was altered": [
      `update audit_log set operation = 'forged'
        where id = (select id from audit_log order by occurred_at offset 5 limit 1)`,
      /covers other rows than there are/,
    ],
    "a row that was deleted": [
      "delete from audit_log where id = (select id from audit_log order by occurred_at offset 5 limit 1)",
      /covers \d+ rows and there are \d+/,
    ],
    "a row that was inserted": [
      `insert into audit_log (workspace_id, id, operation, correlation_id, occurred_at)
        values ('${one}', gen_random_uuid(), 'forged', 'c', now() - interval '9 hours')`,
      /covers \d+ rows and there are \d+/,
    ],
    "two rows in the other order": [
      `update audit_log a set occurred_at = b.occurred_at from audit_log b, (
         select (array_agg(id order by occurred_at))[4] as x, (array_agg(id order by occurred_at))[9] as y
         from audit_log
       ) p where (a.id, b.id) in ((p.x, p.y), (p.y, p.x))`,
      /covers other rows than there are/,
    ],
    "a row that was moved to another tenant": [
      `update audit_log set workspace_id = gen_random_uuid()
        where id = (select id from audit_log order by occurred_at offset 5 limit 1)`,
      /covers other rows than there are/,
    ],
    "the last seal, deleted with its rows": [
      `delete from audit_log where occurred_at >= (select sealed_from from audit_seals where number = ${last});
       delete from audit_seals where number = ${last}`,
      /the seals end at \d+ and the head names \d+/,
    ],
    "the last five, truncated": [
      `delete from audit_log where occurred_at >= (select sealed_from from audit_seals where number = ${last} - 4);
       delete from audit_seals where number > ${last} - 5`,
      /the seals end at \d+ and the head names \d+/,
    ],
    "everything, wiped": ["truncate audit_log, audit_seals", /the seals end at 0 and the head names \d+/],
    "a row altered and the chain recomputed": [
      `update audit_log set operation = 'forged'
       where id = (select id from audit_log order by occurred_at offset 5 limit 1);
       update audit_seals s set digest = d.digest, row_count = d.row_count, mac = sha256(d.digest)
       from (select number, (audit_digest(sealed_from, sealed_to)).* from audit_seals) d
       where d.number = s.number and s.number >= 3`,
      /seal 3 \(.*\) was not made by this service/,
    ],
    "two seals in the other order": [
      `update audit_seals set number = case number when 3 then 104 else 103 end where number in (3, 4);
        update audit_seals set number = number - 100 where number > 100`,
      /seal 3 \(.*\) does not follow/,
    ],
    "a forged checkpoint": [
      `delete from audit_log where occurred_at < (select sealed_to from audit_seals where number = 4);
       delete from audit_seals where number < 4;
       update audit_seals set pruned_key_id = key_id, pruned_mac = mac where number = 4`,
      /seal 4 \(.*\) is the first that is left, and was not pruned by this service/,
    ],
  };
  test.for(Object.entries(cases))("%s", async ([, [attack, says]]) => {
    await tenSeals();
    await client.query(attack);
    expect(await verify()).toMatch(says);
    // Nor does the next seal cover it up.
    await row("2 minutes");
    await seal();
    expect(await verify()).not.toBeNull();
  });

  test("a truncated end that was filled with as many new seals", async () => {
    const count = await tenSeals();
    const head = await readHead(storage);
    await client.query("truncate audit_log, audit_seals");
    for (let more = 0; more <= count; more++) await row(`${count + 2 - more} minutes`);
    const sealed = await seal(keys, 1);
    expect(sealed).toMatchObject({ sound: false, head });
    expect(await readHead(storage)).toEqual(head);
    expect(await verify()).toMatch(/is not the one that the head names|the head names/);
  });
});

describe("no alarm is", () => {
  test("a crash between the commit and the head", async () => {
    const stuck = { ...storage, put: async () => Promise.reject(new Error("crash")) };
    await seal();
    await row("3 minutes");
    await expect(sealAudit(client, keys, stuck, 1000)).rejects.toThrow("crash");
    expect([await seals(), (await readHead(storage))?.number]).toEqual([[1], 0]);
    expect(await verify()).toBeNull();
    expect(await seal()).toMatchObject({ sound: true });
    expect((await readHead(storage))?.number).toBe(1);
  });

  test("several workers at once", async () => {
    for (let minute = 40; minute > 2; minute--) await row(`${minute} minutes`);
    const others = await Promise.all(
      [1, 2, 3].map(async () => {
        const other = new pg.Client(database.url);
        await other.connect();
        return other;
      }),
    );
    await Promise.all(others.map((other) => sealAudit(other, keys, storage, 5)));
    await Promise.all(others.map((other) => other.end()));
    expect(await verify()).toBeNull();
    expect((await readHead(storage))?.number).toBe((await seals()).length);
  });

  test("a transaction that still writes: its row is sealed once it has ended", async () => {
    const slow = new pg.Client(database.url);
    await slow.connect();
    // The last minute is never sealed, so every transaction is moved two hours back.
    await client.query(`create view pg_stat_activity as
      select datname, backend_xid, pid, xact_start - interval '2 hours' as xact_start
      from pg_catalog.pg_stat_activity`);
    await client.query("set search_path = public, pg_catalog");
    await row("3 hours");
    await row("1 hour");
    const sealed = async () =>
      (await client.query("select sum(row_count)::int as count from audit_seals")).rows[0].count;
    await slow.query("begin; select pg_current_xact_id()");
    await seal();
    expect(await sealed()).toBe(1);
    await slow.query("rollback");
    await seal();
    expect(await sealed()).toBe(2);
    await slow.end();
  });

  test("a new key, as long as the old one is kept; without it the line says which", async () => {
    for (const age of ["9 minutes", "8 minutes", "3 minutes"]) await row(age);
    let made = 0;
    // A worker that dies after its first seal.
    const dying = {
      query: (sql: string, values?: unknown[]) =>
        sql.startsWith("insert into audit_seals") && made++ > 0
          ? Promise.reject(new Error("crash"))
          : client.query(sql, values),
    };
    await expect(sealAudit(dying, keys, storage, 1)).rejects.toThrow("crash");
    const rotated = [secretKey("k2"), ...keys];
    await seal(rotated);
    const by = await client.query("select key_id from audit_seals order by number");
    expect(by.rows.map(({ key_id }) => key_id)).toEqual(["k1", "k2"]);
    expect(await verify(rotated)).toBeNull();
    expect(await verify(rotated.slice(0, 1))).toMatch(/was made with the key k1; add it to SECRET_KEYS/);
    expect(await verify([secretKey("k1"), ...rotated.slice(0, 1)])).toMatch(/seal 1 .* was not made by this service/);
  });

  test("a backup that was put back, once it is accepted", async () => {
    await tenSeals();
    await client.query(`delete from audit_seals where number > ${last} - 2`);
    await client.query("delete from audit_log where occurred_at >= (select max(sealed_to) from audit_seals)");
    expect(await verify()).toMatch(/the end is missing/);
    const epoch = async () => (await client.query("select epoch from journal")).rows[0].epoch;
    const before = await epoch();
    await acceptHead(client, storage);
    expect(await verify()).toBeNull();
    expect(await epoch(), "who stands in the journal reads anew").not.toBe(before);
  });
});

describe("pruning", () => {
  const settings = { secretKeys: keys, eventRetentionDays: 90, auditRetentionDays: 90 };
  const prune = (most?: number) => pruneAuditRows(client, settings, log, most);
  const ages = async () =>
    (
      await client.query("select extract(day from now() - occurred_at)::int as age from audit_log order by 1 desc")
    ).rows.map(({ age }) => age);
  async function history() {
    for (const days of [300, 250, 200, 150, 100, 91, 89, 10]) await row(`${days} days`);
    await seal(keys, 1);
    expect(await verify()).toBeNull();
  }

  test("removes what is older than the retention, in pages, and leaves a checkpoint that is accepted", async () => {
    await history();
    await prune(1);
    // What shares a seal with something younger waits for it.
    expect(await ages()).toEqual([100, 91, 89, 10]);
    expect(await seals()).toEqual([2, 3, 4]);
    expect(await verify()).toBeNull();
    expect(await seal()).toMatchObject({ sound: true, head: { number: 4 } });
    await prune();
    expect([await seals(), await verify()]).toEqual([[2, 3, 4], null]);
  });

  test("accepts a head that is older than the checkpoint, of another machine", async () => {
    await history();
    const [first] = (
      await client.query("select 1 as number, encode(mac, 'hex') as mac from audit_seals where number = 1")
    ).rows;
    await prune();
    const old = Buffer.from(JSON.stringify(first));
    kept.set("audit/head", old);
    expect([await verify(), (await seal()).sound]).toEqual([null, true]);
  });

  test("finds rows that were put behind a checkpoint, and a checkpoint that was moved", async () => {
    await history();
    await prune();
    await row("270 days");
    expect(await verify()).toMatch(/seal 2 .* has 1 rows of before what was pruned/);
    await client.query("delete from audit_log where occurred_at < now() - interval '260 days'");
    expect(await verify()).toBeNull();
    await client.query(`
      delete from audit_log where occurred_at < (select sealed_to from audit_seals where number = 3);
      update audit_seals s set pruned_key_id = c.pruned_key_id, pruned_mac = c.pruned_mac from audit_seals c
      where c.number = 2 and s.number = 3;
      delete from audit_seals where number = 2`);
    expect(await verify()).toMatch(/seal 3 .* was not pruned by this service/);
  });

  test("leaves what is not sealed, and prunes nothing that is not as it was sealed", async () => {
    await row("200 days");
    await prune();
    expect(await ages()).toEqual([200]);
    await seal();
    await client.query("update audit_log set operation = 'forged'");
    await prune();
    expect(await ages()).toEqual([200]);
    expect(await verify()).toMatch(/covers other rows/);
  });

  test("keeps everything where the retention is forever", async () => {
    await history();
    await pruneAuditRows(client, { ...settings, auditRetentionDays: null }, log);
    expect(await ages()).toHaveLength(8);
  });

  test("of events keeps what is younger, and what a reader has not read", async () => {
    const event = (age: string) =>
      client.query(
        `insert into domain_events (workspace_id, id, type, command_id, resource_kind, resource_id, occurred_at)
         values ($1, $2, 'test', $2, 'test', $2, now() - $3::interval)`,
        [one, newId(), age],
      );
    for (const age of ["200 days", "120 days", "91 days", "89 days"]) await event(age);
    const left = async () => (await client.query("select from domain_events")).rowCount;
    const read = (reader: string, age: string) =>
      client.query(
        `insert into event_readers values ($1, now() - $2::interval) on conflict (reader) do update
          set read_to = excluded.read_to`,
        [reader, age],
      );
    await client.query("delete from event_readers");
    await read("search", "0");
    await pruneEvents(client, settings);
    expect(await left()).toBe(4);
    await read("inbox", "100 days");
    await pruneEvents(client, settings, 1);
    expect(await left()).toBe(2);
    await read("inbox", "0");
    await pruneEvents(client, { eventRetentionDays: null });
    expect(await left()).toBe(2);
    await pruneEvents(client, settings);
    expect(await left()).toBe(1);
  });
});

test("the head lies in files and in S3, and is a metric", async () => {
  for (const outside of [found.files, found.S3]) {
    await client.query("truncate audit_log, audit_seals");
    await row("3 minutes");
    const metrics = createMetrics();
    const jobs = auditJobs({ secretKeys: keys, eventRetentionDays: 90, auditRetentionDays: 90 }, outside, metrics, log);
    const helpers = { withPgClient: (work: (own: pg.Client) => unknown) => work(client) };
    await jobs.seal_audit?.({}, helpers as never);
    expect(((await readHead(outside)) as AuditHead).number).toBe(1);
    expect(await verifyAudit(client, keys, outside)).toBeNull();
    expect(await metrics.text()).toMatch(/^svc_audit_head 1$/m);
    expect(await metrics.text()).toMatch(/^svc_audit_head_found 1$/m);
    await client.query("truncate audit_log, audit_seals");
    await jobs.seal_audit?.({}, helpers as never);
    expect(await metrics.text()).toMatch(/^svc_audit_head_found 0$/m);
  }
});

test("npm run audit:verify ends with 0, or with 1 and the first broken place", async () => {
  const { dataDir } = found.config;
  const env = {
    ...process.env,
    DATABASE_URL: database.url,
    DATA_DIR: dataDir,
    SECRET_KEYS: `k1:${keys[0]?.key.toString("base64url")}`,
  };
  const run = () =>
    promisify(execFile)(process.execPath, ["scripts/audit-verify.ts"], { env }).then(
      ({ stdout }) => [0, stdout],
      ({ code, stderr }) => [code, stderr],
    );
  await acceptHead(client, found.files);
  await row("3 minutes");
  await sealAudit(client, keys, found.files, 10);
  expect(await run()).toEqual([0, "The audit log is as it was sealed.\n"]);
  await client.query("delete from audit_log");
  expect(await run()).toEqual([1, expect.stringMatching(/^seal 1 \(.*\) covers 1 rows and there are 0\n$/)]);
});
