// Codes of Discuss: part of the one catalogue (errors.ts).
import { entry } from "../../error-entry.ts";

export const discussErrors = {
  turns_exceeded: entry(
    429,
    "Too many turns within an hour",
    "You have started as many turns as you may within an hour. Wait for Retry-After seconds.",
  ),
  runs_exceeded: entry(
    429,
    "Too many runs at once",
    "You or your Workspace have as many runs queued or under way as the operator allows. " +
      "Wait for Retry-After seconds, or cancel some.",
  ),
  interaction_closed: entry(
    409,
    "Already closed",
    "It was decided, has expired, or its message has changed: `errors` gives the reason. Read the " + "message again.",
  ),
  discuss_not_included: entry(403, "Discuss is not included", "The plan of this Workspace does not include it."),
  specialist_run_completed: entry(409, "Already completed", "The run is complete: read the message with its result."),
} as const;
