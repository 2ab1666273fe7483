// A page comes back as it was: where each part of it was scrolled to is kept with its address for as long as the tab is open.
import { type RefObject, useLayoutEffect } from "react";

const kept = new Map<string, [left: number, top: number]>();

export function useKeptScroll(element: RefObject<HTMLElement | null>, name: string) {
  useLayoutEffect(() => {
    const box = element.current;
    if (!box) return;
    const key = `${location.pathname}:${name}`;
    const [left, top] = kept.get(key) ?? [0, 0];
    box.scrollTo(left, top);
    const note = () => kept.set(key, [box.scrollLeft, box.scrollTop]);
    box.addEventListener("scroll", note, { passive: true });
    return () => box.removeEventListener("scroll", note);
  }, [element, name]);
}
