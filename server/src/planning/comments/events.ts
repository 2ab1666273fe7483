// Events of comments. They never contain the text, because deleting a comment must erase it.
import { event } from "../../platform/kernel/events.ts";

export const commentCreated = event("task.comment.created", { activity: "comment" });
export const commentUpdated = event("task.comment.updated", { activity: "comment" });
export const commentDeleted = event("task.comment.deleted", { activity: "comment" });
/** No feed shows reactions. */
export const reactionAdded = event("task.comment.reaction_added");
export const reactionRemoved = event("task.comment.reaction_removed");
