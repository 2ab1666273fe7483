// Events of Agents. None of them is in activity; changes of work by Agents are, under their own names.
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

/** Audience: members who see its first Project, or everybody if it is not narrowed. */
export const subjectOf = (kind: "agent" | "agent_definition", id: string, projectIds: readonly string[]) => ({
  kind,
  id,
  projectId: projectIds[0] ?? null,
});
