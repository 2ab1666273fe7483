// SQL that moves a Task to another Project, and duplicates a Task.

import type { Queries } from "../../platform/database/db.ts";
import type { Membership } from "../../platform/kernel/authentication.ts";
import { type InProject, inProject, projectClosed, projectOfCaller, projectVisible } from "../projects/access.ts";
import type { TaskTarget } from "./access.ts";
import { firstPlace } from "./place-store.ts";
import type { EnteredStatus, TaskFields } from "./rules.ts";
import { enteredIn, milestoneSql, STARTING, type StoredTask, standing } from "./store.ts";
import { taskView } from "./view.ts";

export interface Destination extends InProject {
  id: string;
  key: string;
  closed: boolean;
}
const DESTINATION = `
select p.id, p.key, ${inProject}, ${projectClosed} as closed from projects p ${projectOfCaller}
where p.workspace_id = current_workspace() and p.id = $1 and ${projectVisible}`;
export const destination = (tx: Queries, projectId: string) => tx.maybe<Destination>(DESTINATION, [projectId]);

/** Statuses s of a Project, as a Task with the Status `current` enters them. */
const applying = (projectId: string, current: string) => `
select ${enteredIn(projectId)}, ${standing(projectId, current)} from statuses s
where s.workspace_id = $1 and s.archived_at is null and (s.project_id is null or s.project_id = ${projectId})`;
const ASKED = `${applying("$2", "$4")} and s.id = $3`;
const GIVEN = `${ASKED} for key share`;
const was = (column: string, current: string) =>
  `(select ${column} from statuses where workspace_id = $1 and id = ${current})`;
// Prefers the same Status, then the one with its name and category, then another of the category, then the one where
// new Tasks start.
const mapped = (projectId: string, current: string) => `
${applying(projectId, current)} and (s.category_rank <= 3 or s.category_rank = ${was("category_rank", current)})
order by s.id = ${current} desc, (s.category_rank, lower(s.name)) = ${was("category_rank, lower(name)", current)} desc,
  s.category_rank = ${was("category_rank", current)} desc, s.category_rank <> 2, s.category_rank, s.position, s.id
    limit 1 for key share`;
const MAPPED = mapped("$2", "$3");
/** The Status that the Task enters in the Project, locked; undefined if the requested one does not apply there. */
export const destinationStatus = (
  tx: Queries,
  workspaceId: string,
  { project_id, status_id }: { project_id: string; status_id?: string },
  current: string,
) =>
  status_id === undefined
    ? tx.maybe<EnteredStatus>(MAPPED, [workspaceId, project_id, current])
    : tx.maybe<EnteredStatus>(GIVEN, [workspaceId, project_id, status_id, current]);

/** The given Status if it applies to the Project; locked if the Task is about to enter it. */
export const givenStatus = (tx: Queries, values: [string, string, string, string], hold: boolean) =>
  tx.maybe<EnteredStatus>(hold ? GIVEN : ASKED, values);

// A label of the former Project is replaced by one with the same name of the new Project or of the Workspace, or
// dropped.
const named = (project: string) => `
select l.id from label_definitions l
where l.workspace_id = $1 and l.project_id ${project} and lower(l.name) = lower(had.name)
  and l.purpose in ('general', 'task') and l.deleted_at is null`;
const MOVED_LABELS = `labels_in_project($1, array(
  select id from (
    select case when had.project_id is null then had.id
      else coalesce((${named("= $3")}), (${named("is null")})) end as id, min(given.place) as place
    from unnest(t.label_ids) with ordinality given(id, place)
    join label_definitions had on had.workspace_id = $1 and had.id = given.id
    group by 1
  ) mapped order by place), 'task', $3)`;

/** Fields of a Task on arrival in another Project. */
export interface TaskArrival {
  id: string;
  /** The Status that it keeps or its replacement there, locked; null if there is none. */
  status: EnteredStatus | null;
  label_ids: string[];
}
const ARRIVALS = `
select t.id, (select row_to_json(e) from (${mapped("$3", "t.status_id")}) e) as status, ${MOVED_LABELS} as label_ids
from tasks t where t.workspace_id = $1 and t.id = any($2::uuid[])`;
/** The caller has locked the rows, in the same round-trip or an earlier one. */
export const arrivals = (tx: Queries, workspaceId: string, ids: readonly string[], projectId: string) =>
  tx.rows<TaskArrival>(ARRIVALS, [workspaceId, ids, projectId]);

