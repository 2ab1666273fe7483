// Wire views of Agents. Queries alias the definition with its version as d, the Agent as a, and the version that it
// runs as v.
import { AgentRow } from "@svc/contract/assistant/agents/agents.ts";
import { AgentRequestRow } from "@svc/contract/assistant/agents/requests.ts";
import { AgentDefinition, AgentDefinitionRow } from "@svc/contract/assistant/agents/studio.ts";
import { projectsSeen } from "../../planning/projects/access.ts";
import { view } from "../../platform/database/view.ts";

export const narrowing = (row: string) => ({
  project_ids: `(${projectsSeen(`${row}.project_ids`)})`,
  every_project: `${row}.project_ids = '{}'`,
});

export const definitionRowView = view(AgentDefinitionRow, "d", narrowing("d"));
export const definitionView = view(AgentDefinition, "d", narrowing("d"));
export const agentView = view(AgentRow, "a", {
  ...narrowing("a"),
  budgets: "narrower_budgets(a.own_budgets, v.budgets)",
});
export const requestView = view(AgentRequestRow, "r");
