// Reads the current state of a ChangeSet's targets: which revisions have changed, what is no longer readable, current
// names, and evidence. The access rule of each operation loads its target. All of it takes one round-trip.
import { settle } from "../../platform/kernel/context.ts";
import type { Context } from "../../platform/kernel/implement-operation.ts";
import { type Fault, refuse } from "../../platform/wire/problem.ts";
import { type Planned, pinsOf, plan } from "./actions.ts";
import type { ChangeSetTarget } from "./change-set-store.ts";
import { evidenceNow } from "./evidence-store.ts";
import { namesIn } from "./name-store.ts";
import { patchDiffs, type WrittenPatch, writtenPatches } from "./patch-store.ts";
import { type ChangeSetContext, diffKey } from "./view.ts";

export type CurrentState = { id?: string; revision?: string; live?: boolean } | null | undefined;
export const idOf = ({ step }: Planned) => Object.values(step.params)[0] as string;

/**
 * Loads the current target of each change. With `change`, locks are taken in the order of ids, which prevents
 * deadlocks. Before a revision is compared, text that people have typed is checkpointed.
 */
export async function find(
  { tx, requireSealed }: Pick<Context, "tx" | "requireSealed">,
  planned: readonly Planned[],
  change: boolean,
): Promise<CurrentState[]> {
  const order = planned.map((each, at) => ({ each, at })).sort((a, b) => (idOf(a.each) < idOf(b.each) ? -1 : 1));
  const loaded = await settle(
    order.map(({ each: { implementation, step } }) => implementation.access.load(tx, step.params, change)),
  );
  const found: CurrentState[] = [];
  for (const [place, { at }] of order.entries()) found[at] = loaded[place] as CurrentState;
  requireSealed?.(planned.flatMap(({ step }, at) => (step.revision && found[at]?.live && found[at].id) || []));
  return found;
}

/** Changes whose target has another revision than the change names, or is no longer visible. */
const movedOf = (planned: readonly Planned[], found: readonly CurrentState[]): ChangeSetContext["moved"] =>
  planned.flatMap(({ change: { revision = null } }, at): ChangeSetContext["moved"] => {
    const now = found[at];
    if (now === undefined) return [{ change: at, revision, current_revision: null }];
    const current_revision = now?.revision ?? null;
    return revision === null || revision === current_revision ? [] : [{ change: at, revision, current_revision }];
  });
export const movedFaults = (moved: ChangeSetContext["moved"]): Fault[] =>
  moved.map(({ change, current_revision }) => ({
    pointer: `/changes/${change}/revision`,
    code: "moved_on",
    detail: current_revision === null ? "is gone, or you cannot read it" : `is at revision ${current_revision} now`,
  }));

/** Requires that the caller, who decides on the ChangeSet, can read all pinned evidence. */
export function requireEvidence(evidence: ChangeSetContext["evidence"]): void {
  const faults = evidence.flatMap(({ available }, at) =>
    available ? [] : [{ pointer: `/evidence/${at}`, code: "unavailable", detail: "cannot be read by you now" }],
  );
  if (faults.length > 0) refuse("evidence_unavailable", { errors: faults });
}

type Diffs = Awaited<ReturnType<typeof patchDiffs>>;
export const diffsBy = (diffs: Diffs): ChangeSetContext["diffs"] =>
  new Map(diffs.map(({ blocks, markdown_diff, ...pin }) => [diffKey(pin), { blocks, markdown_diff }]));

/** Reads the current state of a ChangeSet. With `change`, locks every target and also reads the contents to write. */
export async function look(
  context: Context,
  { changes, outcomes, evidence }: ChangeSetTarget,
  change = false,
): Promise<ChangeSetContext & { found: CurrentState[]; patches: WrittenPatch[] }> {
  const { tx } = context;
  const planned = plan(context, changes);
  const pins = pinsOf(changes);
  const [found, pinned, names, diffs, patches] = await settle([
    find(context, planned, change),
    evidenceNow(tx, evidence),
    namesIn(tx, [changes, outcomes]),
    pins.length > 0 ? patchDiffs(tx, pins) : [],
    change && pins.length > 0 ? writtenPatches(tx, pins) : [],
  ]);
  const hidden = new Set(found.flatMap((each, at) => (each === undefined ? [at] : [])));
  const moved = movedOf(planned, found);
  return { found, patches, moved, hidden, evidence: pinned, names, diffs: diffsBy(diffs) };
}
