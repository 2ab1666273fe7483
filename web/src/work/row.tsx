// Row of a Task with its Project.

import { type Key, t } from "../messages/t.ts";
import { useHome } from "../store/current-member.ts";
import { useReplica, useRow } from "../store/react.ts";
import { openTask } from "../ui/address.ts";
import { dayText, today } from "../ui/formats/dates.ts";
import { isLate } from "../ui/formats/due-date.ts";
import { PriorityIcon, StatusIcon } from "../ui/icons.tsx";

export function WorkRow({ id }: { id: string }) {
  const { store } = useReplica();
  const home = useHome();
  const task = useRow("task", id);
  const status = useRow("status", task?.status_id);
  if (!task || task.trashed_at) return null;
  const project = store.get("project", task.project_id);
  const from = today(home?.timezone);
  const late = isLate(task.due_date, from, status?.category);
  return (
    <li>
      <button
        type="button"
        onClick={() => openTask(id)}
        className="flex h-9 w-full cursor-pointer items-center gap-2 border-b border-line px-3 text-left hover:bg-hover"
      >
        <span title={t(`task.priority.${task.priority}` as Key)}>
          <PriorityIcon priority={task.priority} />
          <span className="sr-only">{t(`task.priority.${task.priority}` as Key)}</span>
        </span>
        <span className="hidden w-16 shrink-0 truncate text-12 text-soft tabular-nums sm:inline">{task.code}</span>
        <span title={status?.name}>
          <StatusIcon category={status?.category ?? "backlog"} color={status?.color} />
          <span className="sr-only">{status?.name}</span>
        </span>
        <span className="min-w-0 flex-1 truncate">{task.title}</span>
        {task.due_date && (
          <span className={`text-12 tabular-nums ${late ? "text-bad" : "text-soft"}`}>
            {dayText(task.due_date, from, home?.locale)}
          </span>
        )}
        <span className="hidden max-w-40 truncate text-12 text-soft md:inline">{project?.name}</span>
      </button>
    </li>
  );
}
