// SQL of labels.
import type { Queries } from "../../platform/database/db.ts";
import { cachedSql, changes } from "../../platform/database/sql.ts";
import type { ListRow } from "../../platform/kernel/implement-operation.ts";
import { NIL, newId } from "../../platform/wire/ids.ts";
import type { Mover } from "../lifecycle/store.ts";
import type { Bearing } from "./access.ts";
import { labelView, overrideIn, overrideView, projectLabelView, shownName } from "./view.ts";

export type StoredLabel = { json: string; revision: string };
type Page = { after: readonly unknown[] | null; limit: number };

/** Maximum of labels per Workspace and per Project; it bounds their lists. */
const MOST = 500;

const live = (scope: string) =>
  `select l.* from label_definitions l
    where l.workspace_id = current_workspace() and l.project_id ${scope} and l.deleted_at is null`;
const NATIVE = "exists (select from credentials c where c.id = current_credential() and c.kind = 'native')";
const IS_NATIVE = `select ${NATIVE} as native`;
export const isNative = async (tx: Queries) => (await tx.one<{ native: boolean }>(IS_NATIVE)).native;
/** $2 is the required purpose, or null. A native client sees only labels for Tasks. */
const offered = `($2::text is null or l.purpose in ('general', $2))
  and (l.purpose in ('general', 'task') or not ${NATIVE})`;

/** Sorts by displayed name, which no index covers; the limits bound the rows. */
const BOUNDED = `/* reads up to ${3 * MOST}: the labels of a Workspace and of a Project, and how it shows them */`;

const LIST = `
select ${BOUNDED} ${labelView} as json, json_build_array(lower(l.name))::text as key
from (${live("is null")}) l where lower(l.name) > $1 and ${offered} order by lower(l.name) limit $3`;
export const listWorkspaceLabels = (tx: Queries, purpose: string | undefined, { after, limit }: Page) =>
  tx.rows<ListRow>(LIST, [after?.[0] ?? "", purpose ?? null, limit + 1]);

const LIST_OF_PROJECT = `
select ${BOUNDED} ${projectLabelView} as json, json_build_array(lower(${shownName}), l.id)::text as key
from (${live("is null")} union all ${live("= $5")}) l ${overrideIn("$5")}
where (lower(${shownName}), l.id) > ($1, $4) and ${offered} and ($6 or not coalesce(o.hidden, false))
order by lower(${shownName}), l.id limit $3`;
interface Narrowed {
  purpose?: string;
  include_hidden?: boolean;
}
export const listProjectLabels = (tx: Queries, projectId: string, narrowed: Narrowed, { after, limit }: Page) => {
  const { purpose = null, include_hidden = false } = narrowed;
  const from = [after?.[0] ?? "", purpose, limit + 1, after?.[1] ?? NIL];
  return tx.rows<ListRow>(LIST_OF_PROJECT, [...from, projectId, include_hidden]);
};

const create = (scope: string) => `
with l as (
  insert into label_definitions (workspace_id, id, project_id, name, color, description, purpose, created_by_actor_id)
  select $1, $2, $3::uuid, $4, $5, $6, $7, $8
  where (select count(*) from label_definitions
    where workspace_id = $1 and project_id ${scope} and deleted_at is null) < ${MOST}
  returning *
)
select ${labelView} as json, l.revision::text from l`;
const [CREATE, CREATE_OF_PROJECT] = [create("is null"), create("= $3")];

export interface NewLabel {
  workspaceId: string;
  actorId: string;
  id: string;
  projectId: string | null;
  name: string;
  color?: string;
  description?: string | null;
  purpose?: string;
}
/** Undefined if the limit is reached. The caller has locked the Workspace or Project. */
export function createLabel(tx: Queries, made: NewLabel) {
  const { workspaceId, actorId, id, projectId, name, color = "gray", description = null, purpose = "task" } = made;
  const values = [workspaceId, id, projectId, name, color, description, purpose, actorId];
  return tx.maybe<StoredLabel>(projectId === null ? CREATE : CREATE_OF_PROJECT, values);
}

const updateSql = cachedSql(
  (assignments: string) => `
update label_definitions l set ${assignments}, revision = l.revision + 1, updated_at = now()
where l.workspace_id = $1 and l.id = $2
returning ${labelView} as json, l.revision::text`,
);
/** The preceding load has locked the row. */
export function updateLabel(tx: Queries, workspaceId: string, id: string, changed: Record<string, unknown>) {
  const { assignments, values } = changes(changed, 2);
  return tx.one<StoredLabel>(updateSql(assignments), [workspaceId, id, ...values]);
}

