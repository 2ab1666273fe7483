// The server of a run in a process of its own, started by the fault process, which reports its readiness and unexpected
// exit to the run.
import { type ChildProcess, spawn } from "node:child_process";
import { openSync, writeSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { RECOVERY_MS } from "./attempt.ts";

export interface FaultTask {
  seed: number;
  /** The server's program and its arguments, below the repository's root. */
  program: string[];
  env: Record<string, string>;
  log: string;
  /** URL of the database, if the server does not run its own. */
  databaseUrl: string;
  /** Number of faults, for fault processes that count them themselves. */
  faults: number;
}
export type FaultReport =
  /** standing: this server will not be harmed. */
  | { event: "up"; port: number; standing: boolean }
  | { event: "killed"; starting: boolean }
  /** A fault begins, and is over. */
  | { event: "fault"; name: string }
  | { event: "healed" }
  /** Time from the end of the fault until everything was ready. */
  | { event: "ready"; ms: number }
  /** Counts of background work, for the table. */
  | { event: "seen"; counts: Record<string, number> }
  | { event: "broken"; rule: string }
  /** The server exited without being killed. */
  | { event: "ended"; code: number | null; output: string };

const root = fileURLToPath(new URL("../../", import.meta.url));

export const task = JSON.parse(process.argv[2] as string) as FaultTask;
export const report = (message: FaultReport) => process.send?.(message);

const log = openSync(task.log, "a");
let current: ChildProcess | undefined;
let told = false;
process.on("message", () => {
  told = true;
});
process.on("disconnect", () => {
  current?.kill("SIGKILL");
  process.exit(0);
});
/** True once the run has seen enough faults. */
export const enough = () => told;

export function start(standing: boolean, env: Record<string, string> = task.env) {
  // A channel ends the server together with this process, however that exits.
  const child = spawn(process.execPath, task.program, { cwd: root, env, stdio: ["ignore", "pipe", "pipe", "ipc"] });
  current = child;
  let [output, killed, up] = ["", false, false];
  const ended = new Promise<void>((resolve) => {
    child.once("close", (code) => {
      if (!killed) report({ event: "ended", code, output });
      resolve();
    });
  });
  const ready = new Promise<number>((resolve) => {
    const read = (chunk: Buffer) => {
      writeSync(log, chunk);
      output = (output + chunk).slice(-2000);
      const port = up ? undefined : /API +http:\/\/\S+:(\d+)\/api\/v1/.exec(output)?.[1];
      if (port === undefined) return;
      up = true;
      report({ event: "up", port: Number(port), standing });
      resolve(Number(port));
    };
    child.stdout?.on("data", read);
    child.stderr?.on("data", read);
  });
  const kill = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    killed = true;
    child.kill("SIGKILL");
    await ended;
    report({ event: "killed", starting: !up });
  };
  return { ready, ended, kill };
}

/** Starts a server that must survive the whole run: its exit ends the run. */
export async function startStanding(env?: Record<string, string>): Promise<number> {
  const server = start(false, env);
  void server.ended.then(() => process.exit(1));
  return server.ready;
}

const PATIENCE_MS = 60_000;

/** Reports the end of the fault, waits until everything is ready, and checks the deadline. */
export async function healed(port: number, name: string, withinMs = RECOVERY_MS): Promise<void> {
  report({ event: "healed" });
  const at = performance.now();
  const since = () => performance.now() - at;
  while ((await statusOf(port, "readyz")) !== 200 && since() < PATIENCE_MS) await sleep(20);
  report({ event: "ready", ms: since() });
  if (since() > withinMs) report({ event: "broken", rule: `ready ${since().toFixed(0)} ms after "${name}"` });
}

/** Waits until the service reports that it cannot write: `/readyz?role=write` must answer 503 within this time. */
export async function reportsRefusedWrites(port: number, name: string, withinMs: number): Promise<void> {
  const began = performance.now();
  while ((await statusOf(port, "readyz?role=write")) !== 503) {
    if (performance.now() - began > withinMs) {
      report({ event: "broken", rule: `/readyz?role=write does not answer 503 within ${withinMs} ms of "${name}"` });
      return;
    }
    await sleep(100);
  }
}

/** Checks that /healthz always answers 200, whatever happens to the database. */
export async function watchHealth(port: number): Promise<never> {
  for (;;) {
    const status = await statusOf(port, "healthz");
    if (status !== 200) report({ event: "broken", rule: `/healthz answered ${status ?? "nothing"}` });
    await sleep(50);
  }
}

const statusOf = (port: number, path: string) =>
  fetch(`http://127.0.0.1:${port}/${path}`, { signal: AbortSignal.timeout(5000) }).then(
    async (answer) => {
      await answer.arrayBuffer();
      return answer.status;
    },
    () => null,
  );
