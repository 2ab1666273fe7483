// Texts about changes: operation, object and field values.
import { type Key, t, tn } from "../messages/t.ts";
import type { QueuedChange } from "../store/queue/change.ts";
import type { Store } from "../store/store.ts";

/** Text of a change, such as "Task moved" or "3 Tasks changed". */
export function wordsOf({ operation, input, ids }: QueuedChange): string {
  if (operation === "undoCommand") return t("toast.undone");
  if (operation === "redoCommand") return t("toast.redone");
  if (operation === "createTask" && ids.length > 1) return tn("change.createTasks", ids.length);
  if (operation === "updateTasks") return tn("change.updateTasks", ids.length);
  if (operation === "updateTask" && "after_task_id" in input) return t("change.moved");
  if (operation === "updateInboxItem") return input.archived ? t("inbox.toDone") : t("inbox.toInbox");
  return t(`change.${operation}` as Key);
}

interface Named {
  title?: string;
  name?: string | null;
  display_name?: string | null;
  /** Only inbox items have it. */
  task?: { title: string } | null;
}
export function nameOf(store: Store, { kind, ids, creates, input }: QueuedChange): string {
  const row = store.get(kind, ids[0] ?? creates ?? "") as Named | undefined;
  return row?.task?.title ?? row?.title ?? row?.name ?? row?.display_name ?? String(input.title ?? input.name ?? "");
}

const labels: Record<string, Key> = {
  title: "task.title",
  description_markdown: "task.description",
  priority: "task.priority",
  status_id: "task.status",
  assignee_actor_id: "task.assignee",
  due_date: "task.due",
  start_date: "task.start",
  label_ids: "task.labels",
  milestone_id: "task.milestone",
};
/** Formats a field value for people. */
export function valueText(store: Store, field: string, value: unknown): string {
  if (value === null || value === undefined || value === "") return t("ui.none");
  if (field === "status_id") return store.get("status", String(value))?.name ?? "";
  if (field === "assignee_actor_id") return store.get("person", String(value))?.display_name ?? "";
  if (field === "milestone_id") return store.get("milestone", String(value))?.name ?? "";
  if (field === "priority") return t(`task.priority.${value}` as Key);
  if (field === "label_ids")
    return (value as string[]).map((id) => store.get("label", id)?.name).join(", ") || t("ui.none");
  return String(value);
}
valueText.label = (field: string) => (labels[field] ? t(labels[field]) : field);
