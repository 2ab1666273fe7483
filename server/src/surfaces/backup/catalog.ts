// What there is to back up, as the database itself tells it: tables with their columns, sequences, and the objects that rows name. Left out is what
// says something only in its own cluster: numbers of transactions, and the private journal, whose key has one. Whoever stood there reads anew.
import type pg from "pg";
import type { Applied } from "./parts.ts";

export interface Table {
  /** With its schema, quoted where it must be. */
  name: string;
  columns: string[];
}
// The schema of the jobs comes from their library, and so does its list of migrations.
const OURS = `
  c.relkind = 'r' and c.relnamespace in (to_regnamespace('public'), to_regnamespace('graphile_worker'))
  and c.oid is distinct from to_regclass('graphile_worker.migrations')
  and not exists (select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')`;
const CARRIED = `${OURS} and not exists (
  select from pg_index i join pg_attribute a on a.attrelid = c.oid and a.attnum = any(i.indkey)
  where i.indrelid = c.oid and i.indisprimary and a.atttypid = 'xid8'::regtype)`;
const nameOf = (kind: string) => `select c.oid::regclass::text as name from pg_class c where ${kind} order by 1`;
const COLUMNS = `
select format('%I.%I', n.nspname, c.relname) as name, array(
    select quote_ident(a.attname) from pg_attribute a
    where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = '' and a.atttypid <> 'xid8'::regtype order by a.attnum
  ) as columns
from pg_class c join pg_namespace n on n.oid = c.relnamespace where ${CARRIED} order by 1`;

export const carriedTables = async (client: pg.Client) => (await client.query<Table>(COLUMNS)).rows;
/** Also those that a backup leaves out. */
export const allTables = async (client: pg.Client) =>
  (await client.query<{ name: string }>(nameOf(OURS))).rows.map(({ name }) => name);

/** Tables whose rows the policies of this user do not show in full. */
const HIDDEN = nameOf(`${OURS} and row_security_active(c.oid)
  and not exists (select from pg_policy p where p.polrelid = c.oid and p.polname = 'owner' and p.polroles = array[current_user::regrole::oid])`);
export const hiddenTables = async (client: pg.Client) =>
  (await client.query<{ name: string }>(HIDDEN)).rows.map(({ name }) => name);

const FORCED = nameOf(`${OURS} and c.relforcerowsecurity`);
/** Tables whose owner is subject to row-level security, which COPY FROM refuses. */
export const forcedTables = async (client: pg.Client) =>
  (await client.query<{ name: string }>(FORCED)).rows.map(({ name }) => name);

const SEQUENCES = `
select format('%I.%I', schemaname, sequencename) as name, last_value::text as value from pg_sequences
where schemaname in ('public', 'graphile_worker') and last_value is not null order by 1`;
/** A sequence is never behind the rows of a snapshot that was taken before. */
export const sequencesOf = async (client: pg.Client) =>
  (await client.query<{ name: string; value: string }>(SEQUENCES)).rows;

export const appliedMigrations = async (client: pg.Client) =>
  (await client.query<Applied>("select name, hash, release from public.migrations order by name")).rows;
export const jobsVersion = async (client: pg.Client): Promise<number> =>
  (await client.query("select max(id)::int as id from graphile_worker.migrations")).rows[0].id;

// A file that was found infected is removed, and what is only reserved is uploaded again. The keys are those of objectKeys and of picturesOf; a test
// holds this list against what the service has stored.
const NAMED = `
select 'attachments/' || workspace_id || '/' || id || '/file' as key from attachments where state = 'stored' and scan_state <> 'infected'
union all select 'attachments/' || workspace_id || '/' || id || '/thumbnail' from attachments where state = 'stored' and has_thumbnail
union all select picture_key from users where picture_key is not null
union all select icon_key from workspaces where icon_key is not null`;
const AT_ONCE = 1000;
/** In pages: there may be a great many. */
export async function* namedObjects(client: pg.Client): AsyncGenerator<string> {
  await client.query(`declare named no scroll cursor for ${NAMED}`);
  for (;;) {
    const { rows } = await client.query<{ key: string }>(`fetch ${AT_ONCE} from named`);
    for (const { key } of rows) yield key;
    if (rows.length < AT_ONCE) return;
  }
}