const DELETE = `
update label_definitions set deleted_at = now(), revision = revision + 1, updated_at = now()
where workspace_id = $1 and id = $2`;
/** Maximum of targets that lose a label in one statement. */
const PAGE = 1_000;
type Table = "tasks" | "projects" | "documents";
const held = (table: Table, kind: Bearing, patience: string) => `
  select id, label_ids from ${table} where workspace_id = $1 and $2 = any(label_ids)
    and id = any(array(select target_id from picked where target_kind = '${kind}'))
      order by id for no key update ${patience}`;
const stripped = (table: Table, from: string, columns: string) => `
  update ${table} t set label_ids = array_remove(t.label_ids, $2), revision = t.revision + 1, updated_at = now()
  from ${from} h where t.workspace_id = $1 and t.id = h.id
  returning t.id, ${columns}, h.label_ids as before, t.label_ids as after`;
// Every target that loses a label gets an event. `patience`: deleting a label does not wait for a locked target, whose
// transaction may itself wait for the label, but leaves it to the job.
const strip = (patience: string) => `
with picked as materialized (
  select target_kind, target_id from label_assignments where workspace_id = $1 and label_id = $2 limit ${PAGE}
), held_tasks as materialized (${held("tasks", "task", patience)}
), held_projects as materialized (${held("projects", "project", patience)}
), held_documents as materialized (${held("documents", "document", patience)}
), of_tasks as (${stripped("tasks", "held_tasks", "t.project_id, t.id as task_id, 'task' as kind")}
), of_projects as (${stripped("projects", "held_projects", "t.id as project_id, null::uuid as task_id, 'project' as kind")}
), of_documents as (${stripped("documents", "held_documents", "t.project_id, null::uuid as task_id, 'document' as kind")}
), lost as (
  select *, row_number() over (order by kind, id) as n
  from (select * from of_tasks union all select * from of_projects union all select * from of_documents) x
), facts as (
  insert into domain_events (workspace_id, actor_id, user_id, source, command_id, id, type, project_id, task_id,
    resource_kind, resource_id, payload)
  select $1, $3, $4, $5, $6, ($7::uuid[])[n], kind || '.labels_changed', project_id, task_id, kind, id,
    json_build_object('from', before, 'to', after)
  from lost
), shown as (
  delete from label_overrides where workspace_id = $1 and label_id = $2 and project_id = any(array(
    select project_id from label_overrides where workspace_id = $1 and label_id = $2 limit ${PAGE}))
  returning 1
)
select /* reads all that it adds up: a page of what bears the label */ ((select count(*) from lost) + (select count(*)
  from shown))::int as stripped`;
const [STRIP, STRIP_SKIPPING] = [strip(""), strip("skip locked")];
const ANY_LEFT = `
select exists (select from label_assignments where workspace_id = $1 and label_id = $2)
  or exists (select from label_overrides where workspace_id = $1 and label_id = $2) as left`;

const stripping = (workspaceId: string, id: string, { actorId, userId, source, commandId }: Mover) => {
  const eventIds = Array.from({ length: PAGE }, newId);
  return [workspaceId, id, actorId, userId, source, commandId, eventIds];
};

/**
 * Deletes the label and removes it from up to a page of targets; returns their number and whether any are left. The row
 * is locked for update.
 */
export async function deleteLabel(tx: Queries, workspaceId: string, id: string, author: Mover) {
  const [, { stripped }, { left }] = await Promise.all([
    dropLabel(tx, workspaceId, id),
    tx.one<{ stripped: number }>(STRIP_SKIPPING, stripping(workspaceId, id, author)),
    tx.one<{ left: boolean }>(ANY_LEFT, [workspaceId, id]),
  ]);
  return { stripped, left };
}
/** Deletes the row only. */
export const dropLabel = (tx: Queries, workspaceId: string, id: string) => tx.rows(DELETE, [workspaceId, id]);
const REVIVE = `
update label_definitions set deleted_at = null, revision = revision + 1, updated_at = now()
where workspace_id = $1 and id = $2`;
export const reviveLabel = (tx: Queries, workspaceId: string, id: string) => tx.rows(REVIVE, [workspaceId, id]);
/** Whether the label has an assignment or an override. */
export const isUsed = async (tx: Queries, workspaceId: string, id: string) =>
  (await tx.one<{ left: boolean }>(ANY_LEFT, [workspaceId, id])).left;
