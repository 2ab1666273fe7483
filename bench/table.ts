// The table that a benchmark prints. A ratio is bare against service: 1.00 is the limit itself; 0.70 means that the
// service has 70 % of the bare limit's throughput, or uses 1/0.70 of its CPU time. Each round has its own ratio, and
// the table shows their median.
import type { LoadResult } from "./load.ts";

export interface Measured extends Omit<LoadResult, "fault"> {
  perSecond: number;
  serverMs: number;
  databaseMs: number;
  trips: number;
}
export interface TableRow {
  scenario: string;
  connections: number;
  service: Measured[];
  bare: Measured[];
}

export const median = (numbers: number[]) => {
  const sorted = numbers.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2
    ? (sorted[middle] as number)
    : ((sorted[middle - 1] as number) + (sorted[middle] as number)) / 2;
};
const of = (measured: Measured[], pick: (one: Measured) => number) => median(measured.map(pick));
const ratio = (above: Measured[], below: Measured[], pick: (one: Measured) => number) =>
  median(above.map((one, round) => pick(one) / pick(below[round] as Measured)));
export const cpu = (one: Measured) => one.serverMs + one.databaseMs;

export function printTable(lines: TableRow[]) {
  const head = [
    "",
    "conn",
    "req/s",
    "p50 ms",
    "p99 ms",
    "trips",
    "CPU ms (server+db)",
    "bare req/s",
    "bare p50",
    "bare p99",
    "bare CPU ms",
    "ratio req/s",
    "ratio CPU",
  ];
  const rows = lines.map(({ scenario, connections, service, bare }) => {
    const split = (side: Measured[]) =>
      `${of(side, cpu).toFixed(3)} ` +
      `(${of(side, (one) => one.serverMs).toFixed(3)}+${of(side, (one) => one.databaseMs).toFixed(3)})`;
    return [
      scenario,
      String(connections),
      of(service, (one) => one.perSecond).toFixed(0),
      of(service, (one) => one.p50).toFixed(2),
      of(service, (one) => one.p99).toFixed(2),
      of(service, (one) => one.trips).toFixed(1),
      split(service),
      of(bare, (one) => one.perSecond).toFixed(0),
      of(bare, (one) => one.p50).toFixed(2),
      of(bare, (one) => one.p99).toFixed(2),
      split(bare),
      ratio(service, bare, (one) => one.perSecond).toFixed(2),
      ratio(bare, service, cpu).toFixed(2),
    ];
  });
  printColumns(head, rows);
}

/** Aligned columns; the first one is text, the others are numbers. */
export function printColumns(head: string[], rows: string[][]) {
  const widths = head.map((_, column) => Math.max(...[head, ...rows].map((row) => (row[column] as string).length)));
  for (const row of [head, ...rows])
    console.log(
      row
        .map((cell, column) =>
          column === 0 ? cell.padEnd(widths[0] as number) : cell.padStart(widths[column] as number),
        )
        .join("  "),
    );
}

export function printGrowth(small: Measured[], large: Measured[], total: number) {
  const [before, after] = [of(small, cpu), of(large, cpu)];
  console.log(
    `A list page costs ${before.toFixed(3)} ms of CPU at 1,000 Tasks and ${after.toFixed(3)} ms at ` +
      `${total.toLocaleString("en")}: ${(after / before).toFixed(2)} times.`,
  );
}
