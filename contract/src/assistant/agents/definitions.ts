// Definitions of Agents: the fields of a definition, and the definitions that a Workspace can enable.
import Type from "typebox";
import { list, S } from "../../kit.ts";
import { Id, Line, Name, nullable, object, TimeZone } from "../../types.ts";

export const triggerKinds = ["manual", "mention", "assignment", "schedule", "event"] as const;
/** Domain events that may trigger an Agent automatically. */
export const triggerActions = [
  "task.created",
  "task.status_changed",
  "task.priority_changed",
  "task.labels_changed",
  "task.dates_changed",
  "task.comment.created",
  "document.created",
  "document.content_updated",
  "milestone.stage_changed",
] as const;
export const MOST_TRIGGERS = 10;
export const MOST_AGENT_TOOLS = 30;
export const MOST_AGENT_PROJECTS = 100;
export const MOST_INSTRUCTIONS = 20_000;

export const AgentTrigger = object({
  kind: Type.Enum([...triggerKinds], {
    description:
      "How a run starts: manually, by a mention in a comment or a Document, by the assignment of a Task, " +
      "by a schedule, or by an event.",
  }),
  at: Type.Optional(
    Type.String({
      maxLength: 5,
      pattern: "^(?:[01]\\d|2[0-3]):[0-5]\\d$",
      description: "For a schedule: the time of day.",
      examples: ["07:30"],
    }),
  ),
  timezone: Type.Optional({ ...TimeZone, description: "For a schedule: the time zone of that time." }),
  weekdays: Type.Optional(
    Type.Array(Type.Integer({ minimum: 1, maximum: 7 }), {
      minItems: 1,
      maxItems: 7,
      uniqueItems: true,
      description: "For a schedule: days of the week, 1 being Monday; if omitted, every day.",
    }),
  ),
  action: Type.Optional(Type.Enum([...triggerActions], { description: "For an event: its action." })),
});

const limit = (minimum: number, maximum: number, description: string) =>
  Type.Integer({ minimum, maximum, description: `${description} ${minimum} to ${maximum}.` });
const budgets = {
  runs_per_hour: limit(1, 60, "Maximum number of runs that start within an hour."),
  seconds_per_run: limit(30, 600, "Maximum duration of a run."),
  steps_per_run: limit(1, 100, "Maximum number of model requests and tool calls in a run."),
  tokens_per_run: limit(1_000, 200_000, "Maximum number of tokens of a run, input and output."),
  tokens_per_day: limit(1_000, 10_000_000, "Maximum number of tokens of all runs in a day (UTC)."),
  changes_at_once: limit(
    0,
    20,
    "Maximum number of changes that a run makes without asking: it creates or updates Tasks, or " +
      "comments on them, before it receives any text that somebody else wrote. A reading tool, a " +
      "returned title, a refusal that lists names, a mention and a Document's path are such text: after " +
      "them every change waits for approval.",
  ),
};
export const AgentBudgets = object(budgets);
/** An omitted budget keeps its default. */
export const GivenBudgets = Type.Partial(Type.Object(budgets), { additionalProperties: false });

export const definitionStates = ["draft", "published", "retired"] as const;
const ToolName = Type.String({ minLength: 1, maxLength: 40, pattern: "^[a-z_]+$", examples: ["find"] });
const ProjectIds = Type.Array(Id, {
  maxItems: MOST_AGENT_PROJECTS,
  uniqueItems: true,
  description: "Projects that it is narrowed to; empty: every Project.",
});

/** The fields of a definition, as input. */
export const definitionFields = {
  name: Name(80),
  description: { ...Line(500), description: "Purpose of the Agent, in a sentence or two." },
  instructions: Type.String({
    minLength: 1,
    maxLength: MOST_INSTRUCTIONS,
    format: "body",
    description: "Instructions in plain words: what the Agent does and does not do.",
  }),
  tools: Type.Array(ToolName, {
    minItems: 1,
    maxItems: MOST_AGENT_TOOLS,
    uniqueItems: true,
    description: "Tools that the Agent may call, by the names that MCP clients see.",
  }),
  triggers: Type.Array(AgentTrigger, {
    minItems: 1,
    maxItems: MOST_TRIGGERS,
    description: "Triggers that start a run. Manual, mention and assignment at most once each.",
  }),
  project_ids: ProjectIds,
  budgets: GivenBudgets,
};
/** The fields of a definition, as output. */
export const definitionRead = {
  name: definitionFields.name,
  description: definitionFields.description,
  tools: definitionFields.tools,
  triggers: definitionFields.triggers,
  project_ids: { ...ProjectIds, description: "Projects that it is narrowed to, as far as you see them." },
  every_project: Type.Boolean({ description: "Whether it is narrowed to no Project." }),
  budgets: AgentBudgets,
};

export const AgentDefinitionOption = object({
  id: Id,
  curated: nullable(
    Type.String({ description: "Key of a definition that comes with the service; null for the Workspace's own." }),
  ),
  ...definitionRead,
  translations: Type.Array(object({ language: Type.String(), name: Type.String(), description: Type.String() }), {
    description: "Translations of a definition that comes with the service.",
  }),
  version: Type.Integer({ minimum: 1 }),
  agent_id: { ...nullable(Id), description: "Agent of the definition in the Workspace; null: none yet." },
});

export const listAgentDefinitions = list(
  "GET /workspaces/{workspace_id}/agents/definitions",
  "List the definitions of Agents that can be enabled",
  {
    description:
      "Lists definitions that come with the service in their order, then the published ones of the " +
      "Workspace, the oldest first.",
    auth: [S],
    items: AgentDefinitionOption,
  },
);
