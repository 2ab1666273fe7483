// The fault process: starts the server, kills it with SIGKILL at a random moment, starts it again, until it is told that it is
// enough; then leaves one server standing. It touches only the server that it started; the database is never harmed.
import { type ChildProcess, spawn } from "node:child_process";
import { openSync, writeSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { randomOf } from "./random.ts";

export interface FaultTask {
  seed: number;
  /** The server's program and its arguments, below the repository's root. */
  program: string[];
  env: Record<string, string>;
  log: string;
}
export type FaultReport =
  /** standing: this one will not be killed. */
  | { event: "up"; port: number; standing: boolean }
  | { event: "killed"; starting: boolean }
  /** It ended and nobody had killed it. */
  | { event: "ended"; code: number | null; output: string };

const root = fileURLToPath(new URL("../../", import.meta.url));
/** When to kill, in turn: within so many ms after ready, or during start-up (null). A server that is cold is slow, hence the long ones. */
const moments = [400, 1500, null, 400, 1500, 400];

const task = JSON.parse(process.argv[2] as string) as FaultTask;
const random = randomOf(task.seed, "fault");
const log = openSync(task.log, "a");
const report = (message: FaultReport) => process.send?.(message);
let current: ChildProcess | undefined;

function start(standing: boolean) {
  // With a channel the server ends when this process does, however that happens.
  const child = spawn(process.execPath, task.program, {
    cwd: root,
    env: task.env,
    stdio: ["ignore", "pipe", "pipe", "ipc"],
  });
  current = child;
  let [output, killed, up] = ["", false, false];
  const ended = new Promise<void>((resolve) => {
    child.once("close", (code) => {
      if (!killed) report({ event: "ended", code, output });
      resolve();
    });
  });
  const ready = new Promise<void>((resolve) => {
    const read = (chunk: Buffer) => {
      writeSync(log, chunk);
      output = (output + chunk).slice(-2000);
      const port = up ? undefined : /API +http:\/\/\S+:(\d+)\/api\/v1/.exec(output)?.[1];
      if (port === undefined) return;
      up = true;
      report({ event: "up", port: Number(port), standing });
      resolve();
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

let enough = false;
process.on("message", () => {
  enough = true;
});
process.on("disconnect", () => {
  current?.kill("SIGKILL");
  process.exit(0);
});

let startMs = 500;
for (let turn = 0; !enough; turn++) {
  const began = performance.now();
  const server = start(false);
  const withinMs = moments[turn % moments.length] ?? null;
  if (withinMs === null) await Promise.race([sleep(random() * startMs), server.ended]);
  else {
    await Promise.race([server.ready, server.ended]);
    startMs = performance.now() - began;
    await Promise.race([sleep(random() * withinMs), server.ended]);
  }
  await server.kill();
}
for (;;) await start(true).ended;
