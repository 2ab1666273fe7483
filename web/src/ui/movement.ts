// Whether something is being scrolled, or was shown just now: what comes into sight meanwhile is only drawn, and can be used as soon as it stands still.
import { type RefObject, useEffect, useLayoutEffect, useMemo, useReducer, useRef, useState } from "react";

const STILL_MS = 120;
/** So many lines become whole in one frame. */
const AT_ONCE = 8;

export interface Movement {
  moves: boolean;
  /** Calls back once it stands still, a few in each frame; answers with how to give up waiting. */
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
    // What is shown at first is painted before anything is added to it.
    frame = requestAnimationFrame(() => {
      frame = requestAnimationFrame(settle);
    });
    // On its way down: before those who draw what comes into sight.
    document.addEventListener("scroll", note, { passive: true, capture: true });
    return () => {
      document.removeEventListener("scroll", note, { capture: true });
      clearTimeout(timer);
      cancelAnimationFrame(frame);
    };
  }, [element, movement]);
  return movement;
}
/** False for what came into sight while it moved, until it stands still. What stands in the place of something else begins anew. */
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

/** True at once, or after the first paint. */
export function usePainted(atOnce: boolean): boolean {
  const [isPainted, setPainted] = useState(atOnce);
  useEffect(() => {
    const frame = requestAnimationFrame(() => setTimeout(() => setPainted(true)));
    return () => cancelAnimationFrame(frame);
  }, []);
  return isPainted || atOnce;
}
