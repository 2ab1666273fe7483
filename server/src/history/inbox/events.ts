// Events of inboxes. No feed shows them.
import { event } from "../../platform/kernel/events.ts";

export const inboxReadStateChanged = event("inbox.read_state_changed");
export const inboxItemChanged = event("inbox_item.changed");
