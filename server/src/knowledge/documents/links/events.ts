// Facts about the links that somebody makes between a Document and a Task or Milestone. What the content names is part of its own change. No feed
// shows them, as none shows that two Tasks are related.
import { event } from "../../../platform/kernel/events.ts";

export const linkAdded = event("document.link_added");
export const linkRemoved = event("document.link_removed");
