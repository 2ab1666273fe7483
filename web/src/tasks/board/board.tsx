// Board of a Project: its Statuses as columns. Cards move by mouse, and by keyboard with Shift and an arrow key.
import { useRef, useState } from "react";
import { t } from "../../messages/t.ts";
import { ProjectPage } from "../../projects/page.tsx";
import { useMayWrite } from "../../store/current-member.ts";
import { counted, FIRST_CARDS } from "../../store/first-rows.ts";
import { useFact, useFirst, useGroup, useReplica, useStore } from "../../store/react.ts";
import type { Project } from "../../store/rows.ts";
import { openTask } from "../../ui/address.ts";
import { useKeys } from "../../ui/keys.ts";
import { useKeptScroll } from "../../ui/scroll/scroll.ts";
import { place } from "../actions.ts";
import { FilterBar } from "../filters/filter-bar.tsx";
import { isFiltered, passes } from "../filters/filters.ts";
import { byColumn, byProject, columnOf } from "../indexes.ts";
import { loadedFact, totalsFact } from "../load.ts";
import { useFilterContext, useFilters, useProject } from "../project.tsx";
import { useColumns } from "../properties.tsx";
import { BulkBar, Selecting, useSelection } from "../selection.tsx";
import { useTaskKeys } from "../task-keys.tsx";
import { Column } from "./column.tsx";

export default function BoardPage({ params }: { params: Readonly<Record<string, string>> }) {
  const filters = useFilters();
  const project = useProject(params.key ?? "");
  return (
    <Selecting>
      <ProjectPage
        params={params}
        view="board"
        tools={project && <FilterBar projectId={project.id} filters={filters} />}
      >
        {(shown) => <Board project={shown} />}
      </ProjectPage>
    </Selecting>
  );
}

/** Minimum width of a column. */
const COLUMN_WIDTH = 256;
const HIDDEN_KEY = "board:collapsed";

function Board({ project }: { project: Project }) {
  const replica = useReplica();
  const { store } = replica;
  const filters = useFilters();
  const context = useFilterContext();
  const columns = useColumns(project.id);
  useGroup("task", byProject, project.id);
  const totals = useFact<Record<string, number>>(totalsFact(project.id)) ?? {};
  const isWhole = useStore((all) => all.isWhole && all.store.fact(loadedFact(project.id)) === "all");
  const mayWrite = useMayWrite();
  const { selected, toggle, shown: beside, clear, current, setCurrent } = useSelection();
  const [said, setSaid] = useState("");
  const [collapsed, setCollapsed] = useState<string[]>(() => JSON.parse(localStorage.getItem(HIDDEN_KEY) ?? "[]"));
  const scroller = useRef<HTMLDivElement>(null);
  useKeptScroll(scroller, "board");

  const shown = columns.map((statusId) => {
    const all = store.group("task", byColumn, columnOf(project.id, statusId)).ids;
    const ids = isFiltered(filters)
      ? all.filter((id) => {
          const task = store.get("task", id);
          return task && passes(task, filters, context);
        })
      : all;
    const total = isWhole || isFiltered(filters) ? ids.length : Math.max(totals[statusId] ?? 0, ids.length);
    return { statusId, ids, total: counted(replica, statusId) ?? total };
  });
  useFirst(
    "task",
    () => shown.flatMap(({ ids }) => ids.slice(0, FIRST_CARDS)),
    () => Object.fromEntries(shown.map(({ statusId, total }) => [statusId, total])),
  );
  beside.current = (id) => shown.find(({ ids }) => ids.includes(id))?.ids ?? [id];
  const at = shown.findIndex(({ ids }) => current !== null && ids.includes(store.real(current)));
  const reached = at >= 0 ? store.real(current as string) : (shown.find(({ ids }) => ids.length > 0)?.ids[0] ?? null);

  function focus(id: string | undefined) {
    if (id === undefined) return;
    setCurrent(id);
    // Waits two frames until the card is rendered at its new position.
    requestAnimationFrame(() =>
      requestAnimationFrame(() => document.querySelector<HTMLElement>(`[data-open="${CSS.escape(id)}"]`)?.focus()),
    );
  }
  function go(rows: number, across: number) {
    if (reached === null) return;
    const column = at < 0 ? shown.findIndex(({ ids }) => ids.includes(reached)) : at;
    const row = shown[column]?.ids.indexOf(reached) ?? 0;
    if (rows !== 0) return focus(shown[column]?.ids[row + rows]);
    for (let next = column + across; shown[next]; next += across) {
      const ids = shown[next]?.ids ?? [];
      if (ids.length > 0) return focus(ids[Math.min(row, ids.length - 1)]);
    }
  }
  function move(rows: number, across: number) {
    const column = shown[at];
    const next = shown[at + across];
    if (!current || !column || !next || !mayWrite) return;
    const id = store.real(current);
    const row = column.ids.indexOf(id);
    const others = next.ids.filter((each) => each !== id);
    const to = across !== 0 ? Math.min(row, others.length) : Math.max(0, Math.min(row + rows, others.length));
    if (across === 0 && to === row) return;
    place(replica, id, next.statusId, others[to - 1] ?? null);
    const name = store.get("status", next.statusId)?.name ?? "";
    setSaid(
      t("board.moved", {
        title: store.get("task", id)?.title ?? "",
        column: name,
        place: to + 1,
        count: others.length + 1,
      }),
    );
    focus(id);
  }
  useKeys([
    { keys: "ArrowDown", label: "keys.move", run: () => go(1, 0) },
    { keys: "ArrowUp", label: "keys.move", run: () => go(-1, 0) },
    { keys: "ArrowRight", label: "keys.move", run: () => go(0, 1) },
    { keys: "ArrowLeft", label: "keys.move", run: () => go(0, -1) },
    { keys: "shift+ArrowDown", label: "keys.moveCard", run: () => move(1, 0) },
    { keys: "shift+ArrowUp", label: "keys.moveCard", run: () => move(-1, 0) },
    { keys: "shift+ArrowRight", label: "keys.moveCard", run: () => move(0, 1) },
    { keys: "shift+ArrowLeft", label: "keys.moveCard", run: () => move(0, -1) },
    { keys: "x", label: "keys.select", run: () => current && mayWrite && toggle(current) },
    { keys: "Escape", label: "keys.close", run: () => (selected.size > 0 ? clear() : openTask(null)) },
  ]);
  const pickers = useTaskKeys(current, mayWrite, selected);
  const collapse = (statusId: string) => {
    const next = collapsed.includes(statusId) ? collapsed.filter((id) => id !== statusId) : [...collapsed, statusId];
    localStorage.setItem(HIDDEN_KEY, JSON.stringify(next));
    setCollapsed(next);
  };
  return (
    <div className="relative min-h-0 flex-1">
      <div ref={scroller} className="flex h-full gap-3 overflow-x-auto p-3">
        {shown.map(({ statusId, ids, total }, place) => (
          <Column
            key={statusId}
            isFar={place * COLUMN_WIDTH > innerWidth}
            projectId={project.id}
            statusId={statusId}
            ids={ids}
            total={total}
            reached={reached}
            mayWrite={mayWrite}
            collapsed={collapsed.includes(statusId)}
            collapse={() => collapse(statusId)}
          />
        ))}
      </div>
      <p aria-live="polite" className="sr-only">
        {said}
      </p>
      {pickers}
      <BulkBar projectId={project.id} />
    </div>
  );
}
