// Applies server/migrations in order, each file once and in a transaction of its own. Forward only: there is no down.
// Safe to run from several processes at once: one migrates, the others wait for it. Refuses, before it changes
// anything, a file that differs from its released version, a database from before the first release, and one that is
// two releases newer.
import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { runMigrations as migrateJobs } from "graphile-worker";
import type pg from "pg";
import { ConfigError, UnreachableError } from "../../settings/config-error.ts";
import { CONNECT_MS } from "../connections/client.ts";
import { liveness, type PgClient } from "../connections/liveness.ts";
import { duration, ownerSession } from "../connections/session.ts";

export interface Migration {
  name: string;
  sql: string;
  hash: string;
}
/**
 * Released migrations by file name: the release that froze the file, its digest, and digests of earlier forms that end
 * in the same schema.
 */
export type Released = Record<string, { release: string; sha256: string; before?: readonly string[] }>;
/** A version of the program, with its migrations. */
export interface Program {
  version: string;
  files: readonly Migration[];
  released: Released;
  /** Set to create the schema for rows that are being restored. */
  restoring?: true;
}

/**
 * Row in the list of migrations while a backup is being restored. No version accepts its release, so that versions that
 * do not know this row do not start either.
 */
export const RESTORING = { name: "~ being restored", hash: "", release: "999.0.0" };

const folder = new URL("../../../../migrations/", import.meta.url);

export const migration = (name: string, text: string): Migration => {
  // Git may have converted the file to CRLF line ends.
  const sql = text.replaceAll("\r\n", "\n");
  return { name, sql, hash: createHash("sha256").update(sql).digest("hex") };
};

/** Reads the migrations of this repository. */
export async function shipped(): Promise<Program> {
  const read = (path: string) => readFile(new URL(path, folder), "utf8");
  const names = (await readdir(folder)).filter((name) => name.endsWith(".sql")).sort();
  return {
    version: JSON.parse(await read("../../package.json")).version,
    files: await Promise.all(names.map(async (name) => migration(name, await read(name)))),
    released: JSON.parse(await read("released.json")),
  };
}

const LOCK = 7_220_115_009;
/** Time limit of a statement; liveness.ts monitors its connection meanwhile. */
const LONGEST_MS = 3_600_000;
export const APPLIED = `create table if not exists migrations (name text primary key, hash text not null, release text not null,
    applied_at timestamptz not null default now())`;

/**
 * Limits of the wait for locks of other sessions: attempts for a file, and milliseconds for a statement that cannot be
 * retried repeatedly. `lineMs` is the interval of progress lines.
 */
const PATIENCE = { attempts: 20, lockMs: 60_000, lineMs: 5000 };

/** Resolves to notes for the operator. `say` receives a line every five seconds while a step takes longer than that. */
export async function migrate(
  url: string,
  program?: Program,
  patience = PATIENCE,
  say: (line: string) => void = () => {},
): Promise<string[]> {
  const own = program ?? (await shipped());
  const telling = { say, everyMs: patience.lineMs };
  requireFrozen(own);
  const lives = liveness(url);
  const pool = lives.openPool(ownerSession("svc-migrate", { lock_timeout: duration(patience.lockMs) }), {
    max: 2,
    connectionTimeoutMillis: 10_000,
    attemptMs: CONNECT_MS,
    answerMs: LONGEST_MS,
  });
  const client = await pool.connect();
  try {
    await told(telling, () => "another process migrates the database", waitForTurn(client));
    const { rows } = await client.query("select to_regclass('migrations') is not null as known");
    const applied = rows[0].known ? (await client.query<Applied>("select * from migrations")).rows : [];
    const notes = judge(applied, own);
    await requireOwnsNothing(client);
    await migrateJobs({ pgPool: pool });
    await client.query(APPLIED);
    const done = new Set(applied.map(({ name }) => name));
    const pending = own.files.filter(({ name }) => !done.has(name));
    for (const [at, file] of pending.entries()) {
      const line = async () => `migration ${file.name}, ${at + 1} of ${pending.length}${await indexProgress(pool)}`;
      await told(telling, line, apply(client, file, own.version, patience.attempts));
    }
    await forceTenants(client);
    return notes;
  } catch (error) {
    const { code } = error as pg.DatabaseError;
    if (code === MAY_NOT) throw await forAdministrator(client, error as pg.DatabaseError);
    throw code === LOCK_NOT_AVAILABLE ? await heldUp(client) : error;
  } finally {
    client.release(true);
    await lives.end();
  }
}

