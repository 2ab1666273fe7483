// Lets a few callers at a time through to work that would take the whole machine, and a bounded number wait their turn. Places and room are
// shared: the next place goes to the share that was served longest ago, and a share may have twice as many waiting as there is room left, so
// that whoever comes new finds room and the largest is refused first. A queue that nobody will live to see the end of helps nobody.
import { refuse } from "./problem.ts";

/** `rest` says how long a place stays empty after work that took so many milliseconds; `perShare` how many places one share may hold at once. */
export function gate(
  atOnce: number,
  mostWaiting: number,
  rest: (workedMs: number) => number = () => 0,
  perShare = Number.POSITIVE_INFINITY,
) {
  let inside = 0;
  let waiting = 0;
  /** In the order in which they are served. */
  const shares = new Map<string, (() => void)[]>();
  /** Places that each share holds. */
  const held = new Map<string, number>();
  const hold = (share: string, by: number) => {
    const count = (held.get(share) ?? 0) + by;
    if (count > 0) held.set(share, count);
    else held.delete(share);
  };
  const mayHold = (share: string) => (held.get(share) ?? 0) < perShare;
  // The place is handed over, not given up: nobody can slip in between.
  const leave = (from: string) => {
    hold(from, -1);
    for (const [share, queue] of shares) {
      if (!mayHold(share)) continue;
      const enter = queue.shift();
      shares.delete(share);
      if (queue.length > 0) shares.set(share, queue);
      waiting--;
      hold(share, 1);
      return void enter?.();
    }
    inside--;
  };
  const wait = (share: string) => {
    const queue = shares.get(share) ?? [];
    if (queue.length >= 2 * (mostWaiting - waiting)) refuse("overloaded", { retry_after: 1 });
    shares.set(share, queue);
    waiting++;
    return new Promise<void>((enter) => queue.push(enter));
  };
  /** Refuses where nobody at all may wait any more: asked before any other work is done for the caller. */
  const requireRoom = () => {
    if (inside >= atOnce && waiting >= mostWaiting) refuse("overloaded", { retry_after: 1 });
  };
  const enter = async <T>(share: string, work: () => Promise<T>): Promise<T> => {
    if (inside < atOnce && mayHold(share)) {
      inside++;
      hold(share, 1);
    } else await wait(share);
    const started = performance.now();
    try {
      return await work();
    } finally {
      const pause = rest(performance.now() - started);
      if (pause > 0) setTimeout(leave, pause, share).unref();
      else leave(share);
    }
  };
  return Object.assign(enter, { requireRoom });
}
