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
  cost: Type.Number({ minimum: 0, description: "Cost in credits." }),
});
export const runFields = {
  ...resource,
  workspace_id: Id,
  agent_id: Id,
  definition_id: Id,
  version: Type.Integer({ minimum: 1 }),
  parent_run_id: { ...nullable(Id), description: "Discuss run that started it." },
  initiator_actor_id: { ...Id, description: "Actor on whose behalf the run acts, with no more rights than theirs." },
  trigger: Type.Enum(["manual", "mention", "assignment", "schedule", "event", "delegation", "discuss"]),
  state: Type.Enum([...runStates], {
    description: "waiting: the answer is complete, and an action waits for the initiator.",
  }),
  error_code: {
    ...nullable(Type.String({ examples: ["model_required"] })),
    description:
      "Reason of the failure. `runs_exceeded`: when a mention, an assignment, an event or a schedule was " +
      "to start it, its initiator or the Workspace had as many open runs as they may.",
  },
  limited: Type.Boolean({ description: "Whether it was made by fixed rules from facts, without a model." }),
  usage: RunUsage,
  started_at: nullable(Timestamp),
  ended_at: nullable(Timestamp),
};
export const AgentRunRow = object({
  ...runFields,
  dry_run: Type.Boolean({ description: "Whether it only reports the changes that it would make." }),
  task_id: { ...nullable(Id), description: "Task of the run; only its initiator sees it." },
});
export const AgentRun = single(AgentRunRow);

/** Reason why the operations on runs record no domain event themselves. */
export const unheard =
  "Changes of a run are recorded under the Agent's name. The database publishes each revision of the " +
  "run, whoever makes it.";
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
    description: "Lists runs, the newest first. Everybody who can read Agents sees state, times and cost.",
    auth: [S],
    query: object({ state: Type.Optional({ ...Type.Enum([...runStates]), description: "Only runs in this state." }) }),
    include: ["people"],
    items: AgentRunRow,
  },
);

export const startAgentRun = op("POST /workspaces/{workspace_id}/agents/{agent_id}/runs", "Start a run of an Agent", {
  description:
    "Needs agents:run, and an Agent with a manual trigger. The run acts on your behalf, with the " +
    "rights that both its definition and you have at the time. A run about a Task stays within that " +
    "Task's Project. Changes become actions that wait for you, except for as many small changes as its " +
    "budgets allow at once.",
  auth: [S],
  status: 201,
  creates: "/workspaces/{workspace_id}/agents/{agent_id}/runs/{id}",
  idempotencyKey: "required",
  body: object({
    input: Type.Optional(Type.String({ maxLength: 20_000, format: "body", description: "Instruction for this run." })),
    task_id: Type.Optional(Id),
    dry_run: Type.Optional(
      Type.Boolean({ description: "true: changes nothing and reports the changes that it would make." }),
    ),
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
    "Only its initiator, and those who manage Agents, can cancel it. A waiting run ends at once with " +
    "its pending actions; a running one stops at its next step. Changes that it made remain. A run " +
    "that has ended is returned unchanged.",
  auth: [S],
  returns: AgentRun,
  quiet: unheard,
});
