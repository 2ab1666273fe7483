// Quotas, expiry and versioning of captures. Pure.
import { refuse, refuseAt } from "../../platform/wire/problem.ts";

/** Days until a version expires, per table. */
export const keptDays = { evidence_collections: 30, task_result_sets: 7, task_selections: 7 } as const;
export type RetentionClass = keyof typeof keptDays;
/** Number of unexpired versions of each kind that a member may have. */
export const MOST_KEPT = 500;

/** When a version captured now expires. */
export const expiryOf = (table: RetentionClass, now: string): string =>
  new Date(Date.parse(now) + keptDays[table] * 86_400_000).toISOString();

/** Requires a name together with its version or revision: one is meaningless without the other. */
export function requireBoth<Body extends object>(body: Body, name: keyof Body & string, at: keyof Body & string): void {
  for (const [sent, missing] of [
    [name, at],
    [at, name],
  ] as const)
    if (body[sent] !== undefined && body[missing] === undefined)
      refuseAt(`/body/${missing}`, "invalid_request", `must be sent together with ${sent}`, "required");
}

/** Only the latest version has a successor, so that of two concurrent writers one gets a conflict. */
export function requireLatest<Row extends { version: number }>(
  latest: Row | undefined,
  version: number,
  field: string,
): Row {
  if (!latest) return refuseAt(`/body/${field}`, "not_found", "must be one of yours that has not expired");
  if (latest.version !== version) refuse("revision_conflict", { current_revision: String(latest.version) });
  return latest;
}
