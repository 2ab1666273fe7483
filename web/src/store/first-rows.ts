// Records which rows a page shows before any scrolling, so that the next visit reads and renders those first.
import type { Replica } from "./replica.ts";
import type { Kind } from "./rows.ts";

/** Persisted chunks that contain the rows, and the totals that the page displays. */
export interface First {
  chunks: readonly string[];
  counts: Readonly<Record<string, number>>;
}
/** Fact with the recently shown pages by address, the latest first. */
export const FIRST = "first";
export type Firsts = Readonly<Record<string, First>>;
const MOST = 20;
/** Cards of a column that fit on a tall screen: a first visit renders after it has loaded that many. */
export const FIRST_CARDS = 20;

const address = () => location.pathname + location.search;

/** Chunks needed for the first render of this address; undefined if none are recorded, or a Task is open. */
export const firstOf = (facts: ReadonlyMap<string, unknown>) =>
  (facts.get(FIRST) as Firsts | undefined)?.[address()]?.chunks;

/** Recorded total of this page while its rows are still loading. */
export const counted = ({ isWhole, store }: Replica, name: string): number | undefined =>
  isWhole ? undefined : store.fact<Firsts>(FIRST)?.[address()]?.counts[name];

/** Records the first rows of this page. Only the leader tab, which persists the rows, knows their chunks. */
export function noteFirst(replica: Replica, kind: Kind, ids: readonly string[], counts: First["counts"]) {
  if (!replica.leads || !replica.isWhole || new URLSearchParams(location.search).has("task")) return;
  const before = replica.store.fact<Firsts>(FIRST) ?? {};
  const next = { chunks: replica.chunksOf(kind, ids), counts };
  if (JSON.stringify(before[address()]) === JSON.stringify(next)) return;
  const others = Object.entries(before).filter(([each]) => each !== address());
  replica.setFact(FIRST, Object.fromEntries([[address(), next] as const, ...others].slice(0, MOST)));
}
