// Decides which tool calls of an Agent run. The Agent reads under the rights of its definition and its initiator. Every
// change becomes an action: a small one is made at once while the Agent's budget lasts and the run has received no text
// that somebody else wrote; any other waits for the initiator, bound to a digest. A dry run changes nothing.
import type { ToolCall } from "../../../platform/outside/external-systems.ts";
import { Refusal } from "../../../platform/wire/problem.ts";
import { fieldChanges } from "../../runs/field-rules.ts";
import type { StepJournal } from "../../runs/journal.ts";
import { derivedId, RunEnded } from "../../runs/rules.ts";
import { attempted, readsOthers, refusedWith, runTool } from "../../runs/tool-call.ts";
import { callingWith } from "../../tools/operation-calls.ts";
import type { Args, Tool } from "../../tools/tool.ts";
import { agentTools, createProjectDocument, editDocument, faultsOf, toolsFor, writeEdits } from "../../tools/tools.ts";
import { addAction, endAction, madeAtOnce, type NewAgentAction } from "./action-store.ts";
import { agentTerms } from "./agent-terms.ts";
import type { AgentDependencies } from "./dependencies.ts";
import {
  canBeSmall,
  changesIn,
  digestOf,
  isToldByOthers,
  previewOf,
  projectOf,
  type ToolChange,
  targetOf,
} from "./run-rules.ts";
import { type ClaimedAgentRun, reachedBy } from "./run-store.ts";
import { textsFor } from "./texts.ts";

/** Kind and scopes of an Agent when it uses tools: it is no person. */
const SELF = { kind: "service", scopes: ["svc:read", "svc:write"] };
const own = toolsFor(SELF);
/** Tools that make a single change. */
const CHANGES = ["create_task", "update_task", "advance_task", "comment"];
const changing = new Map(
  [...own.filter(({ name }) => CHANGES.includes(name)), createProjectDocument, writeEdits].map((tool) => [
    tool.name,
    tool,
  ]),
);
const named = (name: string) => agentTools.find((tool) => tool.name === name) as Tool;
const [getTask, getDocument] = [named("get_task"), named("get_document")];
const readable = own.filter(({ annotations }) => annotations.readOnlyHint);
const together = named("propose_changes");
const wanting = [...own.filter(({ name }) => CHANGES.includes(name)), createProjectDocument, editDocument, together];

export interface AgentToolResult {
  result: string;
  refused: boolean;
  value: Args | null;
  readOthers: boolean;
}
export interface AgentGate {
  offered: readonly Tool[];
  use(call: ToolCall): Promise<AgentToolResult>;
  /** Performs an approved action, once. */
  perform(action: { id: string; kind: string; input: string }): Promise<{ state: "done" | "refused"; result: string }>;
}

