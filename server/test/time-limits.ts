// Setup of every test file: how long its tests and hooks may last, by its tier. The limits end only what hangs. They count from the start
// of the test itself, and a wait in a test ends before them.
import { expect, TestRunner, vi } from "vitest";
import { isSlow } from "../../scripts/test-tiers.mjs";
import { limitWaits } from "./wait-limit.ts";

/** Measured on two cores under a load of twelve: the longest test without a limit of its own lasted 48 s. */
const FIRST_TIER_MS = 60_000;
const SLOW_MS = 300_000;
/** Time for the error of a wait to be reported before the test itself times out. */
const MARGIN_MS = 5_000;
const LEAST_WAIT_MS = 1_000;

const limit = isSlow(expect.getState().testPath ?? "") ? SLOW_MS : FIRST_TIER_MS;
vi.setConfig({
  testTimeout: limit,
  hookTimeout: limit,
  expect: { poll: { timeout: (limit * 3) / 4, interval: 50 } },
});

limitWaits(() => {
  // Undefined in hooks and while the file is loaded.
  const test = TestRunner.getCurrentTest();
  if (!test?.result?.startTime) return limit - MARGIN_MS;
  const left = test.result.startTime + test.timeout - Date.now() - MARGIN_MS;
  return Math.max(LEAST_WAIT_MS, left);
});
