// Facts about comments. They never carry the text: a deleted comment must be gone from here as well.
import { event } from "../../platform/kernel/events.ts";

export const commentCreated = event("task.comment.created", { activity: "comment" });
export const commentUpdated = event("task.comment.updated", { activity: "comment" });
export const commentDeleted = event("task.comment.deleted", { activity: "comment" });
/** Ordinary reactions appear in no feed. */
export const reactionAdded = event("task.comment.reaction_added");
export const reactionRemoved = event("task.comment.reaction_removed");
