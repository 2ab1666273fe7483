// The Agents that a Workspace has enabled. Each is an Actor of its own: it can be assigned Tasks and be mentioned, and
// never signs in.
import Type from "typebox";
import { list, op, S } from "../../kit.ts";
import { Id, Line, nullable, object, patch, resource, single, Timestamp } from "../../types.ts";
import { AgentBudgets, definitionFields, definitionRead, triggerKinds } from "./definitions.ts";

export const MOST_AGENTS = 200;

export const AgentRow = object({
  ...resource,
  workspace_id: Id,
  definition_id: Id,
  version: Type.Integer({ minimum: 1, description: "Version of the definition that the Agent runs." }),
  actor_id: { ...Id, description: "Actor that the Agent acts as; it remains when the Agent is deleted." },
  name: definitionFields.name,
  username: Type.String({ description: "Name by which the Agent is mentioned." }),
  state: Type.Enum(["active", "paused", "quarantined"]),
  reason: {
    ...nullable(Type.String()),
    description:
      "Reason why the Agent is not active: the text of the person who quarantined it, or a code such as " +
      "`definition_retired`. Null: a person paused it.",
  },
  project_ids: definitionRead.project_ids,
  every_project: definitionRead.every_project,
  budgets: {
    ...AgentBudgets,
    description: "Effective budgets: the narrower of the Agent's own and those of the definition.",
  },
  trigger_kinds: Type.Array(Type.Enum([...triggerKinds])),
  created_by_actor_id: Id,
  quarantined_by_actor_id: nullable(Id),
  quarantined_at: nullable(Timestamp),
});
export const Agent = single(AgentRow);

const MANAGED = "Needs agents:manage.";
const narrowing = {
  name: { ...definitionFields.name, description: "Name of the Agent, instead of the definition's." },
  project_ids: {
    ...definitionFields.project_ids,
    description: "Projects of the Agent, some of the definition's; empty: those of the definition.",
  },
  budgets: {
    ...definitionFields.budgets,
    description:
      "Budgets of the Agent: each applies if it is narrower than that of the definition. Replaces the " +
      "previous ones.",
  },
};

export const listAgents = list("GET /workspaces/{workspace_id}/agents", "List the Agents of a Workspace", {
  description:
    "Lists Agents in the order in which they were enabled. Agents narrowed to Projects that you cannot " +
    "see are left out.",
  auth: [S],
  include: ["people"],
  items: AgentRow,
});

export const createAgent = op("POST /workspaces/{workspace_id}/agents", "Enable an Agent", {
  description:
    `${MANAGED} Enables a published definition, or one that comes with the service, which you thereby ` +
    `publish in this Workspace. A definition has one Agent, and a Workspace at most ${MOST_AGENTS}. ` +
    "The Agent is active at once.",
  auth: [S],
  status: 201,
  creates: "/workspaces/{workspace_id}/agents/{id}",
  body: object({
    definition_id: Id,
    name: Type.Optional(narrowing.name),
    project_ids: Type.Optional(narrowing.project_ids),
    budgets: Type.Optional(narrowing.budgets),
  }),
  example: { definition_id: "01980000-0000-7000-8000-000000000001", name: "Triage" },
  returns: Agent,
  errors: ["invalid_reference", "definition_not_published", "agent_enabled", "limit_reached", "plan_limit"],
});

export const getAgent = op("GET /workspaces/{workspace_id}/agents/{agent_id}", "Read an Agent", {
  auth: [S],
  include: ["people"],
  returns: Agent,
});

export const updateAgent = op(
  "PATCH /workspaces/{workspace_id}/agents/{agent_id}",
  "Rename, narrow, pause or resume an Agent",
  {
    description:
      `${MANAGED} A paused Agent starts no runs, and current runs stop at their next step. Resuming also ` +
      "releases an Agent from quarantine. The name by which it is mentioned does not change.",
    auth: [S],
    ifMatch: "required",
    body: patch({ ...narrowing, state: Type.Enum(["active", "paused"]) }),
    example: { state: "paused" },
    returns: Agent,
    errors: ["invalid_reference", "definition_not_published"],
  },
);

export const deleteAgent = op("DELETE /workspaces/{workspace_id}/agents/{agent_id}", "Delete an Agent", {
  description: `${MANAGED} Runs of the Agent stop at their next step. Past work of the Agent remains, under its name.`,
  auth: [S],
  ifMatch: "optional",
});

export const quarantineAgent = op(
  "POST /workspaces/{workspace_id}/agents/{agent_id}/quarantine",
  "Stop an Agent at once",
  {
    description:
      "Every member who may run the Agent can stop it. It starts no more runs, and current runs stop at " +
      "their next step, in any process. Only those who manage Agents can release it. Repeating it " +
      "changes nothing.",
    auth: [S],
    body: object({ reason: { ...Line(500), minLength: 1, description: "Reason, visible to everybody." } }),
    example: { reason: "Comments on every Task" },
    returns: Agent,
  },
);

export const rollBackAgent = op(
  "POST /workspaces/{workspace_id}/agents/{agent_id}/rollback",
  "Switch an Agent to another published version",
  {
    description: [
      MANAGED,
      "Takes an earlier or later published version; publishing the next version moves the Agent to it.",
    ].join(" "),
    auth: [S],
    body: object({ version: Type.Integer({ minimum: 1, maximum: 2_147_483_647 }) }),
    example: { version: 1 },
    returns: Agent,
    errors: ["invalid_reference", "agent_narrowed"],
  },
);
