// Included resources of a read (contract/src/included-schemas.ts). Wraps the statement of the read in a larger one that
// looks up what its rows reference: still one round-trip, and free for callers that do not ask. A resource that the
// caller does not see is omitted.
import {
  Counts,
  type Include,
  IncludedActor,
  IncludedLabel,
  IncludedMilestone,
  IncludedProject,
  IncludedStage,
  IncludedState,
  IncludedStatus,
  IncludedTask,
  includes,
} from "@svc/contract/included-schemas.ts";
import type { AnyOperation } from "@svc/contract/kit.ts";
import type { TSchema } from "typebox";
import { pictureUrl } from "../../accounts/account/view.ts";
import { projectOfCaller, projectVisible } from "../../planning/projects/access.ts";
import type { Queries } from "../../platform/database/db.ts";
import { cachedSql, MOST_TEXT } from "../../platform/database/sql.ts";
import { view } from "../../platform/database/view.ts";
import type { Including } from "../../platform/kernel/implement-operation.ts";

/** Upper bound of each count. */
const MOST_COUNTED = 1000;

type Shape = TSchema & { properties?: Record<string, Shape>; items?: Shape };
/**
 * Names, in a response schema and all that it contains, of the fields with these ids: `actor_id`, or `status.id` of a
 * nested field.
 */
function namesIn(shape: Shape, name: RegExp): string[] {
  const inner = shape.items ? namesIn(shape.items, name) : [];
  const own = Object.entries(shape.properties ?? {}).flatMap(([field, value]) => [
    ...(name.test(field) ? [field] : []),
    ...("id" in (value.properties ?? {}) && name.test(`${field}.id`) ? [`${field}.id`] : []),
    ...namesIn(value, name),
  ]);
  return [...new Set([...inner, ...own])];
}

/** Ids in the fields of these names anywhere in the rows. */
const idsAt = (names: string[]) =>
  names
    .map((name) => `select (v #>> '{}')::uuid as id from found, jsonb_path_query(found.j, '$.**.${name}[*]') v`)
    .join(" union all ");
const distinct = (ids: string) => `(select distinct i.id from (${ids}) i where i.id is not null)`;
/** Looks up one row for each id, with a limit, so that the planner does not turn it into a join over everything. */
const lookup = (ids: string, alias: string, from: string, json: string, where = "true") => `
(select coalesce(json_object_agg(x.id, x.json), '{}') from (
  select i.id, ${alias}.json from ${distinct(ids)} i cross join lateral (
    select ${json}::json as json from ${from}
    where ${alias}.workspace_id = current_workspace() and ${alias}.id = i.id and ${where} limit 1) ${alias}
) x)`;

const seenProject = (columns: string, of: string) => `cross join lateral (
    select ${columns} from projects p ${projectOfCaller}
    where p.workspace_id = ${of}.workspace_id and p.id = ${of}.project_id and ${projectVisible} limit 1) p`;
const status = view(IncludedStatus, "s");
const actor = view(IncludedActor, "a", {
  display_name: "coalesce(u.display_name, a.name)",
  username: `case a.kind when 'agent' then (select g.username from agents g
    where g.workspace_id = a.workspace_id and g.actor_id = a.id) else u.username end`,
  picture_url: pictureUrl("a.workspace_id"),
});
const label = view(IncludedLabel, "l", {
  overrides: `(select coalesce(json_agg(json_build_object('project_id', o.project_id, 'name', coalesce(o.name, l.name),
    'color', coalesce(o.color, l.color))), '[]')
    from (select distinct (found.j ->> 'project_id')::uuid as id from found) q cross join lateral (
      select * from label_overrides o
      where o.workspace_id = l.workspace_id and o.project_id = q.id and o.label_id = l.id limit 1) o)`,
});
const task = view(IncludedTask, "t", { code: "p.key || '-' || t.number" });

const maps = {
  statuses: (ids: string) => lookup(ids, "s", "statuses s", status),
  states: (ids: string) => lookup(ids, "s", "project_states s", view(IncludedState, "s")),
  stages: (ids: string) => lookup(ids, "s", "lifecycle_stages s", view(IncludedStage, "s")),
  actors: (ids: string) => lookup(ids, "a", "actors a left join users u on u.id = a.user_id", actor),
  labels: (ids: string) => lookup(ids, "l", "label_definitions l", label),
  projects: (ids: string) =>
    lookup(ids, "p", `projects p ${projectOfCaller}`, view(IncludedProject, "p"), projectVisible),
  milestones: (ids: string) =>
    lookup(
      ids,
      "m",
      `milestones m ${seenProject("p.key", "m")}`,
      view(IncludedMilestone, "m", { code: "p.key || '-M' || m.number" }),
      "m.deleted_at is null",
    ),
  tasks: (ids: string) => lookup(ids, "t", `tasks t ${seenProject("p.key", "t")}`, task),
} as const;

const upTo = (rows: string) => `(select count(*)::int from (${rows} limit ${MOST_COUNTED}) c)`;
/** The other Task t of a relation r, if the caller sees it and it is not in the trash. */
const other = (column: string) => `cross join lateral (
  select * from tasks t where t.workspace_id = r.workspace_id and t.id = r.${column} and t.trashed_at is null
  limit 1) t ${seenProject("p.id", "t")}`;
const children = (where: string) =>
  `select from task_relations r ${other("to_task_id")}
    where r.workspace_id = current_workspace() and r.from_task_id = n.id and r.kind = 'parent_of' ${where}`;
