// Events of Tasks. A change of several fields is several events: each feed, notification and index selects its own. The
// payload of a change holds former and new values, for undo: one value, or those of the changed fields.
import { isDeepStrictEqual } from "node:util";
import { event, type Fact } from "../../platform/kernel/events.ts";
import { taskLabelsChanged } from "../labels/change.ts";
import { nextRevision, type TaskFields } from "./rules.ts";

export const taskCreated = event("task.created", { activity: "progress" });
const taskStatusChanged = event("task.status_changed", { activity: "progress" });
const taskAssigned = event("task.assigned", { activity: "ownership" });
const taskDatesChanged = event("task.dates_changed", { activity: "deadline" });
const taskPriorityChanged = event("task.priority_changed", { activity: "priority" });
const taskMilestoneChanged = event("task.milestone_changed", { activity: "milestone" });
export const taskDescriptionChanged = event("task.description_changed", { activity: "description" });
export const taskMoved = event("task.moved", { activity: "progress" });
const taskTrashed = event("task.trashed", { activity: "progress" });
const taskRestored = event("task.restored", { activity: "progress" });
/** Feeds show that a Task was deleted, and no longer show a name for it and its earlier events. */
export const taskDeleted = event("task.deleted", { activity: "progress" });
/** No feed shows changes of the title or of the order within a Status. */
const taskUpdated = event("task.updated");

/** Whether a PATCH changes this field: an absent field, or one with the current value, does not. */
export const differs = <T>(sent: T | undefined, before: T) =>
  sent !== undefined && sent !== before && !(Array.isArray(sent) && isDeepStrictEqual(sent, before));

/** Former and new values of those fields that the change affects; null if it affects none. */
function turned(before: TaskFields, body: Partial<TaskFields>, fields: readonly (keyof TaskFields)[]) {
  const changed = fields.filter((field) => differs(body[field], before[field]));
  if (changed.length === 0) return null;
  const of = (values: Partial<TaskFields>) => Object.fromEntries(changed.map((field) => [field, values[field]]));
  return { from: of(before), to: of(body) };
}
const DATES = ["start_date", "due_date"] as const;
/** If the Status changes, its event contains the position. */
const corrected = (entering: boolean) => (entering ? (["title"] as const) : (["title", "position"] as const));

/** Start and completion times that are set: a change of the Status may clear them. */
const timesOf = ({ started_at, completed_at }: TaskFields) => ({
  ...(started_at === null ? {} : { started_at }),
  ...(completed_at === null ? {} : { completed_at }),
});

export const subjectOf = ({ id, project_id }: Pick<TaskFields, "id" | "project_id">) => ({
  kind: "task",
  id,
  projectId: project_id,
  taskId: id,
});

/** One event per kind of change in a PATCH. */
export function changesOf(before: TaskFields, body: Partial<TaskFields>): Fact[] {
  const subject = subjectOf(before);
  const entering = differs(body.status_id, before.status_id);
  const [dates, corrections] = [turned(before, body, DATES), turned(before, body, corrected(entering))];
  return [
    entering &&
      taskStatusChanged(subject, {
        from: before.status_id,
        to: body.status_id,
        position: before.position,
        ...timesOf(before),
      }),
    differs(body.assignee_actor_id, before.assignee_actor_id) &&
      taskAssigned(subject, { from: before.assignee_actor_id, to: body.assignee_actor_id }),
    dates !== null && taskDatesChanged(subject, dates),
    differs(body.priority, before.priority) &&
      taskPriorityChanged(subject, { from: before.priority, to: body.priority }),
    differs(body.milestone_id, before.milestone_id) &&
      taskMilestoneChanged(subject, { from: before.milestone_id, to: body.milestone_id }),
    // The replaced text is archived under its revision.
    differs(body.description_markdown, before.description_markdown) &&
      taskDescriptionChanged(subject, { from: before.revision, to: nextRevision(before) }),
    differs(body.label_ids, before.label_ids) &&
      taskLabelsChanged(subject, { from: before.label_ids, to: body.label_ids }),
    corrections !== null && taskUpdated(subject, corrections),
    differs(body.trashed_at, before.trashed_at) &&
      (body.trashed_at === null ? taskRestored : taskTrashed)(subject, {
        from: before.trashed_at,
        to: body.trashed_at,
      }),
  ].filter((fact) => fact !== false);
}
