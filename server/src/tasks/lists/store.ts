// SQL of the Tasks of a Workspace: which index leads, and what is held against what it gives.
import type { listWorkspaceTasks as operation, taskFilters } from "@svc/contract/tasks/lists/workspace-tasks.ts";
import type { Queries } from "../../database/db.ts";
import { projectOfCaller, projectVisible } from "../../projects/access.ts";
import { LAST_ID, LAST_NUMBER, NIL } from "../../wire/ids.ts";
import { EXAMINED, examinedPage, type Page, parameters, type Stretch, tasksOf } from "./examined.ts";

export type TaskFilters = NonNullable<(typeof operation)["_in"]>["query"];
export type Narrowing = Pick<TaskFilters, keyof typeof taskFilters>;
type Put = (value: unknown) => string;

const here = "t.workspace_id = current_workspace()";
const there = `${here} and t.trashed_at is null`;
const OPEN_OR_NOT = [1, 0].map((open) => `(case when t.completed_at is null then 1 else 0 end) = ${open}`);
const priorities = ["none", "low", "medium", "high", "urgent"] as const;
const part = (...conditions: (string | false | undefined)[]) =>
  `select t.* from tasks t where ${conditions.filter(Boolean).join(" and ")}`;

interface Order {
  order: Stretch["order"];
  types: readonly string[];
  first: readonly (string | number)[];
}
const newest = (column: string): Order => ({
  order: [
    [column, "desc"],
    ["id", "desc"],
  ],
  types: ["timestamptz", "uuid"],
  first: ["infinity", LAST_ID],
});
const ascending = (column: string, type: string): Order => ({
  order: [
    [column, "asc"],
    ["id", "asc"],
  ],
  types: [type, "uuid"],
  first: ["-infinity", NIL],
});
const orders = {
  updated: newest("updated_at"),
  trashed: newest("trashed_at"),
  created: { order: [["id", "desc"]], types: ["uuid"], first: [LAST_ID] },
  labelled: { order: [["bearer_id", "desc"]], types: ["uuid"], first: [LAST_ID] },
  number: { order: [["number", "desc"]], types: ["bigint"], first: [LAST_NUMBER] },
  position: ascending("position", "float8"),
  due: ascending("due_date", "date"),
  priority: {
    order: [
      ["priority_rank", "desc"],
      ["updated_at", "desc"],
      ["id", "desc"],
    ],
    types: ["smallint", "timestamptz", "uuid"],
    first: [99, "infinity", LAST_ID],
  },
} satisfies Record<string, Order>;

/**
 * A Project that is named, and what belongs to one or to the Workspace, where the caller sees it. What is hidden finds nothing, as what never
 * was: otherwise has_more would tell that much is in it.
 */
const seenProject = (id: string) => `(
  select p.id from projects p ${projectOfCaller} where p.workspace_id = current_workspace() and p.id = ${id} and ${projectVisible})`;
const seenIn = (
  table: "milestones" | "statuses" | "label_definitions",
  id: string,
  column: "id" | "project_id" = "id",
) => `(
  select o.${column} from ${table} o left join projects p on p.workspace_id = o.workspace_id and p.id = o.project_id ${projectOfCaller}
  where o.workspace_id = current_workspace() and o.id = ${id} and (o.project_id is null or ${projectVisible}))`;

/** An id, and not none. */
const named = (value: string | undefined) => (value === "none" ? undefined : value);

/**
 * Within a Project, and so within a Milestone, the order of creation is that of the numbers; with a label, that in which the index of labels
 * has what bears it.
 */
function orderOf(query: TaskFilters): keyof typeof orders {
  const { trashed, sort = "updated", priority, project_id, label_id, milestone_id } = query;
  if (trashed) return "trashed";
  // Within one priority the order is that of the changes.
  if (sort === "priority" && priority !== undefined) return "updated";
  if (sort !== "created") return sort;
  if (project_id !== undefined || named(milestone_id) !== undefined) return "number";
  return label_id !== undefined ? "labelled" : sort;
}

