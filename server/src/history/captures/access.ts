// Captures are visible only to the member who made them, not even to an owner of the Workspace. Expired captures are
// invisible, whether swept or not.
import { QUEUE } from "../../accounts/account/access.ts";
import type { Queries } from "../../platform/database/db.ts";
import type { Access } from "../../platform/kernel/implement-operation.ts";
import { refuse } from "../../platform/wire/problem.ts";
import { MOST_KEPT, type RetentionClass } from "./rules.ts";

export const ownLive = "workspace_id = current_workspace() and actor_id = current_actor() and expires_at > now()";

export interface OwnTarget {
  id: string;
  /** The latest version stored. */
  latest: number;
}
export function ownVersions(table: Exclude<RetentionClass, "task_selections">): Access<OwnTarget> {
  const sql = `select id, version as latest from ${table} where ${ownLive} and id = $1 order by version desc limit 1`;
  return { reach: "membership", load: (tx, { id }) => tx.maybe<OwnTarget>(sql, [id]), permits: () => true };
}

const counting = (table: RetentionClass) =>
  `/* reads up to ${MOST_KEPT}: it counts them */ select count(*)::int as count
    from (select from ${table} where ${ownLive} limit ${MOST_KEPT}) kept`;
const COUNT: Record<RetentionClass, string> = {
  evidence_collections: counting("evidence_collections"),
  task_result_sets: counting("task_result_sets"),
  task_selections: counting("task_selections"),
};
/**
 * Checks the quota for one more capture, together with a lookup. Writers of captures queue on their own Actor, so that
 * the count is exact and the latest version is current.
 */
export async function withRoom<T>(
  tx: Queries,
  table: RetentionClass,
  looking: (tx: Queries) => Promise<T>,
): Promise<T> {
  const [, { count }, found] = await Promise.all([
    tx.rows(QUEUE),
    tx.one<{ count: number }>(COUNT[table]),
    looking(tx),
  ]);
  return count < MOST_KEPT ? found : refuse("too_many_kept");
}
