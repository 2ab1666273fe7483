// Events of a member's current work and feedback on suggestions. Nobody else receives them, and no feed shows them.
import { event } from "../../../platform/kernel/events.ts";

export const currentWorkChanged = event("current_work.changed");
export const suggestionRated = event("task.suggestion.rated");
