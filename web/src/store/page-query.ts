// Cached query for data outside of the store: a feed, a report, a search. It shows the cached value at once, and
// refetches after a reconnect and when a hint of the given kinds arrives.
import type { Client, Problem } from "@svc/client";
import { useCallback, useEffect, useRef, useState } from "react";
import { useConnection, useReplica } from "./react.ts";

export interface Reading<T> {
  value: T | undefined;
  /** Error code of the last failed read. */
  failed: string | null;
  again: () => Promise<void>;
}
interface Options {
  /** Refetch when a hint has a matching kind. */
  on?: RegExp;
  /** Persist the value: for the few queries that every visit shows. */
  keep?: boolean;
}
/** Debounce of hints: several in a row cause one refetch. */
const SOON_MS = 400;

/** `name` is the cache key: a new one resets the state. With null nothing is read. */
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
    // The key has changed meanwhile: discard the response.
    if (latest.current.name !== asked.name) return;
    if (keep && "value" in found) replica.setFact(`read:${asked.name}`, found.value);
    setState((known) => ({ ...(known.name === asked.name && known), name: asked.name, ...found }));
  }, [replica, keep]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a connection that is back is worth another try.
  useEffect(() => void again(), [again, name, connection]);
  // Subscribes once and reads `on` from a ref: an inline expression is new on every render, and resubscribing would
  // cancel a pending refetch.
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
