// A crowd is let in at a pace, and nobody waits for longer than is worth it.
import { expect, test } from "vitest";
import { pace } from "./pace.ts";

test("so many come in at once, the others one after the other, and those behind them not at all", () => {
  let time = 1000;
  const next = pace({ atOnce: 3, aSecond: 100, mostMs: 30 }, () => time);
  expect(Array.from({ length: 7 }, next)).toEqual([0, 0, 0, 10, 20, 30, null]);
  time += 10;
  expect([next(), next()]).toEqual([30, null]);
  time += 1000;
  expect(Array.from({ length: 4 }, next)).toEqual([0, 0, 0, 10]);
});
