// Codes of Discuss: part of the one catalogue (errors.ts).
import { entry } from "../error-entry.ts";

export const discussErrors = {
  too_many_queued: entry(409, "Too many turns wait", "Wait until some of them are answered, or cancel some."),
  interaction_closed: entry(
    409,
    "Nothing to decide any more",
    "It was decided, has expired, or its message has changed: `errors` says which. Read the message again.",
  ),
  discuss_not_included: entry(403, "Discuss is not included", "The plan of this Workspace does not include it."),
  specialist_run_completed: entry(409, "Already completed", "It has said all: read the message with its result."),
} as const;
