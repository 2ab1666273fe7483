// The passages of a few places in memory, and the search through them: by meaning, which is the product of 384 signed bytes, and by words (BM25), merged by
// reciprocal rank. What may be seen is decided before: a question names the places that it looks at and the sources in them that are gone, and nothing
// else is touched, so that neither scores nor counts nor times depend on it. Used within the thread alone.

export const DIMENSIONS = 384;
/** Of one place: 100 MB. What comes later is found by search, and not here. */
const MOST_IN_PLACE = 200_000;

export interface Row {
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
export interface Found {
  number: number;
  score: number;
}

/** Growable, and compacted when half of it is dead. */
class Place {
  private length = 0;
  private dead = 0;
  private vectors = new Int8Array(0);
  private numbers: number[] = [];
  private versions: number[] = [];
  private terms: Uint32Array[] = [];
  private hasVector: boolean[] = [];
  private readonly sources = new Map<string, number[]>();
  private readonly known = new Set<number>();

  get size() {
    return this.known.size;
  }

  /** A source comes as a whole: what it had in an older version goes. */
  add(rows: readonly Row[]) {
    for (const row of rows) {
      if (this.known.has(row.number)) continue;
      this.remove({ source: row.source, version: row.version });
      if (this.size >= MOST_IN_PLACE) return;
      const at = this.length++;
      if (at * DIMENSIONS >= this.vectors.length) {
        const grown = new Int8Array(Math.max(64, at * 2) * DIMENSIONS);
        grown.set(this.vectors);
        this.vectors = grown;
      }
      if (row.vector) this.vectors.set(row.vector, at * DIMENSIONS);
      this.numbers[at] = row.number;
      this.versions[at] = row.version;
      this.terms[at] = row.terms;
      this.hasVector[at] = row.vector !== null;
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
      this.numbers[at] = -1;
      this.terms[at] = NO_TERMS;
      this.dead++;
    }
    if (left.length > 0) this.sources.set(source, left);
    else this.sources.delete(source);
    if (this.dead > 1024 && this.dead > this.length / 2) this.compact();
  }

  private compact() {
    const moved = new Map<number, number>();
    let to = 0;
    for (let at = 0; at < this.length; at++) {
      if (this.numbers[at] === -1) continue;
      this.vectors.copyWithin(to * DIMENSIONS, at * DIMENSIONS, (at + 1) * DIMENSIONS);
      this.numbers[to] = this.numbers[at] as number;
      this.versions[to] = this.versions[at] as number;
      this.terms[to] = this.terms[at] as Uint32Array;
      this.hasVector[to] = this.hasVector[at] as boolean;
      moved.set(at, to++);
    }
    for (const [source, kept] of this.sources)
      this.sources.set(
        source,
        kept.map((at) => moved.get(at) as number),
      );
    this.length = to;
    this.dead = 0;
    this.vectors = this.vectors.slice(0, to * DIMENSIONS);
    for (const each of [this.numbers, this.versions, this.terms, this.hasVector]) each.length = to;
  }

  /** The rows that may be seen. */
  visible(gone: readonly string[]): Int32Array {
    const hidden = new Set(gone.flatMap((source) => this.sources.get(source) ?? []));
    const rows = new Int32Array(this.length);
    let count = 0;
    for (let at = 0; at < this.length; at++) if (this.numbers[at] !== -1 && !hidden.has(at)) rows[count++] = at;
    return rows.subarray(0, count);
  }

  numberOf = (at: number) => this.numbers[at] as number;
  termsAt = (at: number) => this.terms[at] as Uint32Array;

