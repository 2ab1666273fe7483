// Fact with the persisted chunks that a page showed before any scrolling. The database reads it before everything else.

/** Persisted chunks that contain the rows, and the totals that the page displays. */
export interface First {
  chunks: readonly string[];
  counts: Readonly<Record<string, number>>;
}
/** Fact with the recently shown pages by address, the latest first. */
export const FIRST = "first";
export type Firsts = Readonly<Record<string, First>>;

export const pageAddress = () => location.pathname + location.search;

/** Chunks needed for the first render of this address; undefined if none are recorded, or a Task is open. */
export const firstOf = (facts: ReadonlyMap<string, unknown>) =>
  (facts.get(FIRST) as Firsts | undefined)?.[pageAddress()]?.chunks;
