// Events of labels. No feed shows them: definitions are configuration, and assignments are not registered as activity.
import { event } from "../../platform/kernel/events.ts";

export const labelCreated = event("label.created");
export const labelUpdated = event("label.updated");
export const labelDeleted = event("label.deleted");
/** The deletion was undone. */
export const labelRestored = event("label.restored");
export const labelOverrideReplaced = event("label.override_replaced");
export const labelOverrideDeleted = event("label.override_deleted");
/**
 * Targets that lose a deleted label get the same events, which the SQL that removes it writes itself (see store.ts).
 */
export const labelsChanged = {
  task: event("task.labels_changed"),
  project: event("project.labels_changed"),
  document: event("document.labels_changed"),
};