  /** Whole numbers throughout, which the compiler is told by `| 0` and Math.imul. */
  scan(rows: Int32Array, asked: Int8Array, told: (at: number, score: number) => void) {
    const { vectors } = this;
    for (let n = 0; n < rows.length; n++) {
      const at = rows[n] as number;
      if (!this.hasVector[at]) continue;
      const from = (at * DIMENSIONS) | 0;
      let [one, other] = [0, 0];
      for (let i = 0; i < DIMENSIONS; i += 2) {
        one = (one + Math.imul(vectors[from + i] as number, asked[i] as number)) | 0;
        other = (other + Math.imul(vectors[from + i + 1] as number, asked[i + 1] as number)) | 0;
      }
      told(at, one + other);
    }
  }
}
const NO_TERMS = new Uint32Array(0);

/** The best so many, best first; of equal ones the older. */
class Best {
  private readonly most: number;
  readonly found: Found[] = [];
  constructor(most: number) {
    this.most = most;
  }
  add(number: number, score: number) {
    const { found, most } = this;
    const last = found.at(-1);
    if (found.length === most && last && (score < last.score || (score === last.score && number > last.number))) return;
    let at = found.length;
    for (; at > 0; at--) {
      const before = found[at - 1] as Found;
      if (before.score > score || (before.score === score && before.number < number)) break;
    }
    found.splice(at, 0, { number, score });
    if (found.length > most) found.pop();
  }
}

const [K1, B] = [1.2, 0.75];
/** So many of each list are merged. */
const RANKED = 50;
/**
 * Beside meaning, words count where they are at least so much of what the question says, each weighed by how rare it is: a passage that shares some common
 * word and is somewhere among those of like meaning would else come before the one that is nearest. Measured: at rank 1, 9 % instead of 53 %.
 */
const COVERED = 0.5;
/** As is usual: the first of one list weighs little more than the second. */
const RANK_BASE = 60;

export interface Question {
  terms: Uint32Array;
  /** None where there is no model. */
  vector: Int8Array | null;
  places: readonly { id: string; gone: readonly string[] }[];
  most: number;
}

export class Held {
  private readonly places = new Map<string, Place>();

  hold(id: string, reset: boolean, rows: readonly Row[], gone: readonly Gone[]): number {
    const place = (reset ? undefined : this.places.get(id)) ?? new Place();
    this.places.set(id, place);
    place.add(rows);
    for (const each of gone) place.remove(each);
    return place.size;
  }
  drop(id: string) {
    this.places.delete(id);
  }
  isHeld = (id: string) => this.places.has(id);

  ask({ terms, vector, places, most }: Question): Found[] {
    const seen = places.flatMap(({ id, gone }) => {
      const place = this.places.get(id);
      return place ? [{ place, rows: place.visible(gone) }] : [];
    });
    const lists = [this.byWords(seen, terms, vector ? COVERED : 0), ...(vector ? [this.byMeaning(seen, vector)] : [])];
    const scores = new Map<number, number>();
    for (const list of lists)
      for (const [rank, { number }] of list.entries())
        scores.set(number, (scores.get(number) ?? 0) + 1 / (RANK_BASE + 1 + rank));
    const best = new Best(most);
    for (const [number, score] of scores) best.add(number, score);
    return best.found;
  }

  private byMeaning(seen: readonly Seen[], asked: Int8Array): Found[] {
    const best = new Best(RANKED);
    for (const { place, rows } of seen)
      place.scan(rows, asked, (at, score) => {
        if (score > 0) best.add(place.numberOf(at), score);
      });
    return best.found;
  }

  /** How rare a word is, is counted among what may be seen. */
  private byWords(seen: readonly Seen[], terms: Uint32Array, covered: number): Found[] {
    const asked = [...new Set(terms)];
    if (asked.length === 0) return [];
    const maybe = new Uint8Array(65_536);
    for (const term of asked) maybe[term & 0xffff] = 1;
    const having = new Uint32Array(asked.length);
    const matches: { number: number; length: number; counts: number[] }[] = [];
    let [count, length] = [0, 0];
    for (const { place, rows } of seen)
      for (let n = 0; n < rows.length; n++) {
        const own = place.termsAt(rows[n] as number);
        count++;
        length += own.length;
        let counts: number[] | null = null;
        for (let i = 0; i < own.length; i++) {
          const term = own[i] as number;
          if (maybe[term & 0xffff] === 0) continue;
          const which = asked.indexOf(term);
          if (which < 0) continue;
          counts ??= asked.map(() => 0);
          const times = counts[which] as number;
          if (times === 0) having[which] = (having[which] as number) + 1;
          counts[which] = times + 1;
        }
        if (counts) matches.push({ number: place.numberOf(rows[n] as number), length: own.length, counts });
      }
    const weights = Array.from(having, (has) => Math.log(1 + (count - has + 0.5) / (has + 0.5)));
    const average = length / Math.max(1, count);
    const enough = covered * weights.reduce((sum, weight) => sum + weight, 0);
    const best = new Best(RANKED);
    for (const match of matches) {
      const norm = K1 * (1 - B + (B * match.length) / average);
      let [score, shared] = [0, 0];
      for (const [which, times] of match.counts.entries()) {
        if (times === 0) continue;
        const weight = weights[which] as number;
        shared += weight;
        score += (weight * times * (K1 + 1)) / (times + norm);
      }
      if (shared >= enough) best.add(match.number, score);
    }
    return best.found;
  }
}
interface Seen {
  place: Place;
  rows: Int32Array;
}
