// Facts about Projects and Statuses.
import { event } from "../kernel/events.ts";

export const projectCreated = event("project.created", { activity: "project" });
export const projectUpdated = event("project.updated", { activity: "project" });
/** Visibility and looks: configuration appears in no feed. */
export const projectConfigured = event("project.configured");
export const statusCreated = event("status.created");
