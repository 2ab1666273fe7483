// One run: prepares a Workspace, lets the load and the fault process at the server until there were enough kills and enough
// requests cut by them, lets the load settle against a server that stands, and has the ledger checked.
// Bounded: the faults end after `limitMs`, the load at most twice `patienceMs` later, and a server that does not come up ends the run.
import { type ChildProcess, fork } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { check, type Verdict } from "./check.ts";
import type { FaultReport, FaultTask } from "./fault.ts";
import type { LoadOrder, LoadReport, LoadTask } from "./load.ts";
import { makeWorld } from "./world.ts";

/** Laid over the service by planted.ts. */
export const bugs = [
  "answer-after-commit",
  "key-after-commit",
  "key-before-transaction",
  "acknowledged-before-commit",
] as const;
export type Bug = (typeof bugs)[number];

/** Beyond its limits a run gets so long to start the last server and to answer what is on the wire. */
const SLACK_MS = 30_000;

export interface StormOptions {
  databaseUrl: string;
  seed: number;
  kills: number;
  /** Requests that a kill cut off: the server had the connection and gave no answer. */
  cut: number;
  lanes: number;
  limitMs: number;
  patienceMs: number;
  /** A planted bug instead of the service as it is. */
  bug?: Bug;
  progress?: (kills: number, cut: number) => void;
}

export interface Outcome extends Verdict {
  kills: number;
  killsDuringStart: number;
  /** Ends of the server that nobody caused, with its last words. */
  ended: string[];
  enough: boolean;
  seconds: number;
  /** Ledger and server log; kept where something was found. */
  directory: string;
}

export async function storm(options: StormOptions): Promise<Outcome> {
  const began = performance.now();
  const directory = mkdtempSync(join(tmpdir(), "svc-chaos-"));
  chmodSync(directory, 0o711);
  const { workspaceId, headers } = await makeWorld(options.databaseUrl);
  const ledger = join(directory, "ledger.jsonl");
  const { seed, lanes, kills, cut } = options;
  const load = start("load.ts", { seed, lanes, ledger, workspaceId, headers } satisfies LoadTask);
  const fault = start("fault.ts", faultTask(options, directory));
  const happened = { kills: 0, killsDuringStart: 0, cut: 0, ended: [] as string[] };
  try {
    await watch(options, load, fault, happened);
  } finally {
    await Promise.all([end(load), end(fault)]);
  }
  const verdict = await check(options.databaseUrl, workspaceId, ledger);
  const askedAgain = (verdict.counts["replays compared"] ?? 0) >= (verdict.counts.acknowledged ?? 0);
  const enough = happened.kills >= kills && happened.cut >= cut && askedAgain;
  const clean =
    enough && happened.ended.length === 0 && Object.values(verdict.found).every((list) => list.length === 0);
  if (clean || options.bug !== undefined) rmSync(directory, { recursive: true, force: true });
  return { ...verdict, ...happened, enough, directory, seconds: (performance.now() - began) / 1000 };
}

function faultTask({ databaseUrl, seed, bug }: StormOptions, directory: string): FaultTask {
  const program = bug === undefined ? ["server/src/main.ts"] : ["bench/chaos/planted.ts", bug];
  const { PATH = "", NODE_COMPILE_CACHE } = process.env;
  const env = {
    PATH,
    ...(NODE_COMPILE_CACHE ? { NODE_COMPILE_CACHE } : {}),
    PORT: "0",
    DATABASE_URL: databaseUrl,
    DATA_DIR: join(directory, "data"),
    RATE_LIMITS: "off",
    LOG_LEVEL: "error",
  };
  return { seed, program, env, log: join(directory, "server.log") };
}

type Happened = { kills: number; killsDuringStart: number; cut: number; ended: string[] };

function watch(options: StormOptions, load: ChildProcess, fault: ChildProcess, happened: Happened): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const order = (message: LoadOrder) => void (load.connected && load.send(message));
  const calm = () => void (fault.connected && fault.send("enough"));
  const lastWords = () => `the server does not stay up: ${happened.ended.at(-1) ?? "it is not ready in time"}`;
  const limit = setTimeout(calm, options.limitMs);
  const end = setTimeout(() => reject(new Error(lastWords())), options.limitMs + 2 * options.patienceMs + SLACK_MS);
  let inARow = 0;
  const step = () => {
    options.progress?.(happened.kills, happened.cut);
    if (happened.kills >= options.kills && happened.cut >= options.cut) calm();
  };
  fault.on("message", (report: FaultReport) => {
    if (report.event === "up") {
      inARow = 0;
      order({ order: "up", port: report.port });
      if (report.standing) order({ order: "settle", patienceMs: options.patienceMs });
      return;
    }
    order({ order: "down" });
    if (report.event === "ended") {
      happened.ended.push(`code ${report.code}: ${report.output}`);
      if (++inARow === 3) reject(new Error(lastWords()));
      return;
    }
    happened.kills++;
    if (report.starting) happened.killsDuringStart++;
    step();
  });
  load.on("message", (report: LoadReport) => {
    if (report.event === "done") return resolve();
    happened.cut++;
    step();
  });
  for (const child of [load, fault])
    child.once("exit", (code) => reject(new Error(`${child.spawnargs[1]} ended with ${code}`)));
  return promise.finally(() => {
    clearTimeout(limit);
    clearTimeout(end);
  });
}

const start = (script: string, task: object) =>
  fork(fileURLToPath(new URL(script, import.meta.url)), [JSON.stringify(task)], { execArgv: [] });

async function end(child: ChildProcess): Promise<void> {
  const gone =
    child.exitCode === null && child.signalCode === null ? new Promise((done) => child.once("exit", done)) : null;
  if (child.connected) child.disconnect();
  await gone;
}
