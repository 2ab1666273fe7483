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
  version: Type.Integer({ minimum: 1, description: "Of the definition: what it runs." }),
  actor_id: { ...Id, description: "As which it acts; it stays when the Agent is deleted." },
  name: definitionFields.name,
  username: Type.String({ description: "By which it is mentioned." }),
  state: Type.Enum(["active", "paused", "quarantined"]),
  reason: {
    ...nullable(Type.String()),
    description:
      "Why it is not active: what whoever quarantined it wrote, or a code such as `definition_retired`. Null: " +
      "somebody paused it.",
  },
  project_ids: definitionRead.project_ids,
  every_project: definitionRead.every_project,
  budgets: { ...AgentBudgets, description: "The narrower of its own and those of the definition." },
  trigger_kinds: Type.Array(Type.Enum([...triggerKinds])),
  created_by_actor_id: Id,
  quarantined_by_actor_id: nullable(Id),
  quarantined_at: nullable(Timestamp),
});
export const Agent = single(AgentRow);

const MANAGED = "Needs agents:manage.";
const narrowing = {
  name: { ...definitionFields.name, description: "What it is called, in place of the definition's name." },
  project_ids: {
    ...definitionFields.project_ids,
    description: "Some of the definition's Projects; empty: those of the definition.",
  },
  budgets: {
    ...definitionFields.budgets,
    description:
      "Its own limits: each holds where it is narrower than that of the definition. Replaces those that it had.",
  },
};

export const listAgents = list("GET /workspaces/{workspace_id}/agents", "List the Agents of a Workspace", {
  description: "In the order in which they were enabled. Left out is what is narrowed to Projects that you do not see.",
  auth: [S],
  include: ["people"],
  items: AgentRow,
});

export const createAgent = op("POST /workspaces/{workspace_id}/agents", "Enable an Agent", {
  description:
    `${MANAGED} Of a published definition, or of one that comes with the service: ` +
    `then you are who publishes it here. One of each, and at most ${MOST_AGENTS}. It is active at once.`,
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
      `${MANAGED} A paused one begins nothing, and what runs stops at its next step. ` +
      "One in quarantine is released so. It keeps the name that it is mentioned by.",
    auth: [S],
    ifMatch: "required",
    body: patch({ ...narrowing, state: Type.Enum(["active", "paused"]) }),
    example: { state: "paused" },
    returns: Agent,
    errors: ["invalid_reference", "definition_not_published"],
  },
);

export const deleteAgent = op("DELETE /workspaces/{workspace_id}/agents/{agent_id}", "Delete an Agent", {
  description: `${MANAGED} Its runs stop at their next step. What it did stays, under its name.`,
  auth: [S],
  ifMatch: "optional",
});

export const quarantineAgent = op(
  "POST /workspaces/{workspace_id}/agents/{agent_id}/quarantine",
  "Stop an Agent at once",
  {
    description:
      "By every member who may run it. It begins nothing any more, and what runs stops at its next step, " +
      "in whichever process that is. Only those who manage Agents release it. Repeating it changes nothing.",
    auth: [S],
    body: object({ reason: { ...Line(500), minLength: 1, description: "What everybody reads." } }),
    example: { reason: "Comments on every Task" },
    returns: Agent,
  },
);

export const rollBackAgent = op(
  "POST /workspaces/{workspace_id}/agents/{agent_id}/rollback",
  "Have an Agent run another published version",
  {
    description: `${MANAGED} An earlier one, or a later one again; the next that is published moves it on.`,
    auth: [S],
    body: object({ version: Type.Integer({ minimum: 1, maximum: 2_147_483_647 }) }),
    example: { version: 1 },
    returns: Agent,
    errors: ["invalid_reference", "agent_narrowed"],
  },
);
