// Every release can be upgraded to the newest: what it shipped is frozen, a database that it filled migrates under load
// without anybody waiting half a second for a lock, and the release before works on the new schema. Each rule is tried
// on planted migrations that break it.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { describe, expect, test } from "vitest";
import { migrate, migration, type Program, shipped } from "../src/platform/database/start/migrations.ts";
import { emptyDatabase } from "./database.ts";
import { fill } from "./filled.ts";
import {
  atRelease,
  breaks,
  type Catalog,
  type Contract,
  catalogOf,
  dump,
  dumpOf,
  inOrder,
  programAt,
  releases,
  rowCounts,
  underLoad,
  withClient,
} from "./releases.ts";
import { service } from "./world.ts";

const program = await shipped();
const contract: Contract = JSON.parse(readFileSync(new URL("../migrations/contract.json", import.meta.url), "utf8"));

describe("what is filled", () => {
  const running = service({});
  test("has a row in every table, and can be read back", async () => {
    await fill(running);
    // One snapshot: the service may write a mark of the journal at any time.
    const { rows, counts } = await withClient(running.databaseUrl, async (client) => {
      await client.query("begin isolation level repeatable read");
      return { rows: await dump(client), counts: await rowCounts(client) };
    });
    expect(
      Object.keys(counts).filter((table) => counts[table] === 0),
      "add a line to server/test/filled.ts",
    ).toEqual([]);
    await emptyDatabase(async (url) => {
      await atRelease(url, program, rows);
      expect(await withClient(url, rowCounts)).toEqual(counts);
    });
    // npm run release asks for it.
    const path = process.env.RELEASE_DUMP;
    if (!path) return;
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, rows);
  });
});

describe("what was released", () => {
  test("is what it was: a released migration is neither changed nor removed, and a new one comes after it", () => {
    const hashes = new Map(program.files.map(({ name, hash }) => [name, hash]));
    const frozen = Object.entries(program.released);
    expect(Object.fromEntries(frozen.map(([name]) => [name, hashes.get(name)]))).toEqual(
      Object.fromEntries(frozen.map(([name, { sha256 }]) => [name, sha256])),
    );
    const names = program.files.map(({ name }) => name);
    expect(names.slice(0, frozen.length)).toEqual(frozen.map(([name]) => name).sort());
  });

  test("has its rows kept, and what it dropped was unused in a release before", () => {
    const known = releases();
    expect(known).toEqual(expect.arrayContaining(Object.values(program.released).map(({ release }) => release)));
    for (const release of Object.values(contract)) expect([...known, program.version]).toContain(release);
  });

  for (const release of releases())
    test(`${release}, with rows in every table, is migrated to the newest under load`, () =>
      upgrade(programAt(program, release), program, dumpOf(release)));

  test("last works on the newest schema", async () => {
    const release = releases().at(-1);
    if (release) expect(await broken(programAt(program, release), program, contract)).toEqual([]);
  });
});

const LOCKED = /^\w+: 55P03 /;
/** A lock that a migration holds for too long shows at every attempt, a pause of the machine does not. */
async function upgrade(from: Program, to: Program, rows: string): Promise<void> {
  const attempt = () => emptyDatabase((url) => upgradeOnce(url, from, to, rows));
  for (let left = 2; left > 0; left--) {
    const faults = await attempt();
    if (!faults.every((fault) => LOCKED.test(fault))) expect(faults.join("\n")).toBe("");
    if (faults.length === 0) return;
  }
  expect((await attempt()).join("\n")).toBe("");
}

/** Returns the faults of the load. */
async function upgradeOnce(url: string, from: Program, to: Program, rows: string): Promise<string[]> {
  await atRelease(url, from, rows);
  const before = await withClient(url, rowCounts);
  expect(
    Object.keys(before).filter((table) => before[table] === 0),
    "tables without a row",
  ).toEqual([]);
  const { done, faults } = await underLoad(url, () => migrate(url, to));
  expect(done).toBeGreaterThan(0);
  const after = await withClient(url, rowCounts);
  const lost = Object.keys(before).filter(
    (table) => table in after && (after[table] as number) < (before[table] as number),
  );
  expect(lost, "tables that lost rows").toEqual([]);
  return faults;
}

