// What a due date means today: for the red date, and for the filter, which says it in the words of the service's own lists. Pure.
import { plusDays } from "./dates.ts";

/** By the category of its Status: nothing is left to do. */
export const isOver = (category: string | undefined) => category === "completed" || category === "cancelled";
export const isLate = (day: string | null, today: string, category: string | undefined) =>
  day !== null && day < today && !isOver(category);

/** A week is today and the six days after it. */
export function dueWords(
  { due_date }: { due_date: string | null },
  today: string,
  category: string | undefined,
): string[] {
  if (due_date === null) return ["none"];
  if (due_date < today) return isLate(due_date, today, category) ? ["overdue"] : [];
  return [...(due_date === today ? ["today"] : []), ...(due_date <= plusDays(today, 6) ? ["week"] : [])];
}
