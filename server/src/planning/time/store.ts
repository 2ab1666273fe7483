// SQL of time entries and of report revisions. Changes rely on the row lock of the preceding load.
import type { Queries } from "../../platform/database/db.ts";
import type { RoundingMode } from "./rules.ts";
import { entryParts, entryView } from "./view.ts";

export interface StoredTimeEntry {
  id: string;
  task_id: string;
  project_id: string;
  actor_id: string;
}
export interface RecordedTime {
  work_date: string;
  recorded_seconds: number;
  seconds: number;
  note: string | null;
}
type Row = { json: string; revision: string };
const shown = `select ${entryView} as json, e.revision::text from e ${entryParts}`;

const CREATE = `
with e as (
  insert into time_entries (workspace_id, id, task_id, project_id, actor_id, rounding_mode, work_date, recorded_seconds,
    seconds, note)
  values (current_workspace(), $1, $2, $3, $4, $5, $6, $7, $8, $9) returning *
) ${shown}`;
export const createEntry = (tx: Queries, entry: StoredTimeEntry, mode: RoundingMode, said: RecordedTime) =>
  tx.one<Row>(CREATE, [entry.id, entry.task_id, entry.project_id, entry.actor_id, mode, ...valuesOf(said)]);

const valuesOf = ({ work_date, recorded_seconds, seconds, note }: RecordedTime) => [
  work_date,
  recorded_seconds,
  seconds,
  note,
];

const CORRECT = `
with e as (
  update time_entries set work_date = $2, recorded_seconds = $3, seconds = $4, note = $5, revision = revision + 1,
    updated_at = now()
  where workspace_id = current_workspace() and id = $1 returning *
) ${shown}`;
export const correctEntry = (tx: Queries, id: string, said: RecordedTime) =>
  tx.one<Row>(CORRECT, [id, ...valuesOf(said)]);

const voided = (at: string) => `
update time_entries set voided_at = ${at}, revision = revision + 1, updated_at = now()
where workspace_id = current_workspace() and id = $1`;
const [VOID, RESTORE] = [voided("now()"), voided("null")];
export const voidEntry = (tx: Queries, id: string) => tx.rows(VOID, [id]);
export const restoreEntry = (tx: Queries, id: string) => tx.rows(RESTORE, [id]);

// Sorted by id, so that concurrent changes of the same reports cannot deadlock.
const ADVANCE = `
insert into time_reports (workspace_id, subject_id)
select current_workspace(), id from unnest($1::uuid[]) id order by id
on conflict (workspace_id, subject_id) do update set revision = time_reports.revision + 1`;
/** Advances the reports that contain this entry: those of its Task, its Project and its author. */
export const advanceReports = (tx: Queries, { task_id, project_id, actor_id }: StoredTimeEntry) =>
  tx.rows(ADVANCE, [[task_id, project_id, actor_id]]);
