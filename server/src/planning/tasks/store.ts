// SQL of Tasks.
import type { Queries } from "../../platform/database/db.ts";
import { cachedSql, changes } from "../../platform/database/sql.ts";
import { projectOpenToWorker, projectVisibleTo, workerOf } from "../projects/access.ts";
import { firstPlace } from "./place-store.ts";
import type { EnteredStatus } from "./rules.ts";
import { taskView } from "./view.ts";

export type StoredTask = { json: string; revision: string };

const stageSays = (behavior: string, statusId: string, workspaceId: string) => `coalesce((
  select g.${behavior} from statuses x join lifecycle_stages g on g.workspace_id = x.workspace_id and g.id = x.stage_id
  where x.workspace_id = ${workspaceId} and x.id = ${statusId}), false)`;
const reviewed = (projectId: string, workspaceId = "$1") => `exists (
  select from project_completion_policies c
  where c.workspace_id = ${workspaceId} and c.project_id = ${projectId} and c.review_required)`;
/** Columns of Entering (rules.ts) that depend on the former Status and the Project. */
export const standing = (projectId: string, statusId: string, workspaceId = "$1") => `
${stageSays("counts_as_completed", statusId, workspaceId)} as completed, ${stageSays("awaits_review", statusId, workspaceId)} as in_review,
${reviewed(projectId, workspaceId)} as review_required`;
/** Columns of Entering for Status s in Workspace $1. */
export const entered = `s.id, s.category, ${stageSays("counts_as_completed", "s.id", "$1")} as completes`;
/** Like `entered`, with the position of a Task of this Project that enters it. */
export const enteredIn = (projectId: string) => `${entered}, ${firstPlace("$1", projectId, "s.id")} as first`;

/** A Milestone that accepts Tasks of this Project. */
const openMilestone = (projectId: string, id: string) => `
select m.id from milestones m
where m.workspace_id = $1 and m.id = ${id} and m.project_id = ${projectId} and m.deleted_at is null
  and exists (select from lifecycle_stages g where g.workspace_id = $1 and g.id = m.stage_id and g.accepts_new_work)`;
/** Locked, so that a concurrent deletion of the Milestone finds the Task in it. */
export const milestoneSql = (projectId: string, id: string) => `${openMilestone(projectId, id)} for share of m`;
const [MILESTONE, HELD_MILESTONE] = [openMilestone("$2", "$3"), milestoneSql("$2", "$3")];
/** Whether the Milestone accepts Tasks of this Project; locked if `hold`. */
export const acceptsTasks = async (
  tx: Queries,
  workspaceId: string,
  projectId: string,
  milestoneId: string,
  hold = true,
) => (await tx.maybe(hold ? HELD_MILESTONE : MILESTONE, [workspaceId, projectId, milestoneId])) !== undefined;

/** Active members who can see the Project: others can neither work on its Tasks nor follow them. */
export const memberSeeing = (projectId: string, actorId: string) => `
select m.actor_id from memberships m join projects p on p.workspace_id = $1 and p.id = ${projectId}
where m.workspace_id = $1 and m.actor_id = ${actorId} and m.state = 'active' and ${projectVisibleTo}`;
/**
 * Actors that a Task can be assigned to: such a member, or an active Agent that is not restricted to other Projects.
 */
const assignableIn = (projectId: string, actorId: string) => `
select m.actor_id from projects p cross join ${workerOf("$1", actorId)}
where p.workspace_id = $1 and p.id = ${projectId} and ${projectOpenToWorker}`;

