// Migrations on a server of somebody else: what its user may not do is one line that says what to run, and what it says
// is enough. And which version of the program goes with which database.
import { randomBytes } from "node:crypto";
import pg from "pg";
import { describe, expect, inject, test } from "vitest";
import { emptyDatabase, run } from "../../../../test/database.ts";
import { eventually } from "../../../../test/eventually.ts";
import { ConfigError, UnreachableError } from "../../settings/config-error.ts";
import { type Migration, migrate, migration, type Program } from "./migrations.ts";

/** A statement that lasts until the test lets it go on. */
const HELD = "-- no transaction\nselect pg_advisory_xact_lock(1)";
const LASTING = { attempts: 1, lockMs: 600_000, lineMs: 200 };
/** Holds up HELD in this database; the returned function lets it go on. */
async function hold(url: string): Promise<() => Promise<void>> {
  const holder = new pg.Client(url);
  await holder.connect();
  await holder.query("select pg_advisory_lock(1)");
  return () => holder.end();
}

async function rows(url: string, sql: string): Promise<number | null> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    return (await client.query(sql)).rowCount;
  } finally {
    await client.end();
  }
}

/** As a managed server does that lets only its own people create extensions. */
const FORBID = `
create function forbid() returns event_trigger language plpgsql as $$ begin
  raise insufficient_privilege using message = 'permission denied to create extension';
end $$;
create event trigger forbidden on ddl_command_start when tag in ('CREATE EXTENSION') execute function forbid()`;

test("a database user who may not set up the database is told what to run, and having run it migrates", async () => {
  const { url } = inject("postgres");
  const name = `modest_${randomBytes(6).toString("hex")}`;
  const [superuser, own] = [new URL(url), new URL(url)];
  superuser.pathname = own.pathname = `/${name}`;
  own.username = name;
  await run(url, `create role ${name} login`);
  await run(url, `create database ${name}`);
  try {
    await run(superuser.href, FORBID);
    const refusal = () => migrate(own.href).catch((error) => error);
    const remedies: string[] = [];
    for (const problem of [
      "permission denied for database",
      "search needs the PostgreSQL extensions pg_trgm and btree_gin",
    ]) {
      const error = await refusal();
      expect(error, String(error)).toBeInstanceOf(ConfigError);
      const [line, ...more] = (error as ConfigError).lines as [string];
      expect([line.startsWith(`DATABASE_URL: ${problem}`), line.includes("\n"), more]).toEqual([true, false, []]);
      const [, remedy = ""] = /run as a superuser[^:]*: (.*)$/.exec(line) ?? [];
      remedies.push(remedy);
      await run(superuser.href, `alter event trigger forbidden disable; ${remedy}`);
      if (remedies.length === 1) await run(superuser.href, "alter event trigger forbidden enable");
    }
    expect(remedies[0]).toContain(`alter database ${name} owner to ${name};`);
    expect(remedies[1]).toBe("create extension pg_trgm; create extension btree_gin;");
    await migrate(own.href);
  } finally {
    await run(url, `drop database ${name} with (force)`);
    await run(url, `drop role ${name}`);
  }
});

