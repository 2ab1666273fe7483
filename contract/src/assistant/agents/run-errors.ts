// Codes of the runs of Agents: part of the one catalogue (errors.ts).
import { entry } from "../../error-entry.ts";

export const agentRunErrors = {
  agent_not_active: entry(
    409,
    "Agent not active",
    "It is paused or in quarantine: somebody who manages Agents has to look at it first.",
  ),
  agent_not_started_so: entry(409, "Not started so", "The definition does not say that it may be started by hand."),
  agent_runs_exceeded: entry(
    409,
    "Too many runs within an hour",
    "The Agent has begun as many runs as its budget lets it: wait, or raise runs_per_hour.",
  ),
  approval_closed: entry(
    409,
    "Nothing to decide any more",
    "It was decided, has expired, or its run was cancelled: `errors` says which. Read the actions again.",
  ),
} as const;
