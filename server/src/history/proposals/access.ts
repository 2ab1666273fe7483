// How many versions of ChangeSets and of Document patches a member has: what is older than it is good for does not count, and is swept.
import type { Queries } from "../../platform/database/db.ts";
import { refuse } from "../../platform/wire/problem.ts";
import { MOST_VERSIONS, PATCH_DAYS } from "./rules.ts";

/** Within a quarter of a year, after which they are forgotten: as many as there can be in a week, again and again. */
const MOST_READ = 14 * MOST_VERSIONS;
/** Of each that is the caller's own, its versions: a lookup with a limit, of which the planner makes no join over everybody's. */
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
    `document_patch_versions v where v.workspace_id = o.workspace_id and v.patch_id = o.id and v.created_at > now() - interval '${PATCH_DAYS} days'`,
  ),
};
/** Counted and not locked: a proposal holds what it tries for long. Of several at once all may pass. */
export async function requireRoom(tx: Queries, of: keyof typeof COUNT): Promise<void> {
  if ((await tx.one<{ count: number }>(COUNT[of])).count >= MOST_VERSIONS) refuse("too_many_kept");
}
