// What differs is found whole, in order, and in bounded time.
import fc from "fast-check";
import { expect, test } from "vitest";
import { difference } from "./difference.ts";

const rebuilt = (before: readonly unknown[], after: readonly unknown[]) => {
  const steps = difference(before, after);
  const kept = (other: string) => steps.filter(({ kind }) => kind !== other);
  return [
    kept("added").flatMap(({ from, count }) => before.slice(from, from + count)),
    kept("removed").flatMap(({ kind, from, to, count }) =>
      kind === "same" ? before.slice(from, from + count) : after.slice(to, to + count),
    ),
  ];
};

test("both sequences can be put together from the steps", () => {
  const sequence = fc.array(fc.integer({ min: 0, max: 3 }), { maxLength: 40 });
  fc.assert(
    fc.property(sequence, sequence, (before, after) => void expect(rebuilt(before, after)).toEqual([before, after])),
    { numRuns: 1000, seed: 16 },
  );
});

test("as little as possible is removed and added", () => {
  expect(
    difference([..."abcabba"], [..."cbabac"])
      .filter(({ kind }) => kind !== "same")
      .reduce((sum, { count }) => sum + count, 0),
  ).toBe(5);
  expect(difference([1, 2, 3], [1, 2, 3])).toEqual([{ kind: "same", from: 0, to: 0, count: 3 }]);
  expect(difference([], [])).toEqual([]);
});

test("where everything differs, all between the common ends is replaced", () => {
  const [before, after] = ["a", "b"].map((name) => [
    "start",
    ...Array.from({ length: 50_000 }, (_, at) => `${name}${at}`),
    "end",
  ]);
  expect(difference(before ?? [], after ?? [])).toEqual([
    { kind: "same", from: 0, to: 0, count: 1 },
    { kind: "removed", from: 1, to: 1, count: 50_000 },
    { kind: "added", from: 50_001, to: 1, count: 50_000 },
    { kind: "same", from: 50_001, to: 50_001, count: 1 },
  ]);
});
