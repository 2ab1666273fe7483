// Fills a page of a filtered list: reads bounded ranges of an index, one after another, until the page is full or the
// limit is reached, and returns the key to continue from. The cost of a page is bounded, whatever its filters and its
// caller.

export interface PageBounds {
  after: readonly (string | number | null)[] | null;
  limit: number;
}
interface Row {
  json: string;
  key: string;
  /** The page's text budget is used up before this row. */
  cut?: boolean;
}
export interface ScanResult {
  rows: Row[];
  /** Key after which the next range or page begins; null at the end. */
  more: string | null;
}

/** Collects the parameters of a statement under construction: `put` returns the placeholder. */
export function parameters() {
  const values: unknown[] = [];
  return { values, put: (value: unknown) => `$${values.push(value)}` };
}

/** Result of one range: the matching rows and one more than the page has, or the last row scanned, without JSON. */
export function foundIn(read: readonly { json: string | null; key: string }[], limit: number): ScanResult {
  const rows = read.filter((row): row is Row => row.json !== null);
  if (rows.length > limit) return { rows: rows.slice(0, limit), more: (rows[limit - 1] as Row).key };
  return { rows, more: read.length > rows.length ? (read.at(-1)?.key ?? null) : null };
}

/** Limits of the scan for one page: time and number of ranges. */
const LOOKING_MS = 400;
const MOST_STRETCHES = 25;
/**
 * Reads as many ranges as the page needs. The first is sent together with the authentication; for an unauthenticated
 * caller it finds no rows and no continuation.
 */
export async function filled(page: PageBounds, look: (rest: PageBounds) => Promise<ScanResult>, most = MOST_STRETCHES) {
  const until = performance.now() + LOOKING_MS;
  const rows: Row[] = [];
  for (let { after } = page, stretch = 1; ; stretch++) {
    const found = await look({ after, limit: page.limit - rows.length });
    rows.push(...found.rows);
    const { more } = found;
    const complete = more === null || rows.length === page.limit || rows.some(({ cut }) => cut === true);
    if (complete || stretch === most || performance.now() > until) return { rows, more, beside: { complete } };
    after = JSON.parse(more);
  }
}
