// Codes of the runs of Agents: part of the one catalogue (errors.ts).
import { entry } from "../../error-entry.ts";

export const agentRunErrors = {
  agent_not_active: entry(
    409,
    "Agent not active",
    "It is paused or in quarantine: somebody who manages Agents must resume it first.",
  ),
  agent_not_started_so: entry(409, "Not started manually", "The definition does not allow a manual start."),
  agent_runs_exceeded: entry(
    409,
    "Too many runs within an hour",
    "The Agent has started as many runs as its budget allows: wait, or raise runs_per_hour.",
  ),
  approval_closed: entry(
    409,
    "Already closed",
    "It was decided, has expired, or its run was cancelled: `errors` gives the reason. Read the " + "actions again.",
  ),
} as const;
