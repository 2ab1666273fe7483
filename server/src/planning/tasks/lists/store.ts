// SQL of Task lists of a Workspace and of a Project: selects the index (partsOf) and filters its rows (whereOf). Values
// are parameters, several of them in one array: one SQL text per set of filters, regardless of the number of values.
import type { narrowing } from "@svc/contract/planning/tasks/lists/filters.ts";
import type { listWorkspaceTasks as operation } from "@svc/contract/planning/tasks/lists/workspace-tasks.ts";
import type { Queries } from "../../../platform/database/db.ts";
import { filled, type PageBounds, parameters } from "../../../platform/database/scan-page.ts";
import { LAST_ID, LAST_NUMBER, NIL } from "../../../platform/wire/ids.ts";
import { onlyOne, severalOf } from "../../../platform/wire/input/value-filter.ts";
import { projectOfCaller, projectVisible } from "../../projects/access.ts";
import { dueAmong, dueBetween } from "./due-dates.ts";
import { EXAMINED, type ExaminedList, examinedPage, type IndexRange, tasksOf } from "./examined-page.ts";

export type TaskFilters = NonNullable<(typeof operation)["_in"]>["query"];
/** Filters that boards support too. */
type Narrowing = Pick<TaskFilters, keyof typeof narrowing>;
type Put = (value: unknown) => string;
type Way = "asc" | "desc";

const here = "t.workspace_id = current_workspace()";
const there = `${here} and t.trashed_at is null`;
const OPEN_OR_NOT = [1, 0].map((open) => `(case when t.completed_at is null then 1 else 0 end) = ${open}`);
const priorities = ["none", "low", "medium", "high", "urgent"];
const part = (...conditions: (string | false | undefined)[]) =>
  `select t.* from tasks t where ${conditions.filter(Boolean).join(" and ")}`;

/** First key of a list by column type: the last title is one that is longer than any real one. */
const first = {
  uuid: { asc: NIL, desc: LAST_ID },
  timestamptz: { asc: "-infinity", desc: "infinity" },
  date: { asc: "-infinity", desc: "infinity" },
  float8: { asc: "-infinity", desc: "infinity" },
  smallint: { asc: 0, desc: 99 },
  bigint: { asc: 0, desc: LAST_NUMBER },
  text: { asc: "", desc: "\u{10ffff}".repeat(501) },
} as const;
type Column = [column: string, type: keyof typeof first];
interface Order {
  by: Column[];
  way: Way;
}
const id: Column = ["id", "uuid"];
const orders = {
  updated: { by: [["updated_at", "timestamptz"], id], way: "desc" },
  trashed: { by: [["trashed_at", "timestamptz"], id], way: "desc" },
  created: { by: [id], way: "desc" },
  labelled: { by: [["bearer_id", "uuid"]], way: "desc" },
  number: { by: [["number", "bigint"]], way: "desc" },
  priority: { by: [["priority_rank", "smallint"], ["updated_at", "timestamptz"], id], way: "desc" },
  position: { by: [["position", "float8"], id], way: "asc" },
  due: { by: [["due_date", "date"], id], way: "asc" },
  title: { by: [['title collate "C"', "text"], id], way: "asc" },
} satisfies Record<string, Order>;
type By = keyof typeof orders;

/**
 * A named Project, and resources of a Project or the Workspace, if the caller can see them. A hidden one matches
 * nothing, like one that does not exist: otherwise has_more would reveal that it contains much.
 */
const seenProject = (project: string) => `(
  select p.id from projects p ${projectOfCaller}
  where p.workspace_id = current_workspace() and p.id = ${project} and ${projectVisible})`;
const seenIn = (
  table: "milestones" | "statuses" | "label_definitions",
  named: string,
  column: "id" | "project_id" = "id",
) => `(
  select o.${column} from ${table} o
  left join projects p on p.workspace_id = o.workspace_id and p.id = o.project_id ${projectOfCaller}
  where o.workspace_id = current_workspace() and o.id = ${named} and (o.project_id is null or ${projectVisible}))`;

const isOnePriority = ({ priority = "" }: TaskFilters) => priorities.includes(priority);
/** A label that every requested Task must have. */
const leadingLabel = ({ label_id, label_ids_all }: TaskFilters) => onlyOne(label_id) ?? label_ids_all?.split(",")[0];

/**
 * Within a Project, and so within a Milestone, creation order is the order of numbers; with a label, it is the order of
 * the label's index.
 */
function orderOf(query: TaskFilters): By {
  const { trashed, sort = "updated" } = query;
  if (trashed) return "trashed";
  // Within one priority, Tasks are sorted by last change.
  if (sort === "priority" && isOnePriority(query)) return "updated";
  if (sort !== "created") return sort;
  if (onlyOne(query.project_id) !== undefined || onlyOne(query.milestone_id) !== undefined) return "number";
  return leadingLabel(query) !== undefined ? "labelled" : sort;
}

/**
 * The title index spans the whole Workspace, past Tasks of other Projects. A small Project is therefore read completely
 * and sorted; in a large one, scanning the index finds enough.
 */
