// Rows of a timesheet week: one for each Task with recorded time, and those added by the member. Pure.
import type { TimeEntry } from "../store/rows.ts";
import { plusDays } from "../ui/formats/dates.ts";

export interface TimesheetLine {
  task: { id: string; code: string | null; title: string | null };
  byDay: Map<string, TimeEntry[]>;
}
export function linesOf(entries: readonly TimeEntry[], added: readonly TimesheetLine["task"][]): TimesheetLine[] {
  const lines = new Map<string, TimesheetLine>();
  for (const task of added) lines.set(task.id, { task, byDay: new Map() });
  for (const entry of entries) {
    const { task_id, task_code, task_title, work_date } = entry;
    let line = lines.get(task_id);
    if (!line) {
      line = { task: { id: task_id, code: task_code, title: task_title }, byDay: new Map() };
      lines.set(task_id, line);
    }
    const day = line.byDay.get(work_date);
    if (day) day.push(entry);
    else line.byDay.set(work_date, [entry]);
  }
  return [...lines.values()].sort((one, other) =>
    (one.task.code ?? "~").localeCompare(other.task.code ?? "~", undefined, { numeric: true }),
  );
}

/** First day of the week that contains a day; a weekStart of 0 is Sunday. */
export function weekFrom(day: string, weekStart: number): string {
  const weekday = new Date(`${day}T00:00:00Z`).getUTCDay();
  return plusDays(day, -((weekday - weekStart + 7) % 7));
}
