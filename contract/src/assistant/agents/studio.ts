// The studio: the Workspace's own Agent definitions, their versions and their publication.
import Type from "typebox";
import { list, op, S } from "../../kit.ts";
import { Id, nullable, object, patch, resource, single, Timestamp } from "../../types.ts";
import { definitionFields, definitionRead, definitionStates } from "./definitions.ts";

export const MOST_DEFINITIONS = 500;

export const AgentDefinitionRow = object({
  ...resource,
  workspace_id: Id,
  curated: { ...nullable(Type.String()), description: "The key of one that comes with the service." },
  ...definitionRead,
  version: Type.Integer({ minimum: 1, description: "The newest one, which is what is shown." }),
  state: Type.Enum([...definitionStates], {
    description: "Of that version: a draft runs nowhere; a retired definition cannot be enabled.",
  }),
  published_version: {
    ...nullable(Type.Integer()),
    description: "The newest that was published. Null: none was.",
  },
  created_by_actor_id: { ...nullable(Id), description: "Null of a curated one that was never enabled." },
  published_by_actor_id: { ...nullable(Id), description: "Who published the version that is shown." },
  published_at: nullable(Timestamp),
});
export const AgentDefinition = single(
  object({ ...AgentDefinitionRow.properties, instructions: definitionFields.instructions }),
);

const DRAFTS = "A draft by whoever made it, and by those who manage Agents.";

export const listStudioDefinitions = list(
  "GET /workspaces/{workspace_id}/agents/studio/definitions",
  "List the Workspace's own definitions of Agents",
  {
    description:
      "The newest first, each at its newest version. Left out is what is narrowed to Projects that you do not see.",
    auth: [S],
    query: object({
      state: Type.Optional({ ...Type.Enum([...definitionStates]), description: "Only those in this state." }),
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
      "By every member; what it may do is decided when it is published. " +
      `At most ${MOST_DEFINITIONS}. Left out: ` +
      "no description, started by hand, in every Project, budgets of 20 runs an hour, 300 seconds, " +
      "36 steps and 100,000 tokens a run, 1,000,000 tokens a day.",
    auth: [S],
    status: 201,
    creates: "/workspaces/{workspace_id}/agents/studio/definitions/{id}",
    body: object({
      name: definitionFields.name,
      description: Type.Optional(definitionFields.description),
      instructions: definitionFields.instructions,
      tools: definitionFields.tools,
      triggers: Type.Optional(definitionFields.triggers),
      project_ids: Type.Optional({ ...definitionFields.project_ids, description: "Left out or empty: every Project." }),
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
    description: "Also one that comes with the service.",
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
      `${DRAFTS} A published version never changes: changing the definition makes its next draft. ` +
      `\`state\` and \`decide\` need agents:manage. Publishing moves the Agent of the definition to the new ` +
      "version; retiring pauses it. A decision is sent alone; approving a request to publish publishes the " +
      `draft as you have read it. One that comes with the service cannot be changed; \`state: ` +
      `published\`, alone, takes its newest version, where the service has a newer one than the Workspace.`,
    auth: [S],
    ifMatch: "required",
    body: patch({
      ...definitionFields,
      state: { ...Type.Enum(["published", "retired"]), description: "Together with changes: these are published." },
      decide: object({ request_id: Id, decision: Type.Enum(["approve", "reject"]) }),
    }),
    example: { instructions: "Welcome whoever opens their first Task.", state: "published" },
    returns: AgentDefinition,
    errors: ["invalid_reference", "agent_narrowed", "request_decided"],
  },
);
