// Tracks scrolling, and the moment after mounting: rows that appear meanwhile render without controls, and become
// interactive once scrolling ends.
import { type RefObject, useEffect, useLayoutEffect, useMemo, useReducer, useRef, useState } from "react";

const STILL_MS = 120;
/** Rows that become interactive per frame. */
const AT_ONCE = 8;

export interface Movement {
  moves: boolean;
  /** Calls `run` once scrolling has ended, a few callbacks per frame; returns a function that cancels it. */
  whenStill(run: () => void): () => void;
}
export function useMovement(element: RefObject<HTMLElement | null>): Movement {
  const movement = useMemo(() => {
    const waiting = new Set<() => void>();
    return {
      moves: true,
      waiting,
      whenStill(run: () => void) {
        waiting.add(run);
        return () => void waiting.delete(run);
      },
    };
  }, []);
  useLayoutEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let frame = 0;
    const settle = () => {
      movement.moves = false;
      for (const run of [...movement.waiting].slice(0, AT_ONCE)) {
        movement.waiting.delete(run);
        run();
      }
      if (movement.waiting.size > 0) frame = requestAnimationFrame(settle);
    };
    const note = ({ target }: Event) => {
      if (target !== element.current) return;
      movement.moves = true;
      cancelAnimationFrame(frame);
      clearTimeout(timer);
      timer = setTimeout(settle, STILL_MS);
    };
    // Waits for the first paint before rows become interactive.
    frame = requestAnimationFrame(() => {
      frame = requestAnimationFrame(settle);
    });
    // Capture phase: runs before the listeners that render the new rows.
    document.addEventListener("scroll", note, { passive: true, capture: true });
    return () => {
      document.removeEventListener("scroll", note, { capture: true });
      clearTimeout(timer);
      cancelAnimationFrame(frame);
    };
  }, [element, movement]);
  return movement;
}
/** False for rows that appeared during scrolling, until it ends. A recycled element starts again with its new id. */
export function useIsStill(movement: Movement, id: string): boolean {
  const [, draw] = useReducer((count: number) => count + 1, 0);
  const still = useRef<string | null>(null);
  if (!movement.moves) still.current = id;
  const isStill = still.current === id;
  useEffect(() => {
    if (isStill) return;
    return movement.whenStill(() => {
      still.current = id;
      draw();
    });
  }, [isStill, movement, id]);
  return isStill;
}

/** True at once if requested, else after the first paint. */
export function usePainted(atOnce: boolean): boolean {
  const [isPainted, setPainted] = useState(atOnce);
  useEffect(() => {
    const frame = requestAnimationFrame(() => setTimeout(() => setPainted(true)));
    return () => cancelAnimationFrame(frame);
  }, []);
  return isPainted || atOnce;
}