const SMALL = 5_000;
function titled(inProject: string | false, after: string): string[] {
  if (!inProject) return [part(there, after)];
  const small = `(select count(*) <= ${SMALL}
    from (select from tasks t where ${here} and ${inProject} limit ${SMALL + 1}) c)`;
  const all = `select t.* from (${part(there, inProject)} offset 0) t`;
  return [`${all} where ${small} and ${after}`, part(there, inProject, `not ${small}`, after)];
}

/**
 * Index ranges to scan; the most selective filter picks the index. Only a filter by one value does: several values
 * would need as many ranges, each read to its end.
 */
function partsOf(by: By, way: Way, query: TaskFilters, after: string, put: Put, examined: number): string[] {
  const [project, status, milestone, assignee, creator] = [
    onlyOne(query.project_id),
    onlyOne(query.status_id),
    onlyOne(query.milestone_id),
    onlyOne(query.assignee_actor_id),
    onlyOne(query.created_by_actor_id),
  ];
  // PostgreSQL cannot infer the type of an unused parameter, so each is added where it is used.
  const own = (column: string, value: string) => `t.${column} = ${put(value)}::uuid`;
  const inStatus = () => status !== undefined && `t.status_id = ${seenIn("statuses", put(status))}`;
  // All Tasks of a Milestone are in its Project.
  const inProject = () =>
    project !== undefined
      ? `t.project_id = ${seenProject(put(project))}`
      : milestone !== undefined && `t.project_id = ${seenIn("milestones", put(milestone), "project_id")}`;
  if (by === "trashed") return [part(here, "t.trashed_at is not null", after)];
  if (by === "number") {
    const ofAssignee = assignee !== undefined && own("assignee_actor_id", assignee);
    if (milestone !== undefined)
      return [part(there, `t.milestone_id = ${seenIn("milestones", put(milestone))}`, ofAssignee || inStatus(), after)];
    const ofStatus = inStatus();
    return [part(ofAssignee || ofStatus ? there : here, inProject(), ofAssignee, ofStatus, after)];
  }
  if (by === "position") return [part(there, inProject(), inStatus(), after)];
  if (by === "title") return titled(inProject(), after);
  if (by === "priority") return [part(there, inProject(), after)];
  if (by === "due") return [part(there, "t.due_date is not null", ...dueBetween(query.due), after)];
  if (by === "labelled")
    return [
      tasksOf(
        `select t.target_id as bearer_id from label_assignments t
         where t.workspace_id = current_workspace()
           and t.label_id = ${seenIn("label_definitions", put(leadingLabel(query)))} and t.target_kind = 'task'
           and ${after.replaceAll("bearer_id", "target_id")} order by t.target_id ${way} limit ${examined}`,
      ),
    ];
  if (by === "created") {
    if (assignee !== undefined) return [part(there, own("assignee_actor_id", assignee), after)];
    if (creator !== undefined) return [part(there, own("created_by_actor_id", creator), after)];
    return [part(here, inStatus(), after)];
  }
  const person =
    assignee !== undefined
      ? own("assignee_actor_id", assignee)
      : project === undefined && creator !== undefined && own("created_by_actor_id", creator);
  if (person) return OPEN_OR_NOT.map((open) => part(there, person, open, after));
  const place = inProject();
  const ranks = isOnePriority(query) ? [priorities.indexOf(query.priority ?? "") + 1] : [1, 2, 3, 4, 5];
  return ranks.map((rank) => part(there, place, `t.priority_rank = ${rank}`, after));
}

/** Condition on a column; null matches only if the filter contains none. */
function among(column: string, filter: string | undefined, put: Put, type: "uuid" | "text" = "uuid"): string | false {
  if (filter === undefined) return false;
  const { values, none, not } = severalOf(filter, type === "uuid");
  return `case when ${column} is null then ${put(none)}::boolean
    else ${column} = any(${put(values)}::${type}[]) end = ${put(!not)}::boolean`;
}
function labelled(filter: string | undefined, put: Put): string | false {
  if (filter === undefined) return false;
  const { values, none, not } = severalOf(filter);
  return `(t.label_ids && ${put(values)}::uuid[] or ${put(none)}::boolean
    and t.label_ids = '{}') = ${put(!not)}::boolean`;
}

