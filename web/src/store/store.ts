// Client-side store of the pages. `base` holds the server rows; `pending` holds the person's unconfirmed changes in
// order; pages see base with pending applied. Undoing a pending change only removes it from pending, so it cannot erase
// anything newer.

import type { Brought, Domains } from "./domain.ts";
import { inOrder, type QueuedChange } from "./queue/change.ts";
import { type AnyRow, isNewer, type RowKind, type Rows } from "./rows.ts";
import { type Index, type RowGroup, Sorted } from "./sorted-index.ts";

type Touched = Map<RowKind, Set<string>>;
type Table = Map<string, AnyRow>;
/** Fields by which a row refers to its parent. */
const NAMED_BY: { [K in RowKind]?: readonly string[] } = {
  project: ["project_id"],
  task: ["task_id", "related_task_id"],
};

export class Store {
  private readonly base = new Map<RowKind, Table>();
  /** Optimistic rows: only those with pending changes. */
  private readonly shown = new Map<RowKind, Map<string, AnyRow | undefined>>();
  private readonly indexes = new Map<Index<never>, { kind: RowKind; sorted: Sorted<AnyRow> }>();
  private readonly aliases = new Map<string, string>();
  private readonly firsts = new Map<string, string>();
  private readonly listeners = new Set<() => void>();
  private readonly domains: Domains;
  private queue: readonly QueuedChange[] = [];
  private readonly facts = new Map<string, unknown>();
  private readonly seen = new Map<string, number>();
  /** Called with the changed server rows, to persist them. */
  onBase: (touched: ReadonlyMap<RowKind, ReadonlySet<string>>) => void = () => {};

  constructor(domains: Domains) {
    this.domains = domains;
  }

