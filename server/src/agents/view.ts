// Agents on the wire. A query gives the definition with its version as d, the Agent as a and the version that it runs as v.
import { AgentRow } from "@svc/contract/agents/agents.ts";
import { AgentRequestRow } from "@svc/contract/agents/requests.ts";
import { AgentDefinition, AgentDefinitionRow } from "@svc/contract/agents/studio.ts";
import { view } from "../database/view.ts";
import { projectsSeen } from "../projects/access.ts";

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
