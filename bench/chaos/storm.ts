// One run: prepares a Workspace, runs the load and a fault process against the server until there were enough faults
// and enough requests cut by them, lets the load settle against a stable server, and checks the ledger. Bounded: the
// faults end after `limitMs`, the load at most twice `patienceMs` later, and a server that does not start ends the run.
import { type ChildProcess, fork } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { check, type Verdict } from "./check.ts";
import type { LoadOrder, LoadReport, LoadTask } from "./load.ts";
import type { FaultReport, FaultTask } from "./server.ts";
import { makeWorld } from "./world.ts";

/** Bugs that planted.ts can plant in the service. */
export const bugs = [
  "answer-after-commit",
  "key-after-commit",
  "key-before-transaction",
  "acknowledged-before-commit",
  "event-skipped",
  "private-told",
  "update-skipped",
  "upload-damaged",
] as const;
export type Bug = (typeof bugs)[number];
/** The bugs that each harness must catch. Other harnesses with a ledger share the checker of the kills. */
export const planted = {
  kills: ["answer-after-commit", "key-after-commit", "key-before-transaction", "acknowledged-before-commit"],
  "co-editing": ["acknowledged-before-commit", "update-skipped"],
  realtime: ["event-skipped", "private-told"],
  // A turn repeats a step whose commit was lost, so acknowledged-before-commit is not detectable here.
  runs: ["key-after-commit"],
  mix: ["event-skipped", "upload-damaged"],
} as const satisfies Record<string, readonly Bug[]>;

/** Time beyond the limits of a run to start the last server and to answer requests in flight. */
const SLACK_MS = 30_000;

/** The fault processes. */
const scripts = { kills: "fault.ts", network: "network.ts", outage: "outage.ts", disk: "disk.ts" } as const;

export interface StormOptions {
  /** Lends the database while no server runs. */
  database: <T>(work: (url: string) => Promise<T>) => Promise<T>;
  /** Directory of the server's own database; by default it uses that of `database`. */
  dataDir?: string;
  trouble: keyof typeof scripts;
  seed: number;
  faults: number;
  /** Requests cut by a kill: the server had the connection and gave no answer. */
  cut: number;
  lanes: number;
  limitMs: number;
  patienceMs: number;
  /** A planted bug; unset: the unmodified service. */
  bug?: Bug;
  progress?: (faults: number, cut: number) => void;
}

interface Happened {
  faults: number;
  killsDuringStart: number;
  cut: number;
  /** Unexpected exits of the server, with its last output. */
  ended: string[];
  /** Violations observed from outside. */
  broken: string[];
  /** Time from the end of each fault until the server was ready, and until a write was answered, in ms. */
  back: number[];
  /** Counts of background work. */
  seen: Record<string, number>;
}
export interface StormOutcome extends Verdict, Happened {
  enough: boolean;
  seconds: number;
  /** Ledger and server log; not deleted if a violation was found. */
  directory: string;
}

export async function storm(options: StormOptions): Promise<StormOutcome> {
  const began = performance.now();
  const directory = mkdtempSync(join(tmpdir(), "svc-chaos-"));
  chmodSync(directory, 0o711);
  const { seed, lanes, faults, cut } = options;
  const ledger = join(directory, "ledger.jsonl");
  const { workspaceId, headers, databaseUrl } = await options.database(async (url) => ({
    ...(await makeWorld(url)),
    databaseUrl: url,
  }));
  const load = startProcess("load.ts", { seed, lanes, ledger, workspaceId, headers } satisfies LoadTask);
  const fault = startProcess(scripts[options.trouble], faultTask(options, databaseUrl, directory));
  const happened: Happened = { faults: 0, killsDuringStart: 0, cut: 0, ended: [], broken: [], back: [], seen: {} };
  try {
    await watch(options, load, fault, happened);
  } finally {
    await Promise.all([endProcess(load), endProcess(fault)]);
  }
  const verdict = await options.database((url) => check(url, workspaceId, ledger));
  const askedAgain = (verdict.counts["replays compared"] ?? 0) >= (verdict.counts.acknowledged ?? 0);
  const enough = happened.faults >= faults && happened.cut >= cut && askedAgain;
  if (options.trouble !== "kills" && happened.cut > 0)
    happened.broken.push(`${happened.cut} connections broke although nobody killed the server`);
  const outcome = { ...verdict, ...happened, enough, directory, seconds: (performance.now() - began) / 1000 };
  if (isClean(outcome) || options.bug !== undefined) rmSync(directory, { recursive: true, force: true });
  return outcome;
}

