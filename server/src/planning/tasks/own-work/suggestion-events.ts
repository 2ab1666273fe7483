// Facts about what somebody works on and thinks of suggestions. They are told to nobody else and appear in no feed.
import { event } from "../../../platform/kernel/events.ts";

export const currentWorkChanged = event("current_work.changed");
export const suggestionRated = event("task.suggestion.rated");
