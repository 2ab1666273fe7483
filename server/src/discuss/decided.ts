// What follows from a decision: an approved ChangeSet is applied, once and whole; what has moved on is offered again; one of several meanings is taken; what failed is tried
// again. Decisions come from the person and from nowhere else.
import { RunEnded } from "../runs/rules.ts";
import type { Args } from "../tools/tool.ts";
import type { Asked, Said } from "./answer.ts";
import { ask, interactionPart } from "./gate.ts";
import type { Reminding } from "./reminder-words.ts";
import type { RunInput } from "./rules.ts";
import { decidedInteraction } from "./run-store.ts";
import { wordsFor, zoneOf } from "./turn-words.ts";

interface Input {
  proposal?: { title: string; changes: Args[] };
  /** By choice, what the person would have said. */
  meanings?: Record<string, string>;
  /** What the person was asked to confirm. */
  reminding?: Reminding;
}

export async function decided(
  asked: Asked,
  { interaction_id, choice_id }: Extract<RunInput, { kind: "decided" }>,
): Promise<Said | { question: string }> {
  const { kit, run, journal, question } = asked;
  const found = await decidedInteraction(kit.writer, journal.held.workspaceId, interaction_id, run.actor_id);
  const opened = found && kit.secrets.open(found.input, `discuss ${interaction_id}`);
  if (!found || !opened) throw new RunEnded("internal");
  const input = JSON.parse(opened) as Input;
  if (found.kind === "recovery") return { question };
  if (found.kind === "ambiguity") return { question: input.meanings?.[choice_id] ?? question };
  if (found.kind === "stale_action") return proposeAgain(asked, input);
  if (input.reminding) return remind(asked, input.reminding);
  return apply(asked, input, { id: found.change_set_id, version: found.change_set_version, digest: found.digest });
}

async function remind({ run, gate, question }: Asked, reminding: Reminding): Promise<Said> {
  const texts = wordsFor(run, question);
  const used = await gate.use({ id: "remind", name: "remind", input: reminding }, { trusted: true, confirmed: true });
  if (used.refused) return { text: texts.refused(used.result), parts: [] };
  return { text: texts.reminded(texts.at(reminding.due_at, zoneOf(run)), reminding.text), parts: [] };
}

const MOVED = new Set(["change_set_stale", "change_set_refused", "change_set_closed"]);
async function apply(asked: Asked, input: Input, changeSet: Args): Promise<Said> {
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

/** Edits of a Document are put on what it says now, where nobody has written in the same place. */
async function editAgain({ run, gate, question }: Asked, { patch, patch_version }: Args): Promise<Said> {
  const found = await gate.look({ look: "patch" }, async (call) => {
    const params = { id: patch };
    const { document_id, current_revision } = (
      await call("getDocumentPatch", { params, query: { version: patch_version } })
    ).body;
    const { path, title } = (await call("getDocument", { params: { document_id } })).body;
    return { path, title, revision: current_revision };
  });
  const input = { path: found.path, revision: found.revision, patch, version: patch_version };
  const used = await gate.use({ id: "edit", name: "patch_document", input }, { trusted: true });
  return { text: used.refused ? used.result : wordsFor(run, question).proposed(found.title), parts: [] };
}

/** The same changes, on what is there now. */
async function proposeAgain(asked: Asked, { proposal }: Input): Promise<Said> {
  const { run, gate, question } = asked;
  const texts = wordsFor(run, question);
  if (!proposal) throw new RunEnded("internal");
  const [only] = proposal.changes;
  if (only?.action === "patch" && proposal.changes.length === 1) return editAgain(asked, only);
  const changes: Args[] = [];
  for (const [at, change] of proposal.changes.entries()) {
    if (change.revision === undefined || change.code === undefined) {
      changes.push(change);
      continue;
    }
    const read = await gate.use(
      { id: `read-${at}`, name: "get_task", input: { code: change.code } },
      { trusted: true },
    );
    if (read.refused) return { text: read.result, parts: [] };
    changes.push({ ...change, revision: read.value?.task.revision });
  }
  const used = await gate.use(
    { id: "propose", name: "propose_changes", input: { ...proposal, changes } },
    { trusted: true },
  );
  return { text: used.refused ? used.result : texts.proposed(proposal.title), parts: [] };
}
