// SQL of relations. Adding or turning one locks the Workspace row: this serializes the checks on chains of Tasks, and
// each check sees all earlier changes.
import { MOST_RELATIONS, RelatedTask, TaskRelationRow } from "@svc/contract/planning/tasks/relations/relations.ts";
import { HOLD } from "../../../accounts/workspaces/access.ts";
import type { Queries } from "../../../platform/database/db.ts";
import { cachedSql } from "../../../platform/database/sql.ts";
import { view } from "../../../platform/database/view.ts";
import { projectOfCaller, projectVisible } from "../../projects/access.ts";
import { type Ends, type RelationKind, typeSeenSql } from "./rules.ts";

/**
 * Maximum of Tasks that one may block or be part of, directly or through others; the search for a cycle stops there.
 */
export const LONGEST_CHAIN = 5_000;

/** The other Task t of a relation r as seen from Task $1, if the caller can see it. */
const seen = `
cross join lateral (
  select * from tasks where workspace_id = r.workspace_id
    and id = case when r.from_task_id = $1 then r.to_task_id else r.from_task_id end limit 1
) t
cross join lateral (
  select p.key from projects p ${projectOfCaller}
  where p.workspace_id = t.workspace_id and p.id = t.project_id and ${projectVisible} limit 1
) p
cross join lateral (select category from statuses where workspace_id = t.workspace_id and id = t.status_id limit 1) st`;
const relationView = view(TaskRelationRow, "r", {
  task_id: "$1::uuid",
  kind: typeSeenSql("$1"),
  type: typeSeenSql("$1"),
  related_task: `${view(RelatedTask, "t", { code: "p.key || '-' || t.number", category: "st.category" })}::json`,
});

/** All relations of a Task at one end, before those that the caller cannot see are removed. */
const end = (column: string) => `
(select * from task_relations where workspace_id = current_workspace() and ${column} = $1 and id > $2 order by id
limit ${MOST_RELATIONS})`;
const LIST = `
select ${relationView} as json, json_build_array(r.id)::text as key
from (${end("from_task_id")} union all ${end("to_task_id")}) r ${seen}
order by r.id limit $3`;
export const listRelations = (tx: Queries, taskId: string, after: string, rows: number) =>
  tx.rows<{ json: string; key: string }>(LIST, [taskId, after, rows]);

const own = "r.workspace_id = current_workspace() and r.id <> all($3::uuid[])";
// Walks the chain that a cycle would have to close: down from the blocked Task, or up from the parent, of which each
// has one. A step is one lookup per Task reached; reading stops at the limit.
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
    select step.id from chain c
    cross join lateral (select ${next} as id from task_relations r where ${own} and ${by} = c.id and r.kind = '${kind}'
      offset 0) step
  )
  select json_build_object('circle', bool_or(id = ${goal}), 'length', count(*))
  from (select id from chain limit ${LONGEST_CHAIN + 1}) reached)`;
};
const countSql = (taskId: string) => `(
  select count(*)::int from (
    select from task_relations r where ${own} and r.from_task_id = ${taskId} union all
    select from task_relations r where ${own} and r.to_task_id = ${taskId} limit ${MOST_RELATIONS}) r)`;
const pairSql = (from: string, to: string) => `
exists (select from task_relations r
  where ${own} and least(r.from_task_id, r.to_task_id) = least(${from}::uuid, ${to}::uuid)
  and greatest(r.from_task_id, r.to_task_id) = greatest(${from}::uuid, ${to}::uuid) and r.kind = $5)`;
const lookSql = cachedSql(
  (kind: RelationKind) => `
