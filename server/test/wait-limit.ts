// How long a test waits for a condition: as long as its own limit leaves, so that the wait fails before the test does
// and the error names the condition. What cannot fail by itself, such as a request or a query, is registered while it
// lasts, and a test that times out names it. Does not import vitest, because the chaos runs use it without a test
// runner.

/** Outside a test nothing else ends the wait. */
const WITHOUT_TEST_MS = 120_000;

let remaining = () => WITHOUT_TEST_MS;

/** Milliseconds that a wait may last if it begins now. */
export const waitMs = (): number => remaining();

/** Called by the setup of each test file: `left` returns the milliseconds until the current test times out. */
export const limitWaits = (left: () => number): void => {
  remaining = left;
};

const pending = new Map<object, { what: string; since: number }>();

/** Registers a wait, such as `GET /me`; the returned function ends it. */
export function registerWait(what: string): () => void {
  const key = {};
  pending.set(key, { what, since: performance.now() });
  return () => void pending.delete(key);
}

/** The registered waits of this process, longest first: `GET /me for 59 s`. */
export const registeredWaits = (most = 5): string[] =>
  [...pending.values()]
    .slice(0, most)
    .map(({ what, since }) => `${what} for ${Math.round((performance.now() - since) / 1000)} s`);

/** Appends the registered waits to the error of a test that timed out. */
export function nameWaits(errors: readonly { message: string }[] = [], waits = registeredWaits()): void {
  if (waits.length === 0) return;
  for (const error of errors.filter(({ message }) => /^Test timed out in /.test(message)))
    error.message += `\nThe worker was waiting for:\n${waits.join("\n")}`;
}
