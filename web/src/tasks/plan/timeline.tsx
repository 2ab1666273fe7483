// Timeline of a Project: a bar from start to due date, moved and resized by mouse, touch and keyboard; arrows for
// blocking relations, marks for Milestones. Tasks without dates are listed below; a click on a day sets their due date.
import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useMemo, useRef, useState } from "react";
import { t, tn } from "../../messages/t.ts";
import { ProjectPage } from "../../projects/page.tsx";
import { go, useAddress } from "../../router.tsx";
import { useHome, useMayWrite, weekStartOf } from "../../store/current-member.ts";
import { useGroup, useReplica } from "../../store/react.ts";
import type { Project, Task } from "../../store/rows.ts";
import { openTask, withQuery } from "../../ui/address.ts";
import { Button, Empty } from "../../ui/controls.tsx";
import { plusDays, today } from "../../ui/formats/dates.ts";
import { useKeys } from "../../ui/keys.ts";
import { Picker } from "../../ui/overlays/picker.tsx";
import { change } from "../actions.ts";
import { FilterBar } from "../filters/filter-bar.tsx";
import { useFilters, useProject, useTasks } from "../project.tsx";
import { Bar, type BarPosition } from "./bar.tsx";
import { changed, type Dates, rangeOf, spanOf } from "./days.ts";
import { daysBetween } from "./figures.ts";
import { byTarget } from "./milestones.tsx";
import { Scale } from "./scale.tsx";
import { useBlocking } from "./use-blocking.ts";

const zooms = { week: 30, month: 11, quarter: 4 } as const;
type Zoom = keyof typeof zooms;
const ROW = 34;
const HEAD = 40;

export default function TimelinePage({ params }: { params: Readonly<Record<string, string>> }) {
  const filters = useFilters();
  const project = useProject(params.key ?? "");
  const asked = useAddress().searchParams.get("zoom") as Zoom;
  const zoom: Zoom = asked in zooms ? asked : "month";
  const tools = project && (
    <>
      <FilterBar projectId={project.id} filters={filters} />
      <Picker
        label={t("timeline.zoom")}
        value={t(`timeline.${zoom}`)}
        options={(Object.keys(zooms) as Zoom[]).map((id) => ({ id, label: t(`timeline.${id}`) }))}
        chosen={[zoom]}
        pick={(id) => go(withQuery({ zoom: id === "month" ? null : id }), { replace: true })}
      >
        <span className="text-soft">{t("timeline.zoom")}</span> {t(`timeline.${zoom}`)}
      </Picker>
    </>
  );
  return (
    <ProjectPage params={params} view="timeline" tools={tools}>
      {(shown) => <Timeline key={`${shown.id}${zoom}`} project={shown} width={zooms[zoom]} />}
    </ProjectPage>
  );
}

