// How much of what a member keeps for themselves there may be, for how long, and how a version follows on another. Pure.
import { refuse, refuseAt } from "../../platform/wire/problem.ts";

/** What is kept in versions that expire, and for how many days. */
export const keptDays = { evidence_collections: 30, task_result_sets: 7, task_selections: 7 } as const;
export type Kept = keyof typeof keptDays;
/** Versions of each that a member keeps at a time. */
export const MOST_KEPT = 500;

/** When what is kept now is forgotten. */
export const expiryOf = (table: Kept, now: string): string =>
  new Date(Date.parse(now) + keptDays[table] * 86_400_000).toISOString();

/** What is named, and at which version or revision: one says nothing without the other. */
export function requireBoth<Body extends object>(body: Body, name: keyof Body & string, at: keyof Body & string): void {
  for (const [sent, missing] of [
    [name, at],
    [at, name],
  ] as const)
    if (body[sent] !== undefined && body[missing] === undefined)
      refuseAt(`/body/${missing}`, "invalid_request", `must be sent together with ${sent}`, "required");
}

/** The next version is made from the latest alone, so that of two at once one learns of the other. */
export function requireLatest<Row extends { version: number }>(
  latest: Row | undefined,
  version: number,
  field: string,
): Row {
  if (!latest) return refuseAt(`/body/${field}`, "not_found", "must be one of yours that has not expired");
  if (latest.version !== version) refuse("revision_conflict", { current_revision: String(latest.version) });
  return latest;
}
