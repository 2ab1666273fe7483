// Reads the schema of a migrated database from PostgreSQL's catalogue, without the objects of extensions and of the job
// queue.
import type pg from "pg";

export interface Column {
  name: string;
  type: string;
  /** Default or generation expression, as it is written in a table definition. */
  value: string | null;
  required: boolean;
}
export interface Constraint {
  name: string;
  kind: "primary key" | "unique" | "foreign key" | "check" | "exclusion";
  definition: string;
  /** Table that a foreign key refers to. */
  target: string | null;
}
export interface Table {
  name: string;
  purpose: string | null;
  forced: boolean;
  columns: Column[];
  constraints: Constraint[];
  indexes: string[];
  policies: string[];
  triggers: string[];
}
export type Routine = { signature: string; purpose: string | null; definition: string };
export interface Catalogue {
  extensions: string[];
  sequences: string[];
  types: string[];
  tables: Table[];
  views: string[];
  routines: Routine[];
}

/** Objects of the schema that no extension owns. */
const own = (table: string) =>
  `n.nspname = 'public' and not exists
    (select from pg_depend d where d.classid = '${table}'::regclass and d.objid = o.oid and d.deptype = 'e')`;

const TABLES = `
  select o.relname as name, obj_description(o.oid, 'pg_class') as purpose, o.relforcerowsecurity as forced,
    (select coalesce(json_agg(json_build_object('name', a.attname, 'type', format_type(a.atttypid, a.atttypmod),
        'value', case when a.attidentity <> '' then 'generated always as identity'
          when a.attgenerated <> '' then format('generated always as (%s) stored', pg_get_expr(e.adbin, e.adrelid))
          when e.adbin is not null then format('default %s', pg_get_expr(e.adbin, e.adrelid)) end,
        'required', a.attnotnull) order by a.attnum), '[]')
      from pg_attribute a left join pg_attrdef e on e.adrelid = a.attrelid and e.adnum = a.attnum
      where a.attrelid = o.oid and a.attnum > 0 and not a.attisdropped) as columns,
    (select coalesce(json_agg(json_build_object('name', c.conname, 'definition', pg_get_constraintdef(c.oid),
        'target', nullif(c.confrelid, 0)::regclass::text,
        'kind', case c.contype when 'p' then 'primary key' when 'u' then 'unique' when 'f' then 'foreign key'
          when 'c' then 'check' else 'exclusion' end) order by strpos('pufcx', c.contype::text), c.conname), '[]')
      from pg_constraint c where c.conrelid = o.oid and c.contype in ('p', 'u', 'f', 'c', 'x')) as constraints,
    (select coalesce(json_agg(pg_get_indexdef(i.indexrelid) order by pg_get_indexdef(i.indexrelid) collate "C"), '[]')
      from pg_index i where i.indrelid = o.oid
      and not exists (select from pg_constraint c where c.conindid = i.indexrelid and c.conrelid = o.oid)) as indexes,
    (select coalesce(json_agg(format('create policy %I on %I as %s for %s to %s', p.policyname, p.tablename, lower(p.permissive),
        lower(p.cmd), array_to_string(array_replace(p.roles, pg_get_userbyid(o.relowner), 'svc_owner'), ', '))
        || coalesce(' using (' || p.qual || ')', '')
        || coalesce(' with check (' || p.with_check || ')', '') order by p.policyname), '[]')
      from pg_policies p where p.schemaname = 'public' and p.tablename = o.relname) as policies,
    (select coalesce(json_agg(pg_get_triggerdef(t.oid) order by t.tgname), '[]')
      from pg_trigger t where t.tgrelid = o.oid and not t.tgisinternal) as triggers
  from pg_class o join pg_namespace n on n.oid = o.relnamespace
  where o.relkind in ('r', 'p') and ${own("pg_class")} order by o.relname`;

const LISTS = {
  extensions: "select extname as text from pg_extension where extname <> 'plpgsql' order by 1",
  sequences: `select o.relname as text from pg_class o join pg_namespace n on n.oid = o.relnamespace
    where o.relkind = 'S' and ${own("pg_class")} and not exists (select from pg_depend i where i.objid = o.oid and i.deptype = 'i')
    order by 1`,
  types: `select format('create type %I as enum (%s)', o.typname,
      (select string_agg(quote_literal(e.enumlabel), ', ' order by e.enumsortorder) from pg_enum e where e.enumtypid = o.oid)) as text
    from pg_type o join pg_namespace n on n.oid = o.typnamespace where o.typtype = 'e' and ${own("pg_type")} order by o.typname`,
  views: `select format('create view %I as%s', o.relname, E'\\n' || pg_get_viewdef(o.oid)) as text
    from pg_class o join pg_namespace n on n.oid = o.relnamespace where o.relkind = 'v' and ${own("pg_class")} order by o.relname`,
};

const ROUTINES = `
  select format('%I(%s)', o.proname, pg_get_function_identity_arguments(o.oid)) as signature,
    obj_description(o.oid, 'pg_proc') as purpose, pg_get_functiondef(o.oid) as definition
  from pg_proc o join pg_namespace n on n.oid = o.pronamespace
  where o.prokind in ('f', 'p') and ${own("pg_proc")}
  order by o.proname, pg_get_function_identity_arguments(o.oid) collate "C"`;

export async function readCatalogue(client: pg.Client): Promise<Catalogue> {
  const list = async (sql: string) => (await client.query<{ text: string }>(sql)).rows.map(({ text }) => text);
  return {
    extensions: await list(LISTS.extensions),
    sequences: await list(LISTS.sequences),
    types: await list(LISTS.types),
    tables: (await client.query<Table>(TABLES)).rows,
    views: await list(LISTS.views),
    routines: (await client.query<Routine>(ROUTINES)).rows,
  };
}
