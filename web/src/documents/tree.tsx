// Document tree: keyboard navigation, expansion, and reordering by mouse and keyboard. Alt with an arrow key moves the
// focused Document and announces its new position.
import { combine } from "@atlaskit/pragmatic-drag-and-drop/combine";
import { draggable, dropTargetForElements } from "@atlaskit/pragmatic-drag-and-drop/element/adapter";
import { type KeyboardEvent, useEffect, useRef, useState } from "react";
import { t } from "../messages/t.ts";
import { go, Link } from "../router.tsx";
import { useMayWrite } from "../store/current-member.ts";
import { useReplica, useRow, useStore } from "../store/react.ts";
import { within } from "../ui/address.ts";
import { IconButton } from "../ui/controls.tsx";
import { Icon } from "../ui/icons.tsx";
import { create, move } from "./actions.ts";
import { linesOf, type TreeRow } from "./tree-rows.ts";

const KEY = "documents:open";
const kept = (): string[] => JSON.parse(localStorage.getItem(KEY) ?? "[]");
export const documentPath = (id: string) => within(`documents/${encodeURIComponent(id)}`);

interface Props {
  /** Project whose top level is the root; null for the Workspace. */
  projectId: string | null;
  label: string;
  currentId: string | null;
}
export function Tree({ projectId, label, currentId }: Props) {
  const replica = useReplica();
  const { store } = replica;
  const mayWrite = useMayWrite();
  const [open, setOpen] = useState<ReadonlySet<string>>(() => new Set(kept()));
  const [focused, setFocused] = useState<string | null>(null);
  const [said, setSaid] = useState("");
  const box = useRef<HTMLDivElement>(null);
  // Renders again whenever a store change affects a line.
  useStore((all) => signature(linesOf(all.store, projectId ?? "workspace", open)));
  const lines = linesOf(store, projectId ?? "workspace", open);
  const reached =
    lines.find(({ id }) => id === focused)?.id ?? lines.find(({ id }) => id === currentId)?.id ?? lines[0]?.id;
  function show(id: string, isOpen: boolean) {
    const next = new Set(open);
    if (isOpen) next.add(id);
    else next.delete(id);
    setOpen(next);
    localStorage.setItem(KEY, JSON.stringify([...next].slice(-500)));
  }
  function focus(id: string | undefined) {
    if (id === undefined) return;
    setFocused(id);
    requestAnimationFrame(() => box.current?.querySelector<HTMLElement>(`[data-line="${id}"]`)?.focus());
  }
  function put(line: TreeRow, spot: Parameters<typeof move>[2]) {
    if (!move(replica, line.id, spot)) return;
    if (spot.parent_id) show(spot.parent_id, true);
    const now = linesOf(store, projectId ?? "workspace", spot.parent_id ? new Set([...open, spot.parent_id]) : open);
    const place = now.find(({ id }) => id === line.id);
    const title = store.get("document", line.id)?.title ?? "";
    if (place)
      setSaid(t("doc.moved", { title, place: place.at + 1, count: place.siblings.length, level: place.level }));
    focus(line.id);
  }
  /** Alt with an arrow key moves a Document among its siblings, into the sibling before it, or out of its parent. */
  function shift(line: TreeRow, key: string) {
    const { siblings, at, parentId } = line;
    const here = { parent_id: parentId, project_id: projectId };
    const parent = lines.find(({ id }) => id === parentId);
    if (key === "ArrowUp" && at > 0) put(line, { ...here, after: siblings[at - 2] ?? null });
    if (key === "ArrowDown" && at < siblings.length - 1) put(line, { ...here, after: siblings[at + 1] as string });
    if (key === "ArrowRight" && at > 0) {
      const parent_id = siblings[at - 1] as string;
      put(line, { parent_id, project_id: projectId, after: lastBelow(parent_id) });
    }
    if (key === "ArrowLeft" && parent)
      put(line, { parent_id: parent.parentId, project_id: projectId, after: parent.id });
  }
  const lastBelow = (id: string) => linesOf(store, id, new Set()).at(-1)?.id ?? null;
  function pressed(event: KeyboardEvent) {
    const at = lines.findIndex(({ id }) => id === reached);
    const line = lines[at];
    if (!line || event.metaKey || event.ctrlKey) return;
    const { key } = event;
    if (event.altKey && key.startsWith("Arrow")) {
      if (mayWrite) shift(line, key);
    } else if (key === "ArrowDown") focus(lines[at + 1]?.id);
    else if (key === "ArrowUp") focus(lines[at - 1]?.id);
    else if (key === "Home") focus(lines[0]?.id);
    else if (key === "End") focus(lines.at(-1)?.id);
    else if (key === "ArrowRight" && line.hasChildren) line.open ? focus(lines[at + 1]?.id) : show(line.id, true);
    else if (key === "ArrowLeft") line.open ? show(line.id, false) : focus(line.parentId ?? undefined);
    else if (key === "Enter") go(documentPath(line.id));
    else return;
    event.preventDefault();
    event.stopPropagation();
  }
  return (
    <section aria-label={label}>
      <div className="flex h-8 items-center justify-between pr-1 pl-2">
        <h2 className="truncate text-11 font-medium text-soft">{label}</h2>
        {mayWrite && (
          <IconButton
            icon="plus"
            label={t("doc.newIn", { name: label })}
            onClick={() =>
              go(
                documentPath(create(replica, { parent_id: null, project_id: projectId }, { title: t("doc.untitled") })),
              )
            }
            className="size-6"
          />
        )}
      </div>
      <div ref={box} role="tree" aria-label={label} onKeyDown={pressed}>
        {lines.map((line) => (
          <Row
            key={line.id}
            line={line}
            isCurrent={line.id === currentId}
            isReached={line.id === reached}
            mayWrite={mayWrite}
            toggle={() => show(line.id, !line.open)}
            focused={() => setFocused(line.id)}
            dropped={(id, zone) => {
              const moved = { ...line, id };
              const here = { parent_id: line.parentId, project_id: projectId };
              if (zone === "inside")
                put(moved, { parent_id: line.id, project_id: projectId, after: lastBelow(line.id) });
              else put(moved, { ...here, after: zone === "below" ? line.id : (line.siblings[line.at - 1] ?? null) });
            }}
          />
        ))}
      </div>
      <p aria-live="polite" className="sr-only">
        {said}
      </p>
    </section>
  );
}
const signature = (lines: readonly TreeRow[]) =>
  lines.map(({ id, level, open, hasChildren }) => `${id}${level}${open}${hasChildren}`).join();

