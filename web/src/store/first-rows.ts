// Records which rows a page shows before any scrolling, so that the next visit reads and renders those first.
import { FIRST, type First, type Firsts, pageAddress } from "./first-chunks.ts";
import type { Replica } from "./replica.ts";
import type { RowKind } from "./rows.ts";

const MOST = 20;
/** Cards of a column that fit on a tall screen: a first visit renders after it has loaded that many. */
export const FIRST_CARDS = 20;

/** Recorded total of this page while its rows are still loading. */
export const counted = ({ isWhole, store }: Replica, name: string): number | undefined =>
  isWhole ? undefined : store.fact<Firsts>(FIRST)?.[pageAddress()]?.counts[name];

/** Records the first rows of this page. Only the leader tab, which persists the rows, knows their chunks. */
export function noteFirst(replica: Replica, kind: RowKind, ids: readonly string[], counts: First["counts"]) {
  if (!replica.leads || !replica.isWhole || new URLSearchParams(location.search).has("task")) return;
  const before = replica.store.fact<Firsts>(FIRST) ?? {};
  const next = { chunks: replica.chunksOf(kind, ids), counts };
  if (JSON.stringify(before[pageAddress()]) === JSON.stringify(next)) return;
  const others = Object.entries(before).filter(([each]) => each !== pageAddress());
  replica.setFact(FIRST, Object.fromEntries([[pageAddress(), next] as const, ...others].slice(0, MOST)));
}