  subscribe = (listener: () => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  /** Optimistic row. */
  get<K extends RowKind>(kind: K, id: string): Rows[K] | undefined {
    const real = this.aliases.get(id) ?? id;
    const shown = this.shown.get(kind);
    return (shown?.has(real) ? shown.get(real) : this.base.get(kind)?.get(real)) as Rows[K] | undefined;
  }
  /** Server row. */
  said<K extends RowKind>(kind: K, id: string): Rows[K] | undefined {
    return this.base.get(kind)?.get(id) as Rows[K] | undefined;
  }
  *all<K extends RowKind>(kind: K): Generator<Rows[K]> {
    const shown = this.shown.get(kind);
    for (const row of this.base.get(kind)?.values() ?? []) if (!shown?.has(row.id)) yield row as Rows[K];
    for (const row of shown?.values() ?? []) if (row) yield row as Rows[K];
  }
  allSaid(kind: RowKind): Iterable<AnyRow> {
    return this.base.get(kind)?.values() ?? [];
  }
  /** Server id of a row created here. */
  real = (id: string) => this.aliases.get(id) ?? id;
  /** Provisional id of a row created here: used as a stable React key when the row gets its server id. */
  first = (id: string) => this.firsts.get(id) ?? id;

  get pending(): readonly QueuedChange[] {
    return this.queue;
  }
  group<K extends RowKind>(kind: K, index: Index<Rows[K]>, name: string): RowGroup {
    let found = this.indexes.get(index as unknown as Index<never>);
    if (!found) {
      found = { kind, sorted: new Sorted(index as unknown as Index<AnyRow>, this.all(kind)) };
      this.indexes.set(index as unknown as Index<never>, found);
    }
    return found.sorted.group(name);
  }

  /**
   * Applies rows of a response. A newer or equal revision replaces a row (equal, because position and counters may have
   * changed). At an equal revision, fields that only a detailed response contains are preserved.
   */
  accept(brought: Brought): Touched {
    const touched: Touched = new Map();
    for (const [kind, rows] of Object.entries(brought) as [RowKind | "gone", readonly AnyRow[]][]) {
      if (kind === "gone") continue;
      const table = this.table(kind);
      for (const row of rows) {
        const known = table.get(row.id);
        const revision = (known as AnyRow | undefined)?.revision;
        if (known && revision !== undefined && row.revision !== undefined && isNewer(revision, row.revision)) continue;
        const merged = known && revision === row.revision ? { ...known, ...row } : row;
        if (known && isEqual(known, merged)) continue;
        table.set(row.id, merged);
        touch(touched, kind, row.id);
      }
    }
    for (const [kind, ids] of Object.entries(brought.gone ?? {}) as [RowKind, readonly string[]][])
      this.remove(kind, new Set(ids), touched);
    if (touched.size > 0) {
      this.onBase(touched);
      this.show(touched);
    }
    return touched;
  }

  /** Adds persisted rows unless a newer one is already here. */
  fill = (kept: readonly (readonly [RowKind, readonly AnyRow[]])[]) => {
    for (const [kind, rows] of kept) {
      const table = this.table(kind);
      for (const row of rows) {
        const known = table.get(row.id);
        if (!known || isNewer(row.revision ?? "", known.revision ?? "")) table.set(row.id, row);
        else if (known.revision === row.revision) table.set(row.id, { ...row, ...known });
      }
    }
  };
  filled() {
    this.indexes.clear();
    this.show(touchedBy(this.queue));
  }

  /** Facts: small values outside of rows, such as which Projects are fully loaded or the unread count. */
  fact<T>(name: string): T | undefined {
    return this.facts.get(name) as T | undefined;
  }
  setFact(name: string, value: unknown) {
    if (value === undefined) this.facts.delete(name);
    else this.facts.set(name, value);
    this.tell();
  }
  factNames(): string[] {
    return [...this.facts.keys()];
  }

  /** 1 if a mounted component shows the row: visible rows are refreshed first. */
  isSeen = (id: string) => ((this.seen.get(id) ?? 0) > 0 ? 1 : 0);
  see(id: string) {
    this.seen.set(id, (this.seen.get(id) ?? 0) + 1);
    return () => {
      const left = (this.seen.get(id) ?? 1) - 1;
      if (left > 0) this.seen.set(id, left);
      else this.seen.delete(id);
    };
  }

  /** Adds or replaces a pending change. */
  put(change: QueuedChange) {
    const others = this.queue.filter(({ key }) => key !== change.key);
    this.queue = [...others, change].sort(inOrder);
    this.show(touchedBy([change]));
  }
  /** Removes or replaces pending changes and applies the rows of the response, in one step. */
  settle(
    keys: readonly string[],
    replaced: readonly QueuedChange[] = [],
    brought: Brought = {},
    alias?: [string, string],
  ) {
    const gone = this.queue.filter(({ key }) => keys.includes(key) || replaced.some((change) => change.key === key));
    const left = this.queue.filter((change) => !gone.includes(change));
    if (alias) {
      this.aliases.set(...alias);
      this.firsts.set(alias[1], alias[0]);
    }
    this.queue = [...left, ...replaced].sort(inOrder);
    const touched = touchedBy([...gone, ...replaced]);
    this.quietly(() => {
      for (const [kind, ids] of this.accept(brought)) for (const id of ids) touch(touched, kind, id);
      this.show(touched);
    });
  }

  private quiet = 0;
  private dirty = false;
  /** Batches several updates into one notification. */
  quietly(work: () => void) {
    this.quiet++;
    try {
      work();
    } finally {
      this.quiet--;
      if (this.quiet === 0 && this.dirty) this.tell();
    }
  }
  tell() {
    this.dirty = this.quiet > 0;
    if (!this.dirty) for (const listener of [...this.listeners]) listener();
  }

  /** Also removes the rows that belong to a removed Project or Task. */
  private remove(kind: RowKind, ids: ReadonlySet<string>, touched: Touched) {
    for (const id of ids) if (this.base.get(kind)?.delete(id)) touch(touched, kind, id);
    const fields = NAMED_BY[kind];
    if (!fields || ids.size === 0) return;
    for (const [inside, table] of this.base) {
      const within = [...table.values()].filter((row) =>
        fields.some((field) => ids.has((row as unknown as Record<string, string>)[field] as string)),
      );
      if (within.length > 0) this.remove(inside, new Set(within.map(({ id }) => id)), touched);
    }
  }

  private table(kind: RowKind): Table {
    let table = this.base.get(kind);
    if (!table) {
      table = new Map();
      this.base.set(kind, table);
    }
    return table;
  }

  /** Applies the pending changes to these rows again and updates the indexes. */
  private show(touched: Touched) {
    for (const [kind, ids] of touched) {
      const shown = this.shown.get(kind) ?? new Map<string, AnyRow | undefined>();
      this.shown.set(kind, shown);
      const changes = this.queue.filter((change) => change.kind === kind && change.state !== "old");
      const rows = new Map<string, AnyRow | undefined>();
      for (const id of ids) {
        const said = this.base.get(kind)?.get(id);
        const own = changes.filter((change) => change.creates === id || change.ids.includes(id));
        const row = own.reduce<AnyRow | undefined>(
          (before, change) => this.domains.operation(change.operation).apply(before, change, id),
          said,
        );
        if (own.length > 0) shown.set(id, row);
        else shown.delete(id);
        rows.set(id, row);
      }
      for (const index of this.indexes.values()) if (index.kind === kind) index.sorted.update(rows);
    }
    this.tell();
  }
}

function touch(touched: Touched, kind: RowKind, id: string) {
  const ids = touched.get(kind);
  if (ids) ids.add(id);
  else touched.set(kind, new Set([id]));
}
function touchedBy(changes: readonly QueuedChange[]): Touched {
  const touched: Touched = new Map();
  for (const { kind, ids, creates } of changes)
    for (const id of creates ? [creates, ...ids] : ids) touch(touched, kind, id);
  return touched;
}
/** Compares plain JSON rows. */
const isEqual = (one: object, other: object) => JSON.stringify(one) === JSON.stringify(other);
