// Index: ids in groups, each group sorted. The ids array of a group keeps its identity until its ids change, so that a
// component can compare references; the group object changes with every change of one of its rows. One update costs a
// binary search and one copy of the array.
import type { AnyRow } from "./rows.ts";

export interface Index<Row> {
  /** Groups of a row; a row without groups is hidden. */
  groups(row: Row): readonly string[];
  /** Ties are ordered by id. */
  compare(one: Row, other: Row): number;
}
/** New object whenever the ids or a row change; `ids` keeps its identity while only rows change. */
export interface RowGroup {
  readonly ids: readonly string[];
}
const NOTHING: RowGroup = { ids: [] };
/** From this number of changed rows on, groups are sorted again instead of searched for each row. */
const MANY = 200;

export class Sorted<Row extends AnyRow> {
  private readonly groups = new Map<string, RowGroup>();
  private readonly index: Index<Row>;
  private readonly before: (id: string) => Row | undefined;

  constructor(index: Index<Row>, rows: Iterable<Row>) {
    this.index = index;
    const known = new Map<string, Row>();
    this.before = (id) => known.get(id);
    const found = new Map<string, Row[]>();
    for (const row of rows)
      for (const name of index.groups(row)) {
        const group = found.get(name);
        if (group) group.push(row);
        else found.set(name, [row]);
        known.set(row.id, row);
      }
    for (const [name, group] of found) this.groups.set(name, { ids: group.sort(this.order).map(({ id }) => id) });
    this.known = known;
  }
  private readonly known: Map<string, Row>;
  private readonly order = (one: Row, other: Row) =>
    this.index.compare(one, other) || (one.id < other.id ? -1 : one.id > other.id ? 1 : 0);

  group(name: string): RowGroup {
    return this.groups.get(name) ?? NOTHING;
  }
  names(): IterableIterator<string> {
    return this.groups.keys();
  }

  /** Applies changed rows; undefined means removed. */
  update(rows: ReadonlyMap<string, Row | undefined>) {
    if (rows.size >= MANY) return this.rebuild(rows);
    for (const [id, row] of rows) {
      const was = this.known.get(id);
      const [from, to] = [was ? this.index.groups(was) : [], row ? this.index.groups(row) : []];
      const stays = was && row && this.order(was, row) === 0;
      for (const name of from)
        this.change(name, (ids) => (stays && to.includes(name) ? ids : this.without(ids, was as Row)));
      if (row && to.length > 0) this.known.set(id, row);
      else this.known.delete(id);
      for (const name of to)
        if (!(stays && from.includes(name))) this.change(name, (ids) => this.with(ids, row as Row));
    }
  }

  private change(name: string, how: (ids: readonly string[]) => readonly string[]) {
    const ids = how(this.group(name).ids);
    if (ids.length === 0) this.groups.delete(name);
    else this.groups.set(name, { ids });
  }
  private place(ids: readonly string[], row: Row): number {
    let [low, high] = [0, ids.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.order(this.before(ids[middle] as string) as Row, row) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }
  private without(ids: readonly string[], row: Row) {
    const at = this.place(ids, row);
    return ids[at] === row.id ? ids.toSpliced(at, 1) : ids.filter((id) => id !== row.id);
  }
  private with(ids: readonly string[], row: Row) {
    return ids.toSpliced(this.place(ids, row), 0, row.id);
  }

  private rebuild(rows: ReadonlyMap<string, Row | undefined>) {
    const touched = new Set<string>();
    for (const [id, row] of rows) {
      for (const each of [this.known.get(id), row])
        if (each) for (const name of this.index.groups(each)) touched.add(name);
      if (row && this.index.groups(row).length > 0) this.known.set(id, row);
      else this.known.delete(id);
    }
    const found = new Map<string, Row[]>([...touched].map((name) => [name, []]));
    for (const row of this.known.values()) for (const name of this.index.groups(row)) found.get(name)?.push(row);
    for (const [name, group] of found) this.change(name, () => group.sort(this.order).map(({ id }) => id));
  }
}
