// Lets a few callers at a time through to work that would take the whole machine, and a bounded number wait their turn. Whoever
// comes after that is refused at once: a queue that nobody will live to see the end of helps nobody.
import { refuse } from "./problem.ts";

/** `rest` says how long a place stays empty after work that took so many milliseconds. */
export function gate(atOnce: number, mostWaiting: number, rest: (workedMs: number) => number = () => 0) {
  let inside = 0;
  const waiting: (() => void)[] = [];
  // The place is handed over, not given up: nobody can slip in between.
  const leave = () => {
    const enter = waiting.shift();
    if (enter) enter();
    else inside--;
  };
  /** Refuses where nobody more may wait: asked before any other work is done for the caller. */
  const requireRoom = () => {
    if (inside >= atOnce && waiting.length >= mostWaiting) refuse("overloaded", { retry_after: 1 });
  };
  const enter = async <T>(work: () => Promise<T>): Promise<T> => {
    if (inside < atOnce) inside++;
    else {
      requireRoom();
      await new Promise<void>((enter) => waiting.push(enter));
    }
    const started = performance.now();
    try {
      return await work();
    } finally {
      const pause = rest(performance.now() - started);
      if (pause > 0) setTimeout(leave, pause).unref();
      else leave();
    }
  };
  return Object.assign(enter, { requireRoom });
}
