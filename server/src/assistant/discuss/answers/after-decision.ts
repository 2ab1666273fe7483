// Carries out a decision: applies an approved ChangeSet once and as a whole, proposes a stale one again, continues with
// the chosen meaning, or retries a failed run. Only the person makes decisions.
import { fieldChanges } from "../../runs/field-rules.ts";
import { RunEnded } from "../../runs/rules.ts";
import type { Args } from "../../tools/tool.ts";
import type { ReminderDraft } from "../language/reminder-words.ts";
import type { DiscussTexts } from "../language/texts.ts";
import { wordsFor, zoneOf } from "../language/turn-words.ts";
import { AGAIN, type RunInput } from "../rules.ts";
import type { AnswerContent, AnswerRequest } from "./answer.ts";
import { decidedInteraction } from "./run-store.ts";
import { ask, interactionPart } from "./tool-gate.ts";

interface Input {
  proposal?: { title: string; changes: Args[] };
  /** Tasks of the proposal at that time, by code. */
  seen?: Record<string, Args>;
  /** Request of the person that each choice means, by choice id. */
  meanings?: Record<string, string>;
  /** Reminder that the person was asked to confirm. */
  reminding?: ReminderDraft;
}

export async function decided(
  asked: AnswerRequest,
  { interaction_id, choice_id }: Extract<RunInput, { kind: "decided" }>,
): Promise<AnswerContent | { question: string }> {
  const { kit, run, journal, question } = asked;
  const found = await decidedInteraction(kit.writer, journal.held.workspaceId, interaction_id, run.actor_id);
  const opened = found && kit.secrets.open(found.input, `discuss ${interaction_id}`);
  if (!found || !opened) throw new RunEnded("internal");
  const input = JSON.parse(opened) as Input;
  if (found.kind === "recovery") return { question };
  if (found.kind === "ambiguity") return { question: input.meanings?.[choice_id] ?? question };
  if (found.kind === "stale_action") return proposeAgain(asked, input);
  if (input.reminding) return remind(asked, input.reminding);
  if (choice_id === AGAIN)
    return proposeStale(asked, input, { id: found.change_set_id, version: found.change_set_version });
  return apply(asked, input, { id: found.change_set_id, version: found.change_set_version, digest: found.digest });
}

async function remind({ run, gate, question }: AnswerRequest, reminding: ReminderDraft): Promise<AnswerContent> {
  const texts = wordsFor(run, question);
  const used = await gate.use({ id: "remind", name: "remind", input: reminding }, { trusted: true, confirmed: true });
  if (used.refused) return { text: texts.refused(used.result), parts: [] };
  return { text: texts.reminded(texts.at(reminding.due_at, zoneOf(run)), reminding.text), parts: [] };
}

const MOVED = new Set(["change_set_stale", "change_set_refused", "change_set_closed"]);
async function apply(asked: AnswerRequest, input: Input, changeSet: Args): Promise<AnswerContent> {
  const { kit, run, journal, gate, question } = asked;
  const texts = wordsFor(run, question);
  const used = await gate.use(
    { id: "apply", name: "apply_change_set", input: changeSet },
    { trusted: true, withheld: true },
  );
  if (!used.refused) return { text: texts.applied(input.proposal?.title ?? ""), parts: [] };
  if (!MOVED.has(used.code ?? "")) return { text: texts.notApplied(used.result), parts: [] };
  const part = interactionPart(journal.held.id, "stale", "stale_action", texts.movedOn, [
    { id: "again", label: texts.proposeAgain },
    { id: "leave", label: texts.leave },
  ]);
  await ask(kit, run, journal, part, input);
  return { text: texts.overtaken, parts: [part] };
}