function Timeline({ project, width }: { project: Project; width: number }) {
  const replica = useReplica();
  const home = useHome();
  const mayWrite = useMayWrite();
  const tasks = useTasks(project.id, useFilters());
  const milestones = useGroup("milestone", byTarget, project.id);
  const now = today(home?.timezone);
  const { dated, undated } = useMemo(() => arranged(tasks), [tasks]);
  // The range does not follow edits: moving a bar must not shift the days under it.
  const [[from, days], setRange] = useState(() =>
    rangeOf(
      dated.map((task) => spanOf(task) as [string, string]),
      now,
    ),
  );
  const hadNone = useRef(dated.length === 0);
  useEffect(() => {
    if (!hadNone.current || dated.length === 0) return;
    hadNone.current = false;
    setRange(
      rangeOf(
        dated.map((task) => spanOf(task) as [string, string]),
        now,
      ),
    );
  }, [dated, now]);
  const [withoutDates, setWithoutDates] = useState(false);
  const rows = withoutDates ? [...dated, ...undated] : dated;
  const scroller = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW,
    overscan: 8,
    getItemKey: (at) => rows[at]?.id ?? at,
  });
  const toToday = () => {
    const box = scroller.current;
    if (box) box.scrollLeft = daysBetween(from, now) * width - box.clientWidth / 3;
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: where somebody has scrolled to is theirs.
  useEffect(toToday, [from]);
  useKeys([{ keys: "t", label: "keys.today", run: toToday }]);
  const visible = virtual.getVirtualItems();
  const blocking = useBlocking(visible.flatMap(({ index }) => rows[index] ?? []));
  const put = (task: Task, dates: Dates) => {
    const fields = changed(task, dates);
    if (Object.keys(fields).length > 0) change(replica, task.id, fields);
  };
  const placed = new Map<string, BarPosition>();
  for (const { index, start } of visible) {
    const task = rows[index] as Task;
    const span = spanOf(task);
    if (span)
      placed.set(task.id, {
        left: daysBetween(from, span[0]) * width,
        top: start,
        width: (daysBetween(...span) + 1) * width,
      });
  }
  const marks = milestones.ids.flatMap((id) => {
    const milestone = replica.store.get("milestone", id);
    return milestone?.target_date ? [{ id, name: milestone.name, day: milestone.target_date }] : [];
  });
  if (tasks.length === 0) return <Empty title={t("list.empty")}>{mayWrite && t("list.emptyHelp")}</Empty>;
  return (
    <>
      <div ref={scroller} className="relative min-h-0 flex-1 overflow-auto" data-timeline={from}>
        <div style={{ width: days * width, height: HEAD + virtual.getTotalSize() }} className="relative">
          <Scale from={from} days={days} width={width} now={now} weekStart={weekStartOf(home)} marks={marks} />
          <Arrows blocking={blocking} placed={placed} height={virtual.getTotalSize()} width={days * width} />
          <ul aria-label={t("view.timeline")} style={{ top: HEAD }} className="absolute inset-x-0">
            {visible.map(({ index, start, key }) => {
              const task = rows[index] as Task;
              return (
                <li
                  key={key}
                  style={{ transform: `translateY(${start}px)`, height: ROW }}
                  className="absolute inset-x-0"
                >
                  {spanOf(task) ? (
                    <Bar
                      task={task}
                      at={placed.get(task.id) as BarPosition}
                      day={width}
                      mayWrite={mayWrite}
                      put={put}
                    />
                  ) : (
                    <Undated
                      task={task}
                      mayWrite={mayWrite}
                      pick={(day) => put(task, { start_date: null, due_date: day })}
                      at={{ from, width, scroller }}
                    />
                  )}
                </li>
              );
            })}
          </ul>
        </div>
      </div>
      <div className="flex flex-wrap items-center gap-2 border-t border-line px-3 py-1">
        <Button look="quiet" onClick={toToday}>
          {t("date.today")}
        </Button>
        {undated.length > 0 && (
          <Button look="quiet" aria-pressed={withoutDates} onClick={() => setWithoutDates(!withoutDates)}>
            {tn("timeline.undated", undated.length)}
          </Button>
        )}
        <p className="hidden text-12 text-soft md:block">{mayWrite && t("timeline.help")}</p>
      </div>
    </>
  );
}

/** Sorts dated Tasks by their first day; undated ones preserve their order. */
function arranged(tasks: readonly Task[]): { dated: Task[]; undated: Task[] } {
  const first = (task: Task) => spanOf(task)?.[0] ?? "";
  const dated = tasks
    .filter(spanOf)
    .sort((one, other) => (first(one) < first(other) ? -1 : first(one) > first(other) ? 1 : 0));
  return { dated, undated: tasks.filter((task) => !spanOf(task)) };
}

/** Row of a Task without dates; a click on a day sets its due date. */
function Undated({
  task,
  mayWrite,
  pick,
  at,
}: {
  task: Task;
  mayWrite: boolean;
  pick: (day: string) => void;
  at: { from: string; width: number; scroller: { current: HTMLElement | null } };
}) {
  return (
    <button
      type="button"
      disabled={!mayWrite}
      title={t("timeline.giveDate")}
      onClick={(event) => {
        // A keyboard click has no position: open the panel, which has date fields.
        if (event.detail === 0) return openTask(task.id);
        const { left } = event.currentTarget.getBoundingClientRect();
        pick(plusDays(at.from, Math.floor((event.clientX - left) / at.width)));
      }}
      className="group h-full w-full cursor-copy text-left hover:bg-hover"
    >
      <span className="sticky left-2 text-12 text-soft">
        {task.code} {task.title}
      </span>
    </button>
  );
}

/** Arrows from the end of a blocker to the start of the blocked Task. */
function Arrows({
  blocking,
  placed,
  height,
  width,
}: {
  blocking: readonly (readonly [string, string])[];
  placed: ReadonlyMap<string, BarPosition>;
  height: number;
  width: number;
}) {
  return (
    <svg
      aria-hidden="true"
      width={width}
      height={height}
      style={{ top: HEAD }}
      className="pointer-events-none absolute left-0 z-1"
    >
      {blocking.map(([one, other]) => {
        const [a, b] = [placed.get(one), placed.get(other)];
        if (!a || !b) return null;
        const [x1, y1, x2, y2] = [a.left + a.width, a.top + ROW / 2, b.left, b.top + ROW / 2];
        const bend = Math.max(12, (x2 - x1) / 2);
        return (
          <g key={one + other} fill="none" stroke={x2 < x1 ? "var(--bad)" : "var(--edge)"} strokeWidth="1.5">
            <path d={`M${x1} ${y1}C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2 - 3} ${y2}`} />
            <path d={`M${x2 - 8} ${y2 - 4}L${x2 - 2} ${y2}L${x2 - 8} ${y2 + 4}`} />
          </g>
        );
      })}
    </svg>
  );
}
