// The axis of a chart: it begins at nothing, reaches what is shown, and has few, round steps.
import { expect, test } from "vitest";
import { niceTicks } from "./scale.ts";

test.each([0, 1, 3, 7, 10, 23, 99, 101, 4_321, 10_000])("the axis of %i is round and reaches it", (most) => {
  const ticks = niceTicks(most);
  expect(ticks[0]).toBe(0);
  expect(ticks.at(-1)).toBeGreaterThanOrEqual(most);
  expect(ticks.length).toBeLessThanOrEqual(6);
  expect(ticks.every(Number.isInteger)).toBe(true);
  const step = (ticks[1] ?? 1) - (ticks[0] as number);
  expect(ticks).toEqual(ticks.map((_, at) => at * step));
});