select /* reads up to ${2 * MOST_RELATIONS + LONGEST_CHAIN + 100}: counts the relations of both ends */
  ${pairSql("$1", "$2")} as exists, greatest(${countSql("$1")}, ${countSql("$2")}) as most,
  ${
    kind === "parent_of"
      ? `exists (select from task_relations r
    where ${own} and r.to_task_id = $2 and r.kind = 'parent_of')`
      : "false"
  } as parent,
  ${
    kind === "blocks" || kind === "parent_of"
      ? chainSql(kind)
      : `json_build_object('circle', false,
    'length', 0)`
  } as chain,
  (select t.project_id from tasks t
  join projects p on p.workspace_id = t.workspace_id and p.id = t.project_id ${projectOfCaller}
   where t.workspace_id = current_workspace() and t.id = $4 and t.trashed_at is null
     and ${projectVisible}) as related_project_id`,
);

export interface RelationCheck {
  /** The Project of the other Task; null if that Task cannot be used. */
  related_project_id: string | null;
  exists: boolean;
  parent: boolean;
  /** Number of relations of the end that has more. */
  most: number;
  chain: { circle: boolean; length: number };
}
const SHARE =
  "select id from tasks where workspace_id = current_workspace() and id = any($1::uuid[]) order by id for key share";
/** Locks the Tasks against deletion; returns those that still exist. */
export async function holdEnds(tx: Queries, ids: readonly string[]): Promise<string[]> {
  return (await tx.rows<{ id: string }>(SHARE, [ids])).map(({ id }) => id);
}

export interface Look {
  /** Relations that are removed at the same time. */
  except?: readonly string[];
  /** Lock the Workspace row, because a write follows. */
  hold?: boolean;
}
/** Reads all facts that may forbid a relation. */
export async function look(
  tx: Queries,
  { kind, from, to }: Ends,
  relatedId: string,
  { except = [], hold = true }: Look = {},
): Promise<RelationCheck> {
  const [, found] = await Promise.all([
    hold && tx.rows(HOLD),
    tx.one<RelationCheck>(lookSql(kind), [from, to, except, relatedId, kind]),
  ]);
  return found;
}

export type StoredRelation = { json: string; revision: string };
const INSERT = `
with r as (
  insert into task_relations (workspace_id, id, kind, from_task_id, to_task_id, created_by_actor_id)
  values (current_workspace(), $2, $3, $4, $5, current_actor()) returning *
)
select ${relationView} as json, r.revision::text from r ${seen}`;
export const insertRelation = (tx: Queries, seenFrom: string, id: string, { kind, from, to }: Ends) =>
  tx.one<StoredRelation>(INSERT, [seenFrom, id, kind, from, to]);

const ADD = `
insert into task_relations (workspace_id, id, kind, from_task_id, to_task_id, created_by_actor_id)
select current_workspace(), $1, $2, $3, $4, current_actor() from tasks t
where t.workspace_id = current_workspace() and t.id = $5
on conflict do nothing`;
/** For a write that checks in the same round-trip and refuses on a conflict: this statement itself never fails. */
export const addRelation = (tx: Queries, id: string, { kind, from, to }: Ends, relatedId: string) =>
  tx.rows(ADD, [id, kind, from, to, relatedId]);

const LEAVE = `
delete from task_relations r using tasks t
where r.workspace_id = current_workspace() and r.to_task_id = $1 and r.kind = 'parent_of' and r.from_task_id = $2
  and t.workspace_id = r.workspace_id and t.id = r.from_task_id
returning r.id, t.project_id`;
/**
 * Removes the relation of a Task to this parent and returns the parent's Project; undefined if the Task no longer has
 * this parent.
 */
export const leaveParent = (tx: Queries, taskId: string, parentId: string) =>
  tx.maybe<{ id: string; project_id: string }>(LEAVE, [taskId, parentId]);

const UPDATE = `
with r as (
  update task_relations set kind = $3, from_task_id = $4, to_task_id = $5, revision = revision + 1, updated_at = now()
  where workspace_id = current_workspace() and id = $2 returning *
)
select ${relationView} as json, r.revision::text from r ${seen}`;
export const updateRelation = (tx: Queries, seenFrom: string, id: string, { kind, from, to }: Ends) =>
  tx.one<StoredRelation>(UPDATE, [seenFrom, id, kind, from, to]);

const READ = `
select ${relationView} as json, r.revision::text from task_relations r ${seen}
where r.workspace_id = current_workspace() and r.id = $2`;
export const readRelation = (tx: Queries, seenFrom: string, id: string) => tx.one<StoredRelation>(READ, [seenFrom, id]);

const DELETE = "delete from task_relations where workspace_id = current_workspace() and id = $1";
export const deleteRelation = (tx: Queries, id: string) => tx.rows(DELETE, [id]);
