// Resolves revision conflicts: changes of different fields are rebased and sent again; texts are merged by line if both
// sides changed different lines; the rest becomes a conflict that the person resolves. Pure.
import type { QueuedChange } from "./change.ts";

/** `input` is the changed input, with all mergeable texts merged. */
export type Resolution = { input: QueuedChange["input"] } & (
  | { kind: "again"; at: string }
  | { kind: "both"; fields: string[] }
);

const same = (one: unknown, other: unknown) => JSON.stringify(one ?? null) === JSON.stringify(other ?? null);

export function resolve(change: QueuedChange, theirs: Readonly<Record<string, unknown>>): Resolution {
  const saw = change.saw[change.ids[0] as string] ?? {};
  const input: Record<string, unknown> = { ...change.input };
  const fields: string[] = [];
  for (const [name, before] of Object.entries(saw)) {
    if (!(name in change.input)) continue;
    const [mine, now] = [change.input[name], theirs[name]];
    if (same(now, before) || same(now, mine)) continue;
    const merged = [before, mine, now].every((text) => typeof text === "string")
      ? merge(before as string, mine as string, now as string)
      : null;
    if (merged === null || name === "title") fields.push(name);
    else input[name] = merged;
  }
  return fields.length > 0 ? { kind: "both", input, fields } : { kind: "again", input, at: String(theirs.revision) };
}

/**
 * Rebases a conflicting change after the person has decided; `mine` are the conflicting fields that it still
 * overwrites.
 */
export function decided({ theirs, ...change }: QueuedChange, mine: readonly string[]): QueuedChange | null {
  const [id] = change.ids;
  if (!theirs || id === undefined) return null;
  const dropped = new Set(theirs.fields.filter((field) => !mine.includes(field)));
  const input = Object.fromEntries(Object.entries(change.input).filter(([name]) => !dropped.has(name)));
  const saw = Object.fromEntries(Object.keys(change.saw[id] ?? {}).map((name) => [name, theirs.row[name]]));
  return { ...change, input, at: { [id]: String(theirs.row.revision) }, saw: { [id]: saw }, state: "waiting" };
}

/** Three-way merge by line; null if both sides changed the same place. */
export function merge(before: string, mine: string, theirs: string): string | null {
  const [base, one, other] = [before, mine, theirs].map((text) => text.split("\n")) as [string[], string[], string[]];
  const [ours, others] = [hunks(base, one), hunks(base, other)];
  const all = [...ours, ...others].sort((a, b) => a.from - b.from || a.to - b.to);
  const result: string[] = [];
  let at = 0;
  for (const [index, hunk] of all.entries()) {
    const last = all[index - 1];
    if (last && hunk.from === last.from && hunk.to === last.to && same(hunk.lines, last.lines)) continue;
    // Adjacent hunks conflict, because their order is undefined.
    if (last && hunk.from <= last.to) return null;
    result.push(...base.slice(at, hunk.from), ...hunk.lines);
    at = hunk.to;
  }
  return [...result, ...base.slice(at)].join("\n");
}

interface Hunk {
  from: number;
  to: number;
  lines: string[];
}
/** Largest LCS table to compute interactively. */
const MOST_CELLS = 4_000_000;

/** Line diff by the longest common subsequence. */
function hunks(base: readonly string[], text: readonly string[]): Hunk[] {
  let start = 0;
  while (start < base.length && start < text.length && base[start] === text[start]) start++;
  let end = 0;
  while (end < base.length - start && end < text.length - start && base.at(-1 - end) === text.at(-1 - end)) end++;
  const [rows, columns] = [base.length - start - end, text.length - start - end];
  if (rows === 0 && columns === 0) return [];
  if (rows * columns > MOST_CELLS)
    return [{ from: start, to: base.length - end, lines: text.slice(start, text.length - end) }];
  const width = columns + 1;
  const longest = new Uint32Array((rows + 1) * width);
  for (let row = rows - 1; row >= 0; row--)
    for (let column = columns - 1; column >= 0; column--)
      longest[row * width + column] =
        base[start + row] === text[start + column]
          ? (longest[(row + 1) * width + column + 1] as number) + 1
          : Math.max(longest[(row + 1) * width + column] as number, longest[row * width + column + 1] as number);
  const found: Hunk[] = [];
  let [row, column] = [0, 0];
  while (row < rows || column < columns) {
    if (row < rows && column < columns && base[start + row] === text[start + column]) {
      row++;
      column++;
      continue;
    }
    const open = found.at(-1);
    const hunk = open && open.to === start + row ? open : { from: start + row, to: start + row, lines: [] };
    if (hunk !== open) found.push(hunk);
    const skips =
      column >= columns ||
      (row < rows && (longest[(row + 1) * width + column] as number) >= (longest[row * width + column + 1] as number));
    if (skips) hunk.to = start + ++row;
    else hunk.lines.push(text[start + column++] as string);
  }
  return found;
}
