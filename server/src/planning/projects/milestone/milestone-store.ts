// SQL of Milestones.
import type { Queries } from "../../../platform/database/db.ts";
import { cachedSql, changes, untilFull } from "../../../platform/database/sql.ts";
import type { Membership } from "../../../platform/kernel/authentication.ts";
import type { ListRow } from "../../../platform/kernel/implement-operation.ts";
import { newId } from "../../../platform/wire/ids.ts";
import type { Mover } from "../../lifecycle/store.ts";
import { projectClosed } from "../access.ts";
import { milestoneView } from "../view.ts";
import { HOLD_STAGES } from "./milestone-access.ts";

type Row = { json: string; revision: string };
type Page = { after: readonly unknown[] | null; limit: number };

const list = (narrowed: string) =>
  untilFull({
    rows: `select * from milestones m
      where m.workspace_id = current_workspace() and m.project_id = $1 and m.deleted_at is null ${narrowed}
        and (m.target_order, m.number) > ($2::date, $3::bigint)
      order by m.target_order, m.number limit $4`,
    alias: "m",
    text: "description_markdown",
    order: "m.target_order, m.number",
    json: milestoneView,
    key: "json_build_array(m.target_order, m.number::text)::text",
  });
const [LIST, LIST_STAGE] = [list(""), list("and m.stage_id = $5")];

/** Sorted by target date, those without one last; of one stage or all. */
export const listMilestones = (tx: Queries, projectId: string, stageId: string | undefined, { after, limit }: Page) => {
  const values = [projectId, after?.[0] ?? "-infinity", after?.[1] ?? 0, limit + 1];
  return stageId === undefined ? tx.rows<ListRow>(LIST, values) : tx.rows<ListRow>(LIST_STAGE, [...values, stageId]);
};

const stage = (which: string) => `
select g.id from lifecycle_stages g
join lifecycle_definitions d on d.workspace_id = g.workspace_id and d.id = g.definition_id and d.kind = 'milestone'
where g.workspace_id = $1 and ${which}`;

// Numbers of deleted Milestones are not reused.
const create = (which: string) => `
with open as (
  select p.id from projects p where p.workspace_id = $1 and p.id = $3 and not ${projectClosed}
), stage as (${stage(which)}), m as (
  insert into milestones (workspace_id, id, project_id, number, name, description_markdown, start_date, target_date,
    created_by_actor_id, stage_id)
  select $1, $2, $3, coalesce((select number from milestones where workspace_id = $1 and project_id = $3
    order by number desc limit 1), 0) + 1,
    $4, $5, $6, $7, $8, stage.id
  from open, stage returning *
)
select (select ${milestoneView} from m) as json, '1' as revision, exists (select from open) as open`;
const CREATE = create("g.accepts_new_work order by g.position, g.id limit 1");
const CREATE_IN_STAGE = create("g.id = $9");

export interface NewMilestone {
  id: string;
  projectId: string;
  name: string;
  description_markdown?: string;
  stage_id?: string;
  start_date?: string | null;
  target_date?: string | null;
}
/** No row if the Project is closed or the stage is not a Milestone stage. The caller has locked the Project. */
export async function createMilestone(tx: Queries, { workspaceId, actorId }: Membership, made: NewMilestone) {
  const { id, projectId, name, description_markdown = "", stage_id, start_date = null, target_date = null } = made;
  const values = [workspaceId, id, projectId, name, description_markdown, start_date, target_date, actorId];
  const [, { json, revision, open }] = await Promise.all([
    tx.rows(HOLD_STAGES),
    stage_id === undefined
      ? tx.one<{ json: string | null; revision: string; open: boolean }>(CREATE, values)
      : tx.one<{ json: string | null; revision: string; open: boolean }>(CREATE_IN_STAGE, [...values, stage_id]),
  ]);
  return { open, row: json === null ? undefined : { json, revision } };
}

const updateSql = cachedSql(
  (assignments: string, stageId: string) => `
update milestones m set ${assignments}, revision = revision + 1, updated_at = now()
where workspace_id = $1 and id = $2 ${stageId && `and exists (${stage(`g.id = ${stageId}`)})`}
returning ${milestoneView} as json, m.revision::text`,
);

