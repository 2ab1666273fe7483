// Events of Projects, Statuses and Milestones.
import { event } from "../../platform/kernel/events.ts";

export const projectCreated = event("project.created", { activity: "project" });
export const projectUpdated = event("project.updated", { activity: "project" });
/** Visibility and appearance; no feed shows configuration. */
export const projectConfigured = event("project.configured");
export const projectMoved = event("project.moved");
/** No feed shows it: the Project's feed is deleted too. */
export const projectDeleted = event("project.deleted");
/** The deletion was undone. */
export const projectRestored = event("project.restored", { activity: "project" });
export const projectMemberAdded = event("project.member_added");
export const projectMemberChanged = event("project.member_changed");
export const projectMemberRemoved = event("project.member_removed");
export const completionPolicyReplaced = event("project.completion_policy_replaced");
export const projectShortcutsReplaced = event("project_shortcuts.replaced");
export const projectDisplayReplaced = event("project_display_preferences.replaced");

const stepEvents = (noun: "status" | "project_state") => ({
  created: event(`${noun}.created`),
  updated: event(`${noun}.updated`),
  moved: event(`${noun}.moved`),
  archived: event(`${noun}.archived`),
  deleted: event(`${noun}.deleted`),
});
export const statusEvents = stepEvents("status");
export const projectStateEvents = stepEvents("project_state");
export const projectLifecycleUpdated = event("project_lifecycle.updated");

export const milestoneCreated = event("milestone.created", { activity: "milestone" });
export const milestoneUpdated = event("milestone.updated", { activity: "milestone" });
export const milestoneStageChanged = event("milestone.stage_changed", { activity: "milestone" });
export const milestoneDeleted = event("milestone.deleted", { activity: "milestone" });
/** The deletion was undone. */
export const milestoneRestored = event("milestone.restored", { activity: "milestone" });
