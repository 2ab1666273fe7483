// SQL of relations. Whoever adds or turns one holds the Workspace's row: rules about chains of Tasks are then looked at by one after the other,
// and the statement that looks sees everything that was decided before.
import { MOST_RELATIONS, RelatedTask, TaskRelationRow } from "@svc/contract/planning/tasks/relations/relations.ts";
import { HOLD } from "../../../accounts/workspaces/access.ts";
import type { Queries } from "../../../platform/database/db.ts";
import { cachedSql } from "../../../platform/database/sql.ts";
import { view } from "../../../platform/database/view.ts";
import { projectOfCaller, projectVisible } from "../../projects/access.ts";
import { type Ends, type Kind, typeSeenSql } from "./rules.ts";

/** Tasks that one may hold up or be part of, through others: so many are looked through for a circle, and no more are allowed. */
export const LONGEST_CHAIN = 5_000;

/** A relation r as seen from Task $1, where the caller sees the other one: t. */
const seen = `
cross join lateral (
  select * from tasks where workspace_id = r.workspace_id and id = case when r.from_task_id = $1 then r.to_task_id else r.from_task_id end limit 1
) t
cross join lateral (
  select p.key from projects p ${projectOfCaller} where p.workspace_id = t.workspace_id and p.id = t.project_id and ${projectVisible} limit 1
) p
cross join lateral (select category from statuses where workspace_id = t.workspace_id and id = t.status_id limit 1) st`;
const relationView = view(TaskRelationRow, "r", {
  task_id: "$1::uuid",
  kind: typeSeenSql("$1"),
  type: typeSeenSql("$1"),
  related_task: `${view(RelatedTask, "t", { code: "p.key || '-' || t.number", category: "st.category" })}::json`,
});

/** All that a Task can have of one end, before what the caller does not see is left out. */
const end = (column: string) => `
(select * from task_relations where workspace_id = current_workspace() and ${column} = $1 and id > $2 order by id limit ${MOST_RELATIONS})`;
const LIST = `
select ${relationView} as json, json_build_array(r.id)::text as key
from (${end("from_task_id")} union all ${end("to_task_id")}) r ${seen}
order by r.id limit $3`;
export const listRelations = (tx: Queries, taskId: string, after: string, rows: number) =>
  tx.rows<{ json: string; key: string }>(LIST, [taskId, after, rows]);

const own = "r.workspace_id = current_workspace() and r.id <> all($3::uuid[])";
// From where a circle would have to come back: down from what is blocked, up from the parent, of which each has one. A step is a lookup for
// each Task that was reached; reading stops at the limit.
const chains = {
  blocks: { first: "$2", goal: "$1", next: "r.to_task_id", by: "r.from_task_id" },
  parent_of: { first: "$1", goal: "$2", next: "r.from_task_id", by: "r.to_task_id" },
} as const;
const chainSql = (kind: "blocks" | "parent_of") => {
  const { first, goal, next, by } = chains[kind];
  return `(
  with recursive chain(id) as (
    select ${first}::uuid
    union
    select step.id from chain c cross join lateral (select ${next} as id from task_relations r where ${own} and ${by} = c.id and r.kind = '${kind}' offset 0) step
  )
  select json_build_object('circle', bool_or(id = ${goal}), 'length', count(*)) from (select id from chain limit ${LONGEST_CHAIN + 1}) reached)`;
};
const countSql = (taskId: string) => `(
  select count(*)::int from (
    select from task_relations r where ${own} and r.from_task_id = ${taskId} union all
    select from task_relations r where ${own} and r.to_task_id = ${taskId} limit ${MOST_RELATIONS}) r)`;
const pairSql = (from: string, to: string) => `
exists (select from task_relations r where ${own} and least(r.from_task_id, r.to_task_id) = least(${from}::uuid, ${to}::uuid)
  and greatest(r.from_task_id, r.to_task_id) = greatest(${from}::uuid, ${to}::uuid) and r.kind = $5)`;
