// Aligns two sequences: which items stayed, changed, went or were added, in order. Pure.

export interface SequencePair {
  from: number | null;
  to: number | null;
}

/**
 * Number of cells up to which items are weighed against each other; beyond it, the rest is paired in order. Comparing
 * for equality is cheap, computing likeness is not.
 */
const MOST_COMPARED = 1_000_000;
const MOST_WEIGHED = 10_000;

/**
 * Pairs equal items first, as many as possible; between them, items with a `likeness` above 0. Without `likeness`, only
 * equal items pair.
 */
export function aligned(
  before: readonly string[],
  after: readonly string[],
  likeness: (from: number, to: number) => number = () => 0,
): SequencePair[] {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start++;
  let [end, last] = [before.length, after.length];
  while (end > start && last > start && before[end - 1] === after[last - 1]) {
    end--;
    last--;
  }
  const pairs: SequencePair[] = Array.from({ length: start }, (_, at) => ({ from: at, to: at }));
  const equal = heaviest(start, end, start, last, (from, to) => (before[from] === after[to] ? 1 : 0), MOST_COMPARED);
  let [from, to] = [start, start];
  for (const match of [...equal, { from: end, to: last }]) {
    pairs.push(...between(from, match.from, to, match.to, likeness));
    if (match.from < end) pairs.push(match);
    [from, to] = [match.from + 1, match.to + 1];
  }
  for (let rest = 0; end + rest < before.length; rest++) pairs.push({ from: end + rest, to: last + rest });
  return pairs;
}

/** Pairs similar items of a range that has no equal ones. */
function between(from: number, end: number, to: number, last: number, likeness: (from: number, to: number) => number) {
  const pairs: SequencePair[] = [];
  let [at, other] = [from, to];
  for (const match of [...heaviest(from, end, to, last, likeness, MOST_WEIGHED), { from: end, to: last }]) {
    while (at < match.from) pairs.push({ from: at++, to: null });
    while (other < match.to) pairs.push({ from: null, to: other++ });
    if (match.from < end && match.to < last) pairs.push(match);
    [at, other] = [match.from + 1, match.to + 1];
  }
  return pairs;
}

/** The pairs, in order, with the largest total weight. */
function heaviest(
  from: number,
  end: number,
  to: number,
  last: number,
  weight: (from: number, to: number) => number,
  mostCells: number,
): { from: number; to: number }[] {
  const [rows, columns] = [end - from, last - to];
  if (rows === 0 || columns === 0) return [];
  if (rows * columns > mostCells) {
    const shorter = Math.min(rows, columns);
    const places = Array.from({ length: shorter }, (_, at) => ({ from: from + at, to: to + at }));
    return places.filter((pair) => weight(pair.from, pair.to) > 0);
  }
  const width = columns + 1;
  const best = new Float64Array((rows + 1) * width);
  const weights = new Float64Array(rows * columns);
  for (let row = rows - 1; row >= 0; row--)
    for (let column = columns - 1; column >= 0; column--) {
      const own = weight(from + row, to + column);
      weights[row * columns + column] = own;
      const taken = own > 0 ? own + (best[(row + 1) * width + column + 1] as number) : 0;
      best[row * width + column] = Math.max(
        taken,
        best[(row + 1) * width + column] as number,
        best[row * width + column + 1] as number,
      );
    }
  const pairs: { from: number; to: number }[] = [];
  for (let row = 0, column = 0; row < rows && column < columns; ) {
    const own = weights[row * columns + column] as number;
    const here = best[row * width + column] as number;
    if (own > 0 && here === own + (best[(row + 1) * width + column + 1] as number))
      pairs.push({ from: from + row++, to: to + column++ });
    else if (here === best[(row + 1) * width + column]) row++;
    else column++;
  }
  return pairs;
}
