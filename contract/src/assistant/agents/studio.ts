// The studio: the Workspace's own Agent definitions, their versions and their publication.
import Type from "typebox";
import { list, op, S } from "../../kit.ts";
import { Id, nullable, object, patch, resource, single, Timestamp } from "../../types.ts";
import { definitionFields, definitionRead, definitionStates } from "./definitions.ts";

export const MOST_DEFINITIONS = 500;

export const AgentDefinitionRow = object({
  ...resource,
  workspace_id: Id,
  curated: { ...nullable(Type.String()), description: "Key of a definition that comes with the service." },
  ...definitionRead,
  version: Type.Integer({ minimum: 1, description: "Newest version, which is the one shown." }),
  state: Type.Enum([...definitionStates], {
    description: "State of that version: a draft does not run anywhere; a retired definition cannot be enabled.",
  }),
  published_version: {
    ...nullable(Type.Integer()),
    description: "Newest published version; null: there is none.",
  },
  created_by_actor_id: {
    ...nullable(Id),
    description: "Creator; null for a definition that comes with the service and was never enabled.",
  },
  published_by_actor_id: { ...nullable(Id), description: "Actor who published the version that is shown." },
  published_at: nullable(Timestamp),
});
export const AgentDefinition = single(
  object({ ...AgentDefinitionRow.properties, instructions: definitionFields.instructions }),
);

const DRAFTS = "Only its creator, and those who manage Agents, can change a draft.";

export const listStudioDefinitions = list(
  "GET /workspaces/{workspace_id}/agents/studio/definitions",
  "List the Workspace's own definitions of Agents",
  {
    description:
      "Lists definitions, the newest first, each in its newest version. Definitions narrowed to Projects " +
      "that you cannot see are left out.",
    auth: [S],
    query: object({
      state: Type.Optional({ ...Type.Enum([...definitionStates]), description: "Only definitions in this state." }),
    }),
    include: ["people"],
    items: AgentDefinitionRow,
  },
);

export const createStudioDefinition = op(
  "POST /workspaces/{workspace_id}/agents/studio/definitions",
  "Draft an Agent",
  {
    description:
      "Every member may draft one; its rights are decided when it is published. At most " +
      `${MOST_DEFINITIONS}. Defaults: no description, manual start, every Project, budgets of 20 runs an ` +
      "hour, 300 seconds, 36 steps and 100,000 tokens a run, 1,000,000 tokens a day.",
    auth: [S],
    status: 201,
    creates: "/workspaces/{workspace_id}/agents/studio/definitions/{id}",
    body: object({
      name: definitionFields.name,
      description: Type.Optional(definitionFields.description),
      instructions: definitionFields.instructions,
      tools: definitionFields.tools,
      triggers: Type.Optional(definitionFields.triggers),
      project_ids: Type.Optional({ ...definitionFields.project_ids, description: "Omitted or empty: every Project." }),
      budgets: Type.Optional(definitionFields.budgets),
    }),
    example: {
      name: "Greeter",
      instructions: "Welcome whoever opens their first Task, and say where the handbook is.",
      tools: ["find", "get_task", "comment"],
      triggers: [{ kind: "manual" }, { kind: "event", action: "task.created" }],
    },
    returns: AgentDefinition,
    errors: ["invalid_reference", "limit_reached"],
  },
);

export const getStudioDefinition = op(
  "GET /workspaces/{workspace_id}/agents/studio/definitions/{definition_id}",
  "Read a definition of an Agent",
  {
    description: "Returns any definition, including one that comes with the service.",
    auth: [S],
    include: ["people"],
    returns: AgentDefinition,
  },
);

export const updateStudioDefinition = op(
  "PATCH /workspaces/{workspace_id}/agents/studio/definitions/{definition_id}",
  "Change, publish or retire a definition, or decide a request",
  {
    description:
      `${DRAFTS} A published version never changes: changing the definition creates its next draft. ` +
      "`state` and `decide` need agents:manage. Publishing moves the Agent of the definition to the " +
      "new version; retiring pauses it. A decision must be sent alone; approving a request to publish " +
      "publishes the draft as you have read it. A definition that comes with the service cannot be " +
      "changed; `state: published`, alone, adopts its newest version, if the service has a newer one " +
      "than the Workspace.",
    auth: [S],
    ifMatch: "required",
    body: patch({
      ...definitionFields,
      state: { ...Type.Enum(["published", "retired"]), description: "Together with changes, it publishes them." },
      decide: object({ request_id: Id, decision: Type.Enum(["approve", "reject"]) }),
    }),
    example: { instructions: "Welcome whoever opens their first Task.", state: "published" },
    returns: AgentDefinition,
    errors: ["invalid_reference", "agent_narrowed", "request_decided"],
  },
);
