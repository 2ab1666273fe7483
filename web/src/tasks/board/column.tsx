// Column of a board: virtualised cards, a drop target, and a form that adds a card.

import { combine } from "@atlaskit/pragmatic-drag-and-drop/combine";
import { draggable, dropTargetForElements } from "@atlaskit/pragmatic-drag-and-drop/element/adapter";
import { autoScrollForElements } from "@atlaskit/pragmatic-drag-and-drop-auto-scroll/element";
import { attachClosestEdge, extractClosestEdge } from "@atlaskit/pragmatic-drag-and-drop-hitbox/closest-edge";
import { useVirtualizer } from "@tanstack/react-virtual";
import { type FormEvent, memo, useCallback, useEffect, useRef, useState } from "react";
import { t, tn } from "../../messages/t.ts";
import { useReplica, useRow } from "../../store/react.ts";
import { IconButton } from "../../ui/controls.tsx";
import { Icon, StatusIcon } from "../../ui/icons.tsx";
import { type Movement, useIsStill, useMovement, usePainted } from "../../ui/scroll/movement.ts";
import { useRecycled } from "../../ui/scroll/recycled-rows.ts";
import { useKeptScroll } from "../../ui/scroll/scroll.ts";
import { create, place } from "../actions.ts";
import { useSelection } from "../selection.tsx";
import { CARD_HEIGHT, Card } from "./card.tsx";
import { ColumnCount } from "./limit.tsx";

interface Props {
  projectId: string;
  statusId: string;
  ids: readonly string[];
  /** Number of Tasks by the service's count while they are still loading. */
  total: number;
  /** Card in the tab order, if it is in this column. */
  reached: string | null;
  mayWrite: boolean;
  collapsed: boolean;
  collapse: () => void;
  /** True if the column is outside of the initial viewport. */
  isFar: boolean;
}

/** Placeholder until the column is painted. */
const NONE: readonly string[] = [];

export function Column({ projectId, statusId, ids, total, reached, mayWrite, collapsed, collapse, isFar }: Props) {
  const isPainted = usePainted(!isFar);
  const status = useRow("status", statusId);
  const box = useRef<HTMLElement>(null);
  const [isOver, setOver] = useState(false);
  const replica = useReplica();
  const last = useRef<string | null>(null);
  last.current = ids.at(-1) ?? null;
  useEffect(() => {
    const element = box.current;
    if (!element) return;
    return dropTargetForElements({
      element,
      canDrop: ({ source }) => typeof source.data.task === "string",
      onDragEnter: () => setOver(true),
      onDragLeave: () => setOver(false),
      onDrop({ source, location }) {
        setOver(false);
        const target = location.current.dropTargets.find(({ data }) => typeof data.card === "string");
        const dragged = source.data.task as string;
        if (!target) return place(replica, dragged, statusId, last.current === dragged ? null : last.current);
        const card = target.data.card as string;
        if (card === dragged) return;
        const after = extractClosestEdge(target.data) === "top" ? (target.data.before as string | null) : card;
        place(replica, dragged, statusId, after === dragged ? null : after);
      },
    });
  }, [replica, statusId]);
  if (!status) return null;
  const name = status.name;
  if (collapsed)
    return (
      <section
        ref={box}
        aria-label={tn("board.column", total, { name })}
        className={`flex w-9 shrink-0 flex-col items-center rounded-lg bg-sunken py-2 ${isOver ? "ring-1 ring-accent" : ""}`}
      >
        <IconButton icon="right" label={t("board.expand", { name })} onClick={collapse} />
        <span className="mt-2 text-12 font-medium [writing-mode:vertical-rl]">
          {name} <span className="text-soft">{total}</span>
        </span>
      </section>
    );
  return (
    <section
      ref={box}
      aria-label={tn("board.column", total, { name })}
      data-column={name}
      className={`flex w-[17.5rem] min-w-64 shrink flex-col rounded-lg bg-sunken ${isOver ? "ring-1 ring-accent" : ""}`}
    >
      <header className="flex h-10 items-center gap-2 pr-1 pl-3">
        <StatusIcon category={status.category} color={status.color} />
        <h2 className="truncate text-13 font-medium">{name}</h2>
        <ColumnCount key={statusId} column={`${projectId}/${statusId}`} name={name} total={total} />
        <span className="flex-1" />
        <IconButton icon="down" label={t("board.collapse", { name })} onClick={collapse} />
      </header>
      <Cards statusId={statusId} ids={isPainted ? ids : NONE} reached={reached} mayWrite={mayWrite} />
      {mayWrite && <QuickAdd projectId={projectId} statusId={statusId} name={name} />}
    </section>
  );
}