const lookSql = cachedSql(
  (kind: Kind) => `
select /* reads up to ${2 * MOST_RELATIONS + LONGEST_CHAIN + 100}: counts the relations of both ends */ ${pairSql("$1", "$2")} as exists, greatest(${countSql("$1")}, ${countSql("$2")}) as most,
  ${kind === "parent_of" ? `exists (select from task_relations r where ${own} and r.to_task_id = $2 and r.kind = 'parent_of')` : "false"} as parent,
  ${kind === "blocks" || kind === "parent_of" ? chainSql(kind) : `json_build_object('circle', false, 'length', 0)`} as chain,
  (select t.project_id from tasks t join projects p on p.workspace_id = t.workspace_id and p.id = t.project_id ${projectOfCaller}
   where t.workspace_id = current_workspace() and t.id = $4 and t.trashed_at is null and ${projectVisible}) as related_project_id`,
);

export interface Looked {
  /** The Project of the other Task; null where that cannot be used. */
  related_project_id: string | null;
  exists: boolean;
  parent: boolean;
  /** Relations of the end that has more. */
  most: number;
  chain: { circle: boolean; length: number };
}
const SHARE =
  "select id from tasks where workspace_id = current_workspace() and id = any($1::uuid[]) order by id for key share";
/** Those of the Tasks that are still there, and stay. */
export async function holdEnds(tx: Queries, ids: readonly string[]): Promise<string[]> {
  return (await tx.rows<{ id: string }>(SHARE, [ids])).map(({ id }) => id);
}

export interface Look {
  /** The relations that go at the same time. */
  except?: readonly string[];
  /** It is about to be written: the Workspace's row is held. */
  hold?: boolean;
}
/** What stands in the way of a relation. */
export async function look(
  tx: Queries,
  { kind, from, to }: Ends,
  relatedId: string,
  { except = [], hold = true }: Look = {},
): Promise<Looked> {
  const [, found] = await Promise.all([
    hold && tx.rows(HOLD),
    tx.one<Looked>(lookSql(kind), [from, to, except, relatedId, kind]),
  ]);
  return found;
}

export type Row = { json: string; revision: string };
const INSERT = `
with r as (
  insert into task_relations (workspace_id, id, kind, from_task_id, to_task_id, created_by_actor_id)
  values (current_workspace(), $2, $3, $4, $5, current_actor()) returning *
)
select ${relationView} as json, r.revision::text from r ${seen}`;
export const insertRelation = (tx: Queries, seenFrom: string, id: string, { kind, from, to }: Ends) =>
  tx.one<Row>(INSERT, [seenFrom, id, kind, from, to]);

const ADD = `
insert into task_relations (workspace_id, id, kind, from_task_id, to_task_id, created_by_actor_id)
select current_workspace(), $1, $2, $3, $4, current_actor() from tasks t where t.workspace_id = current_workspace() and t.id = $5
on conflict do nothing`;
/** For a write that looks in the same round-trip, and is refused where that finds something in the way: nothing fails here. */
export const addRelation = (tx: Queries, id: string, { kind, from, to }: Ends, relatedId: string) =>
  tx.rows(ADD, [id, kind, from, to, relatedId]);

const LEAVE = `
delete from task_relations r using tasks t
where r.workspace_id = current_workspace() and r.to_task_id = $1 and r.kind = 'parent_of' and r.from_task_id = $2
  and t.workspace_id = r.workspace_id and t.id = r.from_task_id
returning r.id, t.project_id`;
/** Ends the relation of a Task to this parent, and says where that is; nothing where it has another one by now, or none. */
export const leaveParent = (tx: Queries, taskId: string, parentId: string) =>
  tx.maybe<{ id: string; project_id: string }>(LEAVE, [taskId, parentId]);

const UPDATE = `
with r as (
  update task_relations set kind = $3, from_task_id = $4, to_task_id = $5, revision = revision + 1, updated_at = now()
  where workspace_id = current_workspace() and id = $2 returning *
)
select ${relationView} as json, r.revision::text from r ${seen}`;
export const updateRelation = (tx: Queries, seenFrom: string, id: string, { kind, from, to }: Ends) =>
  tx.one<Row>(UPDATE, [seenFrom, id, kind, from, to]);

const READ = `
select ${relationView} as json, r.revision::text from task_relations r ${seen} where r.workspace_id = current_workspace() and r.id = $2`;
export const readRelation = (tx: Queries, seenFrom: string, id: string) => tx.one<Row>(READ, [seenFrom, id]);

const DELETE = "delete from task_relations where workspace_id = current_workspace() and id = $1";
export const deleteRelation = (tx: Queries, id: string) => tx.rows(DELETE, [id]);
