// List view of a Project: groups, sorting, inline editing, virtualised rows.
import { useVirtualizer } from "@tanstack/react-virtual";
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { type Key, t } from "../../messages/t.ts";
import { ProjectPage } from "../../projects/page.tsx";
import { go, useAddress } from "../../router.tsx";
import { useMayWrite } from "../../store/current-member.ts";
import { counted } from "../../store/first-rows.ts";
import { useFirst, useReplica, useStore } from "../../store/react.ts";
import type { Project } from "../../store/rows.ts";
import { openTask, withQuery } from "../../ui/address.ts";
import { Empty, Skeleton } from "../../ui/controls.tsx";
import { useKeys } from "../../ui/keys.ts";
import { Picker } from "../../ui/overlays/picker.tsx";
import { useMovement } from "../../ui/scroll/movement.ts";
import { useRecycled } from "../../ui/scroll/recycled-rows.ts";
import { useKeptScroll } from "../../ui/scroll/scroll.ts";
import { FilterBar } from "../filters/filter-bar.tsx";
import { isFiltered } from "../filters/filters.ts";
import { isHere } from "../load.ts";
import { useFilters, useProject, useTasks } from "../project.tsx";
import { priorities, useColumns } from "../properties.tsx";
import { BulkBar, Selecting, useSelection } from "../selection.tsx";
import { useTaskKeys } from "../task-keys.tsx";
import { arranged, type Grouping, groupings, type Order, orders } from "./arrangement.ts";
import { GroupHead, namedGroups } from "./group-head.tsx";
import { TaskRow } from "./row.tsx";

const ROW_HEIGHT = 36;
/** Rows that fit on a tall screen. */
const FIRST_ROWS = 60;
const groupName: Record<Grouping, Key> = {
  status: "task.status",
  assignee: "task.assignee",
  priority: "task.priority",
  label: "task.labels",
  milestone: "task.milestone",
  due: "task.due",
  start: "task.start",
  creator: "list.creator",
  none: "list.noGroup",
};
const oneOf = <T extends string>(all: readonly T[], value: string | null, otherwise: T): T =>
  all.includes(value as T) ? (value as T) : otherwise;

export default function ListPage({ params }: { params: Readonly<Record<string, string>> }) {
  const filters = useFilters();
  const project = useProject(params.key ?? "");
  const { searchParams } = useAddress();
  const [group, order] = [
    oneOf(groupings, searchParams.get("group"), "status"),
    oneOf(orders, searchParams.get("order"), "position"),
  ];
  const put = (name: string) => (value: string) => go(withQuery({ [name]: value }), { replace: true });
  const tools = project && (
    <>
      <FilterBar projectId={project.id} filters={filters} />
      <span className="flex-1" />
      <Picker
        label={t("list.group")}
        value={t(groupName[group])}
        options={groupings.map((id) => ({ id, label: t(groupName[id]) }))}
        chosen={[group]}
        pick={put("group")}
      >
        <span className="hidden text-soft sm:inline">{t("list.group")}</span> {t(groupName[group])}
      </Picker>
      <Picker
        label={t("list.order")}
        value={t(`order.${order}`)}
        options={orders.map((id) => ({ id, label: t(`order.${id}`) }))}
        chosen={[order]}
        pick={put("order")}
      >
        <span className="hidden text-soft sm:inline">{t("list.order")}</span> {t(`order.${order}`)}
      </Picker>
    </>
  );
  return (
    <Selecting>
      <ProjectPage params={params} view="list" tools={tools}>
        {(shown) => <List project={shown} group={group} order={order} />}
      </ProjectPage>
    </Selecting>
  );
}

