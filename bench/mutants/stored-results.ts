// Results of all runs in results.json, until 200 mutants are done: each mutant with its outcome, and the reason for one
// that no test can kill.
import { createHash } from "node:crypto";
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { KINDS, type Mutant, type MutantKind, shown } from "./mutant.ts";

export const STATES = ["killed", "survived", "timed out", "not meaningful"] as const;
export interface MutantResult {
  path: string;
  line: number;
  kind: MutantKind;
  change: string;
  state: (typeof STATES)[number];
  /** The test that failed. */
  test?: string;
  /** Reason why the mutant is not meaningful, or the progress of its tests. */
  reason?: string;
  seconds: number;
}
/** Results by id of the mutant. */
export type Results = Record<string, MutantResult>;

const FILE = join(import.meta.dirname, "results.json");
export const readResults = () => JSON.parse(readFileSync(FILE, "utf8")) as Results;
export function writeResults(results: Results): void {
  const sorted = Object.entries(results).sort(
    ([one, { path, line }], [other, next]) =>
      path.localeCompare(next.path, "en") || line - next.line || one.localeCompare(other, "en"),
  );
  writeFileSync(`${FILE}.new`, `${JSON.stringify(Object.fromEntries(sorted), null, 2)}\n`);
  renameSync(`${FILE}.new`, FILE);
}

export const resultOf = (
  mutant: Mutant,
  rest: Pick<MutantResult, "state" | "test" | "reason" | "seconds">,
): MutantResult => ({
  path: mutant.path,
  line: mutant.line,
  kind: mutant.kind,
  change: shown(mutant),
  ...rest,
});

/** Results of mutants that the sources still yield, with their current files and lines. */
export function currentOf(results: Results, mutants: ReadonlyMap<string, Mutant>): Results {
  const current = Object.entries(results).flatMap(([id, result]) => {
    const mutant = mutants.get(id);
    return mutant ? [[id, { ...result, path: mutant.path, line: mutant.line }] as const] : [];
  });
  return Object.fromEntries(current);
}

const rank = (seed: string, id: string) => createHash("sha256").update(`${seed} ${id}`).digest("hex");
/** Chooses the same number of each kind by the seed. An edit of other lines does not change the choice. */
export function chooseMutants(mutants: readonly Mutant[], seed: string, count: number): Mutant[] {
  const ranked = mutants
    .map((mutant) => ({ mutant, rank: rank(seed, mutant.id) }))
    .sort((one, other) => (one.rank < other.rank ? -1 : 1))
    .map(({ mutant }) => mutant);
  const queues = KINDS.map((kind) => ranked.filter((mutant) => mutant.kind === kind));
  const chosen: Mutant[] = [];
  while (chosen.length < count && queues.some((queue) => queue.length > 0))
    for (const queue of queues) {
      const next = queue.shift();
      if (next && chosen.length < count) chosen.push(next);
    }
  return chosen;
}

/** Counts, the share of meaningful mutants that were killed, and every surviving mutant. */
export function reportOf(results: Results): string[] {
  const all = Object.entries(results);
  const counts = STATES.map((state) => `${all.filter(([, result]) => result.state === state).length} ${state}`);
  const meaningful = all.filter(([, { state }]) => state !== "not meaningful");
  const killed = meaningful.filter(([, { state }]) => state === "killed");
  const share = meaningful.length > 0 ? ((100 * killed.length) / meaningful.length).toFixed(1) : "0";
  const left = meaningful.filter(([, { state }]) => state !== "killed");
  return [
    ...left.map(([id, { state, path, line, kind, change }]) => `${state}  ${id}  ${path}:${line}  ${kind}: ${change}`),
    `${all.length} mutants: ${counts.join(", ")}; ${share} % of the meaningful ones are killed`,
  ];
}
