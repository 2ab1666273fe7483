// Pure rules: actions of a caller on a comment.
import type { Capability } from "@svc/contract/capabilities.ts";
import type { WorkCapability } from "../projects/rules.ts";

export type CommentAction = Extract<Capability, `comment:${string}`>;

/** Maximum of distinct reactions per comment. */
export const MOST_REACTIONS = 20;

/**
 * Actions by role: anyone who writes work reacts, only the author edits, the author or anyone who manages the work
 * deletes.
 */
export function permitted(work: readonly WorkCapability[], author: boolean): CommentAction[] {
  if (!work.includes("work:write")) return [];
  if (author) return ["comment:update", "comment:delete", "comment:react"];
  return work.includes("work:manage") ? ["comment:delete", "comment:react"] : ["comment:react"];
}

/**
 * Actions available in the current state: none on a tombstone or in an archived Project, and only deletion while the
 * Task is in the trash.
 */
export function available(
  actions: readonly CommentAction[],
  state: { deleted: boolean; trashed: boolean; project_archived: boolean },
) {
  if (state.deleted || state.project_archived) return [];
  return state.trashed ? actions.filter((action) => action === "comment:delete") : actions;
}
