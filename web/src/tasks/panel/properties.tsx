// All properties of a Task, one per line.
import type { ReactNode } from "react";
import { t } from "../../messages/t.ts";
import { useTaskChoices } from "../../projects/task-choices.tsx";
import { useHome } from "../../store/current-member.ts";
import { useReplica, useRow } from "../../store/react.ts";
import type { Task } from "../../store/rows.ts";
import { momentText } from "../../ui/formats/dates.ts";
import { isOver } from "../../ui/formats/due-date.ts";
import { Picker } from "../../ui/overlays/picker.tsx";
import { change } from "../actions.ts";
import { MilestonePicker } from "../milestone-picker.tsx";
import { AssigneePicker, DatePicker, LabelsPicker, PriorityPicker, StatusPicker } from "../properties.tsx";
import { useMayChange } from "./use-may-change.ts";

export function Properties({ task }: { task: Task }) {
  const replica = useReplica();
  const home = useHome();
  const disabled = !useMayChange(task);
  const put = (fields: Parameters<typeof change>[2]) => change(replica, task.id, fields);
  const status = useRow("status", task.status_id);
  return (
    <dl className="mt-4 grid grid-cols-[6.5rem_1fr] items-center gap-y-0.5">
      <Line name={t("task.status")}>
        <StatusPicker
          long
          projectId={task.project_id}
          value={task.status_id}
          pick={(status_id) => put({ status_id })}
          disabled={disabled}
        />
      </Line>
      <Line name={t("task.priority")}>
        <PriorityPicker long value={task.priority} pick={(priority) => put({ priority })} disabled={disabled} />
      </Line>
      <Line name={t("task.assignee")}>
        <AssigneePicker
          long
          value={task.assignee_actor_id}
          pick={(assignee_actor_id) => put({ assignee_actor_id })}
          disabled={disabled}
        />
      </Line>
      <Line name={t("task.labels")}>
        <LabelsPicker
          long
          projectId={task.project_id}
          value={task.label_ids}
          pick={(label_ids) => put({ label_ids })}
          disabled={disabled}
        />
      </Line>
      <Line name={t("task.milestone")}>
        <MilestonePicker long task={task} disabled={disabled} pick={(milestone_id) => put({ milestone_id })} />
      </Line>
      <Line name={t("panel.parent")}>
        <ParentPicker task={task} disabled={disabled} pick={(parent_id) => put({ parent_id })} />
      </Line>
      <Line name={t("task.start")}>
        <DatePicker
          label={t("task.start")}
          long
          value={task.start_date}
          isOver
          pick={(start_date) => put({ start_date })}
          disabled={disabled}
        />
      </Line>
      <Line name={t("task.due")}>
        <DatePicker
          label={t("task.due")}
          long
          value={task.due_date}
          isOver={isOver(status?.category)}
          pick={(due_date) => put({ due_date })}
          disabled={disabled}
        />
      </Line>
      <Line name={t("task.created")}>
        <span className="px-1.5 text-12 text-soft">{momentText(task.created_at, home?.locale, home?.timezone)}</span>
      </Line>
    </dl>
  );
}

function Line({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt className="text-12 text-soft">{name}</dt>
      <dd className="flex min-h-8 min-w-0 items-center">{children}</dd>
    </>
  );
}

const NONE = "none";
function ParentPicker({ task, disabled, pick }: { task: Task; disabled: boolean; pick: (id: string | null) => void }) {
  const choices = useTaskChoices({ exceptId: task.id });
  const parent = useRow("task", task.parent_id);
  return (
    <Picker
      label={t("panel.parent")}
      value={parent?.title ?? t("ui.none")}
      options={[{ id: NONE, label: t("ui.none"), words: choices.text }, ...choices.options]}
      typed={choices.typed}
      chosen={[task.parent_id ?? NONE]}
      pick={(id) => pick(id === NONE ? null : id)}
      disabled={disabled}
    >
      <span className={`truncate ${parent ? "" : "text-soft"}`}>
        {parent ? `${parent.code} ${parent.title}` : t("ui.none")}
      </span>
    </Picker>
  );
}
