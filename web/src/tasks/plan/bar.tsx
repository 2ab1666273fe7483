// Bar of a Task on the timeline: drag it to move it, drag an end to resize it. Shift with an arrow key moves it by a
// day, Alt with an arrow key moves its end.
import { type KeyboardEvent, type PointerEvent, useRef, useState } from "react";
import { t } from "../../messages/t.ts";
import { useHome } from "../../store/current-member.ts";
import { useRow } from "../../store/react.ts";
import type { Task } from "../../store/rows.ts";
import { openTask } from "../../ui/address.ts";
import { colourOf } from "../../ui/colour.ts";
import { dayText, today } from "../../ui/formats/dates.ts";
import { type Dates, moved, spanOf, stretched } from "./days.ts";

export interface BarPosition {
  left: number;
  top: number;
  width: number;
}
type Grip = "all" | "start" | "due";
interface Props {
  task: Task;
  at: BarPosition;
  /** Width of a day in pixels. */
  day: number;
  mayWrite: boolean;
  put: (task: Task, dates: Dates) => void;
}
const by = (grip: Grip, task: Task, days: number) => (grip === "all" ? moved(task, days) : stretched(task, grip, days));

export function Bar({ task, at, day, mayWrite, put }: Props) {
  const home = useHome();
  const status = useRow("status", task.status_id);
  const [drag, setDrag] = useState<{ grip: Grip; days: number } | null>(null);
  const begun = useRef<{ x: number; grip: Grip } | null>(null);
  const wasDragged = useRef(false);
  function down(event: PointerEvent, grip: Grip) {
    if (!mayWrite || event.button !== 0) return;
    event.stopPropagation();
    event.currentTarget.setPointerCapture(event.pointerId);
    begun.current = { x: event.clientX, grip };
    wasDragged.current = false;
  }
  function move(event: PointerEvent) {
    if (!begun.current) return;
    const days = Math.round((event.clientX - begun.current.x) / day);
    if (days !== 0) wasDragged.current = true;
    setDrag({ grip: begun.current.grip, days });
  }
  function up() {
    if (begun.current && drag && drag.days !== 0) put(task, by(drag.grip, task, drag.days));
    begun.current = null;
    setDrag(null);
  }
  function pressed(event: KeyboardEvent) {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (step === undefined || !mayWrite || !(event.shiftKey || event.altKey)) return;
    event.preventDefault();
    event.stopPropagation();
    put(task, by(event.altKey ? "due" : "all", task, step));
  }
  const shown = drag ? by(drag.grip, task, drag.days) : task;
  const [from, to] = spanOf(shown) as [string, string];
  const [was] = spanOf(task) as [string, string];
  const left = at.left + Math.round((Date.parse(from) - Date.parse(was)) / 86_400_000) * day;
  const width = (Math.round((Date.parse(to) - Date.parse(from)) / 86_400_000) + 1) * day;
  const paint = colourOf(status?.color, status?.category);
  const now = today(home?.timezone);
  const words = t("timeline.bar", {
    title: `${task.code} ${task.title}`,
    from: dayText(from, now, home?.locale),
    to: dayText(to, now, home?.locale),
  });
  const grip = (end: "start" | "due") => (
    <span
      aria-hidden="true"
      onPointerDown={(event) => down(event, end)}
      onPointerMove={move}
      onPointerUp={up}
      onPointerCancel={up}
      className={`absolute inset-y-0 w-2 cursor-ew-resize ${end === "start" ? "left-0" : "right-0"}`}
    />
  );
  return (
    <div className="flex h-full items-center" style={{ paddingLeft: left }}>
      <button
        type="button"
        aria-label={words}
        title={words}
        data-bar={task.code}
        data-from={from}
        data-to={to}
        onPointerDown={(event) => down(event, "all")}
        onPointerMove={move}
        onPointerUp={up}
        onPointerCancel={up}
        onKeyDown={pressed}
        onClick={() => {
          if (!wasDragged.current) openTask(task.id);
        }}
        style={{ width, borderColor: paint }}
        className={`relative h-6 shrink-0 touch-none rounded-md border-l-4 bg-hover ${mayWrite ? "cursor-grab active:cursor-grabbing" : "cursor-pointer"}`}
      >
        {mayWrite && grip("start")}
        {mayWrite && grip("due")}
      </button>
      <span
        aria-hidden="true"
        className={`ml-2 truncate text-12 ${task.completed_at ? "text-soft line-through" : "text-ink"}`}
      >
        {task.title}
      </span>
    </div>
  );
}
