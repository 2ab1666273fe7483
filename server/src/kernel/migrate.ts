// Applies server/migrations in order, each file once and in one transaction, and refuses when an applied file was edited since.
// Safe to run from several processes at once: one migrates, the others wait for it. Only forward: there is no down.
import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { runMigrations as migrateJobs } from "graphile-worker";
import pg from "pg";
import { ConfigError } from "./config-error.ts";

const folder = new URL("../../migrations/", import.meta.url);
const LOCK = 7_220_115_009;

export async function migrationFiles() {
  const names = (await readdir(folder)).filter((name) => name.endsWith(".sql")).sort();
  return Promise.all(
    names.map(async (name) => {
      const sql = await readFile(new URL(name, folder), "utf8");
      return { name, sql, hash: createHash("sha256").update(sql).digest("hex") };
    }),
  );
}

export async function migrate(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url, application_name: "svc-migrate" });
  await client.connect();
  try {
    await client.query("select pg_advisory_lock($1)", [LOCK]);
    await migrateJobs({ connectionString: url });
    await client.query(
      "create table if not exists migrations (name text primary key, hash text not null, applied_at timestamptz not null default now())",
    );
    const applied = new Map(
      (await client.query("select name, hash from migrations")).rows.map((row) => [row.name, row.hash]),
    );
    for (const { name, sql, hash } of await migrationFiles()) {
      const before = applied.get(name);
      if (before !== undefined && before !== hash)
        throw new Error(`migration ${name} was changed after it was applied; add a new file instead`);
      if (before === undefined) await apply(client, name, sql, hash);
    }
  } catch (error) {
    throw (error as pg.DatabaseError).code === MAY_NOT
      ? await forAdministrator(client, error as pg.DatabaseError)
      : error;
  } finally {
    await client.end();
  }
}

const MAY_NOT = "42501";
const REMEDY = `
select format('run as a superuser: alter database %I owner to %I; ', current_database(), current_user)
  || format(case when exists (select from pg_roles where rolname = 'svc_app') then 'grant svc_app to %I with admin option;'
    else 'alter role %I createrole;' end, current_user) as remedy`;
/** What the database's user may not do, and what lets it, in one line. A migration that knows better says it in its hint. */
async function forAdministrator(client: pg.Client, { message, hint }: pg.DatabaseError): Promise<ConfigError> {
  const remedy = hint ?? (await client.query(REMEDY)).rows[0].remedy;
  return new ConfigError([`DATABASE_URL: ${message}; ${remedy}`]);
}

/** A migration waits at most half a second for a lock, so that it never queues the service's own queries behind it. */
async function apply(client: pg.Client, name: string, sql: string, hash: string) {
  for (let attempt = 1; ; attempt++) {
    try {
      await client.query("begin; set local lock_timeout = '500ms'");
      await client.query(sql);
      await client.query("insert into migrations (name, hash) values ($1, $2)", [name, hash]);
      await client.query("commit");
      return;
    } catch (error) {
      await client.query("rollback");
      if ((error as { code?: string }).code !== "55P03" || attempt === 20) throw error;
      await new Promise((resolve) => setTimeout(resolve, 250 * attempt));
    }
  }
}
