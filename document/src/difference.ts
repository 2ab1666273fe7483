// Shortest edit script between two sequences (Myers 1986). Bounded: above MOST_DIFFERENCES, everything between the
// common prefix and the common suffix is replaced. Pure.
export interface Step {
  kind: "same" | "removed" | "added";
  /** Positions in both sequences, and the length. */
  from: number;
  to: number;
  count: number;
}

/** Maximum number of edits searched for: one second for the longest texts. */
const MOST_DIFFERENCES = 1000;

export function difference(before: readonly unknown[], after: readonly unknown[]): Step[] {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start++;
  let [endBefore, endAfter] = [before.length, after.length];
  while (endBefore > start && endAfter > start && before[endBefore - 1] === after[endAfter - 1]) {
    endBefore--;
    endAfter--;
  }
  const middle = shortest(before.slice(start, endBefore), after.slice(start, endAfter));
  const steps: Step[] = [{ kind: "same", from: 0, to: 0, count: start }];
  for (const { kind, from, to, count } of middle) steps.push({ kind, from: from + start, to: to + start, count });
  steps.push({ kind: "same", from: endBefore, to: endAfter, count: before.length - endBefore });
  return steps.filter(({ count }) => count > 0);
}

const replaced = (before: readonly unknown[], after: readonly unknown[]): Step[] => [
  { kind: "removed", from: 0, to: 0, count: before.length },
  { kind: "added", from: before.length, to: 0, count: after.length },
];

function shortest(before: readonly unknown[], after: readonly unknown[]): Step[] {
  const [n, m] = [before.length, after.length];
  const most = Math.min(n + m, MOST_DIFFERENCES);
  const furthest = new Int32Array(2 * most + 3);
  const at = (diagonal: number) => furthest[diagonal + most + 1] as number;
  const reached: Int32Array[] = [];
  for (let differences = 0; differences <= most; differences++) {
    reached.push(furthest.slice(most + 1 - differences, most + 2 + differences));
    for (let diagonal = -differences; diagonal <= differences; diagonal += 2) {
      const down = diagonal === -differences || (diagonal !== differences && at(diagonal - 1) < at(diagonal + 1));
      let x = down ? at(diagonal + 1) : at(diagonal - 1) + 1;
      while (x < n && x - diagonal < m && before[x] === after[x - diagonal]) x++;
      furthest[diagonal + most + 1] = x;
      if (x >= n && x - diagonal >= m) return stepsBack(reached, n, m);
    }
  }
  return replaced(before, after);
}

/** Traces the path back from the end, through the positions reached with each number of edits. */
function stepsBack(reached: readonly Int32Array[], n: number, m: number): Step[] {
  const steps: Step[] = [];
  const add = (kind: Step["kind"], from: number, to: number, count: number) => {
    const last = steps.at(-1);
    if (count === 0) return;
    if (last?.kind === kind) Object.assign(last, { from, to, count: last.count + count });
    else steps.push({ kind, from, to, count });
  };
  let [x, y] = [n, m];
  for (let differences = reached.length - 1; differences > 0; differences--) {
    const row = reached[differences] as Int32Array;
    const at = (diagonal: number) => row[diagonal + differences] ?? -1;
    const diagonal = x - y;
    const down = diagonal === -differences || (diagonal !== differences && at(diagonal - 1) < at(diagonal + 1));
    const [oldX, oldY] = down
      ? [at(diagonal + 1), at(diagonal + 1) - diagonal - 1]
      : [at(diagonal - 1), at(diagonal - 1) - diagonal + 1];
    const [startX, startY] = down ? [oldX, oldY + 1] : [oldX + 1, oldY];
    add("same", startX, startY, x - startX);
    add(down ? "added" : "removed", oldX, oldY, 1);
    [x, y] = [oldX, oldY];
  }
  add("same", 0, 0, x);
  return steps.reverse();
}
