// What the tests of releases stand on: the rows of a version as SQL, a database as a release left it, load on every
// table while it is migrated, and what the release before needs of the new schema.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import pg from "pg";
import { migrate, type Program, type Released } from "../src/platform/database/start/migrations.ts";

const folder = new URL("./releases/", import.meta.url);
/** Those of which rows are kept, oldest first. */
export const releases = () =>
  (existsSync(folder) ? readdirSync(folder) : [])
    .filter((name) => name.endsWith(".sql"))
    .map((name) => name.slice(0, -".sql".length))
    .sort(inOrder);
export const dumpOf = (release: string) => readFileSync(new URL(`${release}.sql`, folder), "utf8");

export const inOrder = (a: string, b: string) => a.localeCompare(b, "en", { numeric: true });

/** The program as far as this release had come: its own files and those of the releases before. */
export const programAt = ({ files, released }: Program, release: string): Program => {
  const has = (name: string) => released[name] !== undefined && inOrder(released[name].release, release) <= 0;
  const own = Object.fromEntries(Object.entries(released).filter(([name]) => has(name)));
  return { version: release, files: files.filter(({ name }) => has(name)), released: own as Released };
};

export async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

const TABLES = `
select relname as name from pg_class
where relkind = 'r' and relnamespace = 'public'::regnamespace and relname <> 'migrations' order by 1`;
const tablesOf = async (client: pg.Client) =>
  (await client.query<{ name: string }>(TABLES)).rows.map(({ name }) => name);

const COLUMNS = `
select quote_ident(attname) as name from pg_attribute
where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = '' order by attnum`;
/** One INSERT a table and one line a row; the schema comes from the migrations. */
export async function dump(client: pg.Client): Promise<string> {
  const parts = ["-- Written by npm run release: some rows of every table, for the test that migrates them.\n"];
  for (const table of await tablesOf(client)) {
    const columns = (await client.query<{ name: string }>(COLUMNS, [table])).rows.map(({ name }) => name);
    const values = columns.map((name) => `quote_nullable(${name}::text)`).join(", ");
    const { rows } = await client.query<{ line: string }>(
      `select '(' || concat_ws(', ', ${values}) || ')' as line from ${table} order by 1`,
    );
    if (rows.length === 0) continue;
    const lines = rows.map(({ line }) => line).join(",\n");
    parts.push(`insert into ${table} (${columns.join(", ")}) overriding system value values\n${lines};\n`);
  }
  return parts.join("\n");
}

/** An empty database becomes what this release left behind. */
export async function atRelease(url: string, program: Program, rows: string): Promise<void> {
  await migrate(url, program);
  // Tables refer to each other in circles; the rows were whole when they were read.
  await withClient(url, async (client) => {
    const tables = await tablesOf(client);
    await client.query(`set session_replication_role = replica; truncate ${tables.join(", ")}; ${rows}`);
  });
}

/** Table -> number of rows. */
export async function rowCounts(client: pg.Client): Promise<Record<string, number>> {
  const tables = await tablesOf(client);
  const counted = tables.map((table) => `select '${table}' as name, count(*)::int as n from ${table}`);
  const { rows } = await client.query<{ name: string; n: number }>(counted.join(" union all "));
  return Object.fromEntries(rows.map(({ name, n }) => [name, n]));
}

/**
 * Short transactions on all tables, until the work is done. A statement that waits half a second for a lock is a
 * fault, which a busy machine may cause as well as a migration.
 */
