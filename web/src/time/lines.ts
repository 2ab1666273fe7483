// The lines of a week: one for each Task on which time was recorded, and those that somebody has added to record on. Pure.
import type { TimeEntry } from "../store/rows.ts";
import { plusDays } from "../ui/dates.ts";

export interface Line {
  task: { id: string; code: string | null; title: string | null };
  byDay: Map<string, TimeEntry[]>;
}
export function linesOf(entries: readonly TimeEntry[], added: readonly Line["task"][]): Line[] {
  const lines = new Map<string, Line>();
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

/** The first day of the week that a day is in; 0 is Sunday. */
export function weekFrom(day: string, weekStart: number): string {
  const weekday = new Date(`${day}T00:00:00Z`).getUTCDay();
  return plusDays(day, -((weekday - weekStart + 7) % 7));
}
