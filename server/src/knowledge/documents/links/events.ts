// Events of manual links between a Document and a Task or Milestone. References in the content are part of its own
// change. No feed shows these events, as none shows relations of Tasks.
import { event } from "../../../platform/kernel/events.ts";

export const linkAdded = event("document.link_added");
export const linkRemoved = event("document.link_removed");