/** Undefined if the stage is not a Milestone stage. The preceding load has locked the row and the stages. */
export function updateMilestone(tx: Queries, workspaceId: string, id: string, body: Record<string, unknown>) {
  const { assignments, values, fields } = changes(body, 2);
  const place = fields.indexOf("stage_id");
  return tx.maybe<Row>(updateSql(assignments, place < 0 ? "" : `$${place + 3}`), [workspaceId, id, ...values]);
}

const DELETE = `
update milestones set deleted_at = now(), revision = revision + 1, updated_at = now()
where workspace_id = $1 and id = $2`;
/** Maximum of Tasks removed from a Milestone in one statement. */
const PAGE = 1_000;
// Every removed Task gets an event; feeds show only the deletion. `patience`: deleting a Milestone does not wait for a
// locked Task, whose transaction may itself wait for the Milestone, but leaves it to the job.
const empty = (patience: string) => `
with picked as materialized (
  select id from tasks where workspace_id = $1 and milestone_id = $2 limit ${PAGE}
), locked as materialized (
  select id from tasks where workspace_id = $1 and id = any(array(select id from picked)) and milestone_id = $2
  order by id for no key update ${patience}
), emptied as (
  update tasks t set milestone_id = null, revision = t.revision + 1, updated_at = now()
  from (select id, row_number() over (order by id) as n from locked) l where t.workspace_id = $1 and t.id = l.id
  returning t.id, t.project_id, l.n
), facts as (
  insert into domain_events (workspace_id, actor_id, user_id, source, command_id, id, type, project_id, task_id,
    resource_kind, resource_id, payload)
  select $1, $3, $4, $5, $6, ($7::uuid[])[n], 'task.milestone_changed', project_id, id, 'task', id,
    json_build_object('from', $2::uuid, 'to', null)
  from emptied
)
select count(*)::int as emptied from emptied`;
const [EMPTY, EMPTY_SKIPPING] = [empty(""), empty("skip locked")];
const ANY_LEFT = "select exists (select from tasks where workspace_id = $1 and milestone_id = $2) as left";

const emptying = (workspaceId: string, id: string, { actorId, userId, source, commandId }: Mover) => {
  const eventIds = Array.from({ length: PAGE }, newId);
  return [workspaceId, id, actorId, userId, source, commandId, eventIds];
};

/** Deletes the Milestone and removes up to a page of Tasks from it; returns their number and whether any are left. */
export async function deleteMilestone(tx: Queries, workspaceId: string, id: string, author: Mover) {
  const [, { emptied }, { left }] = await Promise.all([
    dropMilestone(tx, workspaceId, id),
    tx.one<{ emptied: number }>(EMPTY_SKIPPING, emptying(workspaceId, id, author)),
    tx.one<{ left: boolean }>(ANY_LEFT, [workspaceId, id]),
  ]);
  return { emptied, left };
}
/** Deletes the row only. */
export const dropMilestone = (tx: Queries, workspaceId: string, id: string) => tx.rows(DELETE, [workspaceId, id]);
const REVIVE = `
update milestones set deleted_at = null, revision = revision + 1, updated_at = now()
where workspace_id = $1 and id = $2`;
export const reviveMilestone = (tx: Queries, workspaceId: string, id: string) => tx.rows(REVIVE, [workspaceId, id]);
export const hasTasks = async (tx: Queries, workspaceId: string, id: string) =>
  (await tx.one<{ left: boolean }>(ANY_LEFT, [workspaceId, id])).left;
const STAGE = `select exists (${stage("g.id = $2")}) as usable`;
export const usableStage = async (tx: Queries, workspaceId: string, stageId: string) =>
  (await tx.one<{ usable: boolean }>(STAGE, [workspaceId, stageId])).usable;

/** Removes the next page of Tasks from a deleted Milestone; returns their number. */
export const emptyMilestone = async (tx: Queries, workspaceId: string, id: string, author: Mover) =>
  (await tx.one<{ emptied: number }>(EMPTY, emptying(workspaceId, id, author))).emptied;
