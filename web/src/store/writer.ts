// Write-behind persistence: changes of the queue are written at once, rows and facts with them or after a short delay.
// The hint cursor is a fact of the same transaction, so that it is never on disk before the rows it covers.
import type { Kept, Persist, Written } from "./persistence.ts";
import type { AnyRow, RowKind } from "./rows.ts";

const SOON_MS = 300;
/** Chunks read in one go, which takes a few milliseconds. */
const AT_ONCE = 2;

export class Writer {
  private readonly persist: Persist;
  private readonly rowsOf: (kind: RowKind) => Iterable<AnyRow>;
  private touched = new Map<RowKind, Set<string>>();
  private facts: Record<string, unknown> = {};
  private soon: ReturnType<typeof setTimeout> | undefined;

  constructor(persist: Persist, rowsOf: (kind: RowKind) => Iterable<AnyRow>) {
    this.persist = persist;
    this.rowsOf = rowsOf;
  }
  /**
   * Loads the first rows, then passes all others to `take`. Writes wait until all are loaded, because a chunk is always
   * written as a whole.
   */
  async load(take: (rows: Kept["rows"]) => void) {
    const kept = await this.persist.load();
    this.whole = (async () => {
      for (let left = kept.left; left.length > 0; left = left.slice(AT_ONCE)) {
        // Yields to the event loop, so that the first paint is not delayed.
        await new Promise((next) => setTimeout(next));
        take(await this.persist.more(left.slice(0, AT_ONCE)));
      }
    })();
    return kept;
  }
  /** Resolves when all persisted rows are loaded. */
  whole: Promise<void> = Promise.resolve();
  chunksOf(kind: RowKind, ids: readonly string[]) {
    return this.persist.chunksOf(kind, ids);
  }
  queue() {
    return this.persist.queue();
  }
  /** Schedules the changed rows for the next write. */
  touch(touched: ReadonlyMap<RowKind, ReadonlySet<string>>) {
    for (const [kind, ids] of touched) this.touched.set(kind, new Set([...(this.touched.get(kind) ?? []), ...ids]));
    this.later();
  }
  fact(name: string, value: unknown) {
    this.facts[name] = value;
    this.later();
  }
  /** Writes with everything that is scheduled. A failed write does not prevent the change from being sent. */
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
