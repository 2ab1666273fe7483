// Facts about Tasks. A change of several fields is several facts: each feed, notification and index picks its own. What is told of a change
// is what was and what is, so that it can be undone: one value, or those of the fields that have changed.
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
/** Feeds show that a Task was deleted, and of it and all its earlier events no name any more. */
export const taskDeleted = event("task.deleted", { activity: "progress" });
/** Ordinary title corrections and order within a Status appear in no feed. */
const taskUpdated = event("task.updated");

/** Whether a PATCH changes this field: a field that is absent, or already has the value, does not. */
export const differs = <T>(sent: T | undefined, before: T) =>
  sent !== undefined && sent !== before && !(Array.isArray(sent) && isDeepStrictEqual(sent, before));

/** What was and what is of those of these fields that a change changes; null where it changes none of them. */
function turned(before: TaskFields, body: Partial<TaskFields>, fields: readonly (keyof TaskFields)[]) {
  const changed = fields.filter((field) => differs(body[field], before[field]));
  if (changed.length === 0) return null;
  const of = (values: Partial<TaskFields>) => Object.fromEntries(changed.map((field) => [field, values[field]]));
  return { from: of(before), to: of(body) };
}
const DATES = ["start_date", "due_date"] as const;
/** Where a Task stands is told with the Status that it enters. */
const corrected = (entering: boolean) => (entering ? (["title"] as const) : (["title", "position"] as const));

/** When it was started and completed, as far as it was: a change of the Status may clear them. */
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

/** One fact for each kind of change in a PATCH. */
export function changesOf(before: TaskFields, body: Partial<TaskFields>): Fact[] {
  const subject = subjectOf(before);
  const entering = differs(body.status_id, before.status_id);
  const [dates, corrections] = [turned(before, body, DATES), turned(before, body, corrected(entering))];
  return [
    entering &&
      taskStatusChanged(subject, {
        ...{ from: before.status_id, to: body.status_id, position: before.position },
        ...timesOf(before),
      }),
    differs(body.assignee_actor_id, before.assignee_actor_id) &&
      taskAssigned(subject, { from: before.assignee_actor_id, to: body.assignee_actor_id }),
    dates !== null && taskDatesChanged(subject, dates),
    differs(body.priority, before.priority) &&
      taskPriorityChanged(subject, { from: before.priority, to: body.priority }),
    differs(body.milestone_id, before.milestone_id) &&
      taskMilestoneChanged(subject, { from: before.milestone_id, to: body.milestone_id }),
    // The text that was is kept under the revision that had it.
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
