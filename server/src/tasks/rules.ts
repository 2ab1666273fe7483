// What a change makes of a Task. Pure: the answer to a change is this, and the statement that stores it writes the same values.
import type { TaskRow } from "@svc/contract/tasks/tasks.ts";
import type { Static } from "typebox";

export type TaskFields = Static<typeof TaskRow>;

export type StatusTimes = Pick<TaskFields, "started_at" | "completed_at">;
/** Taken when the Task's Status enters the category, kept while it stays there, cleared when it leaves. */
export function statusTimes(category: string, { started_at, completed_at }: StatusTimes, now: string) {
  const working = category === "started" || category === "completed";
  return {
    started_at: working ? (started_at ?? now) : category === "cancelled" ? started_at : null,
    completed_at: category === "completed" ? (completed_at ?? now) : null,
  };
}

export const nextRevision = ({ revision }: Pick<TaskFields, "revision">) => String(BigInt(revision) + 1n);

/** The Task afterwards; its revision advances with every change. */
export const changed = (before: TaskFields, changes: Partial<TaskFields>, now: string): TaskFields => ({
  ...before,
  ...changes,
  revision: nextRevision(before),
  updated_at: now,
});
