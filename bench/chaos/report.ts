// The one table of a run, a column for the service and one for each planted bug, and the verdict under it.
import { violations } from "./check.ts";
import type { Outcome } from "./storm.ts";

export const isClean = (outcome: Outcome) =>
  outcome.enough && outcome.ended.length === 0 && violations.every((name) => outcome.found[name].length === 0);
/** An answer out of place alone proves nothing: a plant that merely breaks the server gives that too. */
export const isCaught = (outcome: Outcome) =>
  violations.some((name) => name !== "answers out of place" && outcome.found[name].length > 0);

/** True when the service is clean and every planted bug was caught. */
export function printTable(outcomes: Map<string, Outcome>): boolean {
  const all = [...outcomes.values()];
  const line = (name: string, of: (outcome: Outcome) => number) => [name, ...all.map((outcome) => String(of(outcome)))];
  const rows = [
    ["", ...outcomes.keys()],
    line("kills", ({ kills }) => kills),
    line("  of them during start-up", ({ killsDuringStart }) => killsDuringStart),
    ...Object.keys(all[0]?.counts ?? {}).map((name) => line(name, ({ counts }) => counts[name] ?? 0)),
    ...violations.map((name) => line(name.toUpperCase(), ({ found }) => found[name].length)),
    line("SERVER ENDED BY ITSELF", ({ ended }) => ended.length),
  ];
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  for (const [first = "", ...rest] of rows)
    console.log(
      [first.padEnd(widths[0] ?? 0), ...rest.map((cell, at) => cell.padStart(widths[at + 1] ?? 0))].join("  "),
    );
  return [...outcomes].map(([name, outcome]) => judge(name, outcome)).every(Boolean);
}

function judge(name: string, outcome: Outcome): boolean {
  if (name !== "service") {
    if (!isCaught(outcome)) console.log(`planted bug ${name}: NOT CAUGHT`);
    return isCaught(outcome);
  }
  if (isClean(outcome)) return true;
  if (!outcome.enough)
    console.log("too few kills or too few requests cut off within the time: this run proves too little");
  for (const violation of violations)
    for (const example of outcome.found[violation].slice(0, 5)) console.log(`${violation}: ${example.slice(0, 400)}`);
  for (const words of outcome.ended.slice(0, 3)) console.log(`the server ended by itself: ${words}`);
  console.log(`ledger and server log: ${outcome.directory}`);
  return false;
}
