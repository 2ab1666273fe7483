// Which Tasks are shown: filters in the address, in the words of the service's own lists, so that a link says what somebody looks at.
// `priority=high,urgent` is either, `priority=!low` neither, `none` what is absent. Pure.
import type { Status, Task } from "../store/rows.ts";
import { dueWords } from "../ui/due.ts";

export const filterNames = [
  "text",
  "status_id",
  "category",
  "priority",
  "assignee_actor_id",
  "label_id",
  "milestone_id",
  "due",
  "created_by_actor_id",
] as const;
export type FilterName = (typeof filterNames)[number];
export interface Filter {
  not: boolean;
  values: readonly string[];
}
export type Filters = Partial<Record<FilterName, Filter>>;

export function filtersIn(query: URLSearchParams): Filters {
  const found: Filters = {};
  for (const name of filterNames) {
    const text = query.get(name) ?? "";
    if (text === "") continue;
    const not = name !== "text" && text.startsWith("!");
    found[name] = { not, values: name === "text" ? [text] : text.slice(not ? 1 : 0).split(",") };
  }
  return found;
}
export const written = ({ not, values }: Filter): string | null =>
  values.length === 0 ? null : (not ? "!" : "") + values.join(",");

export const isFiltered = (filters: Filters) => Object.keys(filters).length > 0;

/** What a Task is held against that it does not say itself. */
export interface FilterContext {
  statusOf: (id: string) => Status | undefined;
  /** The day it is where the person is. */
  today: string;
}
/** Of a Task what a filter looks at; nothing at all is `none`. */
function valuesOf(task: Task, name: FilterName, { statusOf, today }: FilterContext): readonly string[] {
  if (name === "label_id") return task.label_ids.length > 0 ? task.label_ids : ["none"];
  if (name === "category") return [statusOf(task.status_id)?.category ?? ""];
  if (name === "due") return dueWords(task, today, statusOf(task.status_id)?.category);
  return [(task[name as "priority" | "status_id" | "milestone_id"] as string | null) ?? "none"];
}

export function passes(task: Task, filters: Filters, context: FilterContext): boolean {
  for (const name of filterNames) {
    const filter = filters[name];
    if (!filter) continue;
    if (name === "text") {
      const [text = ""] = filter.values;
      if (!`${task.code} ${task.title}`.toLowerCase().includes(text.toLowerCase())) return false;
    } else if (valuesOf(task, name, context).some((value) => filter.values.includes(value)) === filter.not)
      return false;
  }
  return true;
}
