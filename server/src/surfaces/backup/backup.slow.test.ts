// A backup of a running service, and what becomes of it elsewhere: every row and every object is there again, of one
// point in time, and whoever stood in the journal reads anew.
import { randomBytes } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { emptyDatabase, run } from "../../../test/database.ts";
import { eventually } from "../../../test/eventually.ts";
import { fill } from "../../../test/filled.ts";
import { atRelease, catalogOf, dumpOf, programAt, releases, withClient } from "../../../test/releases.ts";
import { startS3 } from "../../../test/s3.ts";
import { newTask, workshopOn } from "../../../test/work.ts";
import { service, testConfig, testKeys } from "../../../test/world.ts";
import { verifyAudit } from "../../platform/background/audit-seals.ts";
import { HOLD_OBJECTS, unlessHeld } from "../../platform/background/held-objects.ts";
import { openDatabase, type Queries } from "../../platform/database/db.ts";
import { type JournalPosition, placeOf, resetOf } from "../../platform/database/journal.ts";
import { checkKeys } from "../../platform/database/start/key-check.ts";
import { migrate, shipped } from "../../platform/database/start/migrations.ts";
import type { Storage } from "../../platform/outside/external-systems.ts";
import { openStorage } from "../../platform/outside/storage.ts";
import { makeBackup, ROOM_LEFT } from "./backup.ts";
import { allTables } from "./catalog.ts";
import { checkBackup, restoreBackup, roomFault, verifyBackup } from "./restore.ts";

const directory = mkdtempSync(join(tmpdir(), "svc-backup-"));
const dataDir = mkdtempSync(join(tmpdir(), "svc-backup-data-"));
const running = service({ dataDir });
afterAll(() => {
  for (const path of [directory, dataDir]) rmSync(path, { recursive: true, force: true });
});
const storageIn = (dir: string): Storage => openStorage({ ...testConfig, dataDir: dir }, () => "http://localhost");
const keys = { keyFile: null, secretKeys: testKeys };
const quiet = () => {};
let count = 0;
const newFile = () => join(directory, `${++count}.backup`);
const newDir = () => mkdtempSync(join(directory, "place-"));

const backUp = (url: string, storage: Pick<Storage, "open">, keyFile: Buffer | null = null) => {
  const path = newFile();
  const source = { url, storage, secretKeys: testKeys, keysFrom: "SECRET_KEYS" };
  return makeBackup(path, source, { keyFile, rest: 0 }).then((made) => ({ path, made }));
};

/** Every table as text, but for what counts positions in a cluster. */
const rowsOf = (url: string) =>
  withClient(url, async (client) => {
    const found: Record<string, string> = {};
    for (const table of (await allTables(client)).filter(
      (name) => !["journal", "journal_marks", "private_changes"].includes(name),
    )) {
      const { rows } = await client.query(
        `select coalesce(string_agg(j::text, e'\n' order by j::text), '') as text
          from (select to_jsonb(t) - 'tx' - 'followed_tx' as j from ${table} t) rows`,
      );
      found[table] = rows[0].text;
    }
    return found;
  });
const SCHEMA = `
select c.relname || ' ' || pg_get_indexdef(i.indexrelid) || i.indisvalid as line from pg_index i
join pg_class c on c.oid = i.indrelid where c.relnamespace = 'public'::regnamespace
union all select conrelid::regclass || ' ' || conname || ' ' || pg_get_constraintdef(oid) || convalidated
from pg_constraint where connamespace = 'public'::regnamespace
union all select tgrelid::regclass || ' ' || tgname || ' ' || tgenabled::text from pg_trigger where not tgisinternal
union all select sequencename || ' ' || coalesce(last_value, 0) from pg_sequences where schemaname = 'public'
order by 1`;
const schemaOf = (url: string) =>
  withClient(url, async (client) => ({
    ...(await catalogOf(client)),
    // But for two that the tests themselves add.
    lines: (await client.query<{ line: string }>(SCHEMA)).rows
      .map(({ line }) => line)
      .filter((line) => !/_of_command ON|_of_request ON/.test(line)),
  }));