/** Reports again and again how long the work has taken so far. */
async function told<T>(
  { say, everyMs }: { say(line: string): void; everyMs: number },
  line: () => string | Promise<string>,
  work: Promise<T>,
): Promise<T> {
  const began = performance.now();
  const timer = setInterval(async () => {
    const text = await line();
    say(`${text}: ${Math.round((performance.now() - began) / 1000)} s so far`);
  }, everyMs);
  return work.finally(() => clearInterval(timer));
}

const INDEXING = `
select phase, case when blocks_total > 0 then 100 * blocks_done / blocks_total end as percent
from pg_stat_progress_create_index where datname = current_database() limit 1`;
async function indexProgress(pool: pg.Pool): Promise<string> {
  const found = await pool.query<{ phase: string; percent: string | null }>(INDEXING).catch(() => null);
  const [row] = found?.rows ?? [];
  return row ? `, ${row.phase}${row.percent === null ? "" : ` ${row.percent} %`}` : "";
}

/** Polls for the lock: CREATE INDEX CONCURRENTLY would wait for a session that waits inside a statement. */
async function waitForTurn(client: PgClient): Promise<void> {
  while (!(await client.query("select pg_try_advisory_lock($1) as mine", [LOCK])).rows[0].mine) await sleep(100);
}

function requireFrozen({ files, released }: Program): void {
  for (const [name, { release, sha256 }] of Object.entries(released)) {
    const file = files.find((candidate) => candidate.name === name);
    if (file?.hash !== sha256)
      throw new ConfigError([
        `server/migrations/${name} ${file ? "is not as" : "is missing, which was"} in release ${release}; ` +
          "restore it, and put a change into a new file",
      ]);
  }
}

interface Applied {
  name: string;
  hash: string;
  release?: string;
}
function judge(applied: readonly Applied[], { version, files, released, restoring }: Program): string[] {
  if (restoring) return [];
  if (applied.some(({ name }) => name === RESTORING.name))
    throw new ConfigError([
      "The database is half restored: run npm run restore with the backup again, or start with a new DATA_DIR or " +
        "another database in DATABASE_URL",
    ]);
  for (const { name, hash } of applied) {
    const file = files.find((candidate) => candidate.name === name);
    if (!file || file.hash === hash || released[name]?.before?.includes(hash)) continue;
    const maker = released[name] ? `a version before ${released[name].release}` : `another ${name}`;
    throw new ConfigError([
      `The database was made by ${maker} and cannot be upgraded: export what you need with the version that made ` +
        "it, then start with a new DATA_DIR, or with an empty database in DATABASE_URL",
    ]);
  }
  const unknown = applied.filter(({ name }) => !files.some((file) => file.name === name));
  const newer = unknown
    .map(({ release = version }) => release)
    .sort(inOrder)
    .at(-1);
  if (newer === undefined) return [];
  if (isTooNew(newer, version))
    throw new ConfigError([
      `The database was migrated by version ${newer}, which is too new for this version ${version}: ` +
        `start version ${newer}, or the one before it`,
    ]);
  return [`the database was migrated by version ${newer}; this version ${version} still works on it`];
}

const numbersOf = (version: string) => version.split(".").map(Number) as [number, number, number];
const inOrder = (a: string, b: string) => {
  const [one, two] = [numbersOf(a), numbersOf(b)];
  return one[0] - two[0] || one[1] - two[1] || one[2] - two[2];
};
/** The next minor version still has everything that this one needs; later versions may not. */
const isTooNew = (other: string, own: string) => {
  const [[major, minor], [ownMajor, ownMinor]] = [numbersOf(other), numbersOf(own)];
  return major !== ownMajor || minor > ownMinor + 1;
};

export const MAY_NOT = "42501";
const REMEDY = `
select format('run as a superuser: alter database %I owner to %I; ', current_database(), current_user)
  || format(case when exists (select from pg_roles where rolname = 'svc_app')
    then 'grant svc_app to %I with admin option;'
    else 'alter role %I createrole;' end, current_user) as remedy`;
/**
 * Explains in one line which right the database's user lacks and how to grant it. A migration's own hint takes
 * precedence.
 */
export async function forAdministrator(client: PgClient, { message, hint }: pg.DatabaseError): Promise<ConfigError> {
  const remedy = hint ?? (await client.query(REMEDY)).rows[0].remedy;
  return new ConfigError([`DATABASE_URL: ${message}; ${remedy}`]);
}

