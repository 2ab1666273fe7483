// Lets a few callers at a time through to work that would take the whole machine, and a bounded number wait their turn. Whoever
// comes after that is refused at once: a queue that nobody will live to see the end of helps nobody.
import { refuse } from "./problem.ts";

export function gate(atOnce: number, mostWaiting: number) {
  let inside = 0;
  const waiting: (() => void)[] = [];
  return async <T>(work: () => Promise<T>): Promise<T> => {
    if (inside < atOnce) inside++;
    else {
      if (waiting.length >= mostWaiting) refuse("overloaded", { retry_after: 1 });
      await new Promise<void>((enter) => waiting.push(enter));
    }
    try {
      return await work();
    } finally {
      // The place is handed over, not given up: nobody can slip in between.
      const enter = waiting.shift();
      if (enter) enter();
      else inside--;
    }
  };
}
