// What is told of a Task that changes its Project, and how it comes back to one that it was in: under the number that it had there, with what
// it had there. That it may is found out before.
import type { Context } from "../kernel/implement.ts";
import { subjectOf, taskMoved } from "./events.ts";
import * as store from "./move-store.ts";
import { nextRevision, type TaskFields } from "./rules.ts";

export type Place = Pick<
  TaskFields,
  "project_id" | "code" | "status_id" | "milestone_id" | "label_ids" | "position" | "started_at" | "completed_at"
>;
export const placeOf = (task: TaskFields): Place => {
  const { project_id, code, status_id, milestone_id, label_ids, position, started_at, completed_at } = task;
  return { project_id, code, status_id, milestone_id, label_ids, position, started_at, completed_at };
};

/** The Task is locked. Nothing is awaited. */
export function comeBack({ tx, member, record, defer }: Context, before: TaskFields, place: Place): TaskFields {
  const number = Number(place.code.slice(place.code.lastIndexOf("-") + 1));
  const after = { ...before, ...place, number, revision: nextRevision(before) };
  defer(store.returnTask(tx, member.workspaceId, after));
  record(taskMoved(subjectOf(after), { from: placeOf(before), to: placeOf(after) }));
  return after;
}
