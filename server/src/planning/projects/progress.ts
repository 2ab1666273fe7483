// How far Tasks have come, as SQL: counted when it is read, by the behaviors of the stages that their Statuses are bound to, and never
// more than so many of them.

/** Counting stops here, and the answer says so. */
export const MOST_COUNTED = 10_000;

/** One lookup for each: without the limit a plan that was made while there were few would read all Statuses of the Workspace. */
export const statusOf = (counted: string, workspaceId: string) =>
  `cross join lateral (select * from statuses where workspace_id = ${workspaceId} and id = ${counted}.status_id limit 1) s`;

/**
 * `counted` selects a status_id and n, how many Tasks are in it; `capped` says, from those rows as c, that not all were counted. Then what
 * was counted is no fair share of the whole, so that there is no percentage.
 */
export const progressOf = (counted: string, workspaceId: string, capped: string) => `
(/* reads all that it adds up: at most 10,001 Tasks */ select json_build_object('total', total, 'completed', completed, 'active', active, 'awaiting_review', awaiting_review,
    'cancelled', cancelled, 'percent', case when capped then null when total = cancelled then 0 else completed * 100 / (total - cancelled) end,
    'capped', capped)
 from (
   select coalesce(sum(c.n), 0)::int as total, coalesce(sum(c.n) filter (where g.counts_as_completed), 0)::int as completed,
     coalesce(sum(c.n) filter (where g.counts_as_active), 0)::int as active,
     coalesce(sum(c.n) filter (where g.awaits_review), 0)::int as awaiting_review,
     coalesce(sum(c.n) filter (where s.category = 'cancelled'), 0)::int as cancelled, coalesce(${capped}, false) as capped
   from (${counted}) c ${statusOf("c", workspaceId)}
   cross join lateral (select * from lifecycle_stages where workspace_id = ${workspaceId} and id = s.stage_id limit 1) g
 ) figures)`;

const tasksOf = (alias: string) =>
  `from tasks where workspace_id = ${alias}.workspace_id and milestone_id = ${alias}.id and trashed_at is null`;

/** Of the Milestone with this alias. Whether there are more is looked at only where there may be. */
export const milestoneProgress = (alias: string) =>
  progressOf(
    `select status_id, count(*) as n from (select status_id ${tasksOf(alias)} limit ${MOST_COUNTED}) t group by status_id`,
    `${alias}.workspace_id`,
    `case when sum(c.n) = ${MOST_COUNTED} then exists (select ${tasksOf(alias)} offset ${MOST_COUNTED}) end`,
  );
