// Events of rich entities. None of them is in a feed.
import { event } from "../../../platform/kernel/events.ts";

export const richEntityAdded = event("task.rich_entity.added");
export const richEntityChanged = event("task.rich_entity.changed");
