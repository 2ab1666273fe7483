// Three-way merge of the changes on either side since both were equal: the title as a whole, labels one by one, the
// text by lines; overlapping changes are conflicts. Pure. Equal lines are found by Myers' algorithm, which gives up
// beyond a number of differences: then the whole text between the common prefix and suffix counts as changed, which can
// only cause a conflict.
import type { DocumentPage } from "./front-matter.ts";

/** Number of differing lines up to which the shortest edit script is searched: about ten milliseconds. */
const MOST_DIFFERENCES = 1000;

/** Replaces lines of the base by those of the other side. */
interface Hunk {
  from: number;
  to: number;
  lines: string[];
}

export function mergePages(base: DocumentPage, ours: DocumentPage, theirs: DocumentPage): DocumentPage | null {
  const title = mergeValue(base.title, ours.title, theirs.title);
  const body = mergeText(base.body, ours.body, theirs.body);
  if (title === null || body === null) return null;
  return { id: ours.id, title, labels: mergeSets(base.labels, ours.labels, theirs.labels), body };
}

const mergeValue = (base: string, ours: string, theirs: string) =>
  ours === theirs || theirs === base ? ours : ours === base ? theirs : null;

/** Labels in our order, followed by new ones of the other side. */
function mergeSets(base: readonly string[], ours: readonly string[], theirs: readonly string[]): string[] {
  const kept = ours.filter((each) => theirs.includes(each) || !base.includes(each));
  const added = theirs.filter((each) => !base.includes(each) && !ours.includes(each));
  return [...kept, ...added];
}

/** Returns null if both sides changed overlapping or adjacent lines differently. */
export function mergeText(base: string, ours: string, theirs: string): string | null {
  if (ours === theirs || theirs === base) return ours;
  if (ours === base) return theirs;
  const lines = base.split("\n");
  const sides = [hunksOf(lines, ours.split("\n")), hunksOf(lines, theirs.split("\n"))] as const;
  const merged: string[] = [];
  let [at, i, j] = [0, 0, 0];
  for (;;) {
    const [a, b] = [sides[0][i], sides[1][j]];
    if (!a && !b) break;
    const from = Math.min(a?.from ?? lines.length, b?.from ?? lines.length);
    let to = from;
    const [own, other]: [Hunk[], Hunk[]] = [[], []];
    for (;;) {
      const [nextOwn, nextOther] = [sides[0][i], sides[1][j]];
      // Adjacent hunks belong together, except two of the same side, which are separate.
      if (nextOwn && nextOwn.from <= to) {
        own.push(nextOwn);
        to = Math.max(to, nextOwn.to);
        i++;
      } else if (nextOther && nextOther.from <= to) {
        other.push(nextOther);
        to = Math.max(to, nextOther.to);
        j++;
      } else break;
    }
    const [mine, yours] = [applied(lines, own, from, to), applied(lines, other, from, to)];
    if (own.length > 0 && other.length > 0 && !areSame(mine, yours)) return null;
    merged.push(...lines.slice(at, from), ...(own.length > 0 ? mine : yours));
    at = to;
  }
  return [...merged, ...lines.slice(at)].join("\n");
}

const areSame = (a: readonly string[], b: readonly string[]) =>
  a.length === b.length && a.every((line, at) => line === b[at]);

function applied(lines: readonly string[], hunks: readonly Hunk[], from: number, to: number): string[] {
  const result: string[] = [];
  let at = from;
  for (const hunk of hunks) {
    result.push(...lines.slice(at, hunk.from), ...hunk.lines);
    at = hunk.to;
  }
  return [...result, ...lines.slice(at, to)];
}

function hunksOf(base: readonly string[], other: readonly string[]): Hunk[] {
  let start = 0;
  while (start < base.length && start < other.length && base[start] === other[start]) start++;
  let [endBase, endOther] = [base.length, other.length];
  while (endBase > start && endOther > start && base[endBase - 1] === other[endOther - 1]) {
    endBase--;
    endOther--;
  }
  const kept = sameLines(base.slice(start, endBase), other.slice(start, endOther));
  const hunks: Hunk[] = [];
  let [a, b] = [start, start];
  for (const [x, y] of [...kept.map(([x, y]) => [x + start, y + start] as const), [endBase, endOther] as const]) {
    if (x > a || y > b) hunks.push({ from: a, to: x, lines: other.slice(b, y) });
    [a, b] = [x + 1, y + 1];
  }
  return hunks;
}

/** Pairs of equal lines on the shortest edit script; empty if that is too long. */
function sameLines(a: readonly string[], b: readonly string[]): [number, number][] {
  const most = Math.min(a.length + b.length, MOST_DIFFERENCES);
  const furthest = new Int32Array(2 * most + 2);
  const trace: Int32Array[] = [];
  for (let d = 0; d <= most; d++) {
    trace.push(furthest.slice(most - d, most + d + 1));
    for (let k = -d; k <= d; k += 2) {
      const down = k === -d || (k !== d && (furthest[most + k - 1] as number) < (furthest[most + k + 1] as number));
      let x = down ? (furthest[most + k + 1] as number) : (furthest[most + k - 1] as number) + 1;
      while (x < a.length && x - k < b.length && a[x] === b[x - k]) x++;
      furthest[most + k] = x;
      if (x >= a.length && x - k >= b.length) return back(trace, a.length, b.length);
    }
  }
  return [];
}

/** Walks back along the edit script: each step is one differing line, preceded by equal ones. */
function back(trace: readonly Int32Array[], endA: number, endB: number): [number, number][] {
  const pairs: [number, number][] = [];
  let [x, y] = [endA, endB];
  for (let d = trace.length - 1; d >= 0; d--) {
    const at = (k: number) => trace[d]?.[k + d] as number;
    const k = x - y;
    const down = k === -d || (k !== d && at(k - 1) < at(k + 1));
    const [startX, startY] = d === 0 ? [0, 0] : down ? [at(k + 1), at(k + 1) - k - 1] : [at(k - 1), at(k - 1) - k + 1];
    const [stopX, stopY] = d === 0 ? [0, 0] : down ? [startX, startY + 1] : [startX + 1, startY];
    while (x > stopX && y > stopY) pairs.push([--x, --y]);
    [x, y] = [startX, startY];
  }
  return pairs.reverse();
}
