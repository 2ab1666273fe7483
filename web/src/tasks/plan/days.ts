// Date arithmetic of timeline and calendar: span of a Task, moving, resizing, weeks of a month. Pure.
import type { Task } from "../../store/rows.ts";
import { plusDays } from "../../ui/formats/dates.ts";
import { daysBetween, weekOf } from "./figures.ts";

export type Dates = Pick<Task, "start_date" | "due_date">;

/** First and last day of a Task; a single date counts as both. Null without dates. */
export function spanOf({ start_date, due_date }: Dates): [from: string, to: string] | null {
  const from = start_date ?? due_date;
  const to = due_date ?? start_date;
  return from && to ? [from, to] : null;
}

/** Shifts both dates; a missing one stays missing. */
export function moved({ start_date, due_date }: Dates, days: number): Dates {
  return {
    start_date: start_date && plusDays(start_date, days),
    due_date: due_date && plusDays(due_date, days),
  };
}
/** Moves one end, never past the other. A Task with a single date gets the other one. */
export function stretched(dates: Dates, end: "start" | "due", days: number): Dates {
  const [from, to] = spanOf(dates) as [string, string];
  if (end === "start") {
    const start = plusDays(from, days);
    return { start_date: start > to ? to : start, due_date: to };
  }
  const due = plusDays(to, days);
  return { start_date: from, due_date: due < from ? from : due };
}

/** Changed fields to send. */
export const changed = (before: Dates, after: Dates): Partial<Dates> => ({
  ...(before.start_date !== after.start_date && { start_date: after.start_date }),
  ...(before.due_date !== after.due_date && { due_date: after.due_date }),
});

/** Weeks that overlap a month, each as seven days. */
export function weeksOf(month: string, weekStart: number): string[][] {
  const weeks: string[][] = [];
  for (let day = weekOf(`${month}-01`, weekStart); day.slice(0, 7) <= month; day = plusDays(day, 7))
    weeks.push(Array.from({ length: 7 }, (_, at) => plusDays(day, at)));
  return weeks;
}
export function plusMonths(month: string, by: number): string {
  const date = new Date(`${month}-01T00:00:00Z`);
  date.setUTCMonth(date.getUTCMonth() + by);
  return date.toISOString().slice(0, 7);
}

/**
 * Range of the timeline: from a week before the first date to two weeks after the last, around today, at most two
 * years.
 */
export function rangeOf(spans: readonly (readonly [string, string])[], today: string): [from: string, days: number] {
  const earliest = [...spans.map(([first]) => first), today].sort()[0] as string;
  const from = [earliest, plusDays(today, -365)].sort()[1] as string;
  const to = [...spans.map(([, last]) => last), plusDays(today, 28)].sort().at(-1) as string;
  const first = plusDays(from, -7);
  return [first, Math.min(730, daysBetween(first, to) + 15)];
}
