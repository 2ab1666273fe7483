// Contents of a backup, read from the database's catalog: tables with their columns, sequences, and the objects that
// rows name. Omits what is meaningful only in its own cluster: transaction numbers, and the private journal, whose key
// contains one. Clients that followed it start over.
import type pg from "pg";
import type { Applied } from "./part-stream.ts";

export interface Table {
  /** Qualified by its schema, and quoted if needed. */
  name: string;
  columns: string[];
}
// The jobs library creates its own schema and list of migrations.
const OURS = `
  c.relkind = 'r' and c.relnamespace in (to_regnamespace('public'), to_regnamespace('graphile_worker'))
  and c.oid is distinct from to_regclass('graphile_worker.migrations')
  and not exists (select from pg_depend d
    where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')`;
const CARRIED = `${OURS} and not exists (
  select from pg_index i join pg_attribute a on a.attrelid = c.oid and a.attnum = any(i.indkey)
  where i.indrelid = c.oid and i.indisprimary and a.atttypid = 'xid8'::regtype)`;
const nameOf = (kind: string) => `select c.oid::regclass::text as name from pg_class c where ${kind} order by 1`;
const COLUMNS = `
select format('%I.%I', n.nspname, c.relname) as name, array(
    select quote_ident(a.attname) from pg_attribute a
    where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
      and a.atttypid <> 'xid8'::regtype order by a.attnum
  ) as columns
from pg_class c join pg_namespace n on n.oid = c.relnamespace where ${CARRIED} order by 1`;

export const carriedTables = async (client: pg.Client) => (await client.query<Table>(COLUMNS)).rows;
/** Includes the tables that a backup omits. */
export const allTables = async (client: pg.Client) =>
  (await client.query<{ name: string }>(nameOf(OURS))).rows.map(({ name }) => name);

/** Tables whose policies hide rows from this user. */
const HIDDEN = nameOf(`${OURS} and row_security_active(c.oid)
  and not exists (select from pg_policy p
    where p.polrelid = c.oid and p.polname = 'owner' and p.polroles = array[current_user::regrole::oid])`);
export const hiddenTables = async (client: pg.Client) =>
  (await client.query<{ name: string }>(HIDDEN)).rows.map(({ name }) => name);

const FORCED = nameOf(`${OURS} and c.relforcerowsecurity`);
/** Tables whose owner is subject to row-level security, which COPY FROM refuses. */
export const forcedTables = async (client: pg.Client) =>
  (await client.query<{ name: string }>(FORCED)).rows.map(({ name }) => name);

const SEQUENCES = `
select format('%I.%I', schemaname, sequencename) as name, last_value::text as value from pg_sequences
where schemaname in ('public', 'graphile_worker') and last_value is not null order by 1`;
/** Read after the snapshot, so that a sequence is never behind the rows. */
export const sequencesOf = async (client: pg.Client) =>
  (await client.query<{ name: string; value: string }>(SEQUENCES)).rows;

export const appliedMigrations = async (client: pg.Client) =>
  (await client.query<Applied>("select name, hash, release from public.migrations order by name")).rows;
export const jobsVersion = async (client: pg.Client): Promise<number> =>
  (await client.query("select max(id)::int as id from graphile_worker.migrations")).rows[0].id;

// An infected file has been removed, and a reserved one is uploaded again. The keys are those of objectKeys and of
// picturesOf; a test compares this list with what the service has stored.
const NAMED = `
select 'attachments/' || workspace_id || '/' || id || '/file' as key from attachments
where state = 'stored' and scan_state <> 'infected'
union all select 'attachments/' || workspace_id || '/' || id || '/thumbnail' from attachments
where state = 'stored' and has_thumbnail
union all select picture_key from users where picture_key is not null
union all select icon_key from workspaces where icon_key is not null`;
const AT_ONCE = 1000;
/** Read in batches: there may be very many. */
export async function* namedObjects(client: pg.Client): AsyncGenerator<string> {
  await client.query(`declare named no scroll cursor for ${NAMED}`);
  for (;;) {
    const { rows } = await client.query<{ key: string }>(`fetch ${AT_ONCE} from named`);
    for (const { key } of rows) yield key;
    if (rows.length < AT_ONCE) return;
  }
}