function Cards({
  statusId,
  ids,
  reached,
  mayWrite,
}: {
  statusId: string;
  ids: readonly string[];
  reached: string | null;
  mayWrite: boolean;
}) {
  const scroller = useRef<HTMLDivElement>(null);
  const { current } = useSelection();
  useKeptScroll(scroller, statusId);
  const movement = useMovement(scroller);
  const virtual = useVirtualizer({
    count: ids.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => CARD_HEIGHT,
    overscan: 2,
    initialRect: { width: innerWidth, height: innerHeight },
    // Stable while the ids are unchanged: a new function would measure all cards again.
    getItemKey: useCallback((at: number) => ids[at] as string, [ids]),
  });
  useEffect(() => (scroller.current ? autoScrollForElements({ element: scroller.current }) : undefined), []);
  const drawn = useRecycled(virtual, current);
  // Scrolls to the current card after every move.
  const at = current ? ids.indexOf(current) : -1;
  useEffect(() => {
    if (at >= 0) virtual.scrollToIndex(at, { align: "auto" });
  }, [at, virtual]);
  return (
    <div ref={scroller} className="min-h-0 flex-1 overflow-y-auto px-2">
      <div style={{ height: virtual.getTotalSize() }} className="relative">
        {drawn.map(({ item: { index, start }, slot }) => {
          const id = ids[index] as string;
          return (
            <div key={slot} style={{ transform: `translateY(${start}px)` }} className="absolute inset-x-0 top-0">
              <Place
                id={id}
                before={ids[index - 1] ?? null}
                reached={reached === id}
                mayWrite={mayWrite}
                movement={movement}
              />
            </div>
          );
        })}
      </div>
      {ids.length === 0 && ids !== NONE && <p className="px-1 py-2 text-12 text-soft">{t("board.empty")}</p>}
    </div>
  );
}

interface PlaceProps {
  id: string;
  before: string | null;
  reached: boolean;
  mayWrite: boolean;
  movement: Movement;
}
/** Slot of a card: drag source and drop target. */
const Place = memo(function Place({ id, before, reached, mayWrite, movement }: PlaceProps) {
  const isStill = useIsStill(movement, id);
  const box = useRef<HTMLDivElement>(null);
  const [edge, setEdge] = useState<string | null>(null);
  const [dragged, setDragged] = useState(false);
  useEffect(() => {
    const element = box.current;
    if (!element || !mayWrite) return;
    return combine(
      draggable({
        element,
        getInitialData: () => ({ task: id }),
        onDragStart: () => setDragged(true),
        onDrop: () => setDragged(false),
      }),
      dropTargetForElements({
        element,
        getData: ({ input }) =>
          attachClosestEdge({ card: id, before }, { element, input, allowedEdges: ["top", "bottom"] }),
        onDrag: ({ self }) => setEdge(extractClosestEdge(self.data)),
        onDragLeave: () => setEdge(null),
        onDrop: () => setEdge(null),
      }),
    );
  }, [id, before, mayWrite]);
  const mark = edge === "top" ? "before:-top-1" : "before:-bottom-1";
  return (
    <div
      ref={box}
      className={`relative ${dragged ? "opacity-40" : ""} ${edge ? `${mark} before:absolute before:inset-x-0 before:h-0.5 before:bg-accent` : ""}`}
    >
      <Card id={id} reached={reached} mayWrite={mayWrite} isStill={isStill} />
    </div>
  );
});

function QuickAdd({ projectId, statusId, name }: { projectId: string; statusId: string; name: string }) {
  const replica = useReplica();
  const [open, setOpen] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (open) input.current?.focus();
  }, [open]);
  function add(event: FormEvent) {
    event.preventDefault();
    const title = input.current?.value.trim();
    if (!title || !input.current) return setOpen(false);
    create(replica, projectId, { title, status_id: statusId });
    input.current.value = "";
  }
  if (!open)
    return (
      <button
        type="button"
        aria-label={t("board.add", { name })}
        onClick={() => setOpen(true)}
        className="m-1 flex h-8 cursor-pointer items-center gap-2 rounded-md px-2 text-soft hover:bg-hover hover:text-ink"
      >
        <Icon name="plus" />
        {t("board.addHere")}
      </button>
    );
  return (
    <form onSubmit={add} className="m-2">
      <input
        ref={input}
        aria-label={t("board.add", { name })}
        placeholder={t("new.what")}
        maxLength={500}
        onKeyDown={(event) => event.key === "Escape" && setOpen(false)}
        onBlur={(event) => event.target.value.trim() === "" && setOpen(false)}
        className="field w-full"
      />
    </form>
  );
}