/** All filters, including those that the index already applies. */
function whereOf(query: TaskFilters, put: Put): string[] {
  return [
    query.trashed ? "t.trashed_at is not null" : "t.trashed_at is null",
    among("t.project_id", query.project_id, put),
    among("t.status_id", query.status_id, put),
    among("s.category", query.category, put, "text"),
    ...narrowed(query, put),
  ].filter((condition) => condition !== false);
}
/** Filters shared by lists and boards, as conditions on t and on its Status, which has this alias. */
export function narrowed(query: Narrowing, put: Put, status = "s"): string[] {
  const held = (condition: string, value: string | undefined, type: "date" | "timestamptz") =>
    value !== undefined && `${condition} ${put(value)}::${type}`;
  const { label_ids_all, text } = query;
  return [
    among("t.assignee_actor_id", query.assignee_actor_id, put),
    among("t.milestone_id", query.milestone_id, put),
    among("t.created_by_actor_id", query.created_by_actor_id, put),
    among("t.priority", query.priority, put, "text"),
    labelled(query.label_id, put),
    label_ids_all !== undefined && `t.label_ids @> ${put(label_ids_all.split(","))}::uuid[]`,
    text !== undefined && `position(lower(${put(text)}) in lower(t.title)) > 0`,
    dueAmong(query.due, put, status),
    held("t.due_date >=", query.due_after, "date"),
    held("t.due_date <=", query.due_before, "date"),
    held("t.start_date >=", query.start_after, "date"),
    held("t.start_date <=", query.start_before, "date"),
    held("t.created_at >=", query.created_after, "timestamptz"),
    held("t.created_at <", query.created_before, "timestamptz"),
    held("t.updated_at >=", query.updated_since, "timestamptz"),
    held("t.updated_at <", query.updated_before, "timestamptz"),
    held("t.completed_at >=", query.completed_after, "timestamptz"),
    held("t.completed_at <", query.completed_before, "timestamptz"),
  ].filter((condition) => condition !== false);
}

/**
 * First key and end condition of a list filtered by a range of its sort column. Both become index conditions: otherwise
 * it would read everything before the range and filter everything after it.
 */
function rangeOf(by: By, way: Way, query: TaskFilters) {
  const { due_after, due_before, updated_since, updated_before } = query;
  if (by === "due")
    return way === "asc"
      ? { start: due_after && [due_after, NIL], end: "t.due_date <=", at: due_before }
      : { start: due_before && [due_before, LAST_ID], end: "t.due_date >=", at: due_after };
  if (by === "updated")
    return way === "asc"
      ? { start: updated_since && [updated_since, NIL], end: "t.updated_at <", at: updated_before }
      : { start: updated_before && [updated_before, NIL], end: "t.updated_at >=", at: updated_since };
  return {};
}

function stretchOf(
  tx: Queries,
  query: TaskFilters,
  page: PageBounds,
  { json, examined = EXAMINED }: Omit<ExaminedList, "where"> = {},
) {
  const { put, ...values } = parameters();
  const by = orderOf(query);
  const order: Order = orders[by];
  const way = query.order ?? order.way;
  const { start, end, at } = rangeOf(by, way, query);
  const from = page.after ?? (start || order.by.map(([, type]) => first[type][way]));
  const behind = from.map((value, place) => `${put(value)}::${order.by[place]?.[1]}`).join(", ");
  const columns = order.by.map(([column]) => `t.${column}`).join(", ");
  const after =
    `(${columns}) ${way === "asc" ? ">" : "<"} ` +
    `(${behind})${at === undefined ? "" : ` and ${end} ${put(at)}::${order.by[0]?.[1]}`}`;
  const stretch: IndexRange = {
    parts: partsOf(by, way, query, after, put, examined),
    order: order.by.map(([column]) => [column, way]),
  };
  const project = onlyOne(query.project_id);
  const shown = { where: whereOf(query, put), project: project && `${put(project)}::uuid`, json, examined };
  return examinedPage(tx, stretch, shown, { put, ...values }, page);
}

export const listTasks = (tx: Queries, query: TaskFilters, page: PageBounds) =>
  filled(page, (rest) => stretchOf(tx, query, rest));

/** Id and revision of a Task. */
const IDENTITY = "t.id || ' ' || t.revision";
/** Identities are cheap to read: two statements examine as many Tasks as the longest page does. */
const AT_ONCE = { json: IDENTITY, examined: 12_000, statements: 2 };
/** The first matching Tasks as identities, in few statements, for result sets. */
export const listIdentities = (tx: Queries, query: TaskFilters, limit: number) =>
  filled({ after: null, limit }, (rest) => stretchOf(tx, query, rest, AT_ONCE), AT_ONCE.statements);

/**
 * The matching Tasks among `ids` (search results) as identities, in the requested order or else in the order of `ids`.
 */
export async function listIdentitiesAmong(tx: Queries, query: TaskFilters, ids: readonly string[]): Promise<string[]> {
  const { values, put } = parameters();
  const { by, way }: Order = orders[query.sort ?? "updated"];
  const order = by.map(([column]) => `t.${column} ${query.order ?? way}`).join(", ");
  const sql = `
select ${IDENTITY} as json from unnest(${put(ids)}::uuid[]) with ordinality w(id, place)
cross join lateral (select * from tasks t where ${here} and t.id = w.id limit 1) t
cross join lateral (select s.category from statuses s where s.workspace_id = t.workspace_id and s.id = t.status_id
  limit 1) s
cross join lateral (
  select from projects p ${projectOfCaller}
  where p.workspace_id = t.workspace_id and p.id = t.project_id and ${projectVisible} limit 1) p
where ${[...whereOf(query, put), query.sort === "due" && "t.due_date is not null"].filter(Boolean).join(" and ")}
order by ${query.sort === undefined && query.order === undefined ? "w.place" : order}`;
  return (await tx.rows<{ json: string }>(sql, values)).map(({ json }) => json);
}
