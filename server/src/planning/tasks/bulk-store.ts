// SQL of one change to many Tasks: the number of statements does not depend on the number of Tasks.
import type { Queries } from "../../platform/database/db.ts";
import { cachedSql } from "../../platform/database/sql.ts";
import { newId } from "../../platform/wire/ids.ts";
import {
  type InProject,
  inProject,
  projectOfCaller,
  projectOpenToWorker,
  projectVisible,
  workerOf,
} from "../projects/access.ts";
import { firstPlace } from "./place-store.ts";
import type { EnteredStatus, TaskFields } from "./rules.ts";
import { entered, standing } from "./store.ts";
import { taskView } from "./view.ts";

export interface BulkTask extends InProject, Omit<EnteredStatus, "id" | "category" | "completes" | "first"> {
  id: string;
  json: string;
}
const READ = `
select t.id, p.project_role, p.project_archived, ${taskView()} as json,
  ${standing("t.project_id", "t.status_id", "t.workspace_id")}
from tasks t cross join lateral (
  select p.*, ${inProject} from projects p ${projectOfCaller}
  where p.workspace_id = t.workspace_id and p.id = t.project_id and ${projectVisible} limit 1) p
where t.workspace_id = current_workspace() and t.id = any($1::uuid[])
order by t.id`;
// Locks in id order, the global order for several rows, and before reading: a Task that is moved concurrently is read
// at its new place.
const HOLD =
  "select from tasks where workspace_id = current_workspace() and id = any($1::uuid[]) order by id for no key update";

export interface Usable {
  /** With its Project, or null for a Status of the Workspace. */
  status: (Pick<EnteredStatus, "id" | "category" | "completes" | "first"> & { project_id: string | null }) | null;
  assignee: string | null;
  /** Among the Tasks' Projects and their destination, those that the assignee cannot see. */
  unseen_project_ids: string[];
  milestone_project_id: string | null;
}
// Locks all of them until the commit, like a change of one Task.
const USABLE = `
with status as (
  select ${entered}, s.project_id, (
    select min(${firstPlace("$1", "p.project_id", "s.id")})
    from (select project_id from tasks where workspace_id = $1 and id = any($5::uuid[]) union select $6) p
  ) as first from statuses s where workspace_id = $1 and id = $2 and archived_at is null for key share
), milestone as (
  select m.project_id from milestones m where m.workspace_id = $1 and m.id = $4 and m.deleted_at is null
    and exists (select from lifecycle_stages g where g.workspace_id = $1 and g.id = m.stage_id and g.accepts_new_work)
  for share of m
)
select (select row_to_json(status) from status) as status,
  (select m.actor_id from (select) named cross join ${workerOf("$1", "$3")}) as assignee,
  case when $3::uuid is null then '[]' else (
    select coalesce(json_agg(p.id), '[]')
    from (select project_id from tasks where workspace_id = $1 and id = any($5::uuid[]) union select $6) t
      join projects p on p.workspace_id = $1 and p.id = t.project_id cross join ${workerOf("$1", "$3")}
    where not ${projectOpenToWorker}) end as unseen_project_ids,
  (select project_id from milestone) as milestone_project_id`;

/** The given Tasks that the caller can see. */
export const readAll = (tx: Queries, ids: readonly string[]) => tx.rows<BulkTask>(READ, [ids]);
/** The given Tasks that the caller can see, locked. */
export const lockAll = async (tx: Queries, ids: readonly string[]): Promise<BulkTask[]> =>
  (await Promise.all([tx.rows(HOLD, [ids]), readAll(tx, ids)]))[1];
/** Like `lockAll`, with the references of the change as far as they can be used. */
export const lockTasks = (
  tx: Queries,
  workspaceId: string,
  ids: readonly string[],
  named: readonly [string | null, string | null, string | null],
  projectId: string | null,
): Promise<[BulkTask[], Usable]> =>
  Promise.all([lockAll(tx, ids), tx.one<Usable>(USABLE, [workspaceId, ...named, ids, projectId])]);

const updateSql = cachedSql(
  (place: "" | "project_id = u.project_id, number = u.number, ") => `
update tasks t set ${place}position = u.position, label_ids = u.label_ids, status_id = u.status_id,
  assignee_actor_id = u.assignee_actor_id, priority = u.priority, milestone_id = u.milestone_id,
  start_date = u.start_date, due_date = u.due_date, started_at = u.started_at, completed_at = u.completed_at,
  trashed_at = u.trashed_at,
  revision = t.revision + 1, updated_at = now()
from jsonb_to_recordset($2::jsonb) as u(id uuid, project_id uuid, number bigint, position float8, label_ids uuid[],
  status_id uuid, assignee_actor_id uuid, priority text, milestone_id uuid, start_date date,
  due_date date, started_at timestamptz, completed_at timestamptz, trashed_at timestamptz)
where t.workspace_id = $1 and t.id = u.id`,
);
// Keeps former codes, so that the Tasks can still be found by them.
const LEAVE = `
insert into task_codes (workspace_id, project_id, number, task_id)
select workspace_id, project_id, number, id from tasks where workspace_id = $1 and id = any($2::uuid[])
on conflict do nothing`;
const CLOSE = `
update task_assignments set closed_at = now()
where workspace_id = $1 and task_id = any($2::uuid[]) and closed_at is null`;
const OPEN = `
insert into task_assignments (workspace_id, id, task_id, actor_id, assigned_by_actor_id)
select $1, made.id, made.task_id, $4, $5 from unnest($2::uuid[], $3::uuid[]) made(task_id, id)`;

/**
 * The rows are locked. `moved` are ids of Tasks that change their Project, `reassigned` of those whose assignee changes
 * to `assignee`.
 */
export function updateTasks(
  tx: Queries,
  member: { workspaceId: string; actorId: string },
  tasks: readonly Partial<TaskFields>[],
  { moved, reassigned }: Record<"moved" | "reassigned", readonly string[]>,
  assignee: string | null,
): Promise<unknown> {
  const { workspaceId, actorId } = member;
  const place = moved.length > 0 ? "project_id = u.project_id, number = u.number, " : "";
  const statements: Promise<unknown>[] = moved.length > 0 ? [tx.rows(LEAVE, [workspaceId, moved])] : [];
  statements.push(tx.rows(updateSql(place), [workspaceId, JSON.stringify(tasks)]));
  if (reassigned.length > 0) statements.push(tx.rows(CLOSE, [workspaceId, reassigned]));
  if (reassigned.length > 0 && assignee !== null)
    statements.push(tx.rows(OPEN, [workspaceId, reassigned, reassigned.map(() => newId()), assignee, actorId]));
  return Promise.all(statements);
}