/** Handles an approval that came too late: its ChangeSet was decided elsewhere, or is based on older revisions. */
async function proposeStale(asked: AnswerRequest, input: Input, changeSet: Args): Promise<AnswerContent> {
  const { run, gate, question } = asked;
  const texts = wordsFor(run, question);
  const { value } = await gate.use({ id: "look", name: "get_change_set", input: changeSet }, { trusted: true });
  if (value?.state === "applied") return { text: texts.alreadyApplied, parts: [] };
  if (value?.state === "rejected") return { text: texts.alreadyRejected, parts: [] };
  return proposeAgain(asked, input);
}

const MOST_DIFF = 1500;
/** Rebases the edits of a Document onto its current text, unless the same place was edited. */
async function editAgain(
  { run, gate, question }: AnswerRequest,
  { patch, patch_version }: Args,
): Promise<AnswerContent> {
  const texts = wordsFor(run, question);
  const found = await gate.look({ look: "patch" }, async (call) => {
    const params = { id: patch };
    const { document_id, base_revision, current_revision } = (
      await call("getDocumentPatch", { params, query: { version: patch_version } })
    ).body;
    const { path, title } = (await call("getDocument", { params: { document_id } })).body;
    const between = { from: base_revision, to: current_revision };
    const compared = await call("compareDocumentRevisions", { params: { document_id }, query: between }).catch(
      () => null,
    );
    return { path, title, revision: current_revision, diff: String(compared?.body.markdown_diff ?? "") };
  });
  const input = { path: found.path, revision: found.revision, patch, version: patch_version };
  const used = await gate.use({ id: "edit", name: "patch_document", input }, { trusted: true });
  const changed = [texts.hasChanged(found.title), fenced(found.diff)].filter(Boolean).join("\n\n");
  const next = used.refused ? used.result : texts.proposedAgain(found.title);
  return { text: `${changed}\n\n${next}`, parts: [] };
}
/** Fences a text in a block that the text cannot close. */
const fenced = (text: string) =>
  text === "" ? "" : `~~~~~~diff\n${text.slice(0, MOST_DIFF).replaceAll("~~~~~~", "~~~")}\n~~~~~~`;

/** Proposes the same changes on the current revisions, and lists what has changed since. */
async function proposeAgain(asked: AnswerRequest, { proposal, seen = {} }: Input): Promise<AnswerContent> {
  const { run, gate, question } = asked;
  const texts = wordsFor(run, question);
  if (!proposal) throw new RunEnded("internal");
  const [only] = proposal.changes;
  if (only?.action === "patch" && proposal.changes.length === 1) return editAgain(asked, only);
  const changes: Args[] = [];
  const changed: string[] = [];
  for (const [at, change] of proposal.changes.entries()) {
    const { code, revision } = change;
    if (revision === undefined || code === undefined) {
      changes.push(change);
      continue;
    }
    const read = await gate.use({ id: `read-${at}`, name: "get_task", input: { code } }, { trusted: true });
    if (read.refused) return { text: texts.notApplied(read.result), parts: [] };
    const task = read.value?.task as Args;
    if (task.revision !== revision) changed.push(texts.hasChanged(code), ...linesOf(texts, seen[code], task));
    changes.push({ ...change, revision: task.revision });
  }
  const reason = changed.join("\n").slice(0, MOST_REASON) || undefined;
  const input = { ...proposal, changes, ...(reason && { reason }) };
  const used = await gate.use({ id: "propose", name: "propose_changes", input }, { trusted: true });
  const refusals = ((used.value?.changes ?? []) as Args[]).flatMap(({ refusal }) => refusal ?? []);
  const isProposed = !used.refused && used.value?.state === "proposed";
  const next = isProposed ? texts.proposedAgain(proposal.title) : used.refused ? used.result : refusals.join(" ");
  return { text: [changed.join("\n"), next].filter(Boolean).join("\n\n"), parts: [] };
}
const MOST_REASON = 4000;
const linesOf = (texts: DiscussTexts, before: Args | undefined, now: Args) =>
  before
    ? fieldChanges(before, now).map(({ field, before: was, after: is }) =>
        texts.fieldChanged(field, was ?? texts.nothingThere, is ?? texts.nothingThere),
      )
    : [];
