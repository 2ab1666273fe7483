// Waiting in tests until a condition holds. The error of a wait in vain contains the last failure.
import { vi } from "vitest";
import { waitMs } from "./wait-limit.ts";

/** Resolves to the result of `look` once it no longer throws. Ends only what hangs: it is no assertion about speed. */
export async function eventually<T>(look: () => T | Promise<T>, interval = 50): Promise<T> {
  const timeout = waitMs();
  try {
    return await vi.waitFor(look, { timeout, interval });
  } catch (error) {
    if (error instanceof Error) error.message = `still failing after ${timeout} ms: ${error.message}`;
    throw error;
  }
}

/** A page that was read to its end: on a busy machine one may give up before, and says so. */
export const whole = <T extends { body: { complete?: boolean } }>(ask: () => Promise<T>): Promise<T> =>
  eventually(async () => {
    const answer = await ask();
    if (answer.body.complete === false) throw new Error("the page is not complete");
    return answer;
  });

/** What took longer than a statement may, on a busy machine, did not happen: it is asked again. */
export const inTime = <T extends { status: number; text: string }>(ask: () => Promise<T>): Promise<T> =>
  eventually(async () => {
    const answer = await ask();
    if (answer.status === 503) throw new Error(answer.text);
    return answer;
  });
