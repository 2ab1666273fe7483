// Virtual rows to render: the previous ones and a few more per frame, so that no frame is long however fast the
// scrolling. Elements of rows that leave are recycled for new ones, at a fraction of the cost of creating elements.
import type { VirtualItem, Virtualizer } from "@tanstack/react-virtual";
import { useEffect, useReducer, useRef } from "react";

/** New rows per frame; an empty list renders completely. */
const AT_ONCE = 8;

export interface RecycledRow {
  item: VirtualItem;
  /** React key of the element. */
  slot: number;
}
/** `held` is the focused row, whose element is never recycled. */
export function useRecycled<T extends Element>(virtual: Virtualizer<T, Element>, held: string | null): RecycledRow[] {
  const state = useRef({ slots: new Map<VirtualItem["key"], number>(), made: 0 });
  const [, draw] = useReducer((count: number) => count + 1, 0);
  const { slots: before } = state.current;
  const items = virtual.getVirtualItems();
  const slots = new Map<VirtualItem["key"], number>();
  for (const { key } of items) {
    const slot = before.get(key);
    if (slot !== undefined) slots.set(key, slot);
  }
  const free = [...before].flatMap(([key, slot]) => (slots.has(key) || key === held ? [] : slot));
  const { startIndex = 0, endIndex = 0 } = virtual.range ?? {};
  const isInSight = ({ index }: VirtualItem) => index >= startIndex && index <= endIndex;
  const coming = items.filter(({ key }) => !slots.has(key));
  const wanted = [...coming.filter(isInSight), ...coming.filter((item) => !isInSight(item))];
  const now = before.size === 0 ? wanted : wanted.slice(0, AT_ONCE);
  for (const { key } of now) slots.set(key, free.pop() ?? state.current.made++);
  state.current.slots = slots;
  const isBehind = now.length < wanted.length;
  useEffect(() => {
    if (!isBehind) return;
    const frame = requestAnimationFrame(draw);
    return () => cancelAnimationFrame(frame);
  });
  return items.flatMap((item) => {
    const slot = slots.get(item.key);
    return slot === undefined ? [] : { item, slot };
  });
}
