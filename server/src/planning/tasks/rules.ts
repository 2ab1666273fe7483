// Pure rules: the result of a change of a Task. It is the response, and the UPDATE writes the same values.
import type { TaskFields as Fields } from "@svc/contract/planning/tasks/tasks.ts";
import type { Static } from "typebox";

export type TaskFields = Static<typeof Fields>;

export type StatusTimes = Pick<TaskFields, "started_at" | "completed_at">;
/**
 * Start and completion times: set when the Task enters the category, unchanged while it stays there, cleared when it
 * leaves.
 */
export function statusTimes(category: string, { started_at, completed_at }: StatusTimes, now: string) {
  const working = category === "started" || category === "completed";
  return {
    started_at: working ? (started_at ?? now) : category === "cancelled" ? started_at : null,
    completed_at: category === "completed" ? (completed_at ?? now) : null,
  };
}

/** A Status as a Task enters it, with its former Status and the Project's review policy. */
export interface EnteredStatus {
  id: string;
  category: string;
  /** Whether Tasks in it count as completed. */
  completes: boolean;
  /** Whether the former Status counts as completed. */
  completed: boolean;
  in_review: boolean;
  review_required: boolean;
  /** Position before all Tasks in the Status. */
  first: number;
}
/**
 * Why a Task may not enter a Status; null if it may. If the Project requires review, a Task is completed only from
 * review and by a reviewer, whatever the operation. A completed Task may change to another Status that counts as
 * completed.
 */
export function reviewRefusal(
  { completes, completed, in_review, review_required }: Omit<EnteredStatus, "id" | "category" | "first">,
  reviews: boolean,
): "review_required" | "forbidden" | null {
  if (!review_required || !completes || completed) return null;
  if (!in_review) return "review_required";
  return reviews ? null : "forbidden";
}

/**
 * Labels of a Task after a replacement, or after additions and removals; undefined if the change contains no labels.
 */
export function labelsAfter(
  { label_ids, add_label_ids, remove_label_ids }: Partial<Record<`${"" | "add_" | "remove_"}label_ids`, string[]>>,
  bears: readonly string[],
): string[] | undefined {
  if (label_ids) return [...new Set(label_ids)];
  if (!add_label_ids && !remove_label_ids) return undefined;
  return [...new Set([...bears.filter((id) => !remove_label_ids?.includes(id)), ...(add_label_ids ?? [])])];
}

export const nextRevision = ({ revision }: Pick<TaskFields, "revision">) => String(BigInt(revision) + 1n);

/** The Task afterwards; its revision advances with every change. */
export const changed = (before: TaskFields, changes: Partial<TaskFields>, now: string): TaskFields => ({
  ...before,
  ...changes,
  revision: nextRevision(before),
  updated_at: now,
});
