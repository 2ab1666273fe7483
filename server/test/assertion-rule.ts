// Setup of every test file: a test that passes without an assertion fails. Such a test has none, or has all of them in
// a loop over an empty list.
import { afterEach, expect, type TestContext } from "vitest";

/**
 * Assertions that ran: those of the context's `expect`, and, if no other test runs at the same time, those of the
 * imported one.
 */
function assertionsOf(context: TestContext): number {
  const shared = context.task.concurrent ? 0 : expect.getState().assertionCalls;
  return shared || context.expect.getState().assertionCalls;
}

// `npm run check` names one operation and so empties lists on purpose.
if (!process.env.SVC_OPERATION)
  afterEach((context) => {
    const { task } = context;
    if (task.result?.state !== "pass" || assertionsOf(context) > 0) return;
    const how = task.concurrent
      ? "A concurrent test asserts with the expect of its context: test.concurrent(name, ({ expect }) => ...)."
      : "Call expect, or pass a wait to asserted() of server/test/asserts.ts.";
    throw new Error(
      `"${task.name}" asserts nothing. ${how} If its assertions are in a loop, assert that the list is not empty.`,
    );
  });