const LEFT = `
select count(*) filter (where tx >= $1::xid8)::int as told_again, (select count(*)::int from private_changes) as private
from domain_events`;
async function reading<T>(url: string, work: (tx: Queries) => Promise<T>): Promise<T> {
  const database = openDatabase(url, 2);
  return database.reader.use(work).finally(() => database.end());
}
const standing = (url: string) => reading(url, (tx) => placeOf(tx));
const resetIn = (url: string, place: JournalPosition) => reading(url, (tx) => resetOf(tx, place));

const picture = Buffer.from("a picture, as far as storage knows");
const large = randomBytes(3 * 1024 * 1024);
async function withObjects(): Promise<string[]> {
  const storage = storageIn(dataDir);
  const [{ id }] = (await running.asOwner<{ id: string }>("select id from users limit 1")) as [{ id: string }];
  await storage.put(`people/${id}/one`, picture, "image/webp");
  await running.asOwner("update users set picture_key = $2 where id = $1", [id, `people/${id}/one`]);
  const STORED = `update attachments
    set state = 'stored', completed_at = coalesce(completed_at, now()), has_thumbnail = false
    where id = (select id from attachments limit 1) returning workspace_id, id`;
  const [attachment] = await running.asOwner<{ workspace_id: string; id: string }>(STORED);
  const key = `attachments/${attachment?.workspace_id}/${attachment?.id}/file`;
  await storage.put(key, large, "application/pdf");
  return [`people/${id}/one`, key];
}

let named: string[] = [];
beforeAll(async () => {
  await fill(running);
  named = await withObjects();
});

