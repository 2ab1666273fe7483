// Decides which tool calls of an assistant run at once, which become a ChangeSet, and which are refused. It reads under
// the rights of its person. A small undoable change runs at once only if the person has opted in and the run has
// received no text by others; any other change becomes a ChangeSet, which waits for its person. The gate never approves
// or applies one, and no text can bypass it.
import type { ToolCall } from "../../../platform/outside/external-systems.ts";
import { derivedId } from "../../runs/rules.ts";
import { attempted, readsOthers, refusedWith, runTool } from "../../runs/tool-call.ts";
import { callingWith, type OperationCaller, queuedTerms } from "../../tools/operation-calls.ts";
import type { Args, Tool } from "../../tools/tool.ts";
import { editDocument, assistantTools as tools } from "../../tools/tools.ts";
import type { ReminderDraft } from "../language/reminder-words.ts";
import type { DiscussTexts } from "../language/texts.ts";
import { wordsFor, zoneOf } from "../language/turn-words.ts";
import { type AnswerPart, INTERACTION_HOURS } from "../rules.ts";
import { askAgent, handOver } from "../specialists/specialists.ts";
import type { AnswerJournal } from "./answer-journal.ts";
import type { DiscussDependencies } from "./dependencies.ts";
import { effectsOf } from "./effect-store.ts";
import { askPerson, type ClaimedDiscussRun } from "./run-store.ts";

/** Tools whose changes are small and can be undone. */
const SMALL = new Set(["create_task", "update_task", "advance_task", "comment", "log_time", "undo", "mark_read"]);
/** Results shown in the message of one write; its receipts name every resource. */
const MOST_RESULTS = 10;
const MOST_SEEN = 20;
const getTask = tools.find(({ name }) => name === "get_task") as Tool;
/** Only a decision of the person calls these. */
const WITHHELD = new Set(["apply_change_set"]);
/** Converts a small change into a change of a ChangeSet. */
const proposals: Record<string, (args: Args) => Args> = {
  create_task: ({ project, key: _, ...set }) => ({ action: "create", project, set }),
  update_task: ({ code, revision, ...set }) => ({ action: "update", code, revision, set }),
  comment: ({ code, markdown }) => ({ action: "comment", code, markdown }),
};

export interface DiscussToolResult {
  result: string;
  refused: boolean;
  /** Result of the tool as a value, for callers other than a model. */
  value: Args | null;
  parts: AnswerPart[];
  readOthers: boolean;
  code: string | null;
}

interface Options {
  trusted?: boolean;
  withheld?: boolean;
  confirmed?: boolean;
}
export interface DiscussGate {
  offered: readonly Tool[];
  /**
   * `trusted`: it follows from words of the person. `withheld`: includes tools that are not offered. `confirmed`: the
   * person has requested or approved exactly this.
   */
  use(call: ToolCall, options?: Options): Promise<DiscussToolResult>;
  /** Calls operations that read, within one step. `readOthers`: the result may hold text that others wrote. */
  look<T>(asked: unknown, work: (call: OperationCaller) => Promise<T>, readOthers?: boolean): Promise<T>;
}

const offeredTo = ({ credential_kind: kind, scopes }: ClaimedDiscussRun) =>
  [...tools, askAgent].filter(
    (tool) => !WITHHELD.has(tool.name) && (kind === "session" || tool.scopes.some((scope) => scopes.includes(scope))),
  );

