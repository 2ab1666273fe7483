// Facts about Tasks. A change of several fields is several facts: each feed, notification and index picks its own.
import { event, type Fact } from "../kernel/events.ts";
import type { TaskFields } from "./rules.ts";

export const taskCreated = event("task.created", { activity: "progress" });
const taskStatusChanged = event("task.status_changed", { activity: "progress" });
const taskAssigned = event("task.assigned", { activity: "ownership" });
const taskDatesChanged = event("task.dates_changed", { activity: "deadline" });
const taskPriorityChanged = event("task.priority_changed", { activity: "priority" });
const taskMilestoneChanged = event("task.milestone_changed", { activity: "milestone" });
const taskDescriptionChanged = event("task.description_changed", { activity: "description" });
/** Ordinary title corrections and order within a Status appear in no feed. */
const taskUpdated = event("task.updated");

/** Whether a PATCH changes this field: a field that is absent, or already has the value, does not. */
export const differs = <T>(sent: T | undefined, before: T) => sent !== undefined && sent !== before;

/** One fact for each kind of change in a PATCH; a PATCH that changes nothing still advances the revision, quietly. */
export function changesOf(before: TaskFields, body: Partial<TaskFields>): Fact[] {
  const { id, project_id } = before;
  const subject = { kind: "task", id, projectId: project_id, taskId: id };
  const facts = [
    differs(body.status_id, before.status_id) &&
      taskStatusChanged(subject, { from: before.status_id, to: body.status_id }),
    differs(body.assignee_actor_id, before.assignee_actor_id) &&
      taskAssigned(subject, { from: before.assignee_actor_id, to: body.assignee_actor_id }),
    (differs(body.start_date, before.start_date) || differs(body.due_date, before.due_date)) &&
      taskDatesChanged(subject, { start_date: body.start_date, due_date: body.due_date }),
    differs(body.priority, before.priority) &&
      taskPriorityChanged(subject, { from: before.priority, to: body.priority }),
    differs(body.milestone_id, before.milestone_id) &&
      taskMilestoneChanged(subject, { from: before.milestone_id, to: body.milestone_id }),
    differs(body.description_markdown, before.description_markdown) && taskDescriptionChanged(subject),
    (differs(body.title, before.title) || differs(body.position, before.position)) &&
      taskUpdated(subject, { title: body.title, position: body.position }),
  ].filter((fact) => fact !== false);
  return facts.length > 0 ? facts : [taskUpdated(subject)];
}
