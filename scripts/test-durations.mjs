// The stored durations of test files, test-durations.json: the longest file starts first, and the time of a run on
// other machines is computed from them. `npm test -- --record` and `npm run test:all -- --record` refresh them; `npm
// run test:durations` prints them.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { availableParallelism, totalmem } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { root } from "./install.mjs";
import { allTestFiles, isSlow } from "./test-tiers.mjs";

const STORE = join(root, "scripts/test-durations.json");
/** Milliseconds are rounded, so that a new measurement changes few lines. */
const ROUND_MS = 100;
const MOST_WORKERS = 32;
const WORKER_BYTES = 1024 ** 3;
/** Memory for PostgreSQL, the runner and the rest of the system. */
const RESERVED_BYTES = 2 * 1024 ** 3;

/**
 * Two workers per core, because a test that waits for a browser, a process or the database leaves its core idle; fewer
 * if a worker could not have its gigabyte of memory. /
 */
export function workersFor(cores = availableParallelism(), memory = memoryLimit()) {
  const fitting = Math.floor((memory - RESERVED_BYTES) / WORKER_BYTES);
  return Math.max(1, Math.min(2 * cores, fitting, MOST_WORKERS));
}
const memoryLimit = () => Math.min(totalmem(), process.constrainedMemory?.() || Number.POSITIVE_INFINITY);

/** @returns {{ measured: Record<string, { cores: number, checks: number, tests: number }>, files: Record<string, number> }} */
export function storedDurations() {
  return existsSync(STORE) ? JSON.parse(readFileSync(STORE, "utf8")) : { measured: {}, files: {} };
}

/**
 * Merges new milliseconds by file, and the seconds of a whole tier, into the store. Files that no longer exist are
 * dropped.
 */
export function storeDurations(files, measured = {}, present = allTestFiles()) {
  const before = storedDurations();
  const rounded = Object.entries(files).map(([path, ms]) => [path, Math.max(1, Math.round(ms / ROUND_MS)) * ROUND_MS]);
  const merged = { ...before.files, ...Object.fromEntries(rounded) };
  const kept = Object.entries(merged).filter(([path]) => present.includes(path));
  const sorted = Object.fromEntries(kept.sort(([a], [b]) => (a < b ? -1 : 1)));
  writeFileSync(
    STORE,
    `${JSON.stringify({ measured: { ...before.measured, ...measured }, files: sorted }, null, 2)}\n`,
  );
}

/**
 * A function from the path of a test file to its milliseconds. A file that changed its tier keeps its record; one
 * without counts as the median.
 */
export function durationOf(files = storedDurations().files) {
  const sorted = Object.values(files).sort((a, b) => a - b);
  const median = sorted[Math.floor(sorted.length / 2)] ?? ROUND_MS;
  return (path) => files[path] ?? files[path.replace(".slow.", ".")] ?? median;
}

/** Milliseconds until the last worker ends, if each free worker takes the longest file that is left. */
export function makespan(durations, workers) {
  const busyUntil = Array.from({ length: workers }, () => 0);
  for (const duration of [...durations].sort((a, b) => b - a)) {
    const first = busyUntil.indexOf(Math.min(...busyUntil));
    busyUntil[first] += duration;
  }
  return Math.max(...busyUntil);
}

/**
 * Seconds of a tier on so many cores: the measured run, with its tests scaled by the makespans. The checks of the
 * sources are not scaled. Before a whole run was recorded, the makespan alone. /
 */
export function estimate(run, durations, cores) {
  const { checks, tests } = run ?? { checks: 0, tests: makespan(durations, 4) / 1000 };
  return checks + (tests * makespan(durations, 2 * cores)) / makespan(durations, 2 * (run?.cores ?? 2));
}

function printTier(tier, command) {
  const { measured, files } = storedDurations();
  const paths = allTestFiles().filter((path) => isSlow(path) === (tier === "slow"));
  const ranked = paths.map((path) => ({ path, ms: durationOf(files)(path) })).sort((a, b) => b.ms - a.ms);
  const durations = ranked.map(({ ms }) => ms);
  const sum = durations.reduce((total, ms) => total + ms, 0);
  console.log(`${command}: ${paths.length} files, ${Math.round(sum / 1000)} s in sum; the longest:`);
  for (const { path, ms } of ranked.slice(0, 10)) console.log(`  ${(ms / 1000).toFixed(1).padStart(7)} s  ${path}`);
  const times = [2, 4, 8].map(
    (cores) => `${Math.round(estimate(measured[tier], durations, cores))} s on ${cores} cores`,
  );
  console.log(
    `  ${measured[tier] ? "computed" : "not measured yet; computed without the checks"}: ${times.join(", ")}`,
  );
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  printTier("first", "npm test");
  printTier("slow", "npm run test:all");
}