describe("a backup of a service with rows in every table", () => {
  test("is restored into an empty database with every row, object, index and sequence, as another journal, and verifies", async () => {
    const before = await rowsOf(running.databaseUrl);
    expect(
      Object.entries(before)
        .filter(([name, text]) => text === "" && !name.includes("."))
        .map(([name]) => name),
    ).toEqual([]);
    const stood = await standing(running.databaseUrl);
    const { path, made } = await backUp(running.databaseUrl, storageIn(dataDir));
    expect(made.objects).toBeGreaterThanOrEqual(2);
    const place = newDir();
    await emptyDatabase(async (url) => {
      const checked = await checkBackup(path, keys);
      await restoreBackup(path, keys, checked, { url, storage: storageIn(place) }, quiet);
      const after = await rowsOf(url);
      expect(Object.keys(after)).toEqual(Object.keys(before));
      for (const [name, text] of Object.entries(before)) expect(after[name] === text, name).toBe(true);
      expect(await schemaOf(url)).toEqual(await schemaOf(running.databaseUrl));
      await checkKeys(url, testKeys, "SECRET_KEYS");
      expect(await resetIn(url, stood)).toBe("epoch_changed");
      const { position } = await standing(url);
      expect(await withClient(url, async (client) => (await client.query(LEFT, [position])).rows)).toEqual([
        { told_again: 0, private: 0 },
      ]);
      expect(await withClient(url, (client) => verifyAudit(client, testKeys, storageIn(place)))).toBeNull();
    });
    expect(await storageIn(place).get(named[0] as string)).toEqual(picture);
    expect((await storageIn(place).get(named[1] as string))?.equals(large)).toBe(true);
    const object = await storageIn(place).open(named[1] as string);
    await object?.close();
    expect(object?.type).toBe("application/pdf");
    const said: string[] = [];
    await verifyBackup(path, keys, storageIn, (line) => said.push(line));
    expect(said.at(-1)).toMatch(/\d+ tables and \d+ objects were restored aside and are as they were/);
    expect(readdirSync(directory).filter((name) => name.includes("verify"))).toEqual([]);
  });

  test("names every object that the service has stored, and says which is not there", async () => {
    const elsewhere = storageIn(newDir());
    const { path, made } = await backUp(running.databaseUrl, elsewhere);
    expect(made).toMatchObject({ objects: 0 });
    expect(made.missing).toBeGreaterThanOrEqual(2);
    expect(await checkBackup(path, keys)).toMatchObject({ objects: 0, missing: made.missing });
  });

  test("goes through S3 in both directions, encrypted, in pieces", async () => {
    const [from, to] = [await startS3(), await startS3()];
    try {
      const s3 = ({ url }: { url: string }) => openStorage({ ...testConfig, storageUrl: url }, () => "");
      for (const key of named) await s3(from).put(key, key === named[1] ? large : picture, "image/webp");
      const keyFile = randomBytes(32);
      const { path } = await backUp(running.databaseUrl, s3(from), keyFile);
      await emptyDatabase(async (url) => {
        const checked = await checkBackup(path, { ...keys, keyFile });
        await restoreBackup(path, { ...keys, keyFile }, checked, { url, storage: s3(to) }, quiet);
      });
      for (const key of named) expect(to.objects.get(key)).toEqual(from.objects.get(key));
      expect(to.objects.has("audit/head")).toBe(true);
      await emptyDatabase(async (url) => {
        const again = restoreBackup(
          path,
          { ...keys, keyFile },
          await checkBackup(path, { ...keys, keyFile }),
          { url, storage: s3(to) },
          quiet,
        );
        await expect(again).rejects.toThrow(/object storage is not empty; .* STORAGE_URL to an empty bucket/);
        await withClient(url, async (client) => expect(await allTables(client)).toEqual([]));
      });
    } finally {
      await Promise.all([from.close(), to.close()]);
    }
  });

  test("of an older release is restored and brought up to this version", async () => {
    const program = await shipped();
    const release = releases().at(-1) as string;
    await emptyDatabase(async (old) => {
      await atRelease(old, programAt(program, release), dumpOf(release));
      await run(old, "truncate secret_keys");
      await checkKeys(old, testKeys, "SECRET_KEYS");
      const before = await rowsOf(old);
      const { path } = await backUp(old, storageIn(newDir()));
      await migrate(old);
      await emptyDatabase(async (url) => {
        await restoreBackup(path, keys, await checkBackup(path, keys), { url, storage: storageIn(newDir()) }, quiet);
        expect((await schemaOf(url)).lines).toEqual((await schemaOf(old)).lines);
        const after = await rowsOf(url);
        expect(after.tasks).toBe((await rowsOf(old)).tasks);
        expect(after.users?.length).toBeGreaterThanOrEqual(before.users?.length ?? 0);
      });
    });
  });
});

