// Cache busting for replaced pictures: their URL does not change, and browsers reuse an image already displayed in the
// page without a request. Replaced pictures are therefore requested with a different letter case of the ids in the URL,
// which are case-insensitive.
import { useSyncExternalStore } from "react";

const times = new Map<string, number>();
const listeners = new Set<() => void>();

/** Call after the picture at this URL was replaced or removed. */
export function drawnAnew(path: string) {
  times.set(path, (times.get(path) ?? 0) + 1);
  for (const listener of listeners) listener();
}

/** URL of the current picture. */
export function useFresh(path: string): string {
  const count = useSyncExternalStore(onReplaced, () => times.get(path) ?? 0);
  let bits = count;
  return path.replace(/(?<=[0-9a-f-]{24,35})[a-f]/g, (letter) => {
    const isTurned = bits % 2 === 1;
    bits = Math.floor(bits / 2);
    return isTurned ? letter.toUpperCase() : letter;
  });
}
const onReplaced = (listener: () => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};