type Zone = "above" | "inside" | "below";
interface RowProps {
  line: TreeRow;
  isCurrent: boolean;
  isReached: boolean;
  mayWrite: boolean;
  toggle: () => void;
  focused: () => void;
  dropped: (id: string, zone: Zone) => void;
}
function Row({ line, isCurrent, isReached, mayWrite, toggle, focused, dropped }: RowProps) {
  const document = useRow("document", line.id);
  const element = useRef<HTMLDivElement>(null);
  const [over, setOver] = useState<Zone | null>(null);
  const latest = useRef(dropped);
  latest.current = dropped;
  useEffect(() => {
    const row = element.current;
    if (!row || !mayWrite) return;
    return combine(
      draggable({ element: row, getInitialData: () => ({ document: line.id }) }),
      dropTargetForElements({
        element: row,
        canDrop: ({ source }) => typeof source.data.document === "string" && source.data.document !== line.id,
        getData: ({ input }) => {
          const { top, height } = row.getBoundingClientRect();
          const part = (input.clientY - top) / height;
          return { zone: part < 0.25 ? "above" : part > 0.75 ? "below" : "inside" };
        },
        onDrag: ({ self }) => setOver(self.data.zone as Zone),
        onDragLeave: () => setOver(null),
        onDrop: ({ self, source }) => {
          setOver(null);
          latest.current(source.data.document as string, self.data.zone as Zone);
        },
      }),
    );
  }, [line.id, mayWrite]);
  if (!document) return null;
  const mark = { above: "border-t-accent", below: "border-b-accent", inside: "bg-note-wash" };
  return (
    <div
      ref={element}
      role="treeitem"
      data-line={line.id}
      aria-level={line.level}
      aria-expanded={line.hasChildren ? line.open : undefined}
      aria-selected={isCurrent}
      aria-label={document.title}
      tabIndex={isReached ? 0 : -1}
      onFocus={focused}
      className={`flex h-8 items-center rounded-md border-y border-transparent pr-1 hover:bg-hover ${isCurrent ? "bg-hover font-medium" : ""} ${over ? mark[over] : ""}`}
      style={{ paddingLeft: (line.level - 1) * 16 }}
    >
      <button
        type="button"
        tabIndex={-1}
        aria-hidden="true"
        onClick={toggle}
        className={`grid size-6 shrink-0 cursor-pointer place-items-center text-soft ${line.hasChildren ? "" : "invisible"}`}
      >
        <Icon name={line.open ? "down" : "right"} className="size-3" />
      </button>
      <Link
        to={documentPath(line.id)}
        tabIndex={-1}
        draggable={false}
        className="flex min-w-0 flex-1 items-center gap-1.5 py-1 text-ink no-underline"
      >
        {document.icon ? (
          <span aria-hidden="true">{document.icon}</span>
        ) : (
          <Icon name="document" className="size-4 text-soft" />
        )}
        <span className="truncate">{document.title}</span>
      </Link>
      {document.public_id && <Icon name="link" className="size-3.5 text-soft" />}
    </div>
  );
}
