// SQL of the current work of a member and its candidates. Eligibility of a Task is evaluated on each read, so
// completing, trashing or hiding it needs no update here.
import { MOST_CANDIDATES, WorkCandidate, WorkedTask } from "@svc/contract/planning/tasks/own-work/current-work.ts";
import { callerManages } from "../../../accounts/workspaces/access.ts";
import type { Queries } from "../../../platform/database/db.ts";
import { view } from "../../../platform/database/view.ts";
import { projectOfCaller, projectVisible } from "../../projects/access.ts";
import { callerReviews, isOpen, withinSevenDays } from "./work-store.ts";

/** The Task with this id as t, with its Project p and its Status s, if the caller can see it and it is not finished. */
const workable = (id: string) => `
cross join lateral (
  select * from tasks where workspace_id = current_workspace() and id = ${id} and trashed_at is null limit 1
) t
cross join lateral (
  select p.key, pm.role as caller_role from projects p ${projectOfCaller}
  where p.workspace_id = t.workspace_id and p.id = t.project_id and p.archived_at is null and ${projectVisible} limit 1
) p
cross join lateral (
  select s.name, s.category, g.awaits_review
  from statuses s join lifecycle_stages g on g.workspace_id = s.workspace_id and g.id = s.stage_id
  where s.workspace_id = t.workspace_id and s.id = t.status_id and s.category <> 'cancelled'
    and not g.counts_as_completed limit 1
) s`;
const workedTask = view(WorkedTask, "t", {
  code: "p.key || '-' || t.number",
  status: "json_build_object('name', s.name, 'category', s.category)",
});

/** Columns of the stored current work r. */
export const keptWork = `r.task_id, wire_time(r.since) as since, (select ${workedTask}
  from (select) it ${workable("r.task_id")}) as task`;

const WORKABLE = `select ${workedTask} as task from (select) it ${workable("$1")}`;
export const workableTask = (tx: Queries, taskId: string) => tx.maybe<{ task: string }>(WORKABLE, [taskId]);

const KEEP = `
insert into current_work as old (workspace_id, actor_id, task_id, since)
values (current_workspace(), current_actor(), $1::uuid, case when $1::uuid is not null then now() end)
on conflict (workspace_id, actor_id) do update
set task_id = excluded.task_id, since = excluded.since, revision = old.revision + 1, updated_at = now()`;
export const keepWork = (tx: Queries, taskId: string | null) => tx.rows(KEEP, [taskId]);

const mine = "t.workspace_id = current_workspace() and t.trashed_at is null and t.assignee_actor_id = current_actor()";
const DAYS = 14;
/**
 * Statuses that await review, few per scope; each Project's scope is queried separately, because there may be thousands
 * of others.
 */
const reviewStatuses = (...scopes: string[]) =>
  scopes
    .map(
      (scope) => `(
    select s.id from statuses s join lifecycle_stages g on g.workspace_id = s.workspace_id and g.id = s.stage_id
    where s.workspace_id = current_workspace() and s.archived_at is null and ${scope} and g.awaits_review limit 20)`,
    )
    .join(" union all ");
const everywhere = "s.project_id is null";
// Each source is a bounded range of one index.
const sources = [
  `(select t.id, false as touched, false as timed from tasks t where ${mine} and ${isOpen}
    order by t.updated_at desc, t.id desc limit 100)`,
  `(select t.id, false, false from tasks t
    where ${mine} and t.completed_at is null and t.due_date is not null and ${withinSevenDays}
    order by t.due_date, t.id limit 50)`,
  `(select t.id, false, false from (${reviewStatuses(everywhere, "true")}) s cross join lateral (
    select id from tasks where workspace_id = current_workspace() and status_id = s.id order by id desc limit 40
  ) t where ${callerManages})`,
  // Per Project that the caller leads: the newest of the Workspace may all belong to other Projects.
  `(select t.id, false, false from (
    select project_id from project_members
    where workspace_id = current_workspace() and actor_id = current_actor() and role = 'lead'
    order by project_id desc limit 20
  ) led cross join lateral (${reviewStatuses(everywhere, "s.project_id = led.project_id")}) s cross join lateral (
    select id from tasks where workspace_id = current_workspace() and project_id = led.project_id and status_id = s.id
      and trashed_at is null
    order by number desc limit 10
  ) t)`,
  `(select e.task_id, true, false from (
    select task_id from domain_events where workspace_id = current_workspace() and activity is not null
      and (actor_id, occurred_at) > (current_actor(), now() - ${DAYS} * interval '1 day')
      and (actor_id, occurred_at) < (current_actor(), 'infinity')
    order by actor_id desc, occurred_at desc, id desc limit 200
  ) e where e.task_id is not null)`,
  `(select task_id, false, true from time_entries
    where workspace_id = current_workspace() and actor_id = current_actor() and voided_at is null
    and work_date > current_date - ${DAYS} order by work_date desc, id desc limit 50)`,
].join(" union all ");

const own = "t.assignee_actor_id = current_actor()";
/** Reasons to suggest a Task, strongest first. */
const reasons: [reason: string, condition: string][] = [
  ["in_progress", `${own} and s.category = 'started' and not s.awaits_review`],
  ["due_soon", `${own} and ${withinSevenDays}`],
  ["reviewing", `s.awaits_review and ${callerReviews}`],
  ["time_recorded", "found.timed"],
  ["recently_touched", `found.touched and (${own} or t.assignee_actor_id is null)`],
  ["assigned", own],
];
const reasonsSql = `array_remove(array[${reasons
  .map(
    ([reason, condition]) => `case
  when ${condition} then '${reason}' end`,
  )
  .join(", ")}], null)`;

const CANDIDATES = `
/* reads up to 4000: a bounded stretch of each source, of which few are shown */
select coalesce(json_agg(c.json), '[]')::text as items from (
  select ${view(WorkCandidate, "t", { task: `${workedTask}::json`, reasons: "why.reasons" })}::json as json
  from (select id, bool_or(touched) as touched, bool_or(timed) as timed from (${sources}) every group by id) found
  ${workable("found.id")}
  cross join lateral (select ${reasonsSql} as reasons) why
  left join lateral (
    select verdict from suggestion_feedback
    where workspace_id = t.workspace_id and actor_id = current_actor() and task_id = t.id
      and kind = 'current_work' and subject_id = t.id limit 1
  ) said on true
  where cardinality(why.reasons) > 0 and said.verdict is distinct from 'dismissed' and not exists (
    select from current_work r
    where r.workspace_id = t.workspace_id and r.actor_id = current_actor() and r.task_id = t.id)
  order by said.verdict is not distinct from 'not_helpful',
    array_position(array[${reasons.map(([reason]) => `'${reason}'`).join(", ")}], why.reasons[1]),
    cardinality(why.reasons) desc,
    t.priority_rank desc, t.due_date, t.updated_at desc, t.id desc
  limit ${MOST_CANDIDATES}
) c`;
export const candidates = (tx: Queries) => tx.one<{ items: string }>(CANDIDATES);
