// Tasks of the example Project: enough to show a board, a list and a due date, and what to try first.
import { type Key, t } from "../../messages/t.ts";
import type { Task } from "../../store/rows.ts";
import type { Store } from "../../store/store.ts";
import { plusDays, today } from "../../ui/formats/dates.ts";

type Example = [title: Key, category: string, priority: Task["priority"], due: number | null, mine?: true];
const examples: readonly Example[] = [
  ["example.plan", "completed", "medium", null, true],
  ["example.move", "started", "high", 0, true],
  ["example.palette", "unstarted", "medium", 1, true],
  ["example.undo", "unstarted", "low", null],
  ["example.invite", "unstarted", "none", 3],
  ["example.offline", "backlog", "none", null],
  ["example.delete", "backlog", "none", null],
];

export function exampleTasks(store: Store, actorId: string) {
  const statuses = (store.fact<string[]>("statuses") ?? []).flatMap((id) => store.get("status", id) ?? []);
  const from = today();
  return examples.map(([title, category, priority, due, mine]) => ({
    title: t(title),
    priority,
    status_id: statuses.find((status) => status.category === category)?.id,
    due_date: due === null ? null : plusDays(from, due),
    assignee_actor_id: mine ? actorId : null,
  }));
}
