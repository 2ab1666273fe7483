// What a page reads that is no row of the store: a feed, a report, a search. What was read last is shown at once, and read again when the
// connection is back, and when something of the named kinds has changed.
import type { Client, Problem } from "@svc/client";
import { useCallback, useEffect, useRef, useState } from "react";
import { useConnection, useReplica } from "./react.ts";

export interface Reading<T> {
  value: T | undefined;
  /** The code of why it could not be read. */
  failed: string | null;
  again: () => Promise<void>;
}
interface Options {
  /** Read again when a hint is about such a kind. */
  on?: RegExp;
  /** Kept between visits: for the few things that every visit shows. */
  keep?: boolean;
}
/** Many hints in a row are one reason to read again. */
const SOON_MS = 400;

/** `name` says what is read: with another one everything begins anew. With null nothing is read. */
export function useReading<T>(
  name: string | null,
  read: (api: Client) => PromiseLike<T>,
  { on, keep = false }: Options = {},
): Reading<T> {
  const replica = useReplica();
  const connection = useConnection();
  const [state, setState] = useState<{ name: string | null; value?: T; failed: string | null }>({ name, failed: null });
  const latest = useRef({ read, name, on });
  latest.current = { read, name, on };
  const again = useCallback(async () => {
    const asked = latest.current;
    if (asked.name === null) return;
    const found = await asked.read(replica.api).then(
      (value) => ({ value, failed: null }),
      ({ code, status }: Problem) => ({ failed: status === 0 ? "unreachable" : code }),
    );
    // Somebody has asked for something else meanwhile.
    if (latest.current.name !== asked.name) return;
    if (keep && "value" in found) replica.setFact(`read:${asked.name}`, found.value);
    setState((known) => ({ ...(known.name === asked.name && known), name: asked.name, ...found }));
  }, [replica, keep]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a connection that is back is worth another try.
  useEffect(() => void again(), [again, name, connection]);
  // What is written where it is used is another one each time that it is drawn: a hint that waits must not be forgotten because of that.
  const listens = on !== undefined;
  useEffect(() => {
    if (!listens) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const stop = replica.onHints((hints) => {
      if (!hints.some(({ kind }) => latest.current.on?.test(kind))) return;
      clearTimeout(timer);
      timer = setTimeout(again, SOON_MS);
    });
    return () => {
      clearTimeout(timer);
      stop();
    };
  }, [replica, again, listens]);
  const mine: { value?: T; failed: string | null } = state.name === name ? state : { failed: null };
  const value = mine.value ?? (keep && name !== null ? replica.store.fact<T>(`read:${name}`) : undefined);
  return { value, failed: mine.failed, again };
}
