// React hooks of the store: for one row, for a group of an index, and for anything else. A component renders again only
// when its selected data changes.
import { createContext, use, useEffect, useSyncExternalStore } from "react";
import type { First } from "./first-chunks.ts";
import { noteFirst } from "./first-rows.ts";
import type { Replica } from "./replica.ts";
import type { RowKind, Rows } from "./rows.ts";
import type { Index, RowGroup } from "./sorted-index.ts";

export const ReplicaContext = createContext<Replica | null>(null);

export function useReplica(): Replica {
  const replica = use(ReplicaContext);
  if (!replica) throw new Error("this is drawn outside of a Workspace");
  return replica;
}

/** `select` must return the same reference while its data is unchanged. */
export function useStore<T>(select: (replica: Replica) => T): T {
  const replica = useReplica();
  return useSyncExternalStore(replica.store.subscribe, () => select(replica));
}

export function useRow<K extends RowKind>(kind: K, id: string | null | undefined): Rows[K] | undefined {
  const { store } = useReplica();
  useEffect(() => (id ? store.see(id) : undefined), [store, id]);
  return useSyncExternalStore(store.subscribe, () => (id ? store.get(kind, id) : undefined));
}

/** Renders again when the ids or a row of the group change. */
export function useGroup<K extends RowKind>(kind: K, index: Index<Rows[K]>, name: string): RowGroup {
  return useStore(({ store }) => store.group(kind, index, name));
}
export const useFact = <T>(name: string): T | undefined => useStore(({ store }) => store.fact<T>(name));
export const useConnection = () => useStore(({ connection }) => connection);
export const usePending = () => useStore(({ store }) => store.pending);
export const useNotices = () => useStore(({ notices }) => notices.all);

/** Delay until a changing page counts as idle. */
const REST_MS = 1000;
/** Records the first rows of this page for the next visit. */
export function useFirst(kind: RowKind, ids: () => readonly string[], counts: () => First["counts"]) {
  const replica = useReplica();
  useEffect(() => {
    const timer = setTimeout(() => noteFirst(replica, kind, ids(), counts()), REST_MS);
    return () => clearTimeout(timer);
  });
}
