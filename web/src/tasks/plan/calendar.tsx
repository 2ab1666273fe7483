// Month calendar of a Project: Tasks on their due dates, movable by mouse and keyboard, and Milestones on their target
// dates.
import { draggable, dropTargetForElements } from "@atlaskit/pragmatic-drag-and-drop/element/adapter";
import { useEffect, useMemo, useRef, useState } from "react";
import { t, tn } from "../../messages/t.ts";
import { ProjectPage } from "../../projects/page.tsx";
import { go, Link, useAddress } from "../../router.tsx";
import { useHome, useMayWrite, weekStartOf } from "../../store/current-member.ts";
import { useGroup, useReplica } from "../../store/react.ts";
import type { Project, Task } from "../../store/rows.ts";
import { openTask, withQuery } from "../../ui/address.ts";
import { IconButton } from "../../ui/controls.tsx";
import { plusDays, today } from "../../ui/formats/dates.ts";
import { Icon, StatusIcon } from "../../ui/icons.tsx";
import { useKeys } from "../../ui/keys.ts";
import { change } from "../actions.ts";
import { FilterBar } from "../filters/filter-bar.tsx";
import { useFilters, useProject, useTasks } from "../project.tsx";
import { changed, moved, plusMonths, weeksOf } from "./days.ts";
import { byTarget } from "./milestones.tsx";

const MOST_IN_DAY = 4;

export default function CalendarPage({ params }: { params: Readonly<Record<string, string>> }) {
  const filters = useFilters();
  const project = useProject(params.key ?? "");
  const home = useHome();
  const asked = useAddress().searchParams.get("month") ?? "";
  const now = today(home?.timezone);
  const month = /^\d{4}-(?:0[1-9]|1[0-2])$/.test(asked) ? asked : now.slice(0, 7);
  const show = (next: string) => go(withQuery({ month: next === now.slice(0, 7) ? null : next }), { replace: true });
  useKeys([
    { keys: "t", label: "keys.today", run: () => show(now.slice(0, 7)) },
    { keys: "n", label: "keys.nextMonth", run: () => show(plusMonths(month, 1)) },
    { keys: "p", label: "keys.previousMonth", run: () => show(plusMonths(month, -1)) },
  ]);
  const name = new Intl.DateTimeFormat(home?.locale, { month: "long", year: "numeric", timeZone: "UTC" }).format(
    new Date(`${month}-01`),
  );
  const tools = (
    <>
      {project && <FilterBar projectId={project.id} filters={filters} />}
      <span className="ml-auto flex items-center gap-1">
        <IconButton icon="left" label={t("keys.previousMonth")} onClick={() => show(plusMonths(month, -1))} />
        <span aria-live="polite" className="min-w-32 text-center font-medium">
          {name}
        </span>
        <IconButton icon="right" label={t("keys.nextMonth")} onClick={() => show(plusMonths(month, 1))} />
        <Link to={withQuery({ month: null })} className="tab">
          {t("date.today")}
        </Link>
      </span>
    </>
  );
  return (
    <ProjectPage params={params} view="calendar" tools={tools}>
      {(shown) => <Calendar project={shown} month={month} name={name} now={now} />}
    </ProjectPage>
  );
}

