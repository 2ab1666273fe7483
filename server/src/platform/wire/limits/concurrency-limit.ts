// Limits concurrency of work that would occupy the whole machine; a bounded number of callers waits. Places and queue
// are shared: the next place goes to the least recently served share, and a share may have twice as many waiting as
// there is room left, so that a new one finds room and the largest is refused first. A queue that outlives its callers
// helps nobody.
import { refuse } from "../problem.ts";

/**
 * `rest` returns how long a place stays empty after work of that duration; `perShare` limits the places of one share.
 */
export function gate(
  atOnce: number,
  mostWaiting: number,
  rest: (workedMs: number) => number = () => 0,
  perShare = Number.POSITIVE_INFINITY,
) {
  let inside = 0;
  let waiting = 0;
  /** Queues of the shares, in the order in which they are served. */
  const shares = new Map<string, (() => void)[]>();
  /** Number of places that each share holds. */
  const held = new Map<string, number>();
  const hold = (share: string, by: number) => {
    const count = (held.get(share) ?? 0) + by;
    if (count > 0) held.set(share, count);
    else held.delete(share);
  };
  const mayHold = (share: string) => (held.get(share) ?? 0) < perShare;
  // Hands the place over without freeing it, so that no other caller can slip in between.
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
  /** Refuses if the queue is full for everybody; called before any other work for the caller. */
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
