// Quota of ChangeSet and Document patch versions per member. Expired versions do not count and are swept.
import type { Queries } from "../../platform/database/db.ts";
import { refuse } from "../../platform/wire/problem.ts";
import { MOST_VERSIONS, PATCH_DAYS } from "./rules.ts";

/** Versions within a quarter of a year, after which they are deleted: at most a full quota every week. */
const MOST_READ = 14 * MOST_VERSIONS;
/**
 * Counts the versions of each of the caller's own: a lookup with a limit, which the planner does not turn into a join
 * over everybody's.
 */
const counting = (own: string, versions: string) => `
select /* reads up to ${MOST_READ}: it counts them */ count(*)::int as count from (
  select from ${own} cross join lateral (select from ${versions} limit ${MOST_VERSIONS}) v
  where o.workspace_id = current_workspace() limit ${MOST_VERSIONS}) kept`;
const COUNT = {
  change_sets: counting(
    "(select * from change_sets where initiator_actor_id = current_actor()) o",
    "change_set_versions v where v.workspace_id = o.workspace_id and v.change_set_id = o.id and v.expires_at > now()",
  ),
  document_patches: counting(
    "(select * from document_patches where actor_id = current_actor()) o",
    `document_patch_versions v
      where v.workspace_id = o.workspace_id and v.patch_id = o.id
        and v.created_at > now() - interval '${PATCH_DAYS} days'`,
  ),
};
/** Counts without a lock, because a proposal holds its locks for long. Concurrent proposals may exceed the quota. */
export async function requireRoom(tx: Queries, of: keyof typeof COUNT): Promise<void> {
  if ((await tx.one<{ count: number }>(COUNT[of])).count >= MOST_VERSIONS) refuse("too_many_kept");
}
