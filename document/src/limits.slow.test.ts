// The processor time of long texts grows with their length, whatever they consist of; limits.test.ts has shorter ones.
import { beforeAll, expect, test } from "vitest";
import { both, cost, ORDINARY, repeated, UNITS } from "../test/processor-time.ts";

const LENGTH = 65_536;
let usual = 0;
beforeAll(() => {
  usual = Math.max(...[1, 2, 3].map(() => cost(() => both(repeated(ORDINARY, LENGTH)))));
});

test.each(UNITS)("%j, four times as often: at most nine times as much", (unit) => {
  const [less, more] = [32_768, 131_072].map((length) => cost(() => both(repeated(unit, length)))) as [number, number];
  expect(more / Math.max(less, usual / 8)).toBeLessThan(9);
});
