// Runs of Agents. Every reader of Agents sees a run's existence, state and cost; its prompt, steps and texts are
// visible only to its initiator.
import Type from "typebox";
import { list, op, S } from "../../kit.ts";
import { Id, nullable, object, resource, single, Timestamp } from "../../types.ts";

export const runStates = [
  "queued",
  "running",
  "waiting",
  "cancel_requested",
  "completed",
  "failed",
  "cancelled",
] as const;
export const RunUsage = object({
  steps: Type.Integer({ minimum: 0 }),
  input_tokens: Type.Integer({ minimum: 0 }),
  output_tokens: Type.Integer({ minimum: 0 }),
  cost: Type.Number({ minimum: 0, description: "Credits." }),
});
export const runFields = {
  ...resource,
  workspace_id: Id,
  agent_id: Id,
  definition_id: Id,
  version: Type.Integer({ minimum: 1 }),
  parent_run_id: { ...nullable(Id), description: "The run of Discuss that started it." },
  initiator_actor_id: { ...Id, description: "For whom it acts, with no more than they may." },
  trigger: Type.Enum(["manual", "mention", "assignment", "schedule", "event", "delegation", "discuss"]),
  state: Type.Enum([...runStates], {
    description: "waiting: all is said, and something it wants to change waits for its initiator.",
  }),
  error_code: {
    ...nullable(Type.String({ examples: ["model_required"] })),
    description:
      "Why it failed. `runs_exceeded`: when a mention, an assignment, an event or a schedule was to start it, " +
      "its initiator or the Workspace had as many open runs as they may.",
  },
  limited: Type.Boolean({ description: "Made of facts by plain rules: no model had a part in it." }),
  usage: RunUsage,
  started_at: nullable(Timestamp),
  ended_at: nullable(Timestamp),
};
export const AgentRunRow = object({
  ...runFields,
  dry_run: Type.Boolean({ description: "It changes nothing, and says what it would change." }),
  task_id: { ...nullable(Id), description: "The Task that it is about; only its initiator is told." },
});
export const AgentRun = single(AgentRunRow);

/** Reason why the operations on runs record no domain event themselves. */
export const unheard =
  "What a run does to work is recorded under the Agent's name. Each revision of the run is told by the database, " +
  "whoever makes it.";
const RUN = "/workspaces/{workspace_id}/agents/{agent_id}/runs/{run_id}" as const;
export const startErrors = [
  "project_archived",
  "invalid_reference",
  "agent_not_active",
  "agent_not_started_so",
  "agent_runs_exceeded",
  "runs_exceeded",
] as const;

export const listAgentRuns = list(
  "GET /workspaces/{workspace_id}/agents/{agent_id}/runs",
  "List the runs of an Agent",
  {
    description: "The newest first. Everybody who reads Agents sees state, times and cost.",
    auth: [S],
    query: object({ state: Type.Optional({ ...Type.Enum([...runStates]), description: "Only these." }) }),
    include: ["people"],
    items: AgentRunRow,
  },
);

export const startAgentRun = op("POST /workspaces/{workspace_id}/agents/{agent_id}/runs", "Have an Agent begin", {
  description:
    "Needs agents:run, and an Agent that is started by hand. It acts for you: with what its definition allows and " +
    "you may do now, whichever is less. About a Task, it stays within that Task's Project. " +
    "What it wants to change becomes an action that waits for you, but for as many small changes as its " +
    "budgets let it make at once.",
  auth: [S],
  status: 201,
  creates: "/workspaces/{workspace_id}/agents/{agent_id}/runs/{id}",
  idempotencyKey: "required",
  body: object({
    input: Type.Optional(
      Type.String({ maxLength: 20_000, format: "body", description: "What it is to do this time." }),
    ),
    task_id: Type.Optional(Id),
    dry_run: Type.Optional(Type.Boolean({ description: "Change nothing; say what it would change." })),
  }),
  example: { input: "Sum up the last two days.", dry_run: true },
  returns: AgentRun,
  quiet: unheard,
  errors: startErrors,
});

export const getAgentRun = op(`GET ${RUN}`, "Read a run of an Agent", {
  auth: [S],
  include: ["people"],
  returns: AgentRun,
});

export const cancelAgentRun = op(`POST ${RUN}/cancel`, "Cancel a run of an Agent", {
  description:
    "By its initiator, and by those who manage Agents. One that waits ends at once, and so does what it waits " +
    "for; one that runs stops at its next step. What it has done stays. One that has ended is answered as it is.",
  auth: [S],
  returns: AgentRun,
  quiet: unheard,
});
