// How things stand now with what a ChangeSet builds on: which revisions have moved, what cannot be read any more, what everything is called, and
// its evidence. Each thing is looked for by the access rule of the operation that would change it. All of it is one round-trip.
import { settle } from "../../platform/kernel/context.ts";
import type { Context } from "../../platform/kernel/implement.ts";
import { type Fault, refuse } from "../../platform/wire/problem.ts";
import { type Planned, pinsOf, plan } from "./actions.ts";
import type { ChangeSetTarget } from "./change-set-store.ts";
import { evidenceNow } from "./evidence-store.ts";
import { namesIn } from "./name-store.ts";
import { patchDiffs, type WrittenPatch, writtenPatches } from "./patch-store.ts";
import { diffKey, type Looked } from "./view.ts";

export type Found = { id?: string; revision?: string; live?: boolean } | null | undefined;
export const idOf = ({ step }: Planned) => Object.values(step.params)[0] as string;

/**
 * What each is about, as it is now. Locked in the order of ids, so that two who lock the same do not wait for each other in a circle. A revision
 * that a change names is compared with what people have typed by now, which is sealed first.
 */
export async function find(
  { tx, requireSealed }: Pick<Context, "tx" | "requireSealed">,
  planned: readonly Planned[],
  change: boolean,
): Promise<Found[]> {
  const order = planned.map((each, at) => ({ each, at })).sort((a, b) => (idOf(a.each) < idOf(b.each) ? -1 : 1));
  const loaded = await settle(
    order.map(({ each: { implementation, step } }) => implementation.access.load(tx, step.params, change)),
  );
  const found: Found[] = [];
  for (const [place, { at }] of order.entries()) found[at] = loaded[place] as Found;
  requireSealed?.(planned.flatMap(({ step }, at) => (step.revision && found[at]?.live && found[at].id) || []));
  return found;
}

/** What has another revision than the change names, or is not seen any more. */
const movedOf = (planned: readonly Planned[], found: readonly Found[]): Looked["moved"] =>
  planned.flatMap(({ change: { revision = null } }, at): Looked["moved"] => {
    const now = found[at];
    if (now === undefined) return [{ change: at, revision, current_revision: null }];
    const current_revision = now?.revision ?? null;
    return revision === null || revision === current_revision ? [] : [{ change: at, revision, current_revision }];
  });
export const movedFaults = (moved: Looked["moved"]): Fault[] =>
  moved.map(({ change, current_revision }) => ({
    pointer: `/changes/${change}/revision`,
    code: "moved_on",
    detail: current_revision === null ? "is gone, or you cannot read it" : `is at revision ${current_revision} now`,
  }));

/** Requires that the caller, who decides on the ChangeSet, can read all pinned evidence. */
export function requireEvidence(evidence: Looked["evidence"]): void {
  const faults = evidence.flatMap(({ available }, at) =>
    available ? [] : [{ pointer: `/evidence/${at}`, code: "unavailable", detail: "cannot be read by you now" }],
  );
  if (faults.length > 0) refuse("evidence_unavailable", { errors: faults });
}

type Diffs = Awaited<ReturnType<typeof patchDiffs>>;
export const diffsBy = (diffs: Diffs): Looked["diffs"] =>
  new Map(diffs.map(({ blocks, markdown_diff, ...pin }) => [diffKey(pin), { blocks, markdown_diff }]));

/** With `change` everything is locked, and what is to be written is brought along. */
export async function look(
  context: Context,
  { changes, outcomes, evidence }: ChangeSetTarget,
  change = false,
): Promise<Looked & { found: Found[]; patches: WrittenPatch[] }> {
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
