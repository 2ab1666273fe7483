// Migrations on a server of somebody else: what its user may not do is one line that says what to run, and what it says is enough.
import { randomBytes } from "node:crypto";
import pg from "pg";
import { expect, inject, test } from "vitest";
import { ConfigError } from "./config-error.ts";
import { migrate } from "./migrate.ts";

async function run(url: string, sql: string): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    await client.query(sql);
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
