// Evidence pinned by a ChangeSet: whether its initiator can read all of it now, and whether it is unchanged.
import type { Queries } from "../../platform/database/db.ts";
import { type Fault, refuse } from "../../platform/wire/problem.ts";
import { evidenceAt, stateOfEvidence } from "../captures/evidence-store.ts";
import type { Pin } from "./rules.ts";

export const evidenceNow = (tx: Queries, pins: readonly Pin[]) =>
  Promise.all(
    pins.map(async (pin) => {
      const state = await stateOfEvidence(tx, pin.id, pin.version);
      return { ...pin, state, available: state !== "unavailable" };
    }),
  );

/** Refuses pins of a version that the caller does not have. Queries only the unreadable ones. */
export async function requireOwnEvidence(tx: Queries, pinned: Awaited<ReturnType<typeof evidenceNow>>): Promise<void> {
  const faults: Fault[] = [];
  const detail = "must be a version of an evidence collection of yours";
  for (const [at, { id, version, available }] of pinned.entries())
    if (!available && !(await evidenceAt(tx, id, version)))
      faults.push({ pointer: `/body/evidence/${at}`, code: "not_found", detail });
  if (faults.length > 0) refuse("not_found", { errors: faults });
}
