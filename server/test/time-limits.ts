// Setup of every test file: how long its tests and hooks may last, by its tier. The limits end only what hangs. They
// count from the start of the test itself, and a wait in a test ends before them.
import { afterEach, expect, TestRunner, vi } from "vitest";
import { isSlow } from "../../scripts/test-tiers.mjs";
import { limitWaits, nameWaits, waitMs } from "./wait-limit.ts";

/** Measured on two cores under a load of twelve: the longest test without a limit of its own lasted 48 s. */
const FIRST_TIER_MS = 60_000;
const SLOW_MS = 300_000;
/** Time for the error of a wait to be reported before the test itself times out. */
const MARGIN_MS = 5_000;
const LEAST_WAIT_MS = 1_000;

/** `expect.poll` of vitest; files share the modules of their worker, so that it may have been replaced already. */
const original = Symbol.for("svc.original-poll");
type Poll = typeof expect.poll & { [original]?: Poll };

/** `.ci/run` multiplies the limits: nobody waits there for the result of a test that hangs. */
const factor = Number(process.env.TEST_LIMIT_FACTOR ?? 1);
const limit = factor * (isSlow(expect.getState().testPath ?? "") ? SLOW_MS : FIRST_TIER_MS);
vi.setConfig({ testTimeout: limit, hookTimeout: limit });

// A poll lasts as long as its test has left, like every other wait.
const poll: Poll = (expect.poll as Poll)[original] ?? expect.poll;
const limitedPoll: Poll = (look, options) => poll(look, { timeout: waitMs(), interval: 50, ...options });
limitedPoll[original] = poll;
expect.poll = limitedPoll;

limitWaits(() => {
  // Undefined in hooks and while the file is loaded.
  const test = TestRunner.getCurrentTest();
  if (!test?.result?.startTime) return limit - MARGIN_MS;
  const left = test.result.startTime + test.timeout - Date.now() - MARGIN_MS;
  return Math.max(LEAST_WAIT_MS, left);
});

afterEach(({ task }) => nameWaits(task.result?.errors));
