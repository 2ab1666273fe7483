// Restores scroll positions by address, for the lifetime of the tab.
import { type RefObject, useLayoutEffect, useRef } from "react";

const kept = new Map<string, [left: number, top: number]>();

export function useKeptScroll(element: RefObject<HTMLElement | null>, name: string) {
  const isUsed = useRef(false);
  useLayoutEffect(() => {
    const box = element.current;
    if (!box) return;
    const key = `${location.pathname}:${name}`;
    const before = kept.get(key);
    // Scrolling forces a layout, which the first visit of a page avoids.
    if (before || isUsed.current) box.scrollTo(...(before ?? [0, 0]));
    isUsed.current = true;
    const note = () => kept.set(key, [box.scrollLeft, box.scrollTop]);
    box.addEventListener("scroll", note, { passive: true });
    return () => box.removeEventListener("scroll", note);
  }, [element, name]);
}
