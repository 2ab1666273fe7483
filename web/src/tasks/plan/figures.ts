// Figures of the charts, computed from the Tasks in the store. Pure.
import type { Status, Task } from "../../store/rows.ts";
import { plusDays, today } from "../../ui/formats/dates.ts";

type Counted = Pick<Task, "created_at" | "completed_at" | "status_id">;
type StatusOf = (id: string) => Pick<Status, "category"> | undefined;

export interface BurnUp {
  days: string[];
  /** Cumulative number of Tasks, excluding those that are cancelled now. */
  scope: number[];
  done: number[];
}
const MOST_POINTS = 60;

/**
 * Burn-up series by day, or by several days to limit the number of points: from the first Task, or from `from`, up to
 * `to`.
 */
export function burnUp(
  tasks: readonly Counted[],
  statusOf: StatusOf,
  to: string,
  from?: string,
  timezone?: string,
): BurnUp {
  const counted = tasks.filter(({ status_id }) => statusOf(status_id)?.category !== "cancelled");
  const day = (moment: string) => today(timezone, new Date(moment));
  const created = counted.map(({ created_at }) => day(created_at)).sort();
  const completed = counted.flatMap(({ completed_at }) => (completed_at ? [day(completed_at)] : [])).sort();
  const first = [from ?? created[0] ?? to, to].sort()[0] as string;
  const length = daysBetween(first, to) + 1;
  const step = Math.max(1, Math.ceil(length / MOST_POINTS));
  const days: string[] = [];
  // Counts backwards, so that the last day is always included.
  for (let at = to; at >= first; at = plusDays(at, -step)) days.unshift(at);
  const until = (all: readonly string[], day: string) => all.filter((each) => each <= day).length;
  return { days, scope: days.map((each) => until(created, each)), done: days.map((each) => until(completed, each)) };
}

/** Completed Tasks in each of the last weeks; a week is identified by its first day. */
export function throughput(
  tasks: readonly Pick<Task, "completed_at">[],
  to: string,
  { weeks = 12, weekStart = 1, timezone }: { weeks?: number; weekStart?: number; timezone?: string } = {},
): { weeks: string[]; done: number[] } {
  const last = weekOf(to, weekStart);
  const starts = Array.from({ length: weeks }, (_, at) => plusDays(last, 7 * (at - weeks + 1)));
  const done = starts.map(() => 0);
  for (const { completed_at } of tasks) {
    if (!completed_at) continue;
    const at = starts.indexOf(weekOf(today(timezone, new Date(completed_at)), weekStart));
    if (at >= 0) done[at] = (done[at] as number) + 1;
  }
  return { weeks: starts, done };
}

export const daysBetween = (from: string, to: string) => Math.round((Date.parse(to) - Date.parse(from)) / 86_400_000);

/** First day of the week that contains a day; a weekStart of 0 is Sunday, 1 is Monday. */
export function weekOf(day: string, weekStart: number): string {
  const weekday = new Date(`${day}T00:00:00Z`).getUTCDay();
  return plusDays(day, -((weekday - weekStart + 7) % 7));
}
