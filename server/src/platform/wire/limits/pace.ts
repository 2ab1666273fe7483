// Throttles a crowd, so that it does not occupy the event loop: a burst at once, then one per interval.

/** Milliseconds that the next caller has to wait; null if that exceeds `mostMs`, and the caller is refused. */
export function pace(
  { atOnce, aSecond, mostMs }: { atOnce: number; aSecond: number; mostMs: number },
  now: () => number = () => performance.now(),
): () => number | null {
  const apart = 1000 / aSecond;
  let last = -Infinity;
  return () => {
    const time = now();
    const at = Math.max(last + apart, time - (atOnce - 1) * apart);
    const wait = Math.max(0, at - time);
    if (wait > mostMs) return null;
    last = at;
    return wait;
  };
}