describe("a backup while others write", () => {
  test("is of one point in time: what one commit wrote is there together or not at all", async () => {
    const { owner, project, workspaceId } = await workshopOn(running);
    const step = async (n: number) => {
      const same = `with u as (update users set display_name = $1 where id = $2) update workspaces set name = $1
        where id = $3`;
      await running.asOwner(same, [`at ${n}`, owner.userId, workspaceId]);
      await newTask(owner, project.id);
    };
    await step(0);
    let writing = true;
    const writer = (async () => {
      for (let n = 1; writing; n++) await step(n);
    })();
    const { path } = await backUp(running.databaseUrl, storageIn(dataDir));
    const later = await newTask(owner, project.id);
    writing = false;
    await writer;
    await emptyDatabase(async (url) => {
      await restoreBackup(path, keys, await checkBackup(path, keys), { url, storage: storageIn(newDir()) }, quiet);
      const [found] = await withClient(
        url,
        async (client) => (await client.query(CONSISTENT, [owner.userId, workspaceId, later.id])).rows,
      );
      expect(found).toEqual({ same: true, audited: true, unheard: 0, later: 0 });
    });
  });

  test("does not hold the journal back, and lets nobody delete an object until it ends", async () => {
    let deleted = 0;
    const later: unknown[] = [];
    const job = unlessHeld("discard", async () => void deleted++);
    const client = new pg.Client(running.databaseUrl);
    await client.connect();
    const helpers = {
      withPgClient: (work: (one: pg.Client) => Promise<void>) => withClient(running.databaseUrl, work),
      addJob: async (...values: unknown[]) => void later.push(values),
    };
    const discard = () => (job as (payload: unknown, given: unknown) => Promise<void>)({ id: "x" }, helpers);
    await client.query(HOLD_OBJECTS);
    await client.query("begin isolation level repeatable read, read only");
    await client.query("select from users");
    const { owner, project } = await workshopOn(running);
    await newTask(owner, project.id);
    // Others write in databases beside this one, and end; this reader does not.
    const behind =
      "select count(*)::int as behind from domain_events where tx >= pg_snapshot_xmin(pg_current_snapshot())";
    await eventually(async () => expect(await running.asOwner(behind)).toEqual([{ behind: 0 }]));
    await discard();
    expect([deleted, later]).toEqual([0, [["discard", { id: "x" }, { runAt: expect.any(Date) }]]]);
    await client.end();
    await discard();
    expect([deleted, later.length]).toEqual([1, 1]);
  });
});
const CONSISTENT = `
select (select display_name from users where id = $1) = (select name from workspaces where id = $2) as same,
  (select count(*) from tasks where workspace_id = $2) = (select count(*) from audit_log
  where workspace_id = $2 and operation = 'createTask') as audited,
  (select count(*)::int from tasks t where t.workspace_id = $2 and not exists (
    select from domain_events e where e.workspace_id = $2 and e.task_id = t.id)) as unheard,
  (select count(*)::int from tasks where id = $3) as later`;

