// What is the same for every run, whoever it belongs to: how it ends, how long a process holds it, how long its steps are kept. Pure.
import { createHash } from "node:crypto";

export const LEASE_SECONDS = 15;
/** Steps hold what was said and read: they are erased. */
export const STEP_DAYS = 7;

/** What one run may take. */
export interface Budgets {
  ms: number;
  rounds: number;
  calls: number;
  tokens: number;
  /** Tokens of one answer of a model. */
  output: number;
}

/** It ends here, for this reason. */
export class RunEnded extends Error {
  readonly code: string;
  constructor(code: string) {
    super(code);
    this.code = code;
  }
}
/** Thrown to stop a run: `left` where another process is to go on with it. */
export class Stopped extends Error {
  readonly left: boolean;
  constructor(message: string, left = false) {
    super(message);
    this.left = left;
  }
}
/** Thrown where the run is somebody else's by now: whoever finds it stops, and leaves no trace. */
export class StaleProducer extends Error {}

/** A UUIDv7 that every process derives alike for the same run and step: its time is that of the run's id, the rest is a digest. */
export function derivedId(runId: string, name: string): string {
  const hex = createHash("sha256").update(`${runId} ${name}`).digest("hex");
  return `${runId.slice(0, 13)}-7${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