const catalogs = new Map<Program, Promise<Catalog>>();
function catalog(own: Program): Promise<Catalog> {
  const made = () =>
    emptyDatabase(async (url) => {
      await migrate(url, own);
      return withClient(url, catalogOf);
    });
  const known = catalogs.get(own) ?? made();
  catalogs.set(own, known);
  return known;
}

async function broken(from: Program, to: Program, list: Contract): Promise<string[]> {
  return breaks(await catalog(from), await catalog(to), list, from.version);
}

describe("planted", () => {
  const TABLES = `
    create table places (id int primary key, name text not null, old text);
    create table things (id int primary key, place_id int references places);
    create function greet(name text) returns text language sql return 'hello ' || name;
    grant select on places to svc_app`;
  const ROWS = "insert into places values (1, 'here', ''); insert into things values (1, 1)";
  const first: Program = { version: "0.2.0", files: [migration("0001_first.sql", TABLES)], released: {} };
  const after = (sql: string): Program => ({
    version: "0.3.0",
    files: [...first.files, migration("0002_second.sql", sql)],
    released: { "0001_first.sql": { release: "0.2.0", sha256: (first.files[0] as { hash: string }).hash } },
  });
  const upgraded = (sql: string) => upgrade(first, after(sql), ROWS);

  test("a migration that only adds passes, in a transaction and without one", async () => {
    await upgraded("alter table places add column color text; create table notes (id int primary key)");
    await upgraded("-- no transaction\ncreate index concurrently if not exists places_name on places (name)");
  });

  test("one that holds a lock for longer than half a second is found", async () => {
    // Wait: three times as long as a lock may last.
    const lock = "lock table places in access exclusive mode; select pg_sleep(1.5)";
    await expect(upgraded(lock)).rejects.toThrow("places: 55P03");
  });

  test("one that loses rows is found, and so is a table without any", async () => {
    await expect(upgraded("delete from things")).rejects.toThrow("tables that lost rows");
    const bare = ROWS.replace(/insert into things.*/, "");
    await expect(upgrade(first, after("select 1"), bare)).rejects.toThrow("tables without a row");
  });

  test.for([
    ["alter table places drop column old", ["0.2.0 needs the column places.old text"]],
    [
      "drop table things",
      ["column things.id integer", "column things.place_id integer", "table things"].map(
        (offer) => `0.2.0 needs the ${offer}`,
      ),
    ],
    ["alter table places alter column id type bigint", ["0.2.0 needs the column places.id integer"]],
    [
      "drop function greet",
      ["0.2.0 needs the function greet(name text) text", "0.2.0 needs the right to call greet(name text)"],
    ],
    ["revoke select on places from svc_app", ["0.2.0 needs the right to select on places"]],
    [
      "alter table things add column size int not null",
      ["0.2.0 does not give the column things.size, which has no default"],
    ],
    [
      "alter table places alter column old set not null",
      ["0.2.0 does not give the column places.old, which has no default"],
    ],
  ] as const)("the release before does not work after: %s", async ([sql, faults]) => {
    expect((await broken(first, after(sql), {})).sort()).toEqual([...faults].sort());
  });

  test("what the release before already does without may be dropped, and what only the new one does without may not", async () => {
    const drop = after("alter table places drop column old");
    const column = "column places.old text";
    expect(await broken(first, drop, { [column]: "0.2.0" })).toEqual([]);
    expect(await broken(first, drop, { [column]: "0.3.0" })).toEqual([`0.2.0 needs the ${column}`]);
  });

  test("versions are ordered by their numbers, and a release has the files of those before it", () => {
    expect(["0.10.0", "0.2.0", "1.0.0", "0.9.1"].sort(inOrder)).toEqual(["0.2.0", "0.9.1", "0.10.0", "1.0.0"]);
    const files = ["0001_a.sql", "0002_b.sql", "0003_c.sql", "0004_new.sql"].map((name) => migration(name, name));
    const released = { "0001_a.sql": "0.2.0", "0002_b.sql": "0.9.0", "0003_c.sql": "0.10.0" };
    const all: Program = {
      version: "0.11.0",
      files,
      released: Object.fromEntries(
        Object.entries(released).map(([name, release]) => [name, { release, sha256: migration(name, name).hash }]),
      ),
    };
    expect(programAt(all, "0.9.0").files.map(({ name }) => name)).toEqual(["0001_a.sql", "0002_b.sql"]);
  });
});
