// A place in memory: its passages as rows, their vectors, and an inverted index of words. It grows, and is compacted
// when half of its rows are dead. Used only within the thread.
import { Vectors } from "./scan.ts";

/** Number of passages per place: 100 MB. Further passages are found only by ordinary search. */
const MOST_IN_PLACE = 200_000;

export interface IndexRow {
  number: number;
  source: string;
  version: number;
  terms: Uint32Array;
  vector: Int8Array | null;
}
export interface Gone {
  source: string;
  version: number;
}

/** Growing array of integers. */
class Numbers {
  private kept = new Int32Array(2);
  length = 0;
  add(value: number) {
    if (this.length === this.kept.length) {
      const grown = new Int32Array(this.length * 2);
      grown.set(this.kept);
      this.kept = grown;
    }
    this.kept[this.length++] = value;
  }
  all = () => this.kept.subarray(0, this.length);
}
const DEAD = -1;

export class PlaceIndex {
  private length = 0;
  private dead = 0;
  private readonly vectors = new Vectors();
  private numbers: number[] = [];
  private versions: number[] = [];
  /** Number of words in each row. */
  private lengths: number[] = [];
  private words = 0;
  /** Rows per word, repeated for each occurrence. */
  private rows = new Map<number, Numbers>();
  private readonly sources = new Map<string, number[]>();
  private readonly known = new Set<number>();

  get size() {
    return this.known.size;
  }

  /** Adds rows. A new version of a source replaces all of its older rows. */
  add(rows: readonly IndexRow[]) {
    for (const row of rows) {
      if (this.known.has(row.number)) continue;
      this.remove({ source: row.source, version: row.version });
      if (this.size >= MOST_IN_PLACE) return;
      const at = this.length++;
      this.vectors.set(at, row.vector);
      this.numbers[at] = row.number;
      this.versions[at] = row.version;
      this.lengths[at] = row.terms.length;
      this.words += row.terms.length;
      // Sorted, so that repeated words are adjacent.
      for (const term of row.terms.toSorted()) {
        let having = this.rows.get(term);
        if (!having) {
          having = new Numbers();
          this.rows.set(term, having);
        }
        having.add(at);
      }
      this.known.add(row.number);
      const kept = this.sources.get(row.source);
      if (kept) kept.push(at);
      else this.sources.set(row.source, [at]);
    }
  }

  remove({ source, version }: Gone) {
    const kept = this.sources.get(source);
    if (!kept) return;
    const left = kept.filter((at) => (this.versions[at] as number) >= version);
    if (left.length === kept.length) return;
    for (const at of kept) {
      if (left.includes(at)) continue;
      this.known.delete(this.numbers[at] as number);
      this.numbers[at] = DEAD;
      this.words -= this.lengths[at] as number;
      this.dead++;
    }
    if (left.length > 0) this.sources.set(source, left);
    else this.sources.delete(source);
    if (this.dead > 1024 && this.dead > this.length / 2) this.compact();
  }

  private compact() {
    const moved = new Int32Array(this.length).fill(DEAD);
    let to = 0;
    for (let at = 0; at < this.length; at++) {
      if (this.numbers[at] === DEAD) continue;
      this.vectors.move(at, to);
      this.numbers[to] = this.numbers[at] as number;
      this.versions[to] = this.versions[at] as number;
      this.lengths[to] = this.lengths[at] as number;
      moved[at] = to++;
    }
    for (const [source, kept] of this.sources)
      this.sources.set(
        source,
        kept.map((at) => moved[at] as number),
      );
    for (const [term, having] of this.rows) {
      const left = new Numbers();
      for (const at of having.all()) if (moved[at] !== DEAD) left.add(moved[at] as number);
      if (left.length > 0) this.rows.set(term, left);
      else this.rows.delete(term);
    }
    this.length = to;
    this.dead = 0;
    for (const each of [this.numbers, this.versions, this.lengths]) each.length = to;
  }

  numberOf = (at: number) => this.numbers[at] as number;
  wordsIn = (at: number) => this.lengths[at] as number;

  /** A view of the place without these sources. */
  seen(gone: readonly string[]): Seen {
    const hidden = gone.flatMap((source) => this.sources.get(source) ?? []);
    const isHidden = new Uint8Array(this.length);
    for (const at of hidden) isHidden[at] = 1;
    const isSeen = (at: number) => isHidden[at] === 0 && this.numbers[at] !== DEAD;
    return {
      place: this,
      count: this.size - hidden.length,
      words: hidden.reduce((left, at) => left - this.wordsIn(at), this.words),
      having: (term, told) => {
        for (const at of this.rows.get(term)?.all() ?? []) if (isSeen(at)) told(at);
      },
      scan: (asked, told) => {
        const rows = new Int32Array(this.length);
        let count = 0;
        for (let at = 0; at < this.length; at++) if (isSeen(at)) rows[count++] = at;
        this.vectors.scan(rows.subarray(0, count), asked, told);
      },
    };
  }
}

export interface Seen {
  place: PlaceIndex;
  /** Number of visible passages, and of words in them. */
  count: number;
  words: number;
  /** Calls back for each row with the word, once per occurrence, in order. */
  having(term: number, told: (at: number) => void): void;
  scan(asked: Int8Array, told: (at: number, score: number) => void): void;
}
