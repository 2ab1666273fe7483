// Changes of a time entry, shared by every operation: correct, void, restore. The caller has locked the entry and
// checked the permission. Each change advances the reports that contain the entry.
import type { Context } from "../../platform/kernel/implement-operation.ts";
import { refuse } from "../../platform/wire/problem.ts";
import type { EntryTarget } from "./access.ts";
import { timeEntryCorrected, timeEntryRestored, timeEntryVoided } from "./events.ts";
import * as store from "./store.ts";

export const subjectOf = ({ id, task_id, project_id }: store.StoredTimeEntry) => ({
  kind: "time_entry",
  id,
  projectId: project_id,
  taskId: task_id,
});
export const saidIn = ({ work_date, recorded_seconds, seconds, note }: store.RecordedTime) => ({
  work_date,
  recorded_seconds,
  seconds,
  note,
});

/** Refuses a voided entry, and one whose Task is in the trash. Voiding skips this check. */
export function requireLiving(target: EntryTarget): void {
  if (target.voided) refuse("time_entry_voided");
  if (target.trashed) refuse("task_trashed");
}

/** Undefined if nothing changes. */
export async function correctEntry({ tx, record, defer }: Context, target: EntryTarget, said: store.RecordedTime) {
  requireLiving(target);
  const [from, to] = [saidIn(target), saidIn(said)];
  if (JSON.stringify(from) === JSON.stringify(to)) return undefined;
  const row = store.correctEntry(tx, target.id, said);
  defer(store.advanceReports(tx, target));
  record(timeEntryCorrected(subjectOf(target), { from, to }));
  return row;
}

export function voidEntry({ tx, record, defer }: Context, target: EntryTarget): void {
  defer(store.voidEntry(tx, target.id));
  defer(store.advanceReports(tx, target));
  record(timeEntryVoided(subjectOf(target), { from: saidIn(target) }));
}

/** Restores a voided entry, whose Task must not be in the trash. */
export function restoreEntry({ tx, record, defer }: Context, target: EntryTarget): void {
  defer(store.restoreEntry(tx, target.id));
  defer(store.advanceReports(tx, target));
  record(timeEntryRestored(subjectOf(target), { to: saidIn(target) }));
}
