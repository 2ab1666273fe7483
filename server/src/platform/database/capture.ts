// A read that is one snapshot within two seconds and a mebibyte, or nothing: whoever builds on it has no use for a part.
import { refuse } from "../wire/problem.ts";
import type { Queries } from "./db.ts";
import { isUnavailable } from "./translate.ts";

const CAPTURE_MS = 2_000;
const MOST_BYTES = 1_048_576;

/** No statement of this transaction goes on for longer than anybody waits. */
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
