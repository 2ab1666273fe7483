// What stands between an Agent and the tools. It reads under what its definition and its initiator may. Every change becomes an action: a small one is made at once where the
// Agent's budgets let it, and where nobody reads it who could not read what it stands on; any other waits for the initiator, bound to a digest. In a dry run nothing is changed.
// Whatever a text says, no text gets past this.
import type { ToolCall } from "../outside/outside.ts";
import type { Journal } from "../runs/journal.ts";
import { derivedId, RunEnded } from "../runs/rules.ts";
import { attempted, readsOthers, refusedWith, runTool } from "../runs/using.ts";
import { callingWith } from "../tools/calling.ts";
import type { Args, Tool } from "../tools/tool.ts";
import { agentTools, createDocument, editDocument, faultsOf, toolsFor, writeEdits } from "../tools/tools.ts";
import { Refusal } from "../wire/problem.ts";
import { agentTerms } from "./acting.ts";
import { addAction, endAction, madeAtOnce } from "./action-store.ts";
import type { Kit } from "./kit.ts";
import {
  type Change,
  canBeSmall,
  changesIn,
  digestOf,
  previewOf,
  projectOf,
  targetOf,
  withinAudience,
} from "./run-rules.ts";
import { type RunRow, reachedBy } from "./run-store.ts";

/** As which an Agent uses them: it is no person. */
const SELF = { kind: "service", scopes: ["svc:read", "svc:write"] };
const own = toolsFor(SELF);
/** A change, as the tool that makes it. */
const CHANGES = ["create_task", "update_task", "advance_task", "comment"];
const changing = new Map(
  [...own.filter(({ name }) => CHANGES.includes(name)), createDocument, writeEdits].map((tool) => [tool.name, tool]),
);
/** Proposed together, and each an action of its own. */
const together = agentTools.find(({ name }) => name === "propose_changes") as Tool;
const readable = own.filter(({ annotations }) => annotations.readOnlyHint);
const wanting = [...own.filter(({ name }) => CHANGES.includes(name)), createDocument, editDocument, together];

export interface Used {
  result: string;
  refused: boolean;
  value: Args | null;
  readOthers: boolean;
}
export interface Gate {
  offered: readonly Tool[];
  use(call: ToolCall): Promise<Used>;
  /** What was approved, once. */
  perform(action: { id: string; kind: string; input: string }): Promise<{ state: "done" | "refused"; result: string }>;
}

