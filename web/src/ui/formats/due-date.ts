// Classification of due dates, for the overdue colour and for the filter, which uses the terms of the service's lists.
// Pure.
import { plusDays } from "./dates.ts";

/** True if the Status category means that no work is left. */
export const isOver = (category: string | undefined) => category === "completed" || category === "cancelled";
export const isLate = (day: string | null, today: string, category: string | undefined) =>
  day !== null && day < today && !isOver(category);

/** Filter terms of a due date. A week is today and the six days after it. */
export function dueWords(
  { due_date }: { due_date: string | null },
  today: string,
  category: string | undefined,
): string[] {
  if (due_date === null) return ["none"];
  if (due_date < today) return isLate(due_date, today, category) ? ["overdue"] : [];
  return [...(due_date === today ? ["today"] : []), ...(due_date <= plusDays(today, 6) ? ["week"] : [])];
}