/** The stretches of one index that hold what is asked for; the filter that narrows most decides on the index. */
function partsOf(by: keyof typeof orders, query: TaskFilters, after: string, put: Put): string[] {
  const [assignee, milestone] = [named(query.assignee_actor_id), named(query.milestone_id)];
  const { project_id, status_id, created_by_actor_id: creator } = query;
  // A parameter that is not used has no type: each is put in where it is.
  const own = (column: string, value: string) => `t.${column} = ${put(value)}::uuid`;
  const inStatus = () => status_id !== undefined && `t.status_id = ${seenIn("statuses", put(status_id))}`;
  // All that is in a Milestone is in its Project.
  const inProject = () =>
    project_id !== undefined
      ? `t.project_id = ${seenProject(put(project_id))}`
      : milestone !== undefined && `t.project_id = ${seenIn("milestones", put(milestone), "project_id")}`;
  const ranks = query.priority === undefined ? [1, 2, 3, 4, 5] : [priorities.indexOf(query.priority) + 1];
  if (by === "trashed") return [part(here, "t.trashed_at is not null", after)];
  if (by === "number") {
    const ofAssignee = assignee !== undefined && own("assignee_actor_id", assignee);
    if (milestone !== undefined)
      return [part(there, `t.milestone_id = ${seenIn("milestones", put(milestone))}`, ofAssignee, after)];
    const ofStatus = inStatus();
    return [part(ofAssignee || ofStatus ? there : here, inProject(), ofAssignee, ofStatus, after)];
  }
  if (by === "position") return [part(there, inProject(), inStatus(), after)];
  if (by === "priority") return [part(there, inProject(), after)];
  if (by === "due") {
    const { due_before } = query;
    return [
      part(there, "t.due_date is not null", due_before !== undefined && `t.due_date <= ${put(due_before)}`, after),
    ];
  }
  if (by === "labelled")
    return [
      tasksOf(
        `select t.target_id as bearer_id from label_assignments t
         where t.workspace_id = current_workspace() and t.label_id = ${seenIn("label_definitions", put(query.label_id))} and t.target_kind = 'task'
           and ${after.replaceAll("bearer_id", "target_id")} order by t.target_id desc limit ${EXAMINED}`,
      ),
    ];
  if (by === "created") {
    if (assignee !== undefined) return [part(there, own("assignee_actor_id", assignee), after)];
    if (creator !== undefined) return [part(there, own("created_by_actor_id", creator), after)];
    return [part(here, inStatus(), after)];
  }
  const since = query.updated_since !== undefined && `t.updated_at >= ${put(query.updated_since)}::timestamptz`;
  const person =
    assignee !== undefined
      ? own("assignee_actor_id", assignee)
      : project_id === undefined && creator !== undefined && own("created_by_actor_id", creator);
  if (person) return OPEN_OR_NOT.map((open) => part(there, person, open, since, after));
  const place = inProject();
  return ranks.map((rank) => part(there, place, `t.priority_rank = ${rank}`, since, after));
}

const idOrNone = (column: string, value: string | undefined, put: Put) =>
  value !== undefined && (value === "none" ? `${column} is null` : `${column} = ${put(value)}::uuid`);

/** Every filter once more, whether the index has answered it or not. */
function whereOf(query: TaskFilters, put: Put): string[] {
  const equal = (column: string, value: string | undefined) => value !== undefined && `${column} = ${put(value)}`;
  return [
    query.trashed ? "t.trashed_at is not null" : "t.trashed_at is null",
    equal("t.project_id", query.project_id),
    equal("t.status_id", query.status_id),
    equal("s.category", query.category),
    ...narrowed(query, put),
  ].filter((condition) => condition !== false);
}
/** The filters that a list and a board share, as conditions on t. */
export function narrowed(query: Narrowing, put: Put): string[] {
  const equal = (column: string, value: string | undefined) => value !== undefined && `${column} = ${put(value)}`;
  const { label_id, due_before, due_after, updated_since, text } = query;
  return [
    idOrNone("t.assignee_actor_id", query.assignee_actor_id, put),
    idOrNone("t.milestone_id", query.milestone_id, put),
    label_id !== undefined && `${put(label_id)}::uuid = any(t.label_ids)`,
    equal("t.priority", query.priority),
    due_before !== undefined && `t.due_date <= ${put(due_before)}`,
    due_after !== undefined && `t.due_date >= ${put(due_after)}`,
    equal("t.created_by_actor_id", query.created_by_actor_id),
    text !== undefined && `position(lower(${put(text)}) in lower(t.title)) > 0`,
    updated_since !== undefined && `t.updated_at >= ${put(updated_since)}::timestamptz`,
  ].filter((condition) => condition !== false);
}

export function listWorkspaceTasks(tx: Queries, query: TaskFilters, page: Page) {
  const values = parameters();
  const by = orderOf(query);
  const { order, types, first }: Order = orders[by];
  // The day is where the list begins: beside where it begins, the index would not take it for that and read everything before.
  const start = by === "due" && query.due_after !== undefined ? [query.due_after, NIL] : first;
  const from = (page.after ?? start).map((value, at) => `${values.put(value)}::${types[at]}`);
  const columns = order.map(([column]) => `t.${column}`).join(", ");
  const after = `(${columns}) ${order[0]?.[1] === "asc" ? ">" : "<"} (${from.join(", ")})`;
  const parts = partsOf(by, query, after, values.put);
  return examinedPage(tx, { parts, order }, { where: whereOf(query, values.put) }, values, page);
}
