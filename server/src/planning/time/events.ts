// Events of time entries. No feed shows them.
import { event } from "../../platform/kernel/events.ts";

export const timeTrackingUpdated = event("workspace.time_tracking_updated");
export const timeEntryRecorded = event("time_entry.recorded");
export const timeEntryCorrected = event("time_entry.corrected");
export const timeEntryVoided = event("time_entry.voided");
/** The voiding was undone. */
export const timeEntryRestored = event("time_entry.restored");
