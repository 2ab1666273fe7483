// Inverses of changes to recorded time: undoing a recording voids the entry, undoing a void makes it live again.
import { type EntryTarget, entry } from "../../../planning/time/access.ts";
import { correctEntry, requireLiving, restoreEntry, saidIn, voidEntry } from "../../../planning/time/change.ts";
import type { EntryAction } from "../../../planning/time/rules.ts";
import type { RecordedTime } from "../../../planning/time/store.ts";
import type { Context } from "../../../platform/kernel/implement-operation.ts";
import {
  conflict,
  each,
  gone,
  hindered,
  type Inverse,
  movedOn,
  type OrderedEffect,
  reach,
  requireNone,
  same,
  withoutHindrance,
} from "../conflict.ts";

const FIELDS = ["work_date", "recorded_seconds", "seconds", "note"] as const;
/** Faults for fields that no longer have the recorded values. */
const movedFrom = (
  done: OrderedEffect,
  target: EntryTarget,
  said: RecordedTime,
  fields: readonly (keyof RecordedTime)[] = FIELDS,
) => fields.filter((field) => !same(target[field], said[field])).map((field) => movedOn(done, field));
const said = ({ payload }: OrderedEffect) => payload as { from: RecordedTime; to: RecordedTime };
/** Refuses effects without payload: the events of a deleted Task have none, although its time entries remain. */
const whileTold =
  (inverse: Inverse): Inverse =>
  async (context, done, change) => {
    requireNone(done.filter(({ payload }) => payload.from === undefined && payload.to === undefined).map(gone));
    return inverse(context, done, change);
  };

async function reachEntry(
  context: Context,
  done: OrderedEffect,
  action: EntryAction,
  change: boolean,
): Promise<EntryTarget> {
  const target = await reach(context, done, entry(action), { entry_id: done.id }, change);
  if (target.voided) conflict([hindered(done, "", "time_entry_voided", "is voided")]);
  return target;
}

export const undoTimeRecorded: Inverse = whileTold(
  each(async (context, done, change) => {
    const target = await reachEntry(context, done, "time_entry:void", change);
    requireNone(movedFrom(done, target, said(done).to));
    return () => voidEntry(context, target);
  }),
);

export const undoTimeCorrected: Inverse = whileTold(
  each(async (context, done, change) => {
    const target = await reachEntry(context, done, "time_entry:update", change);
    const { from, to } = said(done);
    const changed = FIELDS.filter((field) => !same(from[field], to[field]));
    requireNone(movedFrom(done, target, to, changed));
    await withoutHindrance(done, () => requireLiving(target));
    const put = { ...saidIn(target), ...Object.fromEntries(changed.map((field) => [field, from[field]])) };
    return () => context.defer(correctEntry(context, target, put));
  }),
);

export const undoTimeVoided: Inverse = whileTold(
  each(async (context, done, change) => {
    const target = await reach(context, done, entry("time_entry:void"), { entry_id: done.id }, change);
    if (!target.voided) conflict([movedOn(done)]);
    if (target.trashed) conflict([hindered(done, "", "task_trashed", "its Task lies in the trash")]);
    return () => restoreEntry(context, target);
  }),
);
