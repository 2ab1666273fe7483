// SQL conditions on due dates, for My Work and the filter `due` of every list. Today is the current day in the time
// zone of the caller's account; a completed or cancelled Task is never overdue.
import type { dueWords } from "@svc/contract/planning/tasks/lists/filters.ts";
import type { parameters } from "../../../platform/database/scan-page.ts";
import { severalOf } from "../../../platform/wire/input/value-filter.ts";

/** Today's date, in UTC without an account. A sub-select, so that it is evaluated once and not per Task. */
export const today = `(select case when current_account() is null then current_date
  else (select (now() at time zone u.timezone)::date from users u where u.id = current_account()) end)`;
const inSixDays = `${today} + 6`;

/** Conditions on a Task t with a due date; `status` is the alias of its Status. */
const conditions = (status: string): Record<(typeof dueWords)[number], string> => ({
  overdue: `t.due_date < ${today} and ${status}.category not in ('completed', 'cancelled')`,
  today: `t.due_date = ${today}`,
  week: `t.due_date >= ${today} and t.due_date <= ${inSixDays}`,
});
type Put = ReturnType<typeof parameters>["put"];
export function dueAmong(filter: string | undefined, put: Put, status: string): string | false {
  if (filter === undefined) return false;
  const { values, none, not } = severalOf(filter);
  const found = Object.entries(conditions(status)).map(
    ([word, condition]) => `${put(values.includes(word))}::boolean and ${condition}`,
  );
  return `case when t.due_date is null then ${put(none)}::boolean
    else ${found.join(" or ")} end = ${put(!not)}::boolean`;
}

/** Bounds of the index range by due date: without them, it would read mostly Tasks that were due long ago. */
export function dueBetween(filter: string | undefined): string[] {
  if (filter === undefined || severalOf(filter).not) return [];
  const fromToday = severalOf(filter).values.includes("overdue") ? [] : [`t.due_date >= ${today}`];
  return [...fromToday, `t.due_date <= ${inSixDays}`];
}
