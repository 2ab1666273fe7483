// SQL of Tasks.
import type { Queries } from "../kernel/db.ts";
import { changes } from "../kernel/sql.ts";
import { taskView } from "./view.ts";

export type Row = { json: string; revision: string };

/** Taken when the Task's Status enters the category, kept while it stays there, cleared when it leaves. */
const statusTimes = (category: string) => `
  started_at = case when ${category} in ('started', 'completed') then coalesce(t.started_at, now()) when ${category} = 'cancelled' then t.started_at end,
  completed_at = case when ${category} = 'completed' then coalesce(t.completed_at, now()) end`;

// One statement: the number is taken as late as possible, because its counter stays locked until the commit. The Status given, or
// the Project's first unstarted one, must apply to the Project; an assignee must be an active member. No row: one of them does not.
const CREATE = `
with status as (
  select id, category from statuses
  where workspace_id = $1 and archived_at is null and (project_id is null or project_id = $3)
    and case when $7::uuid is null then category in ('unstarted', 'backlog', 'started') else id = $7 end
  order by (category = 'unstarted') desc, category_rank, position, id limit 1
), assignee as (
  select actor_id from memberships where workspace_id = $1 and actor_id = $8 and state = 'active'
), number as (
  update task_counters set last_number = last_number + 1
  where workspace_id = $1 and project_id = $3 and exists (select from status) and ($8::uuid is null or exists (select from assignee))
  returning last_number as value
), t as (
  insert into tasks (workspace_id, id, project_id, number, title, description_markdown, priority, status_id, assignee_actor_id,
    start_date, due_date, position, created_by_actor_id, started_at, completed_at)
  select $1, $2, $3, number.value, $4, $5, $6, status.id, $8, $9, $10, number.value, $11,
    case when status.category in ('started', 'completed') then now() end, case when status.category = 'completed' then now() end
  from number, status
  returning *
), assignment as (
  insert into task_assignments (workspace_id, id, task_id, actor_id, assigned_by_actor_id) select $1, $12, id, $8, $11 from t where $8 is not null
)
select ${taskView} as json, t.revision::text from t join projects p on p.workspace_id = t.workspace_id and p.id = t.project_id`;

export interface NewTask {
  workspaceId: string;
  id: string;
  projectId: string;
  title: string;
  description: string;
  priority: string;
  statusId: string | null;
  assigneeActorId: string | null;
  startDate: string | null;
  dueDate: string | null;
  actorId: string;
  assignmentId: string;
}
export const createTask = (tx: Queries, task: NewTask) =>
  tx.maybe<Row>(CREATE, [
    task.workspaceId,
    task.id,
    task.projectId,
    task.title,
    task.description,
    task.priority,
    task.statusId,
    task.assigneeActorId,
    task.startDate,
    task.dueDate,
    task.actorId,
    task.assignmentId,
  ]);

/** The Status and the assignee that a change names, where they may be used for this Task; null where they may not. */
export const references = (
  tx: Queries,
  workspaceId: string,
  projectId: string,
  statusId: string | null,
  actorId: string | null,
) =>
  tx.one<{ category: string | null; assignee: string | null }>(
    `select
       (select category from statuses where workspace_id = $1 and id = $3 and archived_at is null and (project_id is null or project_id = $2)) as category,
       (select actor_id from memberships where workspace_id = $1 and actor_id = $4 and state = 'active') as assignee`,
    [workspaceId, projectId, statusId, actorId],
  );

/** The changed row; the row is locked by the load that came before. */
export function updateTask(
  tx: Queries,
  workspaceId: string,
  id: string,
  body: Record<string, unknown>,
  category: string | null,
) {
  const { assignments, values } = changes(body, 2);
  const times = category === null ? "" : `${statusTimes(`$${values.length + 3}`)},`;
  return tx.one<Row>(
    `with t as (
       update tasks t set ${assignments}, ${times} revision = revision + 1, updated_at = now() where workspace_id = $1 and id = $2 returning *
     ) select ${taskView} as json, t.revision::text from t join projects p on p.workspace_id = t.workspace_id and p.id = t.project_id`,
    [workspaceId, id, ...values, ...(category === null ? [] : [category])],
  );
}

/** Closes the open assignment and opens the next: history is never erased. Two statements, because one would open before it closes. */
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
    "insert into task_assignments (workspace_id, id, task_id, actor_id, assigned_by_actor_id) values ($1, $2, $3, $4, $5)",
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
    `insert into task_description_revisions (workspace_id, task_id, revision, description_markdown, replaced_by_actor_id) values ($1, $2, $3, $4, $5)`,
    [workspaceId, taskId, revision, text, byActorId],
  );

/** Newest first by number, filtered by at most Status and assignee; every combination has its index. */
export function listTasks(status: boolean, assignee: boolean) {
  const filters = [
    status ? "and t.status_id = $5" : "",
    assignee ? `and t.assignee_actor_id = $${status ? 6 : 5}` : "",
  ];
  return `
select ${taskView} as json, json_build_array(t.number)::text as key
from tasks t join projects p on p.workspace_id = t.workspace_id and p.id = t.project_id
where t.workspace_id = $1 and t.project_id = $2 and t.trashed_at is null and t.number < $3 ${filters.join(" ")}
order by t.number desc limit $4`;
}
