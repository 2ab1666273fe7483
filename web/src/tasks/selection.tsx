// Selection on a board or list: the selected Tasks, the current one for shortcuts, and bulk actions.
import {
  type ChangeEvent,
  createContext,
  type MouseEvent as ReactMouseEvent,
  type ReactNode,
  type RefObject,
  use,
  useMemo,
  useRef,
  useState,
} from "react";
import { t, tn } from "../messages/t.ts";
import { useReplica } from "../store/react.ts";
import { openTask } from "../ui/address.ts";
import { IconButton } from "../ui/controls.tsx";
import { Icon } from "../ui/icons.tsx";
import { Picker } from "../ui/overlays/picker.tsx";
import { changeMany } from "./actions.ts";
import {
  AssigneePicker,
  DatePicker,
  priorityOptions,
  StatusPicker,
  useColumns,
  useLabelOptions,
} from "./properties.tsx";

interface Selection {
  selected: ReadonlySet<string>;
  toggle(id: string): void;
  /** Selects the range from the last toggled Task to this one, replacing the previous range. */
  reach(id: string): void;
  /**
   * Ids displayed together with this one, from top to bottom: the whole list, or a column of a board; the page sets it.
   */
  shown: RefObject<(id: string) => readonly string[]>;
  clear(): void;
  /** Task that shortcuts apply to. */
  current: string | null;
  setCurrent(id: string | null): void;
}
const Context = createContext<Selection | null>(null);
export const useSelection = () => use(Context) as Selection;

export function Selecting({ children }: { children: ReactNode }) {
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [current, setCurrent] = useState<string | null>(null);
  const shown = useRef<(id: string) => readonly string[]>(() => []);
  /** Anchor of the range selection, and the Tasks selected outside of it. */
  const start = useRef<{ id: string; besides: ReadonlySet<string> } | null>(null);
  const value = useMemo(
    () => ({
      selected,
      current,
      setCurrent,
      shown,
      toggle(id: string) {
        const besides = selected.has(id) ? selected.difference(new Set([id])) : selected.union(new Set([id]));
        start.current = { id, besides };
        setSelected(besides);
      },
      reach(id: string) {
        const ids = shown.current(id);
        const nearest = current !== null && ids.includes(current) ? current : id;
        const from =
          start.current && ids.includes(start.current.id) ? start.current : { id: nearest, besides: selected };
        start.current = from;
        const [first = 0, last = 0] = [ids.indexOf(from.id), ids.indexOf(id)].sort((a, b) => a - b);
        setSelected(from.besides.union(new Set(ids.slice(first, last + 1))));
      },
      clear() {
        start.current = null;
        setSelected(new Set());
      },
    }),
    [selected, current],
  );
  return <Context value={value}>{children}</Context>;
}

/**
 * Click handlers of a Task: the checkbox toggles it, with Shift selects a range; the title opens it, or selects it with
 * a modifier key.
 */
export function useClicks(id: string, mayWrite: boolean) {
  const { selected, toggle, reach } = useSelection();
  const select = ({ shiftKey }: { shiftKey: boolean }) => (shiftKey ? reach(id) : toggle(id));
  return {
    isSelected: selected.has(id),
    onBox: ({ nativeEvent }: ChangeEvent) => select(nativeEvent as MouseEvent),
    onTitle: (event: ReactMouseEvent) =>
      mayWrite && (event.metaKey || event.ctrlKey || event.shiftKey) ? select(event) : openTask(id),
  };
}

/** Floating bar with bulk actions, visible while Tasks are selected. */
export function BulkBar({ projectId }: { projectId: string }) {
  return useSelection().selected.size === 0 ? null : <Bar projectId={projectId} />;
}
function Bar({ projectId }: { projectId: string }) {
  const replica = useReplica();
  const { selected, clear } = useSelection();
  const labels = useLabelOptions(projectId);
  const [first = ""] = useColumns(projectId);
  const change = (changes: Record<string, unknown>) => changeMany(replica, [...selected], changes);
  return (
    <div
      role="toolbar"
      aria-label={tn("select.count", selected.size)}
      className="absolute inset-x-0 bottom-16 z-10 flex justify-center px-3"
    >
      <div className="flex flex-wrap items-center gap-1 rounded-lg border border-line bg-card p-1.5 shadow-lift">
        <span className="px-2 font-medium">{tn("select.count", selected.size)}</span>
        <StatusPicker projectId={projectId} value={first} pick={(status_id) => change({ status_id })} />
        <Picker label={t("task.priority")} options={priorityOptions()} pick={(priority) => change({ priority })}>
          <Icon name="overview" />
        </Picker>
        <AssigneePicker value={null} pick={(assignee_actor_id) => change({ assignee_actor_id })} />
        <DatePicker label={t("task.due")} value={null} pick={(due_date) => change({ due_date })} />
        <Picker label={t("task.labels")} options={labels} pick={(id) => change({ add_label_ids: [id] })}>
          <Icon name="label" />
        </Picker>
        <IconButton
          icon="trash"
          label={t("task.trash")}
          onClick={() => {
            change({ trashed: true });
            clear();
          }}
        />
        <IconButton icon="close" label={t("select.clear")} onClick={clear} />
      </div>
    </div>
  );
}
