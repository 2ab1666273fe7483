// Facts about Tasks. A change of several fields is several facts: each feed, notification and index picks its own.
import { event } from "../kernel/events.ts";

export const taskCreated = event("task.created", { activity: "progress" });
export const taskStatusChanged = event("task.status_changed", { activity: "progress" });
export const taskAssigned = event("task.assigned", { activity: "ownership" });
export const taskDatesChanged = event("task.dates_changed", { activity: "deadline" });
export const taskPriorityChanged = event("task.priority_changed", { activity: "priority" });
export const taskDescriptionChanged = event("task.description_changed", { activity: "description" });
/** Ordinary title corrections and order within a Status appear in no feed. */
export const taskUpdated = event("task.updated");
