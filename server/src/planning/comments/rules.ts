// What a caller may do with a comment. Pure.
import type { Capability } from "@svc/contract/capabilities.ts";
import type { WorkCapability } from "../projects/rules.ts";

export type CommentAction = Extract<Capability, `comment:${string}`>;

/** Distinct reaction names that one comment carries. */
export const MOST_REACTIONS = 20;

/** By role alone: whoever writes work reacts, only the author edits, the author or whoever manages the work deletes. */
export function permitted(work: readonly WorkCapability[], author: boolean): CommentAction[] {
  if (!work.includes("work:write")) return [];
  if (author) return ["comment:update", "comment:delete", "comment:react"];
  return work.includes("work:manage") ? ["comment:delete", "comment:react"] : ["comment:react"];
}

/** As things stand: nothing is left to do to a tombstone or in an archived Project, and what lies in the trash can only be taken away. */
export function available(
  actions: readonly CommentAction[],
  state: { deleted: boolean; trashed: boolean; project_archived: boolean },
) {
  if (state.deleted || state.project_archived) return [];
  return state.trashed ? actions.filter((action) => action === "comment:delete") : actions;
}
