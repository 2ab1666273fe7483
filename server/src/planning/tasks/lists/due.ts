// What a due date means today, in SQL, for My Work and for the filter `due` of every list. Today is a day in the calendar of the caller's account;
// a Task that is completed or cancelled is never overdue.
import type { dueWords } from "@svc/contract/planning/tasks/lists/filters.ts";
import type { parameters } from "../../../platform/database/looking.ts";
import { severalOf } from "../../../platform/wire/several.ts";

/** Without an account, that of UTC. A sub-select, so that it is worked out once and not for each Task. */
export const today = `(select case when current_account() is null then current_date
  else (select (now() at time zone u.timezone)::date from users u where u.id = current_account()) end)`;
const inSixDays = `${today} + 6`;

/** Of a Task t that has one; its Status has this name. */
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
  return `case when t.due_date is null then ${put(none)}::boolean else ${found.join(" or ")} end = ${put(!not)}::boolean`;
}

/** Between which days the index by due date is read: what was due long ago is almost all that there ever was. */
export function dueBetween(filter: string | undefined): string[] {
  if (filter === undefined || severalOf(filter).not) return [];
  const fromToday = severalOf(filter).values.includes("overdue") ? [] : [`t.due_date >= ${today}`];
  return [...fromToday, `t.due_date <= ${inSixDays}`];
}
