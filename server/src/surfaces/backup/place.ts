// Target of a restore: whether it is empty, and the mark of a partial restore. A row in the list of migrations is the
// mark: no version of the service starts while it exists, and another restore starts over.
import type pg from "pg";
import { APPLIED, RESTORING } from "../../platform/database/start/migrations.ts";

const FOUND = `
select count(*)::int as tables from pg_class c join pg_namespace n on n.oid = c.relnamespace
where c.relkind in ('r', 'p', 'v', 'm', 'S') and n.nspname !~ '^pg_' and n.nspname <> 'information_schema'
  and not exists (select from pg_depend d
    where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype = 'e')`;

/** "half": a restore was interrupted here. */
export async function stateOf(client: pg.Client): Promise<"empty" | "half" | "taken"> {
  const { rows } = await client.query<{ tables: number }>(FOUND);
  if (rows[0]?.tables === 0) return "empty";
  const list = await client.query("select to_regclass('public.migrations') is not null as known");
  if (!list.rows[0].known) return "taken";
  const marks = await client.query("select from public.migrations where name = $1", [RESTORING.name]);
  return marks.rowCount === 1 ? "half" : "taken";
}

// Removes what an interrupted restore left. Everything is ours except the extensions, which an administrator may have
// created.
const isNotOf = (catalog: string, alias: string) =>
  `not exists (select from pg_depend d
    where d.classid = '${catalog}'::regclass and d.objid = ${alias}.oid and d.deptype = 'e')`;
const CLEAR = `
drop schema if exists graphile_worker cascade;
do $$ declare statement text; begin
  foreach statement in array array(
    select format('drop %s if exists %s cascade',
      case relkind when 'v' then 'view' when 'S' then 'sequence' else 'table' end, c.oid::regclass) from pg_class c
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'v', 'S') and ${isNotOf("pg_class", "c")}
      and not exists (select from pg_depend d
        where d.classid = 'pg_class'::regclass and d.objid = c.oid and d.deptype in ('a', 'i') and c.relkind = 'S')
    union all select format('drop routine if exists %s cascade', p.oid::regprocedure) from pg_proc p
    where pronamespace = 'public'::regnamespace and ${isNotOf("pg_proc", "p")}
    union all select format('drop type if exists %s cascade', t.oid::regtype) from pg_type t
    join pg_class c on c.oid = t.typrelid
    where typnamespace = 'public'::regnamespace and c.relkind = 'c' and ${isNotOf("pg_type", "t")})
  loop execute statement; end loop;
end $$`;

/** Prevents the service and other restores from starting here. */
export async function mark(client: pg.Client, state: "empty" | "half"): Promise<void> {
  await client.query("begin");
  if (state === "half") await client.query(CLEAR);
  await client.query(APPLIED);
  const { name, hash, release } = RESTORING;
  await client.query("insert into public.migrations (name, hash, release) values ($1, $2, $3)", [name, hash, release]);
  await client.query("commit");
}
