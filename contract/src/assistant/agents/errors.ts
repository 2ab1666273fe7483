// Codes of Agents: part of the one catalogue (errors.ts).
import { entry } from "../../error-entry.ts";
import { agentRunErrors } from "./run-errors.ts";

export const agentErrors = {
  ...agentRunErrors,
  agent_enabled: entry(409, "Already enabled", "The Workspace has an Agent of this definition: change that one."),
  agent_narrowed: entry(
    409,
    "Agent is narrowed to other Projects",
    "The Agent of this definition is narrowed to Projects that this version leaves out: " +
      "change the Agent's Projects first.",
  ),
  definition_not_published: entry(
    409,
    "Definition not published",
    "Only a published definition can be enabled or run: publish the definition, or request it.",
  ),
  definition_not_draft: entry(409, "No draft", "There is nothing to publish: the newest version is published already."),
  request_pending: entry(409, "Already asked", "Your request of this kind is still open: wait for the decision."),
  request_decided: entry(409, "Already decided", "Somebody has decided this request; read it again."),
} as const;
