// Delegation to Agents: how an answer starts a specialist run, and how its result is delivered. The result may contain
// text by others, and taints every later turn.
import Type from "typebox";
import { inWorkspace } from "../../../platform/background/jobs.ts";
import type { Queries } from "../../../platform/database/db.ts";
import type { ClaimedAgentRun, Output } from "../../agents/execution/run-store.ts";
import { derivedId } from "../../runs/rules.ts";
import { refusedWith } from "../../runs/tool-call.ts";
import { type Args, type Tool, tool } from "../../tools/tool.ts";
import type { AnswerJournal } from "../answers/answer-journal.ts";
import type { DiscussDependencies } from "../answers/dependencies.ts";
import type { ClaimedDiscussRun } from "../answers/run-store.ts";
import type { PartOf } from "../rules.ts";
import { agentNames, deliverMessage, revisionOf, startSpecialist } from "./specialist-store.ts";

const closed = { additionalProperties: false };
/** Tool of Discuss alone, which handles it: it calls no operation. */
export const askAgent: Tool = tool({
  name: "ask_agent",
  description:
    "Hand a part of the work to one of the Workspace's Agents, by its name. It works on its own, " +
    "and its result arrives as a message of its own.",
  operations: [],
  scopes: ["svc:agents:write"],
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true },
  input: Type.Object(
    {
      agent: Type.String({ minLength: 1, maxLength: 80, description: "Its name" }),
      task: Type.String({ minLength: 1, maxLength: 20_000, description: "What it is to find out" }),
    },
    closed,
  ),
  output: Type.Object({ state: Type.String(), name: Type.String() }),
  run: async () => ({}),
});

/** Idempotent per step. */
export async function handOver(
  kit: DiscussDependencies,
  run: ClaimedDiscussRun,
  { held }: AnswerJournal,
  args: Args,
  number: number,
) {
  const { writer } = kit;
  const parent = {
    runId: held.id,
    turnId: run.turn_id,
    credentialId: run.credential_id,
    credentialKind: run.credential_kind,
  };
  const asked = {
    actorId: run.actor_id,
    agent: args.agent,
    input: args.task,
    cause: `discuss ${held.id} ${number}`,
    parent,
  };
  const { started, names } = await inWorkspace(writer, held.workspaceId, async (tx) => {
    const started = await startSpecialist(tx, kit.runLimits, asked);
    return { started, names: started === null ? await agentNames(tx, run.actor_id) : [] };
  });
  if (started === null)
    return refusedWith(
      names.length === 0
        ? "The Workspace has no Agent that you can ask."
        : `No Agent is called that. There are: ${names.join(", ")}.`,
      "not_found",
      true,
    );
  if (started === "crowded")
    return refusedWith(
      "As many runs are under way as the person or the Workspace may have. Tell them to ask again later.",
    );
  if (started === "exceeded") return refusedWith("It has begun as many runs as it may within an hour.");
  const value: Args = { state: "started", name: started.name, run: started.id };
  return { result: JSON.stringify(value), refused: false as const, value, readOthers: true, code: null };
}

const FAILED = "It could not be found out.";
/** Runs in the commit that ends the run, so that the result is delivered exactly once. */
export async function deliver(
  tx: Queries,
  run: ClaimedAgentRun,
  { outputs, error }: { outputs: readonly Output[]; error: string | null },
) {
  if (run.parent_run_id === null || run.parent_turn_id === null) return;
  const part: PartOf<"specialist_result"> = {
    kind: "specialist_result",
    part_id: derivedId(run.id, `result ${run.fence}`),
    specialist_run_id: run.id,
    delivery_mode: "direct",
    state: error === null ? "completed" : "failed",
    error_code: error,
    author: {
      actor_id: run.actor_id,
      definition_id: run.definition_id,
      version: run.version,
      name: run.name,
      revision: await revisionOf(tx, run.agent_id),
      initiator_actor_id: run.initiator_actor_id,
      parent_run_id: run.parent_run_id,
    },
  };
  const content = error === null ? outputs.map(({ text }) => text).join("\n\n") : FAILED;
  const id = derivedId(run.id, `message ${run.fence}`);
  await deliverMessage(tx, run.initiator_actor_id, { id, turnId: run.parent_turn_id, content, parts: [part] });
}