export async function underLoad(
  url: string,
  work: () => Promise<unknown>,
): Promise<{ done: number; faults: string[] }> {
  const faults: string[] = [];
  let done = 0;
  let working = true;
  const begun = Promise.withResolvers<void>();
  const press = () =>
    withClient(url, async (client) => {
      await client.query("set lock_timeout = '500ms'");
      const tables = await tablesOf(client);
      while (working)
        for (const table of tables) {
          const touch = `update ${table} set (${await keyOf(client, table)}) = row(${await keyOf(client, table)})
            where ctid = (select ctid from ${table} limit 1)`;
          await client.query(`begin; ${touch}; select pg_sleep(0.002); commit`).then(
            () => done++,
            async (error: pg.DatabaseError) => {
              faults.push(`${table}: ${error.code} ${error.message}`);
              await client.query("rollback");
            },
          );
          begun.resolve();
          if (!working) break;
        }
    });
  const pressing = Promise.all([press(), press(), press()]);
  try {
    await Promise.race([begun.promise, pressing]);
    await work();
  } finally {
    working = false;
    await pressing;
  }
  return { done, faults };
}

const keys = new Map<string, string>();
/** But for what the database makes itself, which nobody writes. */
async function keyOf(client: pg.Client, table: string): Promise<string> {
  const known = keys.get(table);
  if (known) return known;
  const sql = `
    select string_agg(quote_ident(a.attname), ', ' order by a.attnum) as key from pg_index i
    join pg_attribute a on a.attrelid = i.indrelid and a.attnum = any(i.indkey)
    where i.indrelid = $1::regclass and i.indisprimary and a.attgenerated = '' and a.attidentity = ''`;
  const { key } = (await client.query<{ key: string }>(sql, [table])).rows[0] as { key: string };
  keys.set(table, key);
  return key;
}

/** What a program may ask for, in words, and which columns it must give. */
export interface Catalog {
  offers: Set<string>;
  demands: Set<string>;
}
const OFFERS = `
with own as (
  select c.oid, c.relname, c.relkind from pg_class c
  where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'v') and c.relname <> 'migrations'
), functions as (
  select p.* from pg_proc p where p.pronamespace = 'public'::regnamespace
    and not exists (select from pg_depend d
      where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e')
)
select 'table ' || relname as offer from own
union all select 'column ' || relname || '.' || a.attname || ' ' || format_type(a.atttypid, a.atttypmod)
  from own join pg_attribute a on a.attrelid = own.oid and a.attnum > 0 and not a.attisdropped
union all select 'right to ' || lower(g.privilege_type) || ' on ' || g.table_name
  from information_schema.role_table_grants g where g.grantee = 'svc_app' and g.table_schema = 'public'
union all select 'function ' || p.proname || '(' || pg_get_function_identity_arguments(p.oid) || ') '
  || coalesce(pg_get_function_result(p.oid), 'procedure') from functions p
union all select 'right to call ' || p.proname || '(' || pg_get_function_identity_arguments(p.oid) || ')'
from functions p where has_function_privilege('svc_app', p.oid, 'execute')`;
const DEMANDS = `
select c.relname || '.' || a.attname as demand from pg_class c
join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and a.attnotnull and not a.atthasdef
  and a.attidentity = ''`;
export async function catalogOf(client: pg.Client): Promise<Catalog> {
  const offers = (await client.query<{ offer: string }>(OFFERS)).rows.map(({ offer }) => offer);
  const demands = (await client.query<{ demand: string }>(DEMANDS)).rows.map(({ demand }) => demand);
  return { offers: new Set(offers), demands: new Set(demands) };
}

/** Offer -> the first release that does without it. Only the release after that one may drop it. */
export type Contract = Record<string, string>;

/** Why the release before would not work on the new schema. */
export function breaks(before: Catalog, after: Catalog, contract: Contract, release: string): string[] {
  const tables = [...before.offers].filter((offer) => offer.startsWith("table ")).map((offer) => offer.slice(6));
  const unused = (offer: string) => contract[offer] !== undefined && inOrder(contract[offer], release) <= 0;
  const gone = [...before.offers].filter((offer) => !after.offers.has(offer) && !unused(offer));
  const wanted = [...after.demands].filter(
    (demand) => !before.demands.has(demand) && tables.includes(demand.split(".")[0] as string),
  );
  return [
    ...gone.map((offer) => `${release} needs the ${offer}`),
    ...wanted.map((column) => `${release} does not give the column ${column}, which has no default`),
  ];
}