const counts = view(Counts, "n", {
  comments: upTo(
    "select from comments c where c.workspace_id = current_workspace() and c.task_id = n.id and c.deleted_at is null",
  ),
  attachments: upTo("select from attachments f where f.workspace_id = current_workspace() and f.task_id = n.id"),
  subtasks: upTo(children("")),
  subtasks_completed: upTo(children("and t.completed_at is not null")),
  blocked: `exists (select from task_relations r ${other("from_task_id")}
    where r.workspace_id = current_workspace() and r.to_task_id = n.id and r.kind = 'blocks'
      and t.completed_at is null)`,
});

interface Wanted {
  maps: Partial<Record<keyof typeof maps, string[]>>;
  counted: boolean;
  described: boolean;
}
/**
 * The id as a column of its own: PostgreSQL 15 uses no index behind row-level security for a value that is read from
 * JSON in the predicate (measured on 15: 54 s for a page of 20 among 100,000 Tasks).
 */
const idOf = (json: string) => `select (${json} ->> 'id')::uuid as id offset 0`;
/**
 * Texts of the rows' Tasks while there is room for them; the first of a page always fits. Lengths are known without
 * reading the texts. A page that continues its scan asks several times, with less room each time.
 */
const textsIn = (room: string) => `, sized as materialized (
  select z.*, z.total > ${room} and (z.place > 1 or ${room} < ${MOST_TEXT}) as cut from (
    select f.place, t.id, sum(octet_length(t.description_markdown)) over (order by f.place)::int as total
    from found f cross join lateral (${idOf("f.j")}) n
    cross join lateral (select * from tasks where workspace_id = current_workspace() and id = n.id limit 1) t
  ) z
), texts as materialized (
  select z.place, z.cut, z.total, d.text from sized z left join lateral (
    select to_json(t.description_markdown)::text as text from tasks t
    where not z.cut and t.workspace_id = current_workspace() and t.id = z.id limit 1) d on true
)`;

const saysWhatIsShown = (sql: string) => /\bas shown\b/.test(sql);
/**
 * Rows of a statement, with what they reference as `included` of the first. $n is the number of rows to show, unless
 * their column `shown` decides for each. `room` is the parameter for the bytes of their texts.
 */
function widened(sql: string, { maps: wanted, counted, described }: Wanted, shown: string, room: string): string {
  const built = Object.entries(wanted).map(
    ([name, fields]) => `'${name}', ${maps[name as keyof typeof maps](idsAt(fields))}`,
  );
  const more = [
    counted && `',"counts":' || (select ${counts} from (${idOf("l.json::json")}) n)`,
    described && `',"description_markdown":' || coalesce(d.text, '""')`,
  ].filter((part) => part !== false);
  const json = `case when l.json is null or l.place > ${shown} then l.json
    else left(l.json, -1) || ${more.join(" || ")} || '}' end as json,`;
  // If Node renders the JSON, the columns have the names of its fields.
  const [row, there] = /\bas json\b/.test(sql) ? ["f.json::jsonb", "f.json is not null and"] : ["to_jsonb(f)", ""];
  const onPage = saysWhatIsShown(sql) ? "f.shown" : `f.place <= ${shown}`;
  return `
with listed as materialized (select q.*, row_number() over () as place from (${sql}) q),
found as materialized (select f.place, ${row} as j from listed f
  where ${there} ${onPage})${described ? textsIn(room) : ""}
select l.*, ${more.length > 0 ? json : ""} ${described ? "coalesce(d.cut, false) as cut, d.total as text_bytes," : ""}
  case when l.place = 1 then json_build_object(${built.join(", ")})::text end as included
from listed l ${described ? "left join texts d on d.place = l.place" : ""}
order by l.place`;
}

function wanted(operation: AnyOperation, names: ReadonlySet<Include>): Wanted {
  const maps: Wanted["maps"] = {};
  for (const name of names) {
    const { map, field } = includes[name];
    if (map !== null)
      maps[map] = [
        ...new Set([...(maps[map] ?? []), ...namesIn((operation.rows ?? operation.schemas.result) as Shape, field)]),
      ];
  }
  return { maps, counted: names.has("counts"), described: names.has("description") };
}

const texts = cachedSql((sql: string, shown: string, room: string, wanted: string) =>
  widened(sql, JSON.parse(wanted), shown, room),
);
interface Brought {
  included: string | null;
  place: number;
  cut?: boolean;
  /** Bytes of the texts of this row and those before it. */
  text_bytes?: number | null;
}

/**
 * Connection whose statements also return the requested resources; at most `limit` rows are shown. A statement that
 * counts is sent unchanged.
 */
export const including: Including = (tx, operation, asked, limit) => {
  const names = (operation.include ?? []).filter((name) => asked.includes(name));
  const all = wanted(operation, new Set(names));
  const key = JSON.stringify(all);
  const found: Record<string, Record<string, unknown>> = {};
  let room = MOST_TEXT;
  const rows = async <R>(sql: string, values: unknown[] = []): Promise<R[]> => {
    const text = texts(sql, `$${values.length + 1}`, `$${values.length + 2}::int`, key);
    const read = await tx.rows<Brought>(text, [
      ...values,
      ...(saysWhatIsShown(sql) ? [] : [limit]),
      ...(all.described ? [room] : []),
    ]);
    for (const [map, things] of Object.entries(JSON.parse(read[0]?.included ?? "{}")))
      found[map] = { ...found[map], ...(things as object) };
    room -= Math.max(0, ...read.map(({ cut, text_bytes }) => (cut ? 0 : (text_bytes ?? 0))));
    return read.map(({ included, place, text_bytes, ...row }) => row as R);
  };
  const queries: Queries = {
    rows,
    maybe: async <R>(sql: string, values?: unknown[]) => (await rows<R>(sql, values))[0],
    one: (sql, values) => tx.one(sql, values),
  };
  return { queries, included: () => found };
};
