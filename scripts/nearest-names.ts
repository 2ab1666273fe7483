// Finds the names nearest to a mistyped one, by the number of letters to insert, remove or replace.

function distance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, at) => at);
  for (const [at, letter] of [...from].entries()) {
    const next = [at + 1];
    for (const [column, other] of [...to].entries())
      next.push(
        Math.min(
          (row[column] as number) + (letter === other ? 0 : 1),
          (row[column + 1] as number) + 1,
          (next[column] as number) + 1,
        ),
      );
    row = next;
  }
  return row.at(-1) as number;
}

export function nearestNames(asked: string, names: Iterable<string>, most = 5): string[] {
  const lower = asked.toLowerCase();
  return [...names]
    .map((name) => ({ name, far: distance(lower, name.toLowerCase()) }))
    .sort((a, b) => a.far - b.far || a.name.localeCompare(b.name))
    .slice(0, most)
    .map(({ name }) => name);
}
