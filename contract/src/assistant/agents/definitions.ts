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
      "By hand, by a mention in a comment or a Document, by being assigned a Task, at a time, or by something " +
      "that happens.",
  }),
  at: Type.Optional(
    Type.String({
      maxLength: 5,
      pattern: "^(?:[01]\\d|2[0-3]):[0-5]\\d$",
      description: "Of a schedule: the time of the day.",
      examples: ["07:30"],
    }),
  ),
  timezone: Type.Optional({ ...TimeZone, description: "Of a schedule: where that time is." }),
  weekdays: Type.Optional(
    Type.Array(Type.Integer({ minimum: 1, maximum: 7 }), {
      minItems: 1,
      maxItems: 7,
      uniqueItems: true,
      description: "Of a schedule: on which days, 1 being Monday; left out: on every day.",
    }),
  ),
  action: Type.Optional(Type.Enum([...triggerActions], { description: "Of an event: what happens." })),
});

const limit = (minimum: number, maximum: number, description: string) =>
  Type.Integer({ minimum, maximum, description: `${description} ${minimum} to ${maximum}.` });
const budgets = {
  runs_per_hour: limit(1, 60, "Runs that begin within an hour."),
  seconds_per_run: limit(30, 600, "How long a run may take."),
  steps_per_run: limit(1, 100, "Questions to a model and calls of tools in a run."),
  tokens_per_run: limit(1_000, 200_000, "Tokens of a run, in and out."),
  tokens_per_day: limit(1_000, 10_000_000, "Tokens of all its runs in a day of UTC."),
  changes_at_once: limit(
    0,
    20,
    "Changes that a run makes without asking: it creates or updates Tasks, or comments on them, " +
      "before it receives any text that somebody else wrote. A reading tool, a returned title, " +
      "a refusal that lists names, a mention and a Document's path are such text: " +
      "after them every change waits for approval.",
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
  description: "What it is narrowed to; empty: every Project.",
});

/** The fields of a definition, as input. */
export const definitionFields = {
  name: Name(80),
  description: { ...Line(500), description: "What it is good for, in a sentence or two." },
  instructions: Type.String({
    minLength: 1,
    maxLength: MOST_INSTRUCTIONS,
    format: "body",
    description: "What it is to do, and what not, in plain words.",
  }),
  tools: Type.Array(ToolName, {
    minItems: 1,
    maxItems: MOST_AGENT_TOOLS,
    uniqueItems: true,
    description: "What it may call: names of the tools that MCP clients are shown.",
  }),
  triggers: Type.Array(AgentTrigger, {
    minItems: 1,
    maxItems: MOST_TRIGGERS,
    description: "What starts it. Manual, mention and assignment at most once each.",
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
  project_ids: { ...ProjectIds, description: "Those that you see of the Projects that it is narrowed to." },
  every_project: Type.Boolean({ description: "It is narrowed to none." }),
  budgets: AgentBudgets,
};

export const AgentDefinitionOption = object({
  id: Id,
  curated: nullable(
    Type.String({ description: "The key of one that comes with the service; null of the Workspace's own." }),
  ),
  ...definitionRead,
  translations: Type.Array(object({ language: Type.String(), name: Type.String(), description: Type.String() }), {
    description: "Of a curated one, in other languages.",
  }),
  version: Type.Integer({ minimum: 1 }),
  agent_id: { ...nullable(Id), description: "The Agent that the Workspace has of it; null: none yet." },
});

export const listAgentDefinitions = list(
  "GET /workspaces/{workspace_id}/agents/definitions",
  "List what can be enabled as an Agent",
  {
    description:
      "Those that come with the service in their order, then the Workspace's own that are published, the oldest first.",
    auth: [S],
    items: AgentDefinitionOption,
  },
);
