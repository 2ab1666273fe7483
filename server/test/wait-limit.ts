// How long a test waits for a condition: as long as its own limit leaves, so that the wait fails before the test does and the error names
// the condition. Does not import vitest, because the chaos runs use it without a test runner.

/** Outside a test nothing else ends the wait. */
const WITHOUT_TEST_MS = 120_000;

let remaining = () => WITHOUT_TEST_MS;

/** Milliseconds that a wait may last if it begins now. */
export const waitMs = (): number => remaining();

/** Called by the setup of each test file: `left` returns the milliseconds until the current test times out. */
export const limitWaits = (left: () => number): void => {
  remaining = left;
};
