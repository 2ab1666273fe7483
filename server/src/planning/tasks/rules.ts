// What a change makes of a Task. Pure: the answer to a change is this, and the statement that stores it writes the same values.
import type { TaskFields as Fields } from "@svc/contract/planning/tasks/tasks.ts";
import type { Static } from "typebox";

export type TaskFields = Static<typeof Fields>;

export type StatusTimes = Pick<TaskFields, "started_at" | "completed_at">;
/** Taken when the Task's Status enters the category, kept while it stays there, cleared when it leaves. */
export function statusTimes(category: string, { started_at, completed_at }: StatusTimes, now: string) {
  const working = category === "started" || category === "completed";
  return {
    started_at: working ? (started_at ?? now) : category === "cancelled" ? started_at : null,
    completed_at: category === "completed" ? (completed_at ?? now) : null,
  };
}

/** A Status as a Task enters it, with where the Task stood before and what its Project asks for. */
export interface Entering {
  id: string;
  category: string;
  /** Whether Tasks in it count as completed. */
  completes: boolean;
  /** The same of the Status before. */
  completed: boolean;
  in_review: boolean;
  review_required: boolean;
  /** The position before all that is in it. */
  first: number;
}
/**
 * With what a Task is kept from entering a Status; null where it may. Where the Project requires review, a Task is completed out of a review and by
 * somebody who reviews, whichever operation asks for it. One that is completed already may change to another Status that completes.
 */
export function reviewRefusal(
  { completes, completed, in_review, review_required }: Omit<Entering, "id" | "category" | "first">,
  reviews: boolean,
): "review_required" | "forbidden" | null {
  if (!review_required || !completes || completed) return null;
  if (!in_review) return "review_required";
  return reviews ? null : "forbidden";
}

/** What a Task bears once some labels were set, or taken off and added; undefined where nothing is said of labels. */
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
