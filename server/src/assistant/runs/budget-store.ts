// Limits on the runs of one person and of one Workspace, counted in the database so that they hold across processes.
// Assistant turns and Agent runs share them; runs that an event or a schedule starts count for the Workspace alone.
import type { Queries } from "../../platform/database/db.ts";
import type { RunLimits } from "../../platform/settings/run-limits.ts";
import { refuse } from "../../platform/wire/problem.ts";

/** Seconds after which a slot is likely to be free. */
export const RETRY_SECONDS = 10;
const open = "state in ('queued', 'running', 'cancel_requested')";
// A leaf lock, taken last: two requests of one Workspace cannot both see the last slot. Rows of Agents are locked
// before it.
const LOCK = "select pg_advisory_xact_lock(hashtextextended('runs ' || current_workspace()::text, 0))";
const COUNT = `
/* reads up to 4000: it counts open runs, up to the limits */
select
  (select count(*) from (select from discuss_runs where workspace_id = current_workspace() and actor_id = $1 and ${open}
    limit $2) d)
  + (select count(*) from (select from agent_runs
    where workspace_id = current_workspace() and initiator_actor_id = $1 and ${open}
      and trigger in ('manual', 'mention', 'assignment', 'delegation', 'discuss') limit $2) a) >= $2 as person,
  (select count(*) from (select from discuss_runs where workspace_id = current_workspace() and ${open} limit $3) d)
  + (select count(*) from (select from agent_runs where workspace_id = current_workspace() and ${open}
    limit $3) a) >= $3 as workspace`;

/**
 * Whether the person (null: nobody) or the Workspace has reached the limit of open runs. The lock prevents further runs
 * in the Workspace until the commit.
 */
export async function isCrowded(tx: Queries, actorId: string | null, { perPerson, perWorkspace }: RunLimits) {
  const [, { person, workspace }] = await Promise.all([
    tx.rows(LOCK),
    tx.one<{ person: boolean; workspace: boolean }>(COUNT, [actorId, perPerson, perWorkspace]),
  ]);
  return person || workspace;
}
export async function requireSlot(tx: Queries, actorId: string, limits: RunLimits): Promise<void> {
  if (await isCrowded(tx, actorId, limits)) refuse("runs_exceeded", { retry_after: RETRY_SECONDS });
}

const HOUR = `
/* reads up to 1000: the answers of one person within the limit */
select ceil(extract(epoch from r.created_at + interval '1 hour' - now()))::int as seconds from discuss_runs r
where r.workspace_id = current_workspace() and r.actor_id = $1 order by r.sequence desc offset $2 limit 1`;
/** Refuses if the person has reached the hourly limit of answers. The caller has locked their stream. */
export async function requireTurn(tx: Queries, actorId: string, { turnsPerHour }: RunLimits): Promise<void> {
  const oldest = await tx.maybe<{ seconds: number }>(HOUR, [actorId, turnsPerHour - 1]);
  if (oldest && oldest.seconds > 0) refuse("turns_exceeded", { retry_after: oldest.seconds });
}