describe("a backup is refused", () => {
  let path = "";
  beforeAll(async () => {
    path = (await backUp(running.databaseUrl, storageIn(dataDir))).path;
  });
  /** The line, after which the place is as empty as it was. */
  const refusal = async (work: (url: string, storage: Storage) => Promise<unknown>): Promise<string> =>
    emptyDatabase(async (url) => {
      const place = newDir();
      const fault = await work(url, storageIn(place)).then(
        () => null,
        (error) => error,
      );
      expect(fault?.name, String(fault)).toBe("ConfigError");
      expect(fault.lines).toHaveLength(1);
      await withClient(url, async (client) => expect(await allTables(client)).toEqual([]));
      expect(readdirSync(place)).toEqual([]);
      return fault.lines[0];
    });
  const restoring = (given = keys, file = path) =>
    refusal(async (url, storage) =>
      restoreBackup(file, given, await checkBackup(file, given), { url, storage }, quiet),
    );

  test("for other keys", async () => {
    expect(await restoring({ ...keys, secretKeys: [{ id: "test", key: randomBytes(32) }] })).toMatch(/secret key test/);
    expect(await restoring({ ...keys, secretKeys: [{ id: "k9", key: randomBytes(32) }] })).toMatch(/secret key test/);
    const keyFile = randomBytes(32);
    const { path: locked } = await backUp(running.databaseUrl, storageIn(dataDir), keyFile);
    const others = { keyFile, secretKeys: [{ id: "k9", key: randomBytes(32) }] };
    expect(await restoring(others as never, locked)).toMatch(
      /is for other keys: none of these keys opens .* needs test/,
    );
  });

  test("that is cut, or altered in one bit, wherever: the whole file is read before anything is made", async () => {
    const bytes = readFileSync(path);
    const broken = (content: Buffer) => {
      const file = newFile();
      writeFileSync(file, content);
      return restoring(keys, file);
    };
    expect(await broken(bytes.subarray(0, bytes.length - 1))).toMatch(
      /is cut off after \d+ bytes; copy the whole file/,
    );
    const altered = Buffer.from(bytes);
    altered[bytes.length - 1] = (bytes.at(-1) as number) ^ 1;
    expect(await broken(altered)).toMatch(
      /was altered or damaged before byte \d+; use another copy or an older backup/,
    );
  });

  test("of a newer version, and of one that is not in this line", async () => {
    await emptyDatabase(async (url) => {
      await migrate(url);
      await checkKeys(url, testKeys, "SECRET_KEYS");
      await run(url, "insert into migrations values ('9999_later.sql', 'x', '0.9.0')");
      const newer = (await backUp(url, storageIn(newDir()))).path;
      expect(await restoring(keys, newer)).toMatch(/which is newer than this version .*; restore it with version/);
      await run(
        url,
        "delete from migrations where name like '9999%'; update migrations set hash = 'x' where name like '0002%'",
      );
      const other = (await backUp(url, storageIn(newDir()))).path;
      expect(await restoring(keys, other)).toMatch(/not in the line of this one/);
    });
  });

  test("where the database is not empty, whatever is in it", async () => {
    const checked = await checkBackup(path, keys);
    const target = { url: running.databaseUrl, storage: storageIn(newDir()) };
    const before = await rowsOf(running.databaseUrl);
    await expect(restoreBackup(path, keys, checked, target, quiet)).rejects.toThrow(
      /database is not empty; .* DATABASE_URL/,
    );
    expect(await rowsOf(running.databaseUrl)).toEqual(before);
    await emptyDatabase(async (url) => {
      await run(url, "create table somebody_elses (n int)");
      const into = restoreBackup(path, keys, checked, { url, storage: storageIn(newDir()) }, quiet);
      await expect(into).rejects.toThrow(/database is not empty/);
      await run(url, "select from somebody_elses");
    });
  });

  test("where there is no room, before anything is made", async () => {
    const checked = await checkBackup(path, keys);
    const needed = 3 * checked.rowBytes + checked.objectBytes + ROOM_LEFT;
    expect(roomFault(checked, { ...testConfig, dataDir: "/d" }, needed)).toBeNull();
    expect(roomFault(checked, { ...testConfig, dataDir: "/d" }, needed - 1)).toMatch(
      /^DATA_DIR: \/d has no room: .* MiB .* are free; make room/,
    );
    const elsewhere = { databaseUrl: "postgresql://x", storageUrl: "s3://x", dataDir: "/d" };
    expect(roomFault(checked, elsewhere, 0)).toBeNull();
    // To verify it aside, objects are there one at a time.
    const aside = 3 * checked.rowBytes + checked.largestObject + ROOM_LEFT;
    const verifying = verifyBackup(path, keys, storageIn, quiet, () => aside - 1);
    await expect(verifying).rejects.toThrow(
      /has no room: .* are free; make room, or verify a copy of the file on another disk$/,
    );
    expect(readdirSync(directory).filter((name) => name.includes("verify"))).toEqual([]);
  });

  test("when it is made: a file that exists, a directory that does not, other keys, and the last room of a disk", async () => {
    const source = {
      url: running.databaseUrl,
      storage: storageIn(dataDir),
      secretKeys: testKeys,
      keysFrom: "SECRET_KEYS",
    };
    const options = { keyFile: null, rest: 0 };
    writeFileSync(join(directory, "kept"), "kept");
    await expect(makeBackup(join(directory, "kept"), source, options)).rejects.toThrow(
      /is there already; name another/,
    );
    await expect(makeBackup(join(directory, "no", "such"), source, options)).rejects.toThrow(
      /cannot be written \(ENOENT\)/,
    );
    const others = { ...source, secretKeys: [{ id: "test", key: randomBytes(32) }] };
    await expect(makeBackup(newFile(), others, options)).rejects.toThrow(/^SECRET_KEYS: the key test is not the one/);
    const full = newFile();
    const fullest = { ...options, room: () => ROOM_LEFT - 1 };
    await expect(makeBackup(full, source, fullest)).rejects.toThrow(/has no room: \d+ bytes were written and removed/);
    expect(readdirSync(directory).filter((name) => name.startsWith(`${count}.backup`))).toEqual([]);
  });
});
