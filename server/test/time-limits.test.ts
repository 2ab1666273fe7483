// The limits of tests: by tier, and longer than any wait within them, so that the error of a hanging test names what it waited for.
import { expect, test } from "vitest";
import { until } from "./editing.ts";
import { eventually } from "./eventually.ts";

test("a test of the first tier may last 60 s", ({ task }) => {
  expect(task.timeout).toBe(60_000);
});

/** Leaves a wait one second. */
const LIMIT = { timeout: 6_000 };

test("a wait in vain fails before its test, with the last failure", LIMIT, async () => {
  const waiting = eventually(() => Promise.reject(new Error("3 of 4 have arrived")));
  await expect(waiting).rejects.toThrow(/^still failing after \d+ ms: 3 of 4 have arrived$/);
});

test("a condition that does not come true is named", LIMIT, async () => {
  await expect(until("the editor is ready", () => false)).rejects.toThrow(/^the editor is ready did not happen/);
});