function Calendar({ project, month, name, now }: { project: Project; month: string; name: string; now: string }) {
  const replica = useReplica();
  const home = useHome();
  const mayWrite = useMayWrite();
  const tasks = useTasks(project.id, useFilters());
  const weeks = weeksOf(month, weekStartOf(home));
  const byDay = useMemo(() => Map.groupBy(tasks, ({ due_date }) => due_date), [tasks]);
  const milestones = useGroup("milestone", byTarget, project.id).ids.flatMap(
    (id) => replica.store.get("milestone", id) ?? [],
  );
  const put = (task: Task, day: string) => {
    const by = task.due_date ? (Date.parse(day) - Date.parse(task.due_date)) / 86_400_000 : 0;
    const after = task.start_date && task.due_date ? moved(task, by) : { start_date: task.start_date, due_date: day };
    const fields = changed(task, after);
    if (Object.keys(fields).length > 0) change(replica, task.id, fields);
  };
  const weekday = (day: string) =>
    new Intl.DateTimeFormat(home?.locale, { weekday: "short", timeZone: "UTC" }).format(new Date(day));
  return (
    <div className="min-h-0 flex-1 overflow-auto">
      <table aria-label={name} className="h-full w-full min-w-[44rem] table-fixed border-collapse">
        <thead>
          <tr>
            {weeks[0]?.map((day) => (
              <th key={day} scope="col" className="h-7 border-b border-line text-12 font-medium text-soft">
                {weekday(day)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {weeks.map((week) => (
            <tr key={week[0]}>
              {week.map((day) => (
                <Day
                  key={day}
                  {...{ day, now, mayWrite, put }}
                  isOther={!day.startsWith(month)}
                  tasks={byDay.get(day) ?? []}
                  milestones={milestones.filter(({ target_date }) => target_date === day).map((each) => each.name)}
                />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface DayProps {
  day: string;
  now: string;
  isOther: boolean;
  tasks: readonly Task[];
  milestones: readonly string[];
  mayWrite: boolean;
  put: (task: Task, day: string) => void;
}
function Day({ day, now, isOther, tasks, milestones, mayWrite, put }: DayProps) {
  const { store } = useReplica();
  const cell = useRef<HTMLTableCellElement>(null);
  const [isOver, setOver] = useState(false);
  const [isWhole, setWhole] = useState(false);
  const latest = useRef(put);
  latest.current = put;
  useEffect(() => {
    const element = cell.current;
    if (!element || !mayWrite) return;
    return dropTargetForElements({
      element,
      canDrop: ({ source }) => typeof source.data.calendarTask === "string",
      onDragEnter: () => setOver(true),
      onDragLeave: () => setOver(false),
      onDrop: ({ source }) => {
        setOver(false);
        const task = store.get("task", source.data.calendarTask as string);
        if (task) latest.current(task, day);
      },
    });
  }, [store, day, mayWrite]);
  const shown = isWhole ? tasks : tasks.slice(0, MOST_IN_DAY);
  const number = Number(day.slice(8));
  return (
    <td
      ref={cell}
      data-day={day}
      className={`h-24 border border-line p-1 align-top ${isOver ? "bg-note-wash" : isOther ? "bg-sunken" : ""}`}
    >
      <span
        className={`inline-grid min-w-5 place-items-center rounded-full px-1 text-11 tabular-nums ${day === now ? "bg-accent font-semibold text-on-accent" : "text-soft"}`}
      >
        {number}
        {day === now && <span className="sr-only"> {t("date.today")}</span>}
      </span>
      <ul className="space-y-0.5">
        {milestones.map((name) => (
          <li key={name} className="flex items-center gap-1 truncate text-11 font-medium text-urgent">
            <Icon name="flag" className="size-3" />
            {name}
          </li>
        ))}
        {shown.map((task) => (
          <Entry key={task.id} task={task} day={day} mayWrite={mayWrite} put={put} />
        ))}
      </ul>
      {tasks.length > shown.length && (
        <button
          type="button"
          onClick={() => setWhole(true)}
          className="cursor-pointer px-1 text-11 text-soft hover:text-ink"
        >
          {tn("calendar.more", tasks.length - shown.length)}
        </button>
      )}
    </td>
  );
}

function Entry({ task, day, mayWrite, put }: { task: Task; day: string; mayWrite: boolean; put: DayProps["put"] }) {
  const { store } = useReplica();
  const button = useRef<HTMLButtonElement>(null);
  const status = store.get("status", task.status_id);
  useEffect(() => {
    if (!button.current || !mayWrite) return;
    return draggable({ element: button.current, getInitialData: () => ({ calendarTask: task.id }) });
  }, [task.id, mayWrite]);
  return (
    <li>
      <button
        ref={button}
        type="button"
        data-entry={task.code}
        title={`${task.code} ${task.title}`}
        onClick={() => openTask(task.id)}
        onKeyDown={(event) => {
          const step = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -7, ArrowDown: 7 }[event.key];
          if (step === undefined || !event.shiftKey || !mayWrite) return;
          event.preventDefault();
          event.stopPropagation();
          put(task, plusDays(day, step));
          // Restores the focus after the entry has moved to another day.
          requestAnimationFrame(() =>
            document.querySelector<HTMLElement>(`[data-entry="${CSS.escape(task.code)}"]`)?.focus(),
          );
        }}
        className="flex w-full cursor-pointer items-center gap-1 rounded px-1 text-left text-12 hover:bg-hover"
      >
        <StatusIcon category={status?.category ?? "backlog"} color={status?.color} />
        <span className={`min-w-0 truncate ${task.completed_at ? "text-soft line-through" : ""}`}>{task.title}</span>
      </button>
    </li>
  );
}