/** A superuser is not checked here: the session proof of its first connection refuses it. */
const OWNED = `
select format('svc_app owns %s; run as a superuser: reassign owned by svc_app to %s;',
  pg_describe_object(classid, objid, objsubid),
  case current_user when 'svc_app' then 'a user of its own, and name that user in the address'
    else quote_ident(current_user) end) as fault
from pg_shdepend, pg_database d where d.datname = current_database()
  and refclassid = 'pg_authid'::regclass and refobjid = to_regrole('svc_app') and deptype = 'o'
  and (dbid = d.oid or classid = 'pg_database'::regclass and objid = d.oid)
union all
select format('svc_app has the rights of %s, who owns table %s; run as a superuser: revoke %1$s from svc_app;',
  relowner::regrole, c.oid::regclass)
from pg_class c, pg_roles r where r.rolname = 'svc_app' and not r.rolsuper
  and c.relnamespace = 'public'::regnamespace and c.relrowsecurity and pg_has_role(r.oid, c.relowner, 'member')
limit 1`;
/** Row-level security does not apply to the owner of a table, so svc_app must own nothing. */
async function requireOwnsNothing(client: PgClient): Promise<void> {
  const [found] = (await client.query<{ fault: string }>(OWNED)).rows;
  if (found) throw new ConfigError([`DATABASE_URL: ${found.fault}`]);
}

/**
 * Enforces row-level security again: a user may have turned it off, or given the tables to another owner. Older
 * versions have no such procedure.
 */
async function forceTenants(client: PgClient): Promise<void> {
  const known = (await client.query("select to_regproc('unforced_tenants') is not null as known")).rows[0].known;
  if (known && (await client.query("select from unforced_tenants() limit 1")).rowCount) await client.query(FORCE);
}
const FORCE = "call force_tenants()";

const LOCK_NOT_AVAILABLE = "55P03";
const LONGEST_OPEN = `
select format('%s (process %s), in a transaction since %s UTC', coalesce(nullif(application_name, ''), usename), pid,
  to_char(xact_start at time zone 'UTC', 'HH24:MI:SS')) as who
from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid() and xact_start is not null
order by xact_start limit 1`;
/** The database is intact: a later start will find the lock free. Completed migrations stay applied. */
async function heldUp(client: PgClient): Promise<UnreachableError> {
  const [found] = (await client.query<{ who: string }>(LONGEST_OPEN)).rows;
  const who = found?.who ?? "another program";
  return new UnreachableError([
    `The database cannot be migrated while others hold its tables: ${who}; wait until a backup or a report has ` +
      "ended, or end it, and start again",
  ]);
}

const RECORD = "insert into migrations (name, hash, release) values ($1, $2, $3)";
/**
 * A migration waits 250 ms for a lock and then retries later. Requests of the service queue behind it meanwhile, so
 * that, including the time for which it holds the lock, none waits longer than half a second.
 */
async function apply(client: PgClient, file: Migration, version: string, attempts: number): Promise<void> {
  const { name, sql, hash } = file;
  if (ALONE.test(sql)) return applyAlone(client, file, version);
  for (let attempt = 1; ; attempt++) {
    try {
      await client.query("begin; set local lock_timeout = '250ms'");
      await client.query(sql);
      await client.query(RECORD, [name, hash, version]);
      await client.query("commit");
      return;
    } catch (error) {
      await client.query("rollback");
      if ((error as { code?: string }).code !== LOCK_NOT_AVAILABLE || attempt >= attempts) throw error;
      await sleep(250 * attempt);
    }
  }
}

/**
 * Matches a file with a single statement that cannot run in a transaction, such as CREATE INDEX CONCURRENTLY; its first
 * line says so.
 */
const ALONE = /^-- no transaction\b/;
const HALF_MADE = `
select i.indexrelid::regclass::text as index from pg_index i join pg_class c on c.oid = i.indexrelid
where not i.indisvalid and c.relnamespace = 'public'::regnamespace`;

/** A crash may leave an invalid index, or a complete one that is not yet recorded: the file must say IF NOT EXISTS. */
async function applyAlone(client: PgClient, { name, sql, hash }: Migration, version: string): Promise<void> {
  const { rows } = await client.query<{ index: string }>(HALF_MADE);
  for (const { index } of rows) if (sql.includes(index)) await client.query(`drop index concurrently ${index}`);
  await client.query(sql);
  await client.query(RECORD, [name, hash, version]);
}
