// Reads one snapshot within two seconds and one mebibyte, or refuses: a partial baseline is useless to its caller.
import { refuse } from "../wire/problem.ts";
import type { Queries } from "./db.ts";
import { isUnavailable } from "./translate-error.ts";

const CAPTURE_MS = 2_000;
const MOST_BYTES = 1_048_576;

/** Limits every statement of this transaction to the deadline of the read. */
export const shortly = (tx: Queries) => tx.rows(`select set_config('statement_timeout', '${CAPTURE_MS}', true)`);

export async function captured<T extends { body: string }>(work: () => Promise<T>): Promise<T> {
  let deadline: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    deadline = setTimeout(() => reject(TOO_LATE), CAPTURE_MS);
  });
  try {
    const outcome = await Promise.race([work(), late]);
    return Buffer.byteLength(outcome.body) > MOST_BYTES ? refuse("baseline_bounds") : outcome;
  } catch (error) {
    if (error === TOO_LATE || isUnavailable(error)) refuse("baseline_unavailable", { retry_after: 1 });
    throw error;
  } finally {
    clearTimeout(deadline);
  }
}
const TOO_LATE = new Error("the read took too long");