// Creates a Task in one statement. The given Status, or the Project's first unstarted one, must apply to the Project,
// and is locked against a concurrent archival; an assignee must be an active member who can see the Project, or an
// Agent that works there; a Milestone must accept new work. Returns no row if one of them does not. There is one text
// per combination, because conditions for unused parts would cost a fifth of the statement.
export const STARTING = "category_rank <= 3 order by category_rank <> 2, category_rank, position, id limit 1";
/** No Task is created as completed without a required review: see reviewRefusal in rules.ts. */
const CREATABLE = `not (${reviewed("$3")} and ${stageSays("counts_as_completed", "s.id", "$1")})`;
const create = (status: boolean, assignee: boolean, milestone: boolean, labels: boolean) => {
  const [statusId, actorId, assignmentId] = status ? ["$12", "$13", "$14"] : ["", "$12", "$13"];
  const milestoneId = `$${12 + Number(status) + 2 * Number(assignee)}`;
  const labelIds = `$${12 + Number(status) + 2 * Number(assignee) + Number(milestone)}`;
  const when = (text: string) => (assignee ? text : "");
  const within = (text: string) => (milestone ? text : "");
  const bearing = (text: string) => (labels ? text : "");
  return `
with status as (
  select id, category from statuses s
  where workspace_id = $1 and archived_at is null and (project_id is null or project_id = $3)
    and ${status ? `id = ${statusId} and ${CREATABLE}` : STARTING}
  for key share
), ${when(`assignee as (${assignableIn("$3", actorId)}), `)}${within(`milestone as (${milestoneSql("$3", milestoneId)}), `)}number as (
  select $11::bigint as value, status.id as status_id, status.category
  from status${when(", assignee")}${within(", milestone")}
)${when(`, assignment as (
  insert into task_assignments (workspace_id, id, task_id, actor_id, assigned_by_actor_id)
  select $1, ${assignmentId}, $2, ${actorId}, $9 from number
)`)}
insert into tasks as t (workspace_id, id, project_id, number, title, description_markdown, priority, start_date,
  due_date,
  created_by_actor_id, status_id, position, started_at,
  completed_at${when(", assignee_actor_id")}${within(", milestone_id")}${bearing(", label_ids")})
select $1, $2, $3, value, $4, $5, $6, $7, $8, $9, status_id, ${firstPlace("$1", "$3", "number.status_id")},
  case when category in ('started', 'completed') then now() end,
  case when category = 'completed'
  then now() end${when(`, ${actorId}`)}${within(`, ${milestoneId}`)}${bearing(`, labels_in_project($1, ${labelIds}, 'task', $3)`)}
from number
returning ${taskView("$10", "null")} as json, t.revision::text`;
};

/** SQL texts by whether a Status, an assignee, a Milestone and labels are given. */
const combinations = (text: (...given: [boolean, boolean, boolean, boolean]) => string) =>
  Array.from({ length: 16 }, (_, bits) => text((bits & 1) > 0, (bits & 2) > 0, (bits & 4) > 0, (bits & 8) > 0));
const combination = (status: boolean, assignee: boolean, milestone: boolean, labels = false) =>
  Number(status) + 2 * Number(assignee) + 4 * Number(milestone) + 8 * Number(labels);
const CREATE = combinations(create);

export interface NewTask {
  workspaceId: string;
  id: string;
  projectId: string;
  projectKey: string;
  number: bigint;
  title: string;
  description: string;
  priority: string;
  statusId: string | null;
  assigneeActorId: string | null;
  milestoneId: string | null;
  /** The statement drops unusable ones, because an unknown label would fail it. */
  labelIds: readonly string[];
  startDate: string | null;
  dueDate: string | null;
  actorId: string;
  assignmentId: string;
}
export function createTask(tx: Queries, task: NewTask) {
  const { workspaceId, id, projectId, title, description, priority, startDate, dueDate, actorId, projectKey } = task;
  const { statusId, assigneeActorId, assignmentId, milestoneId, labelIds, number } = task;
  const texts = [workspaceId, id, projectId, title, description, priority, startDate, dueDate, actorId, projectKey];
  const values: unknown[] = [...texts, String(number)];
  if (statusId !== null) values.push(statusId);
  if (assigneeActorId !== null) values.push(assigneeActorId, assignmentId);
  if (milestoneId !== null) values.push(milestoneId);
  if (labelIds.length > 0) values.push(labelIds);
  const given = [statusId !== null, assigneeActorId !== null, milestoneId !== null, labelIds.length > 0] as const;
  const text = CREATE[combination(...given)] as string;
  return tx.maybe<StoredTask>(text, values);
}