export function openGate(
  kit: AgentDependencies,
  run: ClaimedAgentRun,
  journal: StepJournal,
  signal: AbortSignal,
  standing: () => Promise<void>,
): AgentGate {
  const { held } = journal;
  const { workspaceId, id } = held;
  const reads = run.trigger === "discuss";
  const calling = (scopes: readonly string[]) =>
    callingWith({ host: kit.host, terms: agentTerms(workspaceId, id, scopes), correlationId: id, signal, workspaceId });
  const self = { kind: SELF.kind, actor_id: run.actor_id, scopes: SELF.scopes };
  const running = (tool: Tool, args: Args, key: string) =>
    runTool(tool, args, { calling, key, self, origin: kit.origin(), signal });
  const row = (actionId: string) => `agents ${actionId}`;
  let hasRead = run.read_others || isToldByOthers(run);

  const gate: AgentGate = {
    offered: [...readable, ...(reads ? [] : wanting)].filter(({ name }) => run.tools.includes(name)),
    async use(call) {
      const { answer } = await journal.step<AgentToolResult>(
        "tool",
        { name: call.name, input: call.input },
        async (number) => {
          await standing();
          const answer: AgentToolResult = await attempted(
            gate.offered,
            call,
            async (tool, args): Promise<AgentToolResult> => {
              if (!tool.annotations.readOnlyHint) return wanted(tool, args, number);
              const value = await running(tool, args, journal.keyOf(number));
              return { result: JSON.stringify(value), refused: false, value, readOthers: readsOthers(tool) };
            },
          );
          return { answer, readOthers: answer.readOthers };
        },
      );
      hasRead ||= answer.readOthers;
      return answer;
    },
    async perform({ id: actionId, kind, input }) {
      const opened = kit.secrets.open(input, row(actionId));
      const tool = changing.get(kind);
      if (opened === null || !tool) throw new RunEnded("internal");
      await standing();
      const stored = JSON.parse(opened) as Args;
      // Releases before 0.12.0 stored the arguments alone.
      const { args, seen = null } = stored.args ? stored : { args: stored };
      const outcome = await made(tool, args, actionId, () => proposeAgain({ tool: kind, args }, seen, actionId));
      return outcome.refused ? { state: "refused", result: outcome.result } : { state: "done", result: outcome.result };
    },
  };

  /** Uses the id of the action as idempotency key. `moved` decides what follows if the target has a newer revision. */
  async function made(tool: Tool, args: Args, actionId: string, moved = async (): Promise<string | null> => null) {
    const call = { id: actionId, name: tool.name, input: args };
    const outcome = await attempted([tool], call, async () => {
      const value = await running(tool, args, `agents-${actionId}`);
      return { result: JSON.stringify(value), refused: false as const, value, readOthers: readsOthers(tool) };
    });
    const receiptId = outcome.refused || typeof outcome.value.command !== "string" ? null : outcome.value.command;
    const state = outcome.refused ? ("refused" as const) : ("done" as const);
    const isMoved = outcome.refused && outcome.code === "revision_conflict";
    const refusal = outcome.refused ? ((isMoved ? await moved() : null) ?? outcome.result) : null;
    await endAction(kit.writer, held, actionId, { state, receiptId, refusal });
    return outcome;
  }

  /** Present state of the Task that a change names; null if it names none, or the Task cannot be read. */
  const taskOf = ({ args }: ToolChange, actionId: string): Promise<Args | null> =>
    args.code === undefined || args.revision === undefined
      ? Promise.resolve(null)
      : running(getTask, { code: args.code }, `agents-${actionId}`).then(
          ({ task }) => task as Args,
          () => null,
        );

  /** Rebases the edits onto the current text of the Document; null if it is gone, or the same place was edited. */
  async function redrafted({ path, patch, version }: Args, key: string): Promise<Args | null> {
    try {
      const { content_revision: revision } = await running(getDocument, { path }, key);
      const draft = await running(editDocument, { path, revision, patch, version }, key);
      return draft.more === undefined
        ? { path, revision, patch: draft.patch, version: draft.version, diff: draft.diff }
        : null;
    } catch (error) {
      if (error instanceof Refusal) return null;
      throw error;
    }
  }

  /**
   * Proposes a change again that was approved too late, on the current revision and with the differences. Returns why
   * the first one was refused.
   */
  async function proposeAgain(change: ToolChange, seen: Args | null, actionId: string): Promise<string | null> {
    const texts = textsFor(run);
    const again = derivedId(actionId, "again");
    const target = targetOf(change);
    if (change.args.path !== undefined) {
      const args = await redrafted(change.args, `agents-${again}`);
      if (args === null) return null;
      const revisions = `content_revision: ${change.args.revision} → ${args.revision}`;
      const changed = [texts.changedSince(target), revisions, "", ""].join("\n");
      await stored({ ...change, args }, again, null, "waiting", null, changed);
      return texts.proposedAgain(target);
    }
    const now = await taskOf(change, again);
    if (now === null) return null;
    const lines = seen
      ? fieldChanges(seen, now).map(({ field, before, after }) => `${field}: ${before} → ${after}`)
      : [];
    const changed = [texts.changedSince(target), ...lines, "", ""].join("\n");
    const update = { ...change, args: { ...change.args, revision: now.revision } };
    await stored(update, again, null, "waiting", now, changed);
    return texts.proposedAgain(target);
  }

  /** Turns the proposed changes of an Agent into one action each. */
  async function wanted(tool: Tool, args: Args, number: number): Promise<AgentToolResult> {
    const edits = tool === editDocument ? await drafted(args, number) : null;
    if (edits && "refused" in edits) return edits;
    const changes = tool === together ? changesIn(args) : [edits ?? { tool: tool.name, args }];
    if (!changes)
      return refusedWith(
        "Agents create and update Tasks, comment on them, and have create_document and patch_document, " +
          "one by one: leave the other changes out.",
      );
    for (const change of changes) {
      const faults = faultsOf(changing.get(change.tool) as Tool, change.args);
      if (faults.length > 0) throw new Refusal("invalid_request", { errors: faults });
    }
    const said: Args[] = [];
    for (const [at, change] of changes.entries()) {
      const actionId = derivedId(id, `action ${number} ${at}`);
      const { readOthers, ...outcome } = await action(change, actionId, number * 1000 + at);
      hasRead ||= readOthers;
      said.push(outcome);
    }
    const value = { actions: said };
    return { result: JSON.stringify(value), refused: false, value, readOthers: hasRead };
  }

  /** Computes the resulting text of the Document, so that its approver sees exactly that. */
  async function drafted(args: Args, number: number): Promise<ToolChange | AgentToolResult> {
    const { patch, version, diff, more } = await running(editDocument, args, journal.keyOf(number));
    if (more !== undefined) return refusedWith("The Document has changed since you read it: read it again.");
    return { tool: editDocument.name, args: { path: args.path, revision: args.revision, patch, version, diff } };
  }

  function stored(
    change: ToolChange,
    actionId: string,
    number: number | null,
    state: NewAgentAction["state"],
    seen: Args | null,
    changed = "",
  ) {
    return addAction(kit.writer, held, {
      id: actionId,
      number,
      kind: change.tool,
      target: targetOf(change),
      state,
      preview: changed + previewOf(change),
      input: kit.secrets.seal(JSON.stringify({ args: change.args, seen }), row(actionId)),
      approval:
        state === "waiting" ? { id: derivedId(actionId, "approval"), digest: digestOf(id, actionId, change) } : null,
    });
  }

  async function action(change: ToolChange, actionId: string, place: number): Promise<Args & { readOthers: boolean }> {
    const asked = run.dry_run ? "planned" : (await isSmall(change)) ? "approved" : "waiting";
    const seen = asked === "waiting" ? await taskOf(change, actionId) : null;
    const state = await stored(change, actionId, place, asked, seen);
    const about = { kind: change.tool, target: targetOf(change), readOthers: false };
    if (state === "planned") return { ...about, state, more: "A dry run: nothing was changed." };
    if (state === "waiting") return { ...about, state, more: "Nothing has happened: it waits for the person." };
    if (state !== "approved") return { ...about, state };
    const { refused, result, readOthers } = await made(changing.get(change.tool) as Tool, change.args, actionId);
    return { ...about, readOthers, state: refused ? "refused" : "done", result };
  }

  /** A tainted run changes nothing without approval, whatever its budget. */
  async function isSmall(change: ToolChange): Promise<boolean> {
    if (hasRead || !canBeSmall(change)) return false;
    const most = run.budgets.changes_at_once ?? 0;
    if (most === 0 || (await madeAtOnce(kit.writer, held)) >= most) return false;
    const key = projectOf(change);
    return (await reachedBy(kit.writer, held)).some((project) => project.key === key);
  }
  return gate;
}
