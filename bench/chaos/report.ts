// The result table of a run, with a column for each fault process and one for each planted bug, and the verdict below
// it.
import { type Violation, violations } from "./check.ts";
import { isClean, planted, type StormOutcome } from "./storm.ts";

/** These violations do not prove a bug: a plant that merely breaks the server causes them too. */
const WEAK: readonly Violation[] = ["answers out of place", "requests not answered in time"];
export const isCaught = (outcome: StormOutcome) =>
  violations.some((name) => !WEAK.includes(name) && outcome.found[name].length > 0);

const MOST_ROUNDS = 3;
/**
 * Repeats the run until the bug is caught, with twice the time in each round: on a busy machine a round may end before
 * its retries are answered.
 */
export async function untilCaught(run: (patience: number) => Promise<StormOutcome>): Promise<StormOutcome> {
  for (let round = 1; ; round++) {
    const outcome = await run(2 ** (round - 1)).catch((error: Error) => {
      if (round === MOST_ROUNDS) throw error;
      return null;
    });
    if (outcome && (isCaught(outcome) || round === MOST_ROUNDS)) return outcome;
  }
}

/** Runs with a planted bug, by their names in the table: those of the kills by the bug alone. */
export const plantedRuns = Object.entries(planted).flatMap(([harness, bugs]) =>
  bugs.map((bug) => ({
    name: harness === "kills" ? bug : `${harness} ${bug}`,
    harness: harness as keyof typeof planted,
    bug,
  })),
);

/** Returns true if the service is clean and every planted bug was caught. */
export function printTable(outcomes: Map<string, StormOutcome>): boolean {
  const all = [...outcomes.values()];
  const line = (name: string, of: (outcome: StormOutcome) => number | undefined) => [
    name,
    ...all.map((outcome) => String(of(outcome) ?? "")),
  ];
  const names = (of: (outcome: StormOutcome) => Record<string, number>) => [
    ...new Set(all.flatMap((one) => Object.keys(of(one)))),
  ];
  const slowest = ({ back }: StormOutcome) => (back.length > 0 ? Math.round(Math.max(...back)) : undefined);
  const rows = [
    ["", ...outcomes.keys()],
    line("faults", ({ faults }) => faults),
    line("  kills during start-up", ({ killsDuringStart }) => killsDuringStart),
    line("  slowest recovery, ms", slowest),
    ...names(({ counts }) => counts).map((name) => line(name, ({ counts }) => counts[name])),
    ...names(({ seen }) => seen).map((name) => line(name, ({ seen }) => seen[name])),
    ...violations.map((name) => line(name.toUpperCase(), ({ found }) => found[name].length)),
    line("RULES BROKEN BESIDE", ({ broken }) => broken.length),
    line("SERVER ENDED BY ITSELF", ({ ended }) => ended.length),
  ];
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  for (const [first = "", ...rest] of rows)
    console.log(
      [first.padEnd(widths[0] ?? 0), ...rest.map((cell, at) => cell.padStart(widths[at + 1] ?? 0))].join("  "),
    );
  return [...outcomes].map(([name, outcome]) => judge(name, outcome)).every(Boolean);
}

function judge(name: string, outcome: StormOutcome): boolean {
  if (plantedRuns.some((run) => run.name === name)) {
    if (!isCaught(outcome)) console.log(`planted bug ${name}: NOT CAUGHT`);
    return isCaught(outcome);
  }
  if (isClean(outcome)) return true;
  if (!outcome.enough)
    console.log(`${name}: too few faults or too few requests cut off within the time: this run proves too little`);
  for (const violation of violations)
    for (const example of outcome.found[violation].slice(0, 5)) console.log(`${violation}: ${example.slice(0, 400)}`);
  for (const rule of outcome.broken.slice(0, 5)) console.log(`${name}: ${rule}`);
  for (const words of outcome.ended.slice(0, 3)) console.log(`the server ended by itself: ${words}`);
  console.log(`ledger and server log: ${outcome.directory}`);
  return false;
}
