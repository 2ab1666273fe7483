// Task filters in the address, with the parameter names of the service's lists, so that a link preserves them.
// `priority=high,urgent` means either, `priority=!low` excludes, `none` means absent. Pure.
import type { Status, Task } from "../../store/rows.ts";
import { dueWords } from "../../ui/formats/due-date.ts";

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

/** Data beside the Task that filters depend on. */
export interface FilterContext {
  statusOf: (id: string) => Status | undefined;
  /** Current day in the person's time zone. */
  today: string;
}
/** Values of a Task that a filter compares; `none` if there are none. */
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
