// Writes down what has changed: changes of the queue at once, rows and facts with them or a moment later. The cursor of what was heard is a
// fact, so that it never stands on the disk before the rows that it speaks of.
import type { Kept, Persist, Written } from "./persist.ts";
import type { AnyRow, Kind } from "./rows.ts";

const SOON_MS = 300;
/** So many chunks are read in one go: a few milliseconds. */
const AT_ONCE = 2;

export class Writer {
  private readonly persist: Persist;
  private readonly rowsOf: (kind: Kind) => Iterable<AnyRow>;
  private touched = new Map<Kind, Set<string>>();
  private facts: Record<string, unknown> = {};
  private soon: ReturnType<typeof setTimeout> | undefined;

  constructor(persist: Persist, rowsOf: (kind: Kind) => Iterable<AnyRow>) {
    this.persist = persist;
    this.rowsOf = rowsOf;
  }
  /** What is shown first, then all else by `take`: nothing is written before, since a chunk is written whole. */
  async load(take: (rows: Kept["rows"]) => void) {
    const kept = await this.persist.load();
    this.whole = (async () => {
      for (let left = kept.left; left.length > 0; left = left.slice(AT_ONCE)) {
        // What was painted first is not kept waiting by it.
        await new Promise((next) => setTimeout(next));
        take(await this.persist.more(left.slice(0, AT_ONCE)));
      }
    })();
    return kept;
  }
  /** Ends when everything that was kept is here. */
  whole: Promise<void> = Promise.resolve();
  chunksOf(kind: Kind, ids: readonly string[]) {
    return this.persist.chunksOf(kind, ids);
  }
  queue() {
    return this.persist.queue();
  }
  /** These rows have changed. */
  touch(touched: ReadonlyMap<Kind, ReadonlySet<string>>) {
    for (const [kind, ids] of touched) this.touched.set(kind, new Set([...(this.touched.get(kind) ?? []), ...ids]));
    this.later();
  }
  fact(name: string, value: unknown) {
    this.facts[name] = value;
    this.later();
  }
  /** With all that waits. What cannot be kept is still sent. */
  async write(written: Pick<Written, "put" | "remove">) {
    await this.whole;
    clearTimeout(this.soon);
    this.soon = undefined;
    const { touched, facts } = this;
    this.touched = new Map();
    this.facts = {};
    await this.persist.write({ ...written, touched, facts }, this.rowsOf).catch(() => {});
  }
  async close() {
    if (this.soon !== undefined) await this.write({});
    this.persist.close();
  }
  private later() {
    this.soon ??= setTimeout(() => void this.write({}), SOON_MS);
  }
}
