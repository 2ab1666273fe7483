// Rules of all runs: how they end, how long a process leases one, and the retention of steps. Pure.
import { createHash } from "node:crypto";

export const LEASE_SECONDS = 15;
/** Retention of steps in days: steps contain messages and texts, and are erased. */
export const STEP_DAYS = 7;

/** Limits of one run. */
export interface RunBudgets {
  ms: number;
  rounds: number;
  calls: number;
  tokens: number;
  /** Tokens of one answer of a model. */
  output: number;
}

/** Thrown to end the run with this error code. */
export class RunEnded extends Error {
  readonly code: string;
  constructor(code: string) {
    super(code);
    this.code = code;
  }
}
/** Thrown to stop a run; `left`: another process is to resume it. */
export class Stopped extends Error {
  readonly left: boolean;
  constructor(message: string, left = false) {
    super(message);
    this.left = left;
  }
}
/** Thrown if another process holds the run by now: the worker stops without writing. */
export class StaleProducer extends Error {}

/**
 * A UUIDv7 that every process derives alike for the same run and step: its time is that of the run's id, the rest is a
 * digest.
 */
export function derivedId(runId: string, name: string): string {
  const hex = createHash("sha256").update(`${runId} ${name}`).digest("hex");
  return `${runId.slice(0, 13)}-7${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