export const isClean = ({ enough, ended, broken, found }: StormOutcome) =>
  enough && [ended, broken, ...Object.values(found)].every((list) => list.length === 0);

function faultTask(options: StormOptions, databaseUrl: string, directory: string): FaultTask {
  const { seed, faults, bug, dataDir } = options;
  const program = bug === undefined ? ["server/src/main.ts"] : ["bench/chaos/planted.ts", bug];
  const { PATH = "", NODE_COMPILE_CACHE } = process.env;
  const env = {
    PATH,
    ...(NODE_COMPILE_CACHE ? { NODE_COMPILE_CACHE } : {}),
    PORT: "0",
    ...(dataDir === undefined ? { DATABASE_URL: databaseUrl } : {}),
    DATA_DIR: dataDir ?? join(directory, "data"),
    RATE_LIMITS: "off",
    LOG_LEVEL: "error",
  };
  return { seed, program, env, log: join(directory, "server.log"), databaseUrl, faults };
}

function watch(options: StormOptions, load: ChildProcess, fault: ChildProcess, happened: Happened): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const order = (message: LoadOrder) => void (load.connected && load.send(message));
  const calm = () => void (fault.connected && fault.send("enough"));
  const lastWords = () => `the server does not stay up: ${happened.ended.at(-1) ?? "it is not ready in time"}`;
  const limit = setTimeout(calm, options.limitMs);
  const end = setTimeout(() => reject(new Error(lastWords())), options.limitMs + 2 * options.patienceMs + SLACK_MS);
  let inARow = 0;
  const step = () => {
    options.progress?.(happened.faults, happened.cut);
    if (options.trouble === "kills" && happened.faults >= options.faults && happened.cut >= options.cut) calm();
  };
  const told: { [E in FaultReport["event"]]: (report: Extract<FaultReport, { event: E }>) => void } = {
    up({ port, standing }) {
      inARow = 0;
      order({ order: "up", port });
      if (standing) order({ order: "settle", patienceMs: options.patienceMs });
    },
    ended({ code, output }) {
      order({ order: "down" });
      happened.ended.push(`code ${code}: ${output}`);
      if (++inARow === 3) reject(new Error(lastWords()));
    },
    killed({ starting }) {
      order({ order: "down" });
      happened.faults++;
      if (starting) happened.killsDuringStart++;
      step();
    },
    fault() {
      order({ order: "fault" });
      happened.faults++;
      step();
    },
    healed: () => order({ order: "healed" }),
    ready: ({ ms }) => happened.back.push(ms),
    seen({ counts }) {
      happened.seen = counts;
    },
    broken: ({ rule }) => happened.broken.push(rule),
  };
  fault.on("message", (report: FaultReport) => told[report.event](report as never));
  load.on("message", (report: LoadReport) => {
    if (report.event === "done") return resolve();
    if (report.event === "answered") return happened.back.push(report.ms);
    if (report.event === "late")
      return happened.broken.push(`${report.why} to a write of ${report.ms.toFixed(0)} ms after a fault`);
    happened.cut++;
    step();
  });
  for (const child of [load, fault])
    child.once("exit", (code) =>
      reject(new Error([`${child.spawnargs[1]} ended with ${code}`, ...happened.ended].join("; the server: "))),
    );
  return promise.finally(() => {
    clearTimeout(limit);
    clearTimeout(end);
  });
}

export const startProcess = (script: string, task: object) =>
  fork(fileURLToPath(new URL(script, import.meta.url)), [JSON.stringify(task)], { execArgv: [] });

export async function endProcess(child: ChildProcess): Promise<void> {
  const gone =
    child.exitCode === null && child.signalCode === null ? new Promise((done) => child.once("exit", done)) : null;
  if (child.connected) child.disconnect();
  await gone;
}