const referencesSql = (holding: string) => `
select (select row_to_json(e) from (
    select ${enteredIn("$2")}, ${standing("$2", "$5")} from statuses s
    where workspace_id = $1 and id = $3 and archived_at is null and (project_id is null or project_id = $2) ${holding}
  ) e) as status, (${assignableIn("$2", "$4")}) as assignee`;
const [REFERENCES, HELD_REFERENCES] = [referencesSql(""), referencesSql("for key share")];
/**
 * The Status and the assignee of a change if a Task with the Status `from` may use them, else null. Locks the Status if
 * `hold`.
 */
export const references = (
  tx: Queries,
  workspaceId: string,
  projectId: string,
  { statusId, from, actorId }: { statusId: string | null; from: string | null; actorId: string | null },
  hold = true,
) =>
  tx.one<{ status: EnteredStatus | null; assignee: string | null }>(hold ? HELD_REFERENCES : REFERENCES, [
    workspaceId,
    projectId,
    statusId,
    actorId,
    from,
  ]);

const updateSql = cachedSql(
  (assignments: string) =>
    `with changed as (
      update tasks set ${assignments}${assignments && ", "}revision = case when revision = $3 then revision + 1
        else changed_meanwhile() end, updated_at = now()
      where workspace_id = $1 and id = $2 returning true
    )
    select changed_meanwhile() where not exists (select from changed)`,
);
/**
 * Compare-and-set on the revision: fails if the Task has another one or no longer exists, and the request is retried.
 */
export function updateTask(
  tx: Queries,
  workspaceId: string,
  { id, revision }: { id: string; revision: string },
  changed: Record<string, unknown>,
) {
  const { assignments, values } = changes(changed, 3);
  return tx.rows(updateSql(assignments), [workspaceId, id, revision, ...values]);
}

/**
 * Closes the open assignment and opens the next: history is never erased. Two statements, because in one the next could
 * open before the other closes.
 */
export function reassign(
  tx: Queries,
  workspaceId: string,
  taskId: string,
  assignmentId: string,
  actorId: string | null,
  byActorId: string,
) {
  const closed = tx.rows(
    "update task_assignments set closed_at = now() where workspace_id = $1 and task_id = $2 and closed_at is null",
    [workspaceId, taskId],
  );
  if (actorId === null) return closed;
  const opened = tx.rows(
    `insert into task_assignments (workspace_id, id, task_id, actor_id, assigned_by_actor_id)
      values ($1, $2, $3, $4, $5)`,
    [workspaceId, assignmentId, taskId, actorId, byActorId],
  );
  return Promise.all([closed, opened]);
}

export const keepDescription = (
  tx: Queries,
  workspaceId: string,
  taskId: string,
  revision: string,
  text: string,
  byActorId: string,
) =>
  tx.rows(
    `insert into task_description_revisions (workspace_id, task_id, revision, description_markdown,
      replaced_by_actor_id) values ($1, $2, $3, $4, $5)`,
    [workspaceId, taskId, revision, text, byActorId],
  );

const TEXTS = `
select (select description_markdown from task_description_revisions
  where workspace_id = $1 and task_id = $2 and revision = $3) as was,
  (select description_markdown from task_description_revisions
  where workspace_id = $1 and task_id = $2 and revision >= $4 order by revision limit 1) as made`;
/** The text of a Task at revision `from`, and the one set by revision `to`; null if that is the current one. */
export const descriptionTexts = (tx: Queries, workspaceId: string, taskId: string, from: unknown, to: unknown) =>
  tx.one<{ was: string | null; made: string | null }>(TEXTS, [workspaceId, taskId, from, to]);
