// SQL that puts a Task into another Project, or one like it beside it.
import type { Membership } from "../kernel/authenticate.ts";
import type { Queries } from "../kernel/db.ts";
import { type InProject, projectClosed, projectOfCaller, projectVisible } from "../projects/access.ts";
import type { TaskTarget } from "./access.ts";
import { milestoneSql, type Row, STARTING } from "./store.ts";
import { taskView } from "./view.ts";

export interface Destination extends InProject {
  id: string;
  key: string;
  closed: boolean;
}
const DESTINATION = `
select p.id, p.key, pm.role as project_role, ${projectClosed} as closed from projects p ${projectOfCaller}
where p.workspace_id = current_workspace() and p.id = $1 and ${projectVisible}`;
export const destination = (tx: Queries, projectId: string) => tx.maybe<Destination>(DESTINATION, [projectId]);

const applying = "workspace_id = $1 and archived_at is null and (project_id is null or project_id = $2)";
const GIVEN = `select id, category from statuses where ${applying} and id = $3 for key share`;
const was = (column: string) => `(select ${column} from statuses where workspace_id = $1 and id = $3)`;
// The same one, one of the same category, or where new Tasks start.
const MAPPED = `
select id, category from statuses where ${applying} and (category_rank <= 3 or category_rank = ${was("category_rank")})
order by id = $3 desc, category_rank = ${was("category_rank")} desc, category_rank <> 2, category_rank, position, id limit 1 for key share`;
/** The Status that it is to have there, held; none where the one that was asked for does not apply there. */
export const destinationStatus = (
  tx: Queries,
  workspaceId: string,
  { project_id, status_id }: { project_id: string; status_id?: string },
  current: string,
) =>
  tx.maybe<{ id: string; category: string }>(status_id === undefined ? MAPPED : GIVEN, [
    workspaceId,
    project_id,
    status_id ?? current,
  ]);

// Its code stays behind, so that it is found by it. Labels of the Project that it leaves mean nothing elsewhere.
const MOVE = `
with number as (
  update task_counters set last_number = last_number + 1 where workspace_id = $1 and project_id = $3 returning last_number as value
), code as (
  insert into task_codes (workspace_id, project_id, number, task_id)
  select workspace_id, project_id, number, id from tasks where workspace_id = $1 and id = $2
)
update tasks t set project_id = $3, number = value, position = value, status_id = $4, started_at = $5, completed_at = $6,
  milestone_id = null, label_ids = labels_in_project($1, t.label_ids, 'task', $3), revision = t.revision + 1, updated_at = now()
from number where t.workspace_id = $1 and t.id = $2
returning ${taskView("$7")} as json, t.revision::text`;
/** The row is locked by the load that came before. */
export const moveTask = (
  tx: Queries,
  workspaceId: string,
  id: string,
  place: Destination,
  statusId: string,
  { started_at, completed_at }: { started_at: string | null; completed_at: string | null },
) => tx.one<Row>(MOVE, [workspaceId, id, place.id, statusId, started_at, completed_at, place.key]);

const DUPLICATE = `
with source as (
  select * from tasks where workspace_id = $1 and id = $2
), status as (
  select id, category from statuses
  where workspace_id = $1 and archived_at is null and (project_id is null or project_id = $3) and ${STARTING} for key share
), milestone as (${milestoneSql("$3", "(select milestone_id from source)")}), number as (
  update task_counters c set last_number = c.last_number + 1 from status, source
  where c.workspace_id = $1 and c.project_id = $3 returning c.last_number as value, status.id as status_id, status.category
)
insert into tasks as t (workspace_id, id, project_id, number, title, description_markdown, priority, label_ids, start_date, due_date,
  created_by_actor_id, status_id, position, started_at, milestone_id)
select $1, $4, $3, value, title, description_markdown, priority, labels_in_project($1, label_ids, 'task', $3), start_date, due_date, $5, number.status_id, value,
  case when category = 'started' then now() end, (select id from milestone)
from number, source
returning ${taskView("$6")} as json, t.revision::text`;
/** No row where there is no such Task any more. */
export const duplicateTask = (tx: Queries, { workspaceId, actorId }: Membership, source: TaskTarget, id: string) =>
  tx.maybe<Row>(DUPLICATE, [workspaceId, source.id, source.project_id, id, actorId, source.project_key]);
