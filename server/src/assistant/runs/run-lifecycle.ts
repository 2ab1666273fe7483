// Carries out one run from its beginning to its end: within its time, with its journal, and with an error code for
// every failure. One process may begin it and another finish it.
import { isTransient } from "../../platform/database/translate-error.ts";
import { ModelError, type ModelFault } from "../../platform/outside/model.ts";
import type { Log } from "../../platform/wire/log.ts";
import { RunEnded, StaleProducer, Stopped } from "./rules.ts";

export interface Carried {
  /** Kind of runs, for the log. */
  what: string;
  log: Log;
  runId: string;
  state: string;
  /** Milliseconds since it began, and its limit. */
  age: number;
  ms: number;
  stop: AbortController;
  work(): Promise<void>;
  /** Releases the run to another process. */
  leave(): Promise<unknown>;
  failed(code: string): Promise<void>;
}
/** Distinguishes a provider that hangs, one that is busy and one that fails. */
const FAILURES: Partial<Record<ModelFault, string>> = {
  silent: "model_timeout",
  rate_limited: "model_busy",
  too_large: "answer_too_large",
};
const failureOf = ({ fault }: ModelError) => FAILURES[fault] ?? "model_unavailable";

export async function carry({ what, log, runId, state, age, ms, stop, ...run }: Carried): Promise<void> {
  const late = setTimeout(() => stop.abort(new RunEnded("time_exceeded")), Math.max(1, ms - age));
  try {
    if (state === "cancel_requested") throw new RunEnded("cancelled");
    if (age > ms) throw new RunEnded("time_exceeded");
    await run.work();
  } catch (thrown) {
    const error = stop.signal.aborted ? stop.signal.reason : thrown;
    if (error instanceof StaleProducer) return;
    if (error instanceof Stopped && error.left) return void (await run.leave());
    // The run did not fail: it is retried from its last step.
    if (isTransient(error)) throw error;
    const code = error instanceof RunEnded ? error.code : error instanceof ModelError ? failureOf(error) : "internal";
    // Contains nothing of what was asked or read.
    const words = error instanceof ModelError ? { fault: error.fault, status: error.status } : {};
    if (code === "internal") log.error({ run_id: runId, err: error }, `a run of ${what} failed`);
    else log.info({ run_id: runId, code, ...words }, `a run of ${what} ended`);
    await run.failed(code).catch((again) => {
      if (!(again instanceof StaleProducer)) throw again;
    });
  } finally {
    clearTimeout(late);
  }
}
