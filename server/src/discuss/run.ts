// One run: from what was asked to how it ended. It may be begun by one process and finished by another: everything that it does goes through its journal.
import { ModelError } from "../outside/model.ts";
import { offerRetry, type Said } from "./answer.ts";
import { decided } from "./decided.ts";
import { openGate, RunEnded } from "./gate.ts";
import { Journal } from "./journal.ts";
import type { Kit } from "./kit.ts";
import { modelled } from "./modelled.ts";
import { answerPlainly } from "./plain.ts";
import { budgets, partsWithin, shownText } from "./rules.ts";
import {
  aiLetIn,
  finishRun,
  type Held,
  leaveRun,
  questionOf,
  type RunRow,
  StaleProducer,
  stepsOf,
} from "./run-store.ts";

/** Thrown to stop a run: `left` where another process is to go on with it. */
export class Stopped extends Error {
  readonly left: boolean;
  constructor(message: string, left = false) {
    super(message);
    this.left = left;
  }
}

export async function carryOut(kit: Kit, run: RunRow, held: Held, stop: AbortController): Promise<void> {
  const { writer } = kit;
  const late = setTimeout(() => stop.abort(new RunEnded("time_exceeded")), Math.max(1, budgets.ms - run.age));
  const wake = () => kit.wake(held.workspaceId);
  const halt = (reason: Error) => stop.abort(reason.message === "cancelled" ? new RunEnded("cancelled") : reason);
  const journal = new Journal(held, await stepsOf(writer, held), { writer, secrets: kit.secrets, stop: halt, wake });
  try {
    if (run.state === "cancel_requested") throw new RunEnded("cancelled");
    if (run.age > budgets.ms) throw new RunEnded("time_exceeded");
    journal.note({ type: run.fence === 1 ? "started" : "resumed" });
    await journal.show();
    const said = await answer(kit, run, journal, stop.signal);
    stop.signal.throwIfAborted();
    await journal.settled();
    const parts = partsWithin([...journal.parts, ...said.parts]);
    await finishRun(writer, held, {
      state: "completed",
      error: null,
      content: shownText(said.text, kit.origin()),
      parts,
    });
  } catch (error) {
    await journal.settled().catch(() => {});
    await failed(kit, run, journal, stop.signal.aborted ? stop.signal.reason : error);
  } finally {
    clearTimeout(late);
    wake();
  }
}

async function answer(kit: Kit, run: RunRow, journal: Journal, signal: AbortSignal): Promise<Said> {
  const gate = openGate(kit, run, journal, signal);
  const { content: question, file_ids: fileIds } = await questionOf(kit.writer, journal.held.workspaceId, run.turn_id);
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

async function failed(kit: Kit, run: RunRow, journal: Journal, error: unknown) {
  const { held } = journal;
  if (error instanceof StaleProducer) return;
  if (error instanceof Stopped && error.left) return void (await leaveRun(kit.writer, held));
  const code = error instanceof RunEnded ? error.code : error instanceof ModelError ? "model_unavailable" : "internal";
  // Nothing of what was asked or read is in these.
  const words = error instanceof ModelError ? { fault: error.fault, status: error.status } : {};
  if (code === "internal") kit.log.error({ run_id: held.id, err: error }, "a run of Discuss failed");
  else kit.log.info({ run_id: held.id, code, ...words }, "a run of Discuss ended");
  const offered = code === "model_unavailable" || code === "internal" ? await offerRetry(kit, run, journal) : [];
  const parts = partsWithin([...journal.parts.map(ended), ...offered]);
  const content = shownText(journal.said(), kit.origin());
  await finishRun(kit.writer, held, { state: "failed", error: code, content, parts }).catch((again) => {
    if (!(again instanceof StaleProducer)) throw again;
  });
}
const ended = <P extends Journal["parts"][number]>(part: P): P =>
  part.kind === "tool_activity" && part.state === "running" ? { ...part, state: "refused" } : part;
