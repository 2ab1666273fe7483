// Shortcuts for a Task on a board, in a list and in the panel: S, A, P and D open the picker for Status, assignee,
// priority and due date. They apply to the selected Tasks if there are any.
import { type ReactNode, useState } from "react";
import { t, tn } from "../messages/t.ts";
import { useReplica, useRow } from "../store/react.ts";
import type { Task } from "../store/rows.ts";
import { StatusIcon } from "../ui/icons.tsx";
import { useKeys } from "../ui/keys.ts";
import { Dialog } from "../ui/overlays/dialog.tsx";
import { Choices, type PickerOption } from "../ui/overlays/picker.tsx";
import { change, changeMany } from "./actions.ts";
import { priorityOptions, useColumns, usePeopleOptions } from "./properties.tsx";

/** Dialog with the requested picker, or null. */
export function useTaskKeys(
  current: string | null,
  mayWrite: boolean,
  selected: ReadonlySet<string> = new Set(),
): ReactNode {
  const ids = selected.size > 0 ? [...selected] : current === null ? [] : [current];
  const [open, setOpen] = useState<"status" | "assignee" | "priority" | "due" | null>(null);
  const ask = (what: typeof open) => () => {
    if (ids.length > 0 && mayWrite) setOpen(what);
  };
  useKeys([
    { keys: "s", label: "keys.status", run: ask("status") },
    { keys: "a", label: "keys.assignee", run: ask("assignee") },
    { keys: "p", label: "keys.priority", run: ask("priority") },
    { keys: "d", label: "keys.due", run: ask("due") },
  ]);
  if (open === null || ids.length === 0) return null;
  return <Chooser ids={ids} what={open} close={() => setOpen(null)} />;
}

function Chooser({
  ids,
  what,
  close,
}: {
  ids: readonly string[];
  what: "status" | "assignee" | "priority" | "due";
  close: () => void;
}) {
  const replica = useReplica();
  const [id = ""] = ids;
  const task = useRow("task", id);
  const people = usePeopleOptions();
  const columns = useColumns(task?.project_id);
  if (!task) return null;
  const one = ids.length === 1 ? task : null;
  const put = (fields: Parameters<typeof change>[2]) => {
    if (one) change(replica, id, fields);
    else changeMany(replica, ids, fields);
    close();
  };
  const statuses = columns.flatMap((each): PickerOption[] => {
    const status = replica.store.get("status", each);
    return status
      ? [{ id: each, label: status.name, icon: <StatusIcon category={status.category} color={status.color} /> }]
      : [];
  });
  const label = t(`task.${what}`);
  return (
    <Dialog label={label} at="top" close={close}>
      <div className="p-2">
        <p className="px-2 pb-1 text-12 text-soft">
          {one ? `${one.code} ${one.title}` : tn("select.count", ids.length)}
        </p>
        {what === "status" && (
          <Choices
            label={label}
            options={statuses}
            chosen={one ? [one.status_id] : []}
            pick={(status_id) => put({ status_id })}
          />
        )}
        {what === "assignee" && (
          <Choices
            label={label}
            options={people}
            chosen={one ? [one.assignee_actor_id ?? "nobody"] : []}
            pick={(person) => put({ assignee_actor_id: person === "nobody" ? null : person })}
          />
        )}
        {what === "priority" && (
          <Choices
            label={label}
            options={priorityOptions()}
            chosen={one ? [one.priority] : []}
            pick={(priority) => put({ priority: priority as Task["priority"] })}
          />
        )}
        {what === "due" && (
          <form
            onSubmit={(event) => {
              event.preventDefault();
              put({ due_date: String(new FormData(event.currentTarget).get("due")) || null });
            }}
            className="p-2"
          >
            <input
              type="date"
              name="due"
              autoFocus
              aria-label={label}
              defaultValue={one?.due_date ?? ""}
              className="field w-full"
            />
          </form>
        )}
      </div>
    </Dialog>
  );
}