/** `question`: its language is used for prompts to the person. */
export function openGate(
  kit: DiscussDependencies,
  run: ClaimedDiscussRun,
  journal: AnswerJournal,
  question: string,
  signal: AbortSignal,
): DiscussGate {
  const texts = wordsFor(run, question);
  const { workspaceId, id } = journal.held;
  const queued = { workspaceId, credentialId: run.credential_id, kind: run.credential_kind };
  const calling = (scopes: readonly string[]) =>
    callingWith({ host: kit.host, terms: queuedTerms(queued, scopes), correlationId: id, signal, workspaceId });
  const self = { kind: run.credential_kind, actor_id: run.actor_id, scopes: run.scopes };
  const running = (tool: Tool, args: Args, number: number) =>
    runTool(tool, args, { calling, key: journal.keyOf(number), self, origin: kit.origin(), signal });
  const gate: DiscussGate = {
    offered: offeredTo(run),
    async use(call, options = {}) {
      const activity: AnswerPart = {
        kind: "tool_activity",
        part_id: derivedId(id, `activity ${call.id}`),
        tool_call_id: call.id,
        tool: call.name,
        state: "running",
      };
      journal.parts.push(activity);
      const isKnown = journal.knowsNext();
      if (!isKnown) journal.note({ type: "tool_started", partId: activity.part_id, data: { tool: call.name } });
      const { answer } = await journal.step<DiscussToolResult>(
        "tool",
        { name: call.name, input: call.input },
        async (number) => {
          await journal.show();
          const used = await perform(call, number, options);
          return { answer: used, readOthers: used.readOthers };
        },
      );
      journal.readOthers ||= answer.readOthers;
      activity.state = answer.refused ? "refused" : "completed";
      journal.parts.push(...answer.parts);
      if (!isKnown)
        journal.note({
          type: "tool_ended",
          partId: activity.part_id,
          data: { tool: call.name, state: activity.state },
        });
      return answer;
    },
    async look(asked, work, readOthers = true) {
      journal.readOthers ||= readOthers;
      const scopes = ["svc:read"];
      const { answer } = await journal.step("tool", asked, async () => ({
        answer: await work(calling(scopes)),
        readOthers,
      }));
      return answer;
    },
  };

  async function perform(call: ToolCall, number: number, options: Options): Promise<DiscussToolResult> {
    const { trusted = false, withheld = false, confirmed = false } = options;
    const used = await attempted(
      withheld ? tools : gate.offered,
      call,
      async (tool, args): Promise<DiscussToolResult> => {
        if (tool.name === "remind" && !confirmed) return confirming(args as ReminderDraft, number);
        if (tool === askAgent) return { parts: [], ...(await handOver(kit, run, journal, args, number)) };
        if (tool === editDocument) return edits(args, number);
        const mayAct = run.opt_in && (trusted || !journal.readOthers);
        if (SMALL.has(tool.name) && !mayAct) return propose(tool, args, number);
        const value = await running(tool, args, number);
        const parts = [
          ...(tool.annotations.readOnlyHint ? [] : await donePartsOf(tool, value, number)),
          ...(await asking(tool, args, value, number)),
        ];
        return {
          result: JSON.stringify(value),
          refused: false,
          value,
          parts,
          readOthers: readsOthers(tool),
          code: null,
        };
      },
    );
    return { parts: [], ...used };
  }

  /** Proposes the change instead of making it. */
  async function propose(tool: Tool, args: Args, number: number): Promise<DiscussToolResult> {
    const change = proposals[tool.name]?.(args);
    if (!change)
      return {
        parts: [],
        ...refusedWith(
          "It is not done without your person: it needs their opt-in, and a turn in which nothing was read. " +
            "Tell them what to do, or propose it with propose_changes.",
        ),
      };
    return proposing(titleOf(texts, tool.name, args), change, number);
  }
  /** Drafts the edit first, and then proposes the draft. */
  async function edits(args: Args, number: number): Promise<DiscussToolResult> {
    const draft = await running(editDocument, args, number);
    const { patch, version, more } = draft;
    // The Document has changed, and the draft explains the next step.
    if (more !== undefined)
      return { result: JSON.stringify(draft), refused: false, value: draft, parts: [], readOthers: true, code: null };
    return proposing(texts.change(args.path), { action: "patch", patch, patch_version: version }, number);
  }
  async function proposing(title: string, change: Args, number: number): Promise<DiscussToolResult> {
    const proposing = tools.find(({ name }) => name === "propose_changes") as Tool;
    const proposed = { title, changes: [change] };
    const value = await running(proposing, proposed, number);
    const parts = await asking(proposing, proposed, value, number);
    return { result: JSON.stringify(value), refused: false, value, parts, readOthers: true, code: null };
  }

  const approval = [
    { id: "approve", label: texts.approve },
    { id: "reject", label: texts.reject },
  ];
  /** Sets a reminder only after its person has confirmed exactly this one, whatever they have opted in to. */
  async function confirming(reminding: ReminderDraft, number: number): Promise<DiscussToolResult> {
    const question = texts.remind(texts.at(reminding.due_at, zoneOf(run)), reminding.text);
    const part = interactionPart(id, number, "approval", question, approval);
    await ask(kit, run, journal, part, { reminding });
    journal.note({ type: "interaction", partId: part.part_id, data: { kind: "approval" } });
    const value = { state: "asked", more: "Nothing is set yet: it waits for the person's approval." };
    return { result: JSON.stringify(value), refused: false, value, parts: [part], readOthers: false, code: null };
  }

  /** Asks the person to approve a proposal, bound to exactly this version. */
  async function asking(tool: Tool, args: Args, value: Args, number: number): Promise<AnswerPart[]> {
    if (tool.name !== "propose_changes" || value.state !== "proposed") return [];
    const changeSet = { id: value.id, version: value.version, digest: value.digest };
    const part = interactionPart(id, number, "approval", args.title, approval);
    const proposal = { title: args.title, changes: args.changes };
    await ask(kit, run, journal, part, { proposal, seen: await seenBy(args.changes, number) }, changeSet);
    journal.note({ type: "interaction", partId: part.part_id, data: { kind: "approval" } });
    return [{ ...part, change_set: changeSet }];
  }

  /** Present state of the Tasks that a proposal changes, by code, so that a stale approval can list the differences. */
  async function seenBy(changes: readonly Args[], number: number): Promise<Record<string, Args>> {
    const codes = changes.flatMap(({ code, revision }) => (code && revision ? [String(code)] : [])).slice(0, MOST_SEEN);
    const read = codes.map((code) =>
      running(getTask, { code }, number).then(
        ({ task }) => [[code, task] as const],
        () => [],
      ),
    );
    return Object.fromEntries((await Promise.all(read)).flat());
  }
  /** Receipt of a write, and a result for each resource that it changed. */
  async function donePartsOf(tool: Tool, value: Args, number: number): Promise<AnswerPart[]> {
    const { command } = value;
    if (typeof command !== "string" || tool.name === "propose_changes") return [];
    const effects = await effectsOf(kit.writer, workspaceId, command);
    const done = { operation_id: command, tool: tool.name, state: "succeeded" as const };
    return [
      {
        kind: "operation_receipts",
        part_id: derivedId(id, `receipt ${number}`),
        receipts: effects.map(({ kind, id: resource_id, revision }) => ({
          ...done,
          kind,
          resource_type: kind,
          resource_id,
          ...(revision !== null && { revision }),
        })),
      },
      ...effects.slice(0, MOST_RESULTS).map(
        (effect, at): AnswerPart => ({
          kind: "action_result",
          part_id: derivedId(id, `action ${number} ${at}`),
          action_id: derivedId(id, `done ${number} ${at}`),
          receipt_id: command,
          action: tool.name,
          resource_type: effect.kind,
          resource_id: effect.id,
          before: effect.before,
          after: effect.after,
          entity_version: effect.revision,
          actor_id: run.actor_id,
          occurred_at: new Date().toISOString(),
          risk: tool.name === "apply_change_set" ? "reviewed" : "low",
          inverse: { operation: "undoOperation", id: command },
        }),
      ),
    ];
  }
  return gate;
}

