// A check that fails by itself, such as a wait for an element, counts as an assertion of its test if it goes through
// `asserted`. A concurrent test asserts with the `expect` of its context instead.
import { expect } from "vitest";

/** Awaits a check that rejects if it fails, and counts it as an assertion of the current test. */
export async function asserted<T>(check: PromiseLike<T>): Promise<T> {
  const result = await check;
  const { assertionCalls } = expect.getState();
  expect.setState({ assertionCalls: assertionCalls + 1 });
  return result;
}
