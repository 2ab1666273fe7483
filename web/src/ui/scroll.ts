// A page comes back as it was: where each part of it was scrolled to is kept with its address for as long as the tab is open.
import { type RefObject, useLayoutEffect, useRef } from "react";

const kept = new Map<string, [left: number, top: number]>();

export function useKeptScroll(element: RefObject<HTMLElement | null>, name: string) {
  const isUsed = useRef(false);
  useLayoutEffect(() => {
    const box = element.current;
    if (!box) return;
    const key = `${location.pathname}:${name}`;
    const before = kept.get(key);
    // Whatever is scrolled is measured first, which a page that comes for the first time need not be.
    if (before || isUsed.current) box.scrollTo(...(before ?? [0, 0]));
    isUsed.current = true;
    const note = () => kept.set(key, [box.scrollLeft, box.scrollTop]);
    box.addEventListener("scroll", note, { passive: true });
    return () => box.removeEventListener("scroll", note);
  }, [element, name]);
}
