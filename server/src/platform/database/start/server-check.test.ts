// A start checks what only an administrator can change about PostgreSQL, and ends with one line or leaves a note.
import { randomBytes } from "node:crypto";
import { connect, createServer } from "node:net";
import { join } from "node:path";
import { afterEach, describe, expect, inject, test } from "vitest";
import { emptyDatabase, run, testDatabase } from "../../../../test/database.ts";
import { openChannel } from "../channel.ts";
import { requirePostgres15 } from "./require-postgres.ts";
import { checkServer } from "./server-check.ts";

const name = `modest_${randomBytes(6).toString("hex")}`;
const as = (url: string) => Object.assign(new URL(url), { username: name }).href;
const base = inject("postgres").url;
const noted = async (url: string, most = 10) =>
  (await checkServer(url, most)).filter((note) => !/fsync|full_page_writes/.test(note));

describe("the connections that a user may have", () => {
  afterEach(() => run(base, `drop role if exists ${name}`));
  test("are enough at the number that this process opens, and one less ends the start", async () => {
    await run(base, `create role ${name} login connection limit 10`);
    await expect(noted(as(base), 10)).resolves.toBeDefined();
    await expect(noted(as(base), 11)).rejects.toThrow(
      new RegExp(
        `^DATABASE_URL: this process opens up to 11 connections and ${name} may have 10; ` +
          `raise max_connections[^\\n]+to 31$`,
      ),
    );
  });

  test("are counted with those that are reserved, and those that are open already are noted", async () => {
    await run(base, `create role ${name} login`);
    await expect(noted(as(base), 298)).rejects.toThrow(`${name} may have 297`);
    expect(await noted(as(base), 297)).toEqual([
      expect.stringMatching(
        /opens up to 297 connections, \d+ others of svc as many each, \d+ are open for other programs/,
      ),
    ]);
  });

  test("are noted where they are too few for all processes, each of which is assumed to take as many as this one", async () => {
    const database = await testDatabase();
    await run(base, `create role ${name} login`);
    const numbersOf = async (most: number) => {
      const [note = ""] = await noted(as(database.url), most);
      const numbers = /, (\d+) others of svc.* (\d+) are open .* raise max_connections to (\d+)$/.exec(note) ?? [];
      return numbers.slice(1).map(Number);
    };
    const channel = (topic: string) => {
      const up = Promise.withResolvers<void>();
      return { ...openChannel(database.url, topic, { heard() {}, left() {}, up: up.resolve }), isUp: up.promise };
    };
    const [alone] = await numbersOf(297);
    expect(alone).toBe(0);
    // All channels of a process share one connection.
    const channels = [channel("one"), channel("other")];
    try {
      await Promise.all(channels.map(({ isUp }) => isUp));
      for (const most of [150, 297]) {
        const [processes, others = Number.NaN, needed] = await numbersOf(most);
        expect([processes, needed]).toEqual([1, 2 * most + others + 20]);
      }
    } finally {
      await Promise.all(channels.map(({ close }) => close()));
      await database.drop();
    }
  });
});

test("a server without an extension ends the start", () =>
  emptyDatabase(async (url) => {
    // The list of this database alone, as on a server without its contrib package.
    await run(
      url,
      `set allow_system_table_mods = on; create or replace view pg_catalog.pg_available_extensions as
        select e.name, e.default_version, x.extversion as installed_version, e.comment
        from pg_available_extensions() e left join pg_extension x on e.name = x.extname
        where e.name not in ('pg_trgm', 'btree_gin')`,
    );
    await expect(noted(url)).rejects.toThrow(
      /^DATABASE_URL: PostgreSQL does not have the extension pg_trgm and btree_gin; install its contrib package[^\n]+$/,
    );
  }));

test("a collation that has changed with its system is noted, with what mends it", () =>
  emptyDatabase(async (url) => {
    const database = new URL(url).pathname.slice(1);
    expect(await noted(url)).toEqual([]);
    await run(base, `update pg_database set datcollversion = 'of before' where datname = '${database}'`);
    expect(await noted(url)).toEqual([
      `DATABASE_URL: the collation of the database ${database} has changed with its system; run: ` +
        `reindex database ${database}; alter database ${database} refresh collation version;`,
    ]);
  }));

test("a server below version 15 ends the start", async () => {
  const { address, close } = await reportingVersion("14.19");
  try {
    await expect(requirePostgres15(address)).rejects.toThrow(
      "DATABASE_URL: the server is PostgreSQL 14.19; use PostgreSQL 15 or newer",
    );
  } finally {
    await close();
  }
});

/** The PostgreSQL of the tests behind a proxy that answers `show server_version` with this. */
async function reportingVersion(version: string): Promise<{ address: string; close(): Promise<void> }> {
  const target = new URL(base);
  const path = join(target.searchParams.get("host") ?? "", ".s.PGSQL.5432");
  const server = createServer((client) => {
    const behind = connect(path);
    for (const socket of [client, behind]) socket.on("error", () => {});
    behind.pipe(client);
    client.on("close", () => behind.destroy());
    const asked = Buffer.from(`Q\0\0\0\0select '${version}' as server_version\0`);
    asked.writeInt32BE(asked.length - 1, 1);
    client.on("data", (chunk: Buffer) => behind.write(chunk.includes("show server_version") ? asked : chunk));
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  target.searchParams.delete("host");
  target.host = `127.0.0.1:${(server.address() as { port: number }).port}`;
  return { address: target.href, close: () => new Promise((closed) => server.close(() => closed())) };
}

test.for([
  ["SQL_ASCII", "C", /^DATABASE_URL: the database \w+ has the encoding SQL_ASCII; create one with: create database/],
  ["LATIN1", "C", /has the encoding LATIN1/],
] as const)("a database in %s ends the start", async ([encoding, locale, line]) => {
  const database = `encoded_${randomBytes(6).toString("hex")}`;
  await run(
    base,
    `create database ${database} encoding '${encoding}' locale_provider libc locale '${locale}' template template0`,
  );
  try {
    await expect(noted(Object.assign(new URL(base), { pathname: `/${database}` }).href)).rejects.toThrow(line);
  } finally {
    await run(base, `drop database ${database}`);
  }
});

test("a database whose locale knows ASCII alone is noted, and so is a server that does not flush", async () => {
  const database = `plain_${randomBytes(6).toString("hex")}`;
  await run(base, `create database ${database} encoding 'UTF8' locale_provider libc locale 'C' template template0`);
  try {
    const notes = await checkServer(Object.assign(new URL(base), { pathname: `/${database}` }).href, 10);
    expect(notes).toEqual([
      expect.stringMatching(/^DATABASE_URL: fsync is off/),
      expect.stringMatching(/^DATABASE_URL: full_page_writes is off/),
      expect.stringContaining("knows no letters beyond ASCII"),
    ]);
  } finally {
    await run(base, `drop database ${database}`);
  }
  await emptyDatabase(async (url) => expect(await noted(url)).toEqual([]));
});
