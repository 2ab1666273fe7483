// A page that looks for what it shows: it reads bounded stretches of an index, one after another, until it is full, and says where it gave up. What
// a page costs has a bound, whatever the filters and whoever asks.

export interface Page {
  after: readonly (string | number | null)[] | null;
  limit: number;
}
interface Row {
  json: string;
  key: string;
  /** The page is full of text before it. */
  cut?: boolean;
}
export interface Found {
  rows: Row[];
  /** Behind what to go on. */
  more: string | null;
}

/** The values of a statement in the making: each is put in as a parameter. */
export function parameters() {
  const values: unknown[] = [];
  return { values, put: (value: unknown) => `$${values.push(value)}` };
}

/** What a stretch has found: rows that are shown, one more than the page has, or the last that was looked at, without JSON. */
export function foundIn(read: readonly { json: string | null; key: string }[], limit: number): Found {
  const rows = read.filter((row): row is Row => row.json !== null);
  if (rows.length > limit) return { rows: rows.slice(0, limit), more: (rows[limit - 1] as Row).key };
  return { rows, more: read.length > rows.length ? (read.at(-1)?.key ?? null) : null };
}

/** For how long, and through how many stretches, a page looks for what it shows. */
const LOOKING_MS = 400;
const MOST_STRETCHES = 25;
/**
 * A page out of as many stretches as it takes. The first is sent together with the authentication; for somebody who is not known it finds
 * nothing, and has no next.
 */
export async function filled(page: Page, look: (rest: Page) => Promise<Found>, most = MOST_STRETCHES) {
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
