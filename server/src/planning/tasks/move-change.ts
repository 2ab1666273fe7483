// Moves of Tasks between Projects: the event payload, the review rules of the destination, and the return to a former
// Project with its former number and fields. The caller has checked the permission.
import type { Context } from "../../platform/kernel/implement-operation.ts";
import type { InProject } from "../projects/access.ts";
import { reviews } from "./change.ts";
import { subjectOf, taskMoved } from "./events.ts";
import * as store from "./move-store.ts";
import { type EnteredStatus, nextRevision, reviewRefusal, type TaskFields } from "./rules.ts";

export type TaskPlacement = Pick<
  TaskFields,
  "project_id" | "code" | "status_id" | "milestone_id" | "label_ids" | "position" | "started_at" | "completed_at"
>;
export const placeOf = (task: TaskFields): TaskPlacement => {
  const { project_id, code, status_id, milestone_id, label_ids, position, started_at, completed_at } = task;
  return { project_id, code, status_id, milestone_id, label_ids, position, started_at, completed_at };
};

/**
 * Whether review keeps a Task from entering a Project in this Status. Work done elsewhere was not reviewed here: it may
 * enter as completed if a reviewer of this Project moves it and it was completed or in review, or if it returns to the
 * Status in which it `left` the Project.
 */
export function isUnreviewed(context: Context, place: InProject, entering: EnteredStatus, left: string | null = null) {
  const reviewing = reviews(context, place);
  const in_review = reviewing && (entering.completed || entering.in_review);
  return reviewRefusal({ ...entering, completed: entering.id === left, in_review }, reviewing) !== null;
}

/** Returns a Task to a former Project. The Task is locked; awaits nothing. */
export function comeBack({ tx, member, record, defer }: Context, before: TaskFields, place: TaskPlacement): TaskFields {
  const number = Number(place.code.slice(place.code.lastIndexOf("-") + 1));
  const after = { ...before, ...place, number, revision: nextRevision(before) };
  defer(store.returnTask(tx, member.workspaceId, after));
  record(taskMoved(subjectOf(after), { from: placeOf(before), to: placeOf(after) }));
  return after;
}
