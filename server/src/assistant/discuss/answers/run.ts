// Carries out one run, from the question to its end. One process may begin it and another finish it: every effect goes
// through its journal.
import { RunEnded } from "../../runs/rules.ts";
import { carry } from "../../runs/run-lifecycle.ts";
import { MOST_ANSWER, shownText } from "../../runs/shown-text-rules.ts";
import { aiLetIn, type RunLease } from "../../runs/store.ts";
import { wordsFor } from "../language/turn-words.ts";
import { budgets, partsWithin } from "../rules.ts";
import { decided } from "./after-decision.ts";
import { type AnswerContent, offerRetry } from "./answer.ts";
import { AnswerJournal } from "./answer-journal.ts";
import type { DiscussDependencies } from "./dependencies.ts";
import { modelled } from "./model-answer.ts";
import { answerPlainly } from "./rule-based-answers.ts";
import { type ClaimedDiscussRun, discussRuns, finishRun, questionOf } from "./run-store.ts";
import { openGate } from "./tool-gate.ts";

export async function carryOut(
  kit: DiscussDependencies,
  run: ClaimedDiscussRun,
  held: RunLease,
  stop: AbortController,
): Promise<void> {
  const { writer } = kit;
  const wake = () => kit.wake(held.workspaceId);
  const halt = (reason: Error) => stop.abort(reason.message === "cancelled" ? new RunEnded("cancelled") : reason);
  const journal = new AnswerJournal(held, await discussRuns.stepsOf(writer, held), { kit, stop: halt, wake });
  journal.readOthers = run.read_others;
  await carry({
    what: "Discuss",
    log: kit.log,
    runId: held.id,
    state: run.state,
    age: run.age,
    ms: budgets.ms,
    stop,
    async work() {
      journal.note({ type: run.fence === 1 ? "started" : "resumed" });
      await journal.show();
      const said = await answer(kit, run, journal, stop.signal);
      stop.signal.throwIfAborted();
      await journal.settled();
      const content = contentOf(kit, run, said);
      const parts = partsWithin([...journal.parts, ...said.parts]);
      const { readOthers } = journal;
      await finishRun(writer, held, { state: "completed", error: null, content, parts, readOthers });
    },
    leave: () => discussRuns.leaveRun(writer, held),
    failed: (code) => failed(kit, run, journal, code),
  }).finally(wake);
}

async function answer(
  kit: DiscussDependencies,
  run: ClaimedDiscussRun,
  journal: AnswerJournal,
  signal: AbortSignal,
): Promise<AnswerContent> {
  const { content: question, file_ids: fileIds } = await questionOf(kit.writer, journal.held.workspaceId, run.turn_id);
  const gate = openGate(kit, run, journal, question, signal);
  const asked = { kit, run, journal, gate, question, fileIds, signal };
  const { input } = run;
  const next = input.kind === "decided" ? await decided(asked, input) : { question };
  if ("text" in next) return next;
  const { model } = kit;
  if (model && run.lets_ai_in) {
    const allowed = () => aiLetIn(kit.writer, journal.held.workspaceId);
    return modelled({ ...asked, question: next.question }, model, allowed);
  }
  return answerPlainly({ ...asked, question: next.question });
}

/** Text as it is shown. An answer that was cut off, or that is empty after sanitising, says so. */
function contentOf(kit: DiscussDependencies, run: ClaimedDiscussRun, { text, isCut = false }: AnswerContent): string {
  const shown = shownText(text, kit.origin());
  const texts = wordsFor(run, text);
  if (shown.trim() === "") return texts.noWords;
  return isCut || text.length > MOST_ANSWER ? `${shown}\n\n${texts.cutOff}` : shown;
}

/** Codes of failures that the person can retry. */
const RETRIED = new Set(["model_unavailable", "model_timeout", "model_busy", "answer_empty", "internal"]);
async function failed(kit: DiscussDependencies, run: ClaimedDiscussRun, journal: AnswerJournal, code: string) {
  await journal.settled().catch(() => {});
  const offered = RETRIED.has(code) ? await offerRetry(kit, run, journal) : [];
  const parts = partsWithin([...journal.parts.map(ended), ...offered]);
  const content = shownText(journal.said(), kit.origin());
  const { held, readOthers } = journal;
  await finishRun(kit.writer, held, { state: "failed", error: code, content, parts, readOthers });
}
const ended = <P extends AnswerJournal["parts"][number]>(part: P): P =>
  part.kind === "tool_activity" && part.state === "running" ? { ...part, state: "refused" } : part;