function List({ project, group, order }: { project: Project; group: Grouping; order: Order }) {
  const replica = useReplica();
  const filters = useFilters();
  const tasks = useTasks(project.id, filters);
  const columns = useColumns(project.id);
  const isKnown = useStore((all) => isHere(all, project.id));
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set());
  const mayWrite = useMayWrite();
  const { selected, toggle, reach, shown, clear, current, setCurrent } = useSelection();
  const rows = useMemo(() => {
    const groups =
      group === "status" ? columns : group === "priority" ? priorities : namedGroups(replica, project.id, group);
    return arranged(tasks, group, order, groups, closed);
  }, [tasks, group, order, columns, closed, replica, project.id]);
  useFirst(
    "task",
    () => rows.slice(0, FIRST_ROWS).map(({ id }) => id),
    () => Object.fromEntries(rows.flatMap((row) => (row.kind === "group" ? [[row.id, row.count]] : []))),
  );
  const scroller = useRef<HTMLDivElement>(null);
  useKeptScroll(scroller, "list");
  const movement = useMovement(scroller);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: 6,
    initialRect: { width: innerWidth, height: innerHeight },
    // Stable while the rows are unchanged: a new function would measure all rows again.
    getItemKey: useCallback((at: number) => rows[at]?.id ?? at, [rows]),
  });
  const drawn = useRecycled(virtual, current);
  const at = useMemo(() => rows.findIndex(({ kind, id }) => kind === "task" && id === current), [rows, current]);
  const first = rows.find(({ kind }) => kind === "task")?.id ?? null;
  const reached = at >= 0 ? current : first;
  shown.current = () => rows.flatMap(({ kind, id }) => (kind === "task" ? [id] : []));
  /** Moves to the next Task; with `reaches` it selects all Tasks on the way. */
  function step(by: number, reaches = false) {
    let next = (at < 0 ? -1 : at) + by;
    while (rows[next]?.kind === "group") next += by;
    const row = rows[next];
    if (!row) return;
    if (reaches) reach(row.id);
    setCurrent(row.id);
    virtual.scrollToIndex(next, { align: "auto" });
    requestAnimationFrame(() =>
      requestAnimationFrame(() => document.querySelector<HTMLElement>(`[data-open="${CSS.escape(row.id)}"]`)?.focus()),
    );
  }
  useKeys([
    { keys: "ArrowDown", label: "keys.move", run: () => step(1) },
    { keys: "ArrowUp", label: "keys.move", run: () => step(-1) },
    { keys: "j", label: "keys.move", run: () => step(1) },
    { keys: "k", label: "keys.move", run: () => step(-1) },
    { keys: "shift+ArrowDown", label: "keys.selectMore", run: () => step(1, mayWrite) },
    { keys: "shift+ArrowUp", label: "keys.selectMore", run: () => step(-1, mayWrite) },
    { keys: "x", label: "keys.select", run: () => current && mayWrite && toggle(current) },
    { keys: "Escape", label: "keys.close", run: () => (selected.size > 0 ? clear() : openTask(null)) },
  ]);
  const pickers = useTaskKeys(current, mayWrite, selected);
  // Measures the rows again once the page shows them.
  useEffect(() => virtual.measure(), [virtual]);
  if (!isKnown && tasks.length === 0) return <Skeleton rows={14} />;
  if (rows.length === 0)
    return isFiltered(filters) ? (
      <Empty title={t("filter.nothing")} />
    ) : (
      <Empty title={t("list.empty")}>{mayWrite && t("list.emptyHelp")}</Empty>
    );
  return (
    <div className="relative min-h-0 flex-1">
      <div ref={scroller} className="h-full overflow-y-auto">
        <ul aria-label={t("view.list")} style={{ height: virtual.getTotalSize() }} className="relative">
          {drawn.map(({ item: { index, start }, slot }) => {
            const row = rows[index];
            if (!row) return null;
            return (
              <li
                key={slot}
                style={{ transform: `translateY(${start}px)` }}
                className="absolute inset-x-0 top-0 h-9 contain-strict"
              >
                {row.kind === "group" ? (
                  <GroupHead
                    by={group}
                    id={row.id}
                    projectId={project.id}
                    count={counted(replica, row.id) ?? row.count}
                    isClosed={closed.has(row.id)}
                    toggle={() =>
                      setClosed(
                        closed.has(row.id) ? closed.difference(new Set([row.id])) : closed.union(new Set([row.id])),
                      )
                    }
                  />
                ) : (
                  <TaskRow id={row.id} reached={reached === row.id} mayWrite={mayWrite} movement={movement} />
                )}
              </li>
            );
          })}
        </ul>
      </div>
      {pickers}
      <BulkBar projectId={project.id} />
    </div>
  );
}
