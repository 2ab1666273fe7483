// Grouping and sorting of a list, stored in the address. Pure.
import type { Task } from "../../store/rows.ts";
import { priorities } from "../properties.tsx";

export const groupings = [
  "status",
  "assignee",
  "priority",
  "label",
  "milestone",
  "due",
  "start",
  "creator",
  "none",
] as const;
export type Grouping = (typeof groupings)[number];
export const orders = ["position", "priority", "due", "start", "updated", "created", "title"] as const;
export type Order = (typeof orders)[number];

const rank = (priority: string) => priorities.indexOf(priority as (typeof priorities)[number]);
const text = (one: string, other: string) => (one < other ? -1 : one > other ? 1 : 0);
/** Sorts behind every date and id. */
const LAST = "none";
const compare: Record<Order, (one: Task, other: Task) => number> = {
  position: (one, other) => one.position - other.position,
  priority: (one, other) => rank(one.priority) - rank(other.priority),
  // Tasks without a date come last.
  due: (one, other) => text(one.due_date ?? LAST, other.due_date ?? LAST),
  start: (one, other) => text(one.start_date ?? LAST, other.start_date ?? LAST),
  updated: (one, other) => text(other.updated_at, one.updated_at),
  created: (one, other) => text(other.created_at, one.created_at),
  title: (one, other) => one.title.localeCompare(other.title),
};

const keyOf: Record<Grouping, (task: Task) => string> = {
  status: ({ status_id }) => status_id,
  assignee: ({ assignee_actor_id }) => assignee_actor_id ?? LAST,
  priority: ({ priority }) => priority,
  // Each Task appears once: under its first label.
  label: ({ label_ids }) => label_ids[0] ?? LAST,
  milestone: ({ milestone_id }) => milestone_id ?? LAST,
  due: ({ due_date }) => due_date ?? LAST,
  start: ({ start_date }) => start_date ?? LAST,
  creator: ({ created_by_actor_id }) => created_by_actor_id ?? LAST,
  none: () => "all",
};
export type Row = { kind: "group"; id: string; count: number } | { kind: "task"; id: string };

/**
 * Rows of the list: the head of each group, followed by its Tasks if the group is open. Groups appear in the given
 * order, further ones sorted by id (which sorts days), and the group without a value last.
 */
export function arranged(
  tasks: readonly Task[],
  by: Grouping,
  order: Order,
  groups: readonly string[],
  closed: ReadonlySet<string>,
): Row[] {
  const found = new Map<string, Task[]>(groups.map((id) => [id, []]));
  for (const task of tasks) {
    const key = keyOf[by](task);
    const group = found.get(key);
    if (group) group.push(task);
    else found.set(key, [task]);
  }
  const rows: Row[] = [];
  const others = [...found.keys()].slice(groups.length).sort(text);
  for (const id of [...groups, ...others]) {
    const group = found.get(id) ?? [];
    if (group.length === 0) continue;
    if (by !== "none") rows.push({ kind: "group", id, count: group.length });
    if (closed.has(id)) continue;
    group.sort((one, other) => compare[order](one, other) || text(one.id, other.id));
    for (const task of group) rows.push({ kind: "task", id: task.id });
  }
  return rows;
}
