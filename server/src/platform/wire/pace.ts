// Lets a crowd in one after the other, so that it does not take the event loop from everybody else: so many at once, then one every so often.

/** How many ms the next one has to wait; null where that would be longer than `mostMs`, and it is not let in. */
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