const room = (scope: string) => `
select exists (select from label_definitions o where o.workspace_id = l.workspace_id and o.project_id ${scope}
    and lower(o.name) = lower(case when $3::text is null then l.name else $3 end) and o.deleted_at is null
    and o.id <> l.id) as taken,
  (select count(*) >= ${MOST} from label_definitions o
    where o.workspace_id = l.workspace_id and o.project_id ${scope} and o.deleted_at is null) as full
from label_definitions l where l.workspace_id = $1 and l.id = $2`;
const [ROOM, ROOM_OF_PROJECT] = [room("is null"), room("= $4")];
/**
 * Whether another label of the same Workspace or Project has this name (null: the label's own), and whether the label
 * limit is reached.
 */
export function roomFor(
  tx: Queries,
  workspaceId: string,
  { id, project_id }: { id: string; project_id: string | null },
  name: string | null,
) {
  const values = [workspaceId, id, name];
  type Found = { taken: boolean; full: boolean };
  return project_id === null
    ? tx.maybe<Found>(ROOM, values)
    : tx.maybe<Found>(ROOM_OF_PROJECT, [...values, project_id]);
}

/** Removes a deleted label from the next page of targets; returns their number. */
export const stripLabel = async (tx: Queries, workspaceId: string, id: string, author: Mover) =>
  (await tx.one<{ stripped: number }>(STRIP, stripping(workspaceId, id, author))).stripped;

// ---- how a Project shows them
// --------------------------------------------------------------------------------------------------

const OVERRIDES = `
select ${overrideView} as json from label_overrides o
join label_definitions l on l.workspace_id = o.workspace_id and l.id = o.label_id and l.deleted_at is null
where o.workspace_id = current_workspace() and o.project_id = $1 order by lower(l.name) limit $2`;
export const listOverrides = (tx: Queries, projectId: string, limit: number) =>
  tx.rows<{ json: string }>(OVERRIDES, [projectId, limit]);

const REPLACE_OVERRIDE = `
insert into label_overrides as o (workspace_id, project_id, label_id, name, color, hidden)
values ($1, $2, $3, $4, $5, $6)
on conflict (workspace_id, project_id, label_id) do update
set name = excluded.name, color = excluded.color, hidden = excluded.hidden,
  revision = o.revision + 1, updated_at = now()
returning ${overrideView} as json, o.revision::text`;
export interface Override {
  name: string | null;
  color: string | null;
  hidden: boolean;
}
const DELETE_OVERRIDE = "delete from label_overrides where workspace_id = $1 and project_id = $2 and label_id = $3";
/** Null removes the override. */
export const putOverride = (
  tx: Queries,
  workspaceId: string,
  projectId: string,
  labelId: string,
  after: Override | null,
) =>
  after
    ? tx.rows<StoredLabel>(REPLACE_OVERRIDE, [workspaceId, projectId, labelId, after.name, after.color, after.hidden])
    : tx.rows<StoredLabel>(DELETE_OVERRIDE, [workspaceId, projectId, labelId]);

// ---- what bears them
// -----------------------------------------------------------------------------------------------------------

/** Whether label l can be put on a target of this kind. */
const bearable = (kind: string) => `l.deleted_at is null and l.purpose in ('general', ${kind})`;
const USABLE = `
select ${BOUNDED} l.id, ${projectLabelView} as json from label_definitions l ${overrideIn("$3")}
where l.workspace_id = $1 and l.id = any($2::uuid[]) and ${bearable("$4")}
  and (l.project_id is null or l.project_id = $3)
order by l.id`;
const HELD = `${USABLE} for key share of l`;
/** The given labels that a target of this kind in the Project may have, locked until the commit if `hold`. */
export const usableLabels = (
  tx: Queries,
  workspaceId: string,
  ids: readonly string[],
  projectId: string | null,
  kind: Bearing,
  hold = true,
) => tx.rows<{ id: string; json: string }>(hold ? HELD : USABLE, [workspaceId, ids, projectId, kind]);

const BEARABLE = `
select l.id, l.project_id from label_definitions l
where l.workspace_id = $1 and l.id = any($2::uuid[]) and ${bearable("'task'")} order by l.id for key share`;
/** The given labels that Tasks may have; project_id is null for a Workspace label. Locked until the commit. */
export const labelsForTasks = (tx: Queries, workspaceId: string, ids: readonly string[]) =>
  tx.rows<{ id: string; project_id: string | null }>(BEARABLE, [workspaceId, ids]);

const replace = (table: string) =>
  `update ${table} set label_ids = $3, revision = revision + 1, updated_at = now() where workspace_id = $1 and id = $2`;
const REPLACE = { task: replace("tasks"), project: replace("projects"), document: replace("documents") };
/** The preceding load has locked the row. */
export const replaceLabels = (tx: Queries, workspaceId: string, kind: Bearing, id: string, labelIds: string[]) =>
  tx.rows(REPLACE[kind], [workspaceId, id, labelIds]);