describe("a version of the program and a database", () => {
  const first = migration("0001_first.sql", "create table things (id int primary key, name text)");
  const second = migration("0002_second.sql", "create table others (id int primary key)");
  const released = { [first.name]: { release: "0.2.0", sha256: first.hash } };
  const version = (number: string, ...files: Migration[]): Program => ({ version: number, files, released });
  const refused = (url: string, program: Program): Promise<string[]> =>
    migrate(url, program).then(
      () => [],
      (error) => (error instanceof ConfigError ? [...error.lines] : Promise.reject(error)),
    );

  test("a released file that was edited, or is missing, is refused in one line, and nothing is touched", () =>
    emptyDatabase(async (url) => {
      const edited = migration(first.name, `${first.sql} -- edited`);
      expect(await refused(url, version("0.3.0", edited))).toEqual([
        "server/migrations/0001_first.sql is not as in release 0.2.0; restore it, and put a change into a new file",
      ]);
      expect(await refused(url, version("0.3.0", second))).toEqual([
        "server/migrations/0001_first.sql is missing, which was in release 0.2.0; " +
          "restore it, and put a change into a new file",
      ]);
      expect(await rows(url, "select from pg_class where relname in ('migrations', 'jobs', 'others')")).toBe(0);
    }));

  test("a database that was made with another form of a file is worked on where the list names that form, and refused where not", () =>
    emptyDatabase(async (url) => {
      const form = migration(first.name, `${first.sql} -- as it was before`);
      await migrate(url, { version: "0.1.0", files: [form], released: {} });
      expect(await refused(url, version("0.2.0", first, second))).toHaveLength(1);
      const known = { [first.name]: { release: "0.2.0", sha256: first.hash, before: [form.hash] } };
      expect(await migrate(url, { version: "0.2.0", files: [first, second], released: known })).toEqual([]);
      expect(await rows(url, "select from pg_class where relname = 'others'")).toBe(1);
    }));

  test("the line ends of Windows are no edit", () => {
    expect(migration(first.name, first.sql.replaceAll(" ", "\r\n"))).toEqual(
      migration(first.name, first.sql.replaceAll(" ", "\n")),
    );
  });

  test("a database from before the first release gets one line that says what to do, and is left as it is", () =>
    emptyDatabase(async (url) => {
      const before = { ...version("0.1.0", migration(first.name, "create table things (id int)")), released: {} };
      await migrate(url, before);
      // As the versions before wrote it.
      await run(url, "alter table migrations drop column release");
      const [line = "", ...more] = await refused(url, version("0.2.0", first, second));
      expect(more).toEqual([]);
      expect(line).toContain("was made by a version before 0.2.0 and cannot be upgraded");
      expect(line).toContain("start with a new DATA_DIR, or with an empty database in DATABASE_URL");
      expect(await rows(url, "select from pg_class where relname = 'others'")).toBe(0);
    }));

  test("a database of the next version is worked on with a note, and one of a later version is refused in one line", () =>
    emptyDatabase(async (url) => {
      expect(await migrate(url, version("0.2.0", first))).toEqual([]);
      expect(await migrate(url, version("0.3.0", first, second))).toEqual([]);
      expect(await migrate(url, version("0.2.0", first))).toEqual([
        "the database was migrated by version 0.3.0; this version 0.2.0 still works on it",
      ]);
      await migrate(url, version("0.4.0", first, second, migration("0003_third.sql", "drop table others")));
      expect(await refused(url, version("0.2.0", first))).toEqual([
        "The database was migrated by version 0.4.0, which is too new for this version 0.2.0: " +
          "start version 0.4.0, or the one before it",
      ]);
      expect(await migrate(url, version("0.3.0", first, second))).toHaveLength(1);
    }));

  test("a file that fails leaves nothing of itself, and those before it stay", () =>
    emptyDatabase(async (url) => {
      const failing = migration("0002_second.sql", "create table others (id int); select 1 / 0");
      await expect(migrate(url, version("0.3.0", first, failing))).rejects.toThrow("division by zero");
      expect(await rows(url, "select from pg_class where relname = 'others'")).toBe(0);
      expect(await rows(url, "select from migrations")).toBe(1);
      await migrate(url, version("0.3.0", first, second));
      expect(await rows(url, "select from migrations")).toBe(2);
    }));

  test("a lock that somebody holds is waited for by trying again, never in the queue for long", () =>
    emptyDatabase(async (url) => {
      await migrate(url, version("0.2.0", first));
      const holder = new pg.Client(url);
      await holder.connect();
      await holder.query("begin; select from things");
      const migrating = migrate(url, version("0.3.0", first, migration("0002_b.sql", "alter table things add a int")));
      // It has asked for the lock and given up at least once, while somebody else reads.
      await eventually(async () => {
        const asked = await rows(url, "select from pg_locks where relation = 'things'::regclass and not granted");
        expect(asked).toBe(1);
      });
      // A migration that stays in the queue waits for a minute.
      await run(url, "set lock_timeout = '20s'; select from things");
      await holder.query("commit");
      await holder.end();
      await migrating;
      expect(await rows(url, "select a from things")).toBe(0);
    }));

  test("a lock that is not free in time is one line that says who holds it, whichever way it is asked for, and nothing is lost", () =>
    emptyDatabase(async (url) => {
      await migrate(url, version("0.2.0", first));
      const holder = new pg.Client({ connectionString: url, application_name: "svc-backup" });
      await holder.connect();
      await holder.query("begin isolation level repeatable read, read only; select from things");
      const column = migration("0002_b.sql", "alter table things add a int");
      const index = migration(
        "0002_c.sql",
        "-- no transaction\ncreate index concurrently if not exists things_name on things (name)",
      );
      const line =
        /^The database cannot be migrated while others hold its tables: svc-backup \(process \d+\), in a transaction since [\d:]{8} UTC; wait until a backup or a report has ended, or end it, and start again$/;
      for (const file of [column, index]) {
        const fault = await migrate(url, version("0.3.0", first, file), {
          attempts: 2,
          lockMs: 500,
          lineMs: 5000,
        }).catch((error) => error);
        expect(fault).toBeInstanceOf(UnreachableError);
        expect(fault.lines).toEqual([expect.stringMatching(line)]);
        expect(await rows(url, "select from migrations")).toBe(1);
      }
      await holder.end();
      await migrate(url, version("0.3.0", first, column, index));
      expect(await rows(url, "select from pg_index where indexrelid = to_regclass('things_name') and indisvalid")).toBe(
        1,
      );
    }));

  test("an index is made without a transaction, also where a crash left half of it, by several at once", () =>
    emptyDatabase(async (url) => {
      await migrate(url, version("0.2.0", first));
      await run(url, "insert into things select n, 'twice' from generate_series(1, 2) n");
      const index = "create unique index concurrently if not exists things_name on things (name)";
      const next = version("0.3.0", first, migration("0002_index.sql", `-- no transaction\n${index}`));
      await expect(migrate(url, next)).rejects.toThrow("could not create unique index");
      const found = (valid: boolean) =>
        rows(url, `select from pg_index where indexrelid = to_regclass('things_name') and indisvalid = ${valid}`);
      expect(await found(false)).toBe(1);
      await run(url, "update things set name = id::text");
      await Promise.all([migrate(url, next), migrate(url, next), migrate(url, next)]);
      expect(await found(true)).toBe(1);
      expect(await rows(url, "select from migrations")).toBe(2);
    }));

  test("a file that takes long is named again and again, with its place among those that are left", () =>
    emptyDatabase(async (url) => {
      const lines: string[] = [];
      const release = await hold(url);
      const slow = migration("0003_slow.sql", HELD);
      const migrating = migrate(url, version("0.2.0", first, second, slow), LASTING, (line) => lines.push(line));
      await expect.poll(() => lines.length).toBeGreaterThan(1);
      await release();
      await migrating;
      expect(new Set(lines.map((line) => line.replace(/\d+ s/, "N s")))).toEqual(
        new Set(["migration 0003_slow.sql, 3 of 3: N s so far"]),
      );
    }));

  test("a process that waits for another one's migration says so", () =>
    emptyDatabase(async (url) => {
      const lines: string[] = [];
      const release = await hold(url);
      const slow = migration("0002_slow.sql", HELD);
      const working = migrate(url, version("0.2.0", first, slow), LASTING);
      await expect
        .poll(async () =>
          rows(
            url,
            `select from pg_locks l join pg_database d on d.oid = l.database
              where l.locktype = 'advisory' and not l.granted and d.datname = current_database()`,
          ),
        )
        .toBe(1);
      const waiting = migrate(url, version("0.2.0", first, slow), LASTING, (line) => lines.push(line));
      await expect.poll(() => lines.length).toBeGreaterThan(0);
      await release();
      await Promise.all([working, waiting]);
      expect(lines[0]).toMatch(/^another process migrates the database: \d+ s so far$/);
    }));
});
