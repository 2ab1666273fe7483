// Undoing what was done to recorded time: recording is undone by voiding, voiding by making the entry live again as it was.
import type { Context } from "../kernel/implement.ts";
import { type EntryTarget, entry } from "../time/access.ts";
import { correctEntry, restoreEntry, saidIn, voidEntry } from "../time/change.ts";
import type { EntryAction } from "../time/rules.ts";
import type { Said } from "../time/store.ts";
import {
  conflict,
  type Done,
  gone,
  hindered,
  type Inverse,
  movedOn,
  reach,
  requireNone,
  same,
  withoutHindrance,
} from "./conflict.ts";

const FIELDS = ["work_date", "recorded_seconds", "seconds", "note"] as const;
/** Those of its fields that are not as they were told. */
const movedFrom = (done: Done, target: EntryTarget, said: Said, fields: readonly (keyof Said)[] = FIELDS) =>
  fields.filter((field) => !same(target[field], said[field])).map((field) => movedOn(done, field));
const said = ({ payload }: Done) => payload as { from: Said; to: Said };
/** Of a Task that was deleted nothing is told any more, although its time is still there. */
const requireTold = (done: readonly Done[]) =>
  requireNone(done.filter(({ payload }) => payload.from === undefined && payload.to === undefined).map(gone));

async function reachEntry(context: Context, done: Done, action: EntryAction, voided = false): Promise<EntryTarget> {
  const target = await reach(context, done, entry(action), { entry_id: done.id });
  if (target.voided && !voided) conflict([hindered(done, "", "time_entry_voided", "is voided")]);
  if (!target.voided && voided) conflict([movedOn(done)]);
  return target;
}

export const undoTimeRecorded: Inverse = async (context, done) => {
  requireTold(done);
  for (const each of done) {
    const target = await reachEntry(context, each, "time_entry:void");
    requireNone(movedFrom(each, target, said(each).to));
    voidEntry(context, target);
  }
};

export const undoTimeCorrected: Inverse = async (context, done) => {
  requireTold(done);
  for (const each of done) {
    const target = await reachEntry(context, each, "time_entry:update");
    const { from, to } = said(each);
    const changed = FIELDS.filter((field) => !same(from[field], to[field]));
    requireNone(movedFrom(each, target, to, changed));
    const put = { ...saidIn(target), ...Object.fromEntries(changed.map((field) => [field, from[field]])) };
    await withoutHindrance(each, () => correctEntry(context, target, put));
  }
};

export const undoTimeVoided: Inverse = async (context, done) => {
  requireTold(done);
  for (const each of done) {
    const target = await reachEntry(context, each, "time_entry:void", true);
    await withoutHindrance(each, () => restoreEntry(context, target));
  }
};
