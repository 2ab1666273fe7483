// The parts of the process that one run of svc uses: environment, folder, streams and signals. The program passes its
// own process; a test passes streams of its own and runs svc as a function. No other file of cli/src reads these from
// `process`.
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { Writable } from "node:stream";

/** A stream that svc writes to, and whether that is a terminal. */
export type Output = Writable & { isTTY?: boolean; columns?: number };

export interface Runtime {
  env: NodeJS.ProcessEnv;
  /** The folder that relative paths start from. */
  cwd: string;
  stdin: NodeJS.ReadableStream & { isTTY?: boolean };
  stdout: Output;
  stderr: Output;
  /** Reads the whole standard input. */
  readInput(): Uint8Array;
  /**
   * Calls the listener at each of these signals, which then do not end the run. Returns the function that removes it.
   */
  onSignals(signals: readonly NodeJS.Signals[], listener: () => void): () => void;
  /** Starts svc once more as a background process, with the same environment. */
  startDetached(argv: readonly string[]): void;
  /** Ends the process after this time, whatever it still does. */
  endAfter(ms: number): void;
  /** The reading of `performance.now()` at which the run began. */
  startedAt: number;
}

export const processRuntime = (): Runtime => ({
  env: process.env,
  cwd: process.cwd(),
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  readInput: () => readFileSync(0),
  onSignals(signals, listener) {
    for (const signal of signals) process.on(signal, listener);
    return () => {
      for (const signal of signals) process.off(signal, listener);
    };
  },
  startDetached(argv) {
    const options = { detached: true, stdio: "ignore", windowsHide: true } as const;
    spawn(process.execPath, [process.argv[1] as string, ...argv], options)
      .on("error", () => {})
      .unref();
  },
  endAfter: (ms) => void setTimeout(() => process.exit(), ms).unref(),
  startedAt: 0,
});

export const pathFrom = ({ cwd }: Pick<Runtime, "cwd">, file: string) => resolve(cwd, file);
