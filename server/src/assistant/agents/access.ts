// Every member reads Agents, except those narrowed to Projects that they do not see. The role decides who drafts, runs
// and manages Agents.

import { HOLD } from "../../accounts/workspaces/access.ts";
import { may, type WorkspaceCapability } from "../../accounts/workspaces/rules.ts";
import { projectsSeen } from "../../planning/projects/access.ts";
import type { Queries } from "../../platform/database/db.ts";
import type { Access } from "../../platform/kernel/implement-operation.ts";
import { refuse } from "../../platform/wire/problem.ts";
import { type AgentTarget, readAgent } from "./agent-store.ts";
import { type AgentDefinitionTarget, lockDefinition, readDefinition } from "./definition-store.ts";

/**
 * The Workspace that Agents are created in: a lock serialises creations, so that two cannot both take the last free
 * one.
 */
export const agentsOfWorkspace = (capability: WorkspaceCapability): Access<object> => ({
  reach: "membership",
  load: async (tx, _params, change) => (change ? tx.rows(HOLD).then(() => ({})) : {}),
  permits: ({ member }) => may(member.role, capability),
});

export const agent = (capability: WorkspaceCapability): Access<AgentTarget> => ({
  reach: "membership",
  load: (tx, { agent_id }, change) => readAgent(tx, agent_id as string, change),
  permits: ({ member }) => may(member.role, capability),
});

export const definition = (capability: WorkspaceCapability): Access<AgentDefinitionTarget> => ({
  reach: "membership",
  load: (tx, { definition_id }) => readDefinition(tx, definition_id as string),
  permits: ({ member }) => may(member.role, capability),
});
/** Members who manage Agents change a definition, and so does its creator. */
export const changedDefinition: Access<AgentDefinitionTarget> = {
  reach: "membership",
  load: (tx, { definition_id }, change) =>
    change ? lockDefinition(tx, definition_id as string) : readDefinition(tx, definition_id as string),
  permits: ({ member }, { curated, own }) =>
    may(member.role, "agents:manage") || (curated === null && own && may(member.role, "agents:run")),
};

const SEEN = projectsSeen("$1");
/** Refuses ids of Projects that the caller does not see, whether they exist or not. */
export async function requireSeenProjects(tx: Queries, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  const seen = new Set((await tx.one<{ array: string[] }>(SEEN, [ids])).array);
  const errors = ids.flatMap((id, at) =>
    seen.has(id.toLowerCase())
      ? []
      : [{ pointer: `/body/project_ids/${at}`, code: "invalid_reference", detail: "must be a Project that you see" }],
  );
  if (errors.length > 0) refuse("invalid_reference", { errors: errors.slice(0, 50) });
}
