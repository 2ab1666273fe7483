// Validates a search query. Pure.
import { refuseAt } from "../../platform/wire/problem.ts";

const LONGEST = 200;

/** Trims the query. The limit counts characters, not code units. */
export function questionOf(sent: string): string {
  const q = sent.trim();
  if ([...q].length > LONGEST)
    refuseAt("/query/q", "invalid_request", `must have 1 to ${LONGEST} characters after trimming`, "too_long");
  return q;
}
