// Facts about Agents. None of them is in activity: what Agents do to work is, under their own names.
import { event } from "../../platform/kernel/events.ts";

export const definitionCreated = event("agent_definition.created");
export const definitionUpdated = event("agent_definition.updated");
export const definitionPublished = event("agent_definition.published");
export const definitionRetired = event("agent_definition.retired");
export const agentCreated = event("agent.created");
export const agentUpdated = event("agent.updated");
export const agentQuarantined = event("agent.quarantined");
export const agentRolledBack = event("agent.rolled_back");
export const agentDeleted = event("agent.deleted");
export const requestCreated = event("agent_request.created");
export const requestDecided = event("agent_request.decided");

/** Heard by whoever sees its first Project, or by everybody where it is in every one. */
export const subjectOf = (kind: "agent" | "agent_definition", id: string, projectIds: readonly string[]) => ({
  kind,
  id,
  projectId: projectIds[0] ?? null,
});
