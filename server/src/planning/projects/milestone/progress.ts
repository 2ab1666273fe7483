// SQL for the progress of Tasks: counted on each read, by the behaviors of their Statuses' stages, and capped.

/** Cap on counted Tasks; the response says if it was reached. */
export const MOST_COUNTED = 10_000;

/**
 * One lookup per Status: without the limit, a plan made while there were few would scan all Statuses of the Workspace.
 */
export const statusOf = (counted: string, workspaceId: string) =>
  `cross join lateral (select * from statuses where workspace_id = ${workspaceId} and id = ${counted}.status_id
    limit 1) s`;

/**
 * `counted` selects a status_id and n, its number of Tasks; `capped` is SQL over those rows as c for whether the cap
 * was reached. Then there is no percentage, because the counted Tasks are not a fair sample.
 */
export const progressOf = (counted: string, workspaceId: string, capped: string) => `
(/* reads all that it adds up: at most 10,001 Tasks */
  select json_build_object('total', total, 'completed', completed, 'active', active, 'awaiting_review', awaiting_review,
    'cancelled', cancelled, 'percent', case when capped then null when total = cancelled then 0
      else completed * 100 / (total - cancelled) end,
    'capped', capped)
 from (
   select coalesce(sum(c.n), 0)::int as total,
     coalesce(sum(c.n) filter (where g.counts_as_completed), 0)::int as completed,
     coalesce(sum(c.n) filter (where g.counts_as_active), 0)::int as active,
     coalesce(sum(c.n) filter (where g.awaits_review), 0)::int as awaiting_review,
     coalesce(sum(c.n) filter (where s.category = 'cancelled'), 0)::int as cancelled,
     coalesce(${capped}, false) as capped
   from (${counted}) c ${statusOf("c", workspaceId)}
   cross join lateral (select * from lifecycle_stages where workspace_id = ${workspaceId} and id = s.stage_id limit 1) g
 ) figures)`;

const tasksOf = (alias: string) =>
  `from tasks where workspace_id = ${alias}.workspace_id and milestone_id = ${alias}.id and trashed_at is null`;

/** Progress of the Milestone with this alias. Checks for more Tasks only if the cap was reached. */
export const milestoneProgress = (alias: string) =>
  progressOf(
    `select status_id, count(*) as n from (select status_id ${tasksOf(alias)} limit ${MOST_COUNTED}) t
      group by status_id`,
    `${alias}.workspace_id`,
    `case when sum(c.n) = ${MOST_COUNTED} then exists (select ${tasksOf(alias)} offset ${MOST_COUNTED}) end`,
  );
