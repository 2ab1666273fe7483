// The schedule that is computed from stored durations, and the number of workers.
import { expect, test } from "vitest";
import { durationOf, estimate, makespan, workersFor } from "./test-durations.mjs";
import { isSlow } from "./test-tiers.mjs";

const GIB = 1024 ** 3;

test("a free worker takes the longest file that is left", () => {
  expect(makespan([3, 3, 2, 2, 2], 2)).toBe(7);
  expect(makespan([1, 9, 1, 1], 4)).toBe(9);
  expect(makespan([], 4)).toBe(0);
});

test("the measured run is scaled to other cores, and the checks are not", () => {
  const even = Array.from({ length: 64 }, () => 1000);
  const run = { cores: 2, checks: 60, tests: 400 };
  expect([2, 4, 8].map((cores) => estimate(run, even, cores))).toEqual([460, 260, 160]);
  // A file that lasts as long as all others bounds the run.
  expect(estimate(run, [...even, 16_000], 8)).toBeGreaterThan(60 + 300);
});

test("a file without a record counts as the median, and one that changed its tier keeps its record", () => {
  const duration = durationOf({ "a.test.ts": 100, "b.test.ts": 300, "c.test.ts": 9000 });
  expect(["a.test.ts", "c.slow.test.ts", "new.test.ts"].map(duration)).toEqual([100, 9000, 300]);
});

test("two workers run per core, as far as memory reaches", () => {
  expect(workersFor(2, 16 * GIB)).toBe(4);
  expect(workersFor(8, 64 * GIB)).toBe(16);
  expect(workersFor(8, 8 * GIB)).toBe(6);
  expect(workersFor(2, GIB)).toBe(1);
  expect(workersFor(128, 512 * GIB)).toBe(32);
});

test("the name of a test file declares its tier", () => {
  expect(["a.slow.test.ts", "a.slow.git.test.ts", "a.git.slow.test.ts"].map(isSlow)).toEqual([true, true, true]);
  expect(["slow.test.ts", "a.slow/b.test.ts", "a.slow.ts"].map(isSlow)).toEqual([false, false, false]);
});
