// Row of a Task in a list: properties are edited in place, the title opens the Task.
import { Fragment, memo, useState } from "react";
import { t } from "../../messages/t.ts";
import { useReplica, useRow } from "../../store/react.ts";
import type { Task } from "../../store/rows.ts";
import { Avatar } from "../../ui/controls.tsx";
import { isOver } from "../../ui/formats/due-date.ts";
import { PriorityIcon, StatusIcon } from "../../ui/icons.tsx";
import { type Movement, useIsStill } from "../../ui/scroll/movement.ts";
import { change } from "../actions.ts";
import { Due, Unsent } from "../board/card.tsx";
import { MilestonePicker } from "../milestone-picker.tsx";
import { AssigneePicker, DatePicker, LabelsPicker, PriorityPicker, StatusPicker } from "../properties.tsx";
import { useClicks, useSelection } from "../selection.tsx";

interface Props {
  id: string;
  reached: boolean;
  mayWrite: boolean;
  movement: Movement;
}
export const TaskRow = memo(function TaskRow({ id, reached, mayWrite, movement }: Props) {
  const replica = useReplica();
  const task = useRow("task", id);
  const { setCurrent } = useSelection();
  const { isSelected, onBox, onTitle } = useClicks(id, mayWrite);
  const status = useRow("status", task?.status_id);
  const person = useRow("person", task?.assignee_actor_id);
  // Renders without controls while scrolling, with the same look: fast scrolling renders a thousand rows per second.
  const isStill = useIsStill(movement, id);
  // Pickers of empty properties render only under the pointer or focus: three more buttons per row would cost clarity
  // and render time.
  const [near, setNear] = useState<string | null>(null);
  if (!task) return null;
  const put = (fields: Parameters<typeof change>[2]) => change(replica, id, fields);
  const disabled = !mayWrite;
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it only shows more of what can be pressed in it.
    <div
      data-task={id}
      onPointerEnter={() => setNear(id)}
      onPointerLeave={() => setNear(null)}
      onFocus={() => setNear(id)}
      className={`group flex h-9 items-center gap-1 border-b border-line px-3 hover:bg-hover ${isSelected ? "bg-note-wash" : ""}`}
    >
      {isStill ? (
        // The siblings need distinct keys.
        <Fragment key={`first ${id}`}>
          <input
            type="checkbox"
            aria-label={t("select.task", { title: task.title })}
            checked={isSelected}
            tabIndex={-1}
            disabled={disabled}
            onChange={onBox}
            className={`size-3.5 shrink-0 accent-accent disabled:invisible ${isSelected ? "" : "opacity-0 group-hover:opacity-100 focus-visible:opacity-100 pointer-coarse:opacity-100"}`}
          />
          <PriorityPicker value={task.priority} pick={(priority) => put({ priority })} disabled={disabled} />
        </Fragment>
      ) : (
        <span className="picker ml-4.5">
          <PriorityIcon priority={task.priority} />
        </span>
      )}
      <span className="hidden w-16 shrink-0 truncate text-12 text-soft tabular-nums sm:inline">{task.code || "…"}</span>
      {isStill ? (
        <StatusPicker
          key={`status ${id}`}
          projectId={task.project_id}
          value={task.status_id}
          pick={(status_id) => put({ status_id })}
          disabled={disabled}
        />
      ) : (
        <span className="picker">
          <StatusIcon category={status?.category ?? "backlog"} color={status?.color} />
        </span>
      )}
      <button
        type="button"
        data-open={id}
        tabIndex={reached ? 0 : -1}
        onFocus={() => setCurrent(id)}
        onClick={onTitle}
        className="min-w-0 flex-1 cursor-pointer truncate py-1 text-left"
      >
        {task.title}
      </button>
      {isStill ? (
        <Ending
          key={`last ${id}`}
          task={task}
          category={status?.category}
          put={put}
          disabled={disabled}
          isNear={near === id}
        />
      ) : (
        <span className="flex items-center gap-1">
          <Due task={task} />
          <span className="picker">
            <Avatar person={person} />
          </span>
        </span>
      )}
    </div>
  );
});

interface EndingProps {
  task: Task;
  category: string | undefined;
  put: (fields: Parameters<typeof change>[2]) => void;
  disabled: boolean;
  isNear: boolean;
}
function Ending({ task, category, put, disabled, isNear }: EndingProps) {
  const offersAll = isNear && !disabled;
  return (
    <>
      <Unsent id={task.id} />
      <span className="hidden items-center md:flex">
        {(offersAll || task.label_ids.length > 0) && (
          <LabelsPicker
            projectId={task.project_id}
            value={task.label_ids}
            pick={(label_ids) => put({ label_ids })}
            disabled={disabled}
          />
        )}
      </span>
      <span className="hidden items-center lg:flex">
        {(offersAll || task.milestone_id) && (
          <MilestonePicker task={task} pick={(milestone_id) => put({ milestone_id })} disabled={disabled} />
        )}
        {offersAll && (
          <DatePicker
            label={t("task.start")}
            icon="play"
            value={task.start_date}
            isOver
            pick={(start_date) => put({ start_date })}
            disabled={disabled}
          />
        )}
      </span>
      <DatePicker
        label={t("task.due")}
        value={task.due_date}
        isOver={isOver(category)}
        pick={(due_date) => put({ due_date })}
        disabled={disabled}
      />
      <AssigneePicker
        value={task.assignee_actor_id}
        pick={(assignee_actor_id) => put({ assignee_actor_id })}
        disabled={disabled}
      />
    </>
  );
}
