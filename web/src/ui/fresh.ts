// A picture keeps its address when it is replaced, and a browser that has shown an address in a page shows it again without asking. So what was replaced
// here is asked for under another spelling of the ids in it, which may be written in either case.
import { useSyncExternalStore } from "react";

const times = new Map<string, number>();
const listeners = new Set<() => void>();

/** There is another picture at this address, or none any more. */
export function drawnAnew(path: string) {
  times.set(path, (times.get(path) ?? 0) + 1);
  for (const listener of listeners) listener();
}

/** The address under which the picture that is there now is shown. */
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
