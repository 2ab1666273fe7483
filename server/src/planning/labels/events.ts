// Facts about labels. Which labels there are is configuration, and which ones something bears is no registered activity: no feed shows them.
import { event } from "../../platform/kernel/events.ts";

export const labelCreated = event("label.created");
export const labelUpdated = event("label.updated");
export const labelDeleted = event("label.deleted");
/** The deletion was taken back. */
export const labelRestored = event("label.restored");
export const labelOverrideReplaced = event("label.override_replaced");
export const labelOverrideDeleted = event("label.override_deleted");
/** What loses a deleted label is told by the same facts, which the statement that takes it off writes itself (see store.ts). */
export const labelsChanged = {
  task: event("task.labels_changed"),
  project: event("project.labels_changed"),
  document: event("document.labels_changed"),
};
