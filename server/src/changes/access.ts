// How many versions of ChangeSets and of Document patches a member has: what is older than it is good for does not count, and is swept.
import type { Queries } from "../database/db.ts";
import { refuse } from "../wire/problem.ts";
import { MOST_VERSIONS, PATCH_DAYS } from "./rules.ts";

const counting = (found: string) =>
  `/* reads up to ${2 * MOST_VERSIONS}: it counts them */ select count(*)::int as count from (${found} limit ${MOST_VERSIONS}) kept`;
const COUNT = {
  change_sets: counting(`
  select from change_sets s join change_set_versions v on v.workspace_id = s.workspace_id and v.change_set_id = s.id and v.expires_at > now()
  where s.workspace_id = current_workspace() and s.initiator_actor_id = current_actor()`),
  document_patches: counting(`
  select from document_patches p join document_patch_versions v on v.workspace_id = p.workspace_id and v.patch_id = p.id
    and v.created_at > now() - interval '${PATCH_DAYS} days'
  where p.workspace_id = current_workspace() and p.actor_id = current_actor()`),
};
/** Counted and not locked: a proposal holds what it tries for long. Of several at once all may pass. */
export async function requireRoom(tx: Queries, of: keyof typeof COUNT): Promise<void> {
  if ((await tx.one<{ count: number }>(COUNT[of])).count >= MOST_VERSIONS) refuse("too_many_kept");
}
