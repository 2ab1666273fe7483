// What may be asked. Pure.
import { refuseAt } from "../../platform/wire/problem.ts";

const LONGEST = 200;

/** Trimmed; of characters and not of what encodes them. */
export function questionOf(sent: string): string {
  const q = sent.trim();
  if ([...q].length > LONGEST)
    refuseAt("/query/q", "invalid_request", `must have 1 to ${LONGEST} characters after trimming`, "too_long");
  return q;
}
