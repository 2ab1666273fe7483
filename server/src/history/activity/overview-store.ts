// SQL of the overview of a Project. Every statement is bounded: 10,000 Tasks per Status, 10,000 members, ten Milestones
// per stage.

import { type InProject, inProject, projectOfCaller, projectVisible } from "../../planning/projects/access.ts";
import { MOST_COUNTED, milestoneView, progressOf, statusOf } from "../../planning/projects/view.ts";
import type { Queries } from "../../platform/database/db.ts";

const PROJECT = `
select p.id, p.key, p.name, ${inProject} from projects p ${projectOfCaller}
where p.workspace_id = current_workspace() and p.id = $1 and ${projectVisible}`;
export const findProject = (tx: Queries, projectId: string) =>
  tx.maybe<InProject & { id: string; key: string; name: string }>(PROJECT, [projectId]);

const TASKS = "from tasks where workspace_id = current_workspace() and project_id = $1 and trashed_at is null";
// Skips from one used Status to the next, so that unused Statuses and those of other Projects are never read.
const COUNT_TASKS = `
/* reads all that it adds up: at most 10,001 of each Status */
with recursive used as (
  (select status_id ${TASKS} order by status_id limit 1)
  union all
  select (select t.status_id from tasks t
    where t.workspace_id = current_workspace() and t.project_id = $1 and t.trashed_at is null
    and t.status_id > used.status_id order by t.status_id limit 1) from used where used.status_id is not null
), counted as materialized (
  select used.status_id, least(c.n, ${MOST_COUNTED}) as n, c.n > ${MOST_COUNTED} as more from used cross join lateral (
    select count(*) as n from (select ${TASKS} and status_id = used.status_id limit ${MOST_COUNTED} + 1) t
  ) c where used.status_id is not null
)
select ${progressOf("select * from counted", "current_workspace()", "bool_or(c.more)")}::text as progress,
  (select json_build_object(${["backlog", "unstarted", "started", "completed", "cancelled"]
    .map((category) => `'${category}', coalesce(sum(c.n) filter (where s.category = '${category}'), 0)`)
    .join(", ")}) from counted c ${statusOf("c", "current_workspace()")})::text as counts`;
export const countTasks = (tx: Queries, projectId: string) =>
  tx.one<{ counts: string; progress: string }>(COUNT_TASKS, [projectId]);

const MEMBERS = "from project_members where workspace_id = current_workspace() and project_id = $1";
const FIRST_MEMBERS = `
/* reads all that it adds up: at most 10,001 */
select json_build_object(
  'items', (select coalesce(json_agg(json_build_object('actor_id', m.actor_id, 'display_name', u.display_name,
    'role', m.role, 'state', u.state) order by m.actor_id), '[]')
    from (select actor_id, role ${MEMBERS} order by actor_id limit 20) m
    left join lateral (select u.display_name, ms.state from memberships ms join users u on u.id = ms.user_id
      where ms.workspace_id = current_workspace() and ms.actor_id = m.actor_id limit 1) u on true),
  'count', least(c.n, ${MOST_COUNTED}), 'capped', c.n > ${MOST_COUNTED})::text as json
from (select count(*) as n from (select ${MEMBERS} limit ${MOST_COUNTED} + 1) m) c`;
export const firstMembers = (tx: Queries, projectId: string) => tx.rows<{ json: string }>(FIRST_MEMBERS, [projectId]);

// The first ten Milestones over the first ten of each open stage. Completed Milestones may be many and are not read.
const NEXT_MILESTONES = `
/* reads all that it adds up: at most 10,001 Tasks of each Milestone */
select coalesce(json_agg((${milestoneView})::json order by m.target_order, m.number), '[]')::text as json
from (
  select m.* from lifecycle_definitions d
  join lifecycle_stages g on g.workspace_id = d.workspace_id and g.definition_id = d.id
    and not g.counts_as_completed and g.category <> 'cancelled'
  cross join lateral (
    select * from milestones
    where workspace_id = current_workspace() and project_id = $1 and stage_id = g.id and deleted_at is null
    order by target_order, number limit 10
  ) m
  where d.workspace_id = current_workspace() and d.kind = 'milestone'
  order by m.target_order, m.number limit 10
) m`;
export const nextMilestones = (tx: Queries, projectId: string) =>
  tx.rows<{ json: string }>(NEXT_MILESTONES, [projectId]);