export function openGate(
  kit: Kit,
  run: RunRow,
  journal: Journal,
  signal: AbortSignal,
  standing: () => Promise<void>,
): Gate {
  const { held } = journal;
  const { workspaceId, id } = held;
  const reads = run.trigger === "discuss";
  const calling = (scopes: readonly string[]) =>
    callingWith({ host: kit.host, terms: agentTerms(workspaceId, id, scopes), correlationId: id, signal, workspaceId });
  const self = { kind: SELF.kind, actor_id: run.actor_id, scopes: SELF.scopes };
  const running = (tool: Tool, args: Args, key: string) =>
    runTool(tool, args, { calling, key, self, origin: kit.origin(), signal });
  const row = (actionId: string) => `agents ${actionId}`;
  let hasRead = run.read_others;

  const gate: Gate = {
    offered: [...readable, ...(reads ? [] : wanting)].filter(({ name }) => run.tools.includes(name)),
    async use(call) {
      const { answer } = await journal.step<Used>("tool", { name: call.name, input: call.input }, async (number) => {
        await standing();
        const answer: Used = await attempted(gate.offered, call, async (tool, args): Promise<Used> => {
          if (!tool.annotations.readOnlyHint) return wanted(tool, args, number);
          const value = await running(tool, args, journal.keyOf(number));
          return { result: JSON.stringify(value), refused: false, value, readOthers: readsOthers(tool, value) };
        });
        return { answer, readOthers: answer.readOthers };
      });
      hasRead ||= answer.readOthers;
      return answer;
    },
    async perform({ id: actionId, kind, input }) {
      const opened = kit.secrets.open(input, row(actionId));
      const tool = changing.get(kind);
      if (opened === null || !tool) throw new RunEnded("internal");
      await standing();
      const outcome = await made(tool, JSON.parse(opened) as Args, actionId);
      return outcome.refused ? { state: "refused", result: outcome.result } : { state: "done", result: outcome.result };
    },
  };

  /** Done under the key of the action: done again, it is the same. */
  async function made(tool: Tool, args: Args, actionId: string) {
    const call = { id: actionId, name: tool.name, input: args };
    const outcome = await attempted([tool], call, async () => {
      const value = await running(tool, args, `agents-${actionId}`);
      return { result: JSON.stringify(value), refused: false as const, value };
    });
    const receiptId = outcome.refused || typeof outcome.value.command !== "string" ? null : outcome.value.command;
    const state = outcome.refused ? ("refused" as const) : ("done" as const);
    await endAction(kit.writer, held, actionId, { state, receiptId, refusal: outcome.refused ? outcome.result : null });
    return outcome;
  }

  /** What an Agent wants to change, each as an action. */
  async function wanted(tool: Tool, args: Args, number: number): Promise<Used> {
    const edits = tool === editDocument ? await drafted(args, number) : null;
    if (edits && "refused" in edits) return edits;
    const changes = tool === together ? changesIn(args) : [edits ?? { tool: tool.name, args }];
    if (!changes)
      return refusedWith(
        "Agents create and update Tasks, comment on them, and have create_document and patch_document, one by one: leave the other changes out.",
      );
    for (const change of changes) {
      const faults = faultsOf(changing.get(change.tool) as Tool, change.args);
      if (faults.length > 0) throw new Refusal("invalid_request", { errors: faults });
    }
    const said: Args[] = [];
    for (const [at, change] of changes.entries())
      said.push(await action(change, derivedId(id, `action ${number} ${at}`), number * 1000 + at));
    const value = { actions: said };
    return { result: JSON.stringify(value), refused: false, value, readOthers: false };
  }

  /** Exactly what the Document would say is worked out now, and shown to who decides. */
  async function drafted(args: Args, number: number): Promise<Change | Used> {
    const { patch, version, diff, more } = await running(editDocument, args, journal.keyOf(number));
    if (more !== undefined) return refusedWith("The Document has changed since you read it: read it again.");
    return { tool: editDocument.name, args: { path: args.path, revision: args.revision, patch, version, diff } };
  }

  async function action(change: Change, actionId: string, place: number): Promise<Args> {
    const asked = run.dry_run ? "planned" : (await isSmall(change)) ? "approved" : "waiting";
    const state = await addAction(kit.writer, held, {
      ...{
        id: actionId,
        number: place,
        kind: change.tool,
        target: targetOf(change),
        preview: previewOf(change),
        state: asked,
      },
      input: kit.secrets.seal(JSON.stringify(change.args), row(actionId)),
      approval:
        asked === "waiting" ? { id: derivedId(actionId, "approval"), digest: digestOf(id, actionId, change) } : null,
    });
    const about = { kind: change.tool, target: targetOf(change) };
    if (state === "planned") return { ...about, state, more: "A dry run: nothing was changed." };
    if (state === "waiting") return { ...about, state, more: "Nothing has happened: it waits for the person." };
    if (state !== "approved") return { ...about, state };
    const outcome = await made(changing.get(change.tool) as Tool, change.args, actionId);
    return { ...about, state: outcome.refused ? "refused" : "done", result: outcome.result };
  }

  async function isSmall(change: Change): Promise<boolean> {
    if (!canBeSmall(change)) return false;
    const most = run.budgets.changes_at_once ?? 0;
    if (most === 0 || (await madeAtOnce(kit.writer, held)) >= most) return false;
    return withinAudience(await reachedBy(kit.writer, held), projectOf(change), hasRead);
  }
  return gate;
}