// Keeps the former code, so that the Task can still be found by it.
const MOVE = `
with code as (
  insert into task_codes (workspace_id, project_id, number, task_id)
  select workspace_id, project_id, number, id from tasks where workspace_id = $1 and id = $2 on conflict do nothing
)
update tasks t set project_id = $3, number = $9, position = $8, status_id = $4, started_at = $5, completed_at = $6,
  milestone_id = null, label_ids = ${MOVED_LABELS}, revision = t.revision + 1, updated_at = now()
where t.workspace_id = $1 and t.id = $2
returning ${taskView("$7")} as json, t.revision::text`;
/** The preceding load has locked the row. */
export const moveTask = (
  tx: Queries,
  workspaceId: string,
  id: string,
  place: Destination,
  status: EnteredStatus,
  { started_at, completed_at }: { started_at: string | null; completed_at: string | null },
  number: bigint,
) => {
  const there = [place.id, status.id, started_at, completed_at, place.key, status.first, String(number)];
  return tx.one<StoredTask>(MOVE, [workspaceId, id, ...there]);
};

// Reuses its former number there, which no other Task gets. The number that it leaves stays reserved for it as well.
const RETURN = `
with own as (
  select number from task_codes where workspace_id = $1 and project_id = $3 and number = $4 and task_id = $2
), code as (
  insert into task_codes (workspace_id, project_id, number, task_id)
  select workspace_id, project_id, number, id from tasks where workspace_id = $1 and id = $2 on conflict do nothing
)
update tasks t set project_id = $3, number = own.number, position = $5, status_id = $6, milestone_id = $7,
  label_ids = $8, started_at = $9,
  completed_at = $10, revision = t.revision + 1, updated_at = now()
from own where t.workspace_id = $1 and t.id = $2 returning true as back`;
/** The preceding load has locked the row. */
export const returnTask = (tx: Queries, workspaceId: string, task: TaskFields) => {
  const { id, project_id, number, position, status_id, milestone_id, label_ids, started_at, completed_at } = task;
  const place = [project_id, number, position, status_id, milestone_id, label_ids];
  return tx.one(RETURN, [workspaceId, id, ...place, started_at, completed_at]);
};

const LABELS = `
select labels_in_project($1, $2::uuid[], 'task', $3) as usable, labels_in_project($1, $4::uuid[], 'task', $5) as left`;
/** The labels of `one` that Tasks may have in its Project, and those of `other` in its Project. */
export const labelsThere = (
  tx: Queries,
  workspaceId: string,
  one: { project_id: string; label_ids: string[] },
  other: { project_id: string; label_ids: string[] },
) =>
  tx.one<{ usable: string[]; left: string[] }>(LABELS, [
    workspaceId,
    one.label_ids,
    one.project_id,
    other.label_ids,
    other.project_id,
  ]);

const DUPLICATE = `
with source as (
  select * from tasks where workspace_id = $1 and id = $2
), status as (
  select id, category from statuses
  where workspace_id = $1 and archived_at is null and (project_id is null or project_id = $3)
    and ${STARTING} for key share
), milestone as (${milestoneSql("$3", "(select milestone_id from source)")}),
  number as (select $7::bigint as value, status.id as status_id, status.category from status)
insert into tasks as t (workspace_id, id, project_id, number, title, description_markdown, priority, label_ids,
  start_date, due_date,
  created_by_actor_id, status_id, position, started_at, milestone_id)
select $1, $4, $3, value, title, description_markdown, priority, labels_in_project($1, label_ids, 'task', $3),
  start_date, due_date, $5, number.status_id,
  ${firstPlace("$1", "$3", "number.status_id")},
  case when category = 'started' then now() end, (select id from milestone)
from number, source
returning ${taskView("$6")} as json, t.revision::text`;
/** Undefined if the Task no longer exists. */
export const duplicateTask = (
  tx: Queries,
  { workspaceId, actorId }: Membership,
  source: TaskTarget,
  { id, number }: { id: string; number: bigint },
) => {
  const { project_id, project_key } = source;
  return tx.maybe<StoredTask>(DUPLICATE, [
    workspaceId,
    source.id,
    project_id,
    id,
    actorId,
    project_key,
    String(number),
  ]);
};