const titleOf = (texts: DiscussTexts, tool: string, args: Args) =>
  ({ create_task: texts.create(args.title), update_task: texts.change(args.code), comment: texts.comment(args.code) })[
    tool
  ] ?? tool;

type Interaction = Extract<AnswerPart, { kind: "interaction" }>;
export const interactionPart = (
  runId: string,
  number: number | string,
  kind: Interaction["interaction_kind"],
  question: string,
  choices: Interaction["choices"],
): Interaction => ({
  kind: "interaction",
  part_id: derivedId(runId, `part ${number}`),
  interaction_id: derivedId(runId, `interaction ${number}`),
  interaction_kind: kind,
  version: 1,
  state: "open",
  question,
  choices,
  change_set: null,
  expires_at: new Date(Date.now() + INTERACTION_HOURS * 3_600_000).toISOString(),
});
/** Stores an interaction before it is shown; repeated after a crash it is the same one. */
export const ask = (
  kit: DiscussDependencies,
  run: ClaimedDiscussRun,
  { held }: AnswerJournal,
  part: Interaction,
  input: unknown,
  changeSet: { id: string; version: number; digest: string } | null = null,
) =>
  askPerson(kit.writer, held, {
    id: part.interaction_id,
    actorId: run.actor_id,
    messageId: run.message_id,
    kind: part.interaction_kind,
    changeSet,
    input: kit.secrets.seal(JSON.stringify(input), `discuss ${part.interaction_id}`),
    expiresAt: part.expires_at,
  });
