// Card of a Task on a board. The height is fixed, so that a column of ten thousand cards can be virtualised.
import { memo } from "react";
import { t, tn } from "../../messages/t.ts";
import { useHome } from "../../store/current-member.ts";
import { usePending, useReplica, useRow } from "../../store/react.ts";
import type { Task } from "../../store/rows.ts";
import { Avatar } from "../../ui/controls.tsx";
import { dayText, today } from "../../ui/formats/dates.ts";
import { isLate, isOver } from "../../ui/formats/due-date.ts";
import { Icon, PriorityIcon } from "../../ui/icons.tsx";
import { change } from "../actions.ts";
import { AssigneePicker, DatePicker, Labels, PriorityPicker } from "../properties.tsx";
import { useClicks, useSelection } from "../selection.tsx";

export const CARD_HEIGHT = 100;

/** Icon for an unsent or conflicting change of the Task. */
export function Unsent({ id }: { id: string }) {
  const { store } = useReplica();
  const own = usePending().filter(({ ids, creates }) => ids.includes(store.real(id)) || creates === id);
  const stuck = own.some(({ state }) => state === "conflict");
  const old = own.some(({ madeAt }) => Date.now() - madeAt > 2000);
  if (!stuck && !old) return null;
  const words = stuck ? t("task.conflict") : t("task.unsent");
  return (
    <span title={words} className={stuck ? "text-bad" : "text-soft"}>
      <Icon name={stuck ? "blocked" : "cloud"} className="size-3.5" />
      <span className="sr-only">{words}</span>
    </span>
  );
}

interface Props {
  id: string;
  /** True for the one card in the tab order. */
  reached: boolean;
  mayWrite: boolean;
  /** False while the column scrolls: the card then renders without controls but looks the same. */
  isStill: boolean;
}
export const Card = memo(function Card({ id, reached, mayWrite, isStill }: Props) {
  const task = useRow("task", id);
  const { current, setCurrent } = useSelection();
  const { isSelected, onBox, onTitle } = useClicks(id, mayWrite);
  if (!task) return null;
  const { counts } = task;
  return (
    <article
      data-task={id}
      aria-label={`${task.code} ${task.title}`}
      className={`group card relative flex h-23 flex-col justify-between rounded-lg border bg-card p-2 ${isSelected ? "border-accent ring-1 ring-accent" : "border-line"}`}
    >
      <div className="min-w-0">
        <div className="flex items-center gap-1 text-11 text-soft">
          <span className="tabular-nums">{task.code || "…"}</span>
          <Unsent id={id} />
          {counts?.blocked && (
            <span title={t("task.blocked")} className="text-bad">
              <Icon name="blocked" className="size-3" />
              <span className="sr-only">{t("task.blocked")}</span>
            </span>
          )}
          <span className="flex-1" />
          {isStill && (
            <input
              key={id}
              type="checkbox"
              aria-label={t("select.task", { title: task.title })}
              checked={isSelected}
              tabIndex={-1}
              disabled={!mayWrite}
              onChange={onBox}
              className={`relative z-1 size-3.5 accent-accent disabled:invisible ${isSelected ? "" : "opacity-0 group-hover:opacity-100 focus-visible:opacity-100 pointer-coarse:opacity-100"}`}
            />
          )}
        </div>
        <button
          type="button"
          tabIndex={reached ? 0 : -1}
          data-open={id}
          aria-current={current === id || undefined}
          onFocus={() => setCurrent(id)}
          onClick={onTitle}
          className="card-title line-clamp-2 w-full cursor-pointer text-left leading-snug break-words outline-none"
        >
          {task.title}
        </button>
      </div>
      <div className="relative z-1 flex w-fit max-w-full items-center gap-0.5 overflow-hidden">
        {isStill ? <Buttons key={id} task={task} mayWrite={mayWrite} /> : <Pictures task={task} />}
        {(counts?.comments ?? 0) > 0 && (
          <span
            title={tn("task.comments", counts?.comments ?? 0)}
            className="flex items-center gap-0.5 px-1 text-11 text-soft"
          >
            <Icon name="comment" className="size-3" />
            {counts?.comments}
          </span>
        )}
        <Labels ids={task.label_ids.slice(0, 2)} projectId={task.project_id} />
      </div>
    </article>
  );
});

function Buttons({ task, mayWrite }: { task: Task; mayWrite: boolean }) {
  const replica = useReplica();
  const put = (fields: Parameters<typeof change>[2]) => change(replica, task.id, fields);
  return (
    <>
      <PriorityPicker value={task.priority} pick={(priority) => put({ priority })} disabled={!mayWrite} />
      <AssigneePicker
        value={task.assignee_actor_id}
        pick={(assignee_actor_id) => put({ assignee_actor_id })}
        disabled={!mayWrite}
      />
      {task.due_date && (
        <DatePicker
          label={t("task.due")}
          value={task.due_date}
          isOver={isOver(replica.store.get("status", task.status_id)?.category)}
          pick={(due_date) => put({ due_date })}
          disabled={!mayWrite}
        />
      )}
    </>
  );
}

/** Same content without controls. */
function Pictures({ task }: { task: Task }) {
  const person = useRow("person", task.assignee_actor_id);
  return (
    <>
      <span className="picker">
        <PriorityIcon priority={task.priority} />
      </span>
      <span className="picker">
        <Avatar person={person} />
      </span>
      {task.due_date && <Due task={task} />}
    </>
  );
}
export function Due({ task }: { task: Task }) {
  const { store } = useReplica();
  const home = useHome();
  const from = today(home?.timezone);
  const late = isLate(task.due_date, from, store.get("status", task.status_id)?.category);
  return (
    <span className={`picker ${late ? "text-bad" : task.due_date ? "" : "text-soft"}`}>
      <Icon name="calendar" className="size-3.5" />
      {task.due_date && <span className="tabular-nums">{dayText(task.due_date, from, home?.locale)}</span>}
    </span>
  );
}
