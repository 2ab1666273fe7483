// What a page shows before anything is scrolled: noted while it is open, so that the next visit reads and shows that first, and all else behind it.
import type { Replica } from "./replica.ts";
import type { Kind } from "./rows.ts";

/** The chunks in which it is, and how many there are of what the page counts. */
export interface First {
  chunks: readonly string[];
  counts: Readonly<Record<string, number>>;
}
/** A fact: of the pages that were shown last, by address, the last one first. */
export const FIRST = "first";
export type Firsts = Readonly<Record<string, First>>;
const MOST = 20;
/** As many as a high screen shows of a column: a first visit asks for no more before it shows them. */
export const FIRST_CARDS = 20;

const address = () => location.pathname + location.search;

/** The chunks with which a page can be shown; undefined where nobody has noted them, or where a Task is open beside it. */
export const firstOf = (facts: ReadonlyMap<string, unknown>) =>
  (facts.get(FIRST) as Firsts | undefined)?.[address()]?.chunks;

/** How many there are of what this page counts, while not all of it is here. */
export const counted = ({ isWhole, store }: Replica, name: string): number | undefined =>
  isWhole ? undefined : store.fact<Firsts>(FIRST)?.[address()]?.counts[name];

/** Notes what this page shows first. Only the tab that keeps the rows knows where they are. */
export function noteFirst(replica: Replica, kind: Kind, ids: readonly string[], counts: First["counts"]) {
  if (!replica.leads || !replica.isWhole || new URLSearchParams(location.search).has("task")) return;
  const before = replica.store.fact<Firsts>(FIRST) ?? {};
  const next = { chunks: replica.chunksOf(kind, ids), counts };
  if (JSON.stringify(before[address()]) === JSON.stringify(next)) return;
  const others = Object.entries(before).filter(([each]) => each !== address());
  replica.setFact(FIRST, Object.fromEntries([[address(), next] as const, ...others].slice(0, MOST)));
}
