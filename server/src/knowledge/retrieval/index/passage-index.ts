// The passages of some places in memory, and search in them: by meaning, the dot product of 384 signed bytes, and by
// words (BM25), merged by reciprocal rank. Access is decided before: a question names the places to search and the
// sources removed from them. Nothing else is read, so that scores, counts and times do not depend on it. Used only
// within the thread.
import { type Gone, type IndexRow, PlaceIndex, type Seen } from "./place-index.ts";
import { UNIT } from "./scan.ts";

export interface PassageMatch {
  number: number;
  score: number;
}

/** The top results, best first; of equal scores the older passage first. */
class Best {
  private readonly most: number;
  readonly found: PassageMatch[] = [];
  constructor(most: number) {
    this.most = most;
  }
  /** Minimum score to enter the results. */
  least = Number.NEGATIVE_INFINITY;
  add(number: number, score: number) {
    const { found, most } = this;
    const last = found.at(-1);
    if (found.length === most && last && (score < last.score || (score === last.score && number > last.number))) return;
    let at = found.length;
    for (; at > 0; at--) {
      const before = found[at - 1] as PassageMatch;
      if (before.score > score || (before.score === score && before.number < number)) break;
    }
    found.splice(at, 0, { number, score });
    if (found.length > most) found.pop();
    if (found.length === most) this.least = (found.at(-1) as PassageMatch).score;
  }
}

const [K1, B] = [1.2, 0.75];
/** Number of results of each list that are merged. */
const RANKED = 50;
/**
 * Minimum share of the question, weighted by the rarity of words, that a passage must have to count as a match by words
 * if there is a model: otherwise a passage with one common word and a mediocre similarity would outrank the nearest
 * one. Measured: at rank 1, 9 % instead of 53 %.
 */
const COVERED = 0.5;
/**
 * Cosine similarity that the nearest passage must reach, otherwise search by meaning finds nothing: any two texts are
 * slightly similar. The cost is in docs/design/performance-log.md.
 */
const NEAREST = 0.25;
/** Cosine similarity that every other passage must reach, and its minimum share of the nearest one's. */
const [NEAR, OF_NEAREST] = [0.2, 0.5];
/** The usual constant of reciprocal rank fusion: the first of a list weighs little more than the second. */
const RANK_BASE = 60;

export interface PassageQuery {
  terms: Uint32Array;
  /** Null if there is no model. */
  vector: Int8Array | null;
  places: readonly { id: string; gone: readonly string[] }[];
  most: number;
}

export class PassageIndex {
  private readonly places = new Map<string, PlaceIndex>();

  hold(id: string, reset: boolean, rows: readonly IndexRow[], gone: readonly Gone[]): number {
    const place = (reset ? undefined : this.places.get(id)) ?? new PlaceIndex();
    this.places.set(id, place);
    place.add(rows);
    for (const each of gone) place.remove(each);
    return place.size;
  }
  drop(id: string) {
    this.places.delete(id);
  }
  isHeld = (id: string) => this.places.has(id);

  ask({ terms, vector, places, most }: PassageQuery): PassageMatch[] {
    const seen = places.flatMap(({ id, gone }) => this.places.get(id)?.seen(gone) ?? []);
    const lists = [this.byWords(seen, terms, vector ? COVERED : 0), ...(vector ? [this.byMeaning(seen, vector)] : [])];
    const scores = new Map<number, number>();
    for (const list of lists)
      for (const [rank, { number }] of list.entries())
        scores.set(number, (scores.get(number) ?? 0) + 1 / (RANK_BASE + 1 + rank));
    const best = new Best(most);
    for (const [number, score] of scores) best.add(number, score);
    return best.found;
  }

  private byMeaning(seen: readonly Seen[], asked: Int8Array): PassageMatch[] {
    const best = new Best(RANKED);
    for (const { place, scan } of seen)
      scan(asked, (at, score) => {
        if (score > 0 && score >= best.least) best.add(place.numberOf(at), score);
      });
    const nearest = best.found[0]?.score ?? 0;
    const least = Math.max(NEAR * UNIT, OF_NEAREST * nearest);
    return nearest < NEAREST * UNIT ? [] : best.found.filter(({ score }) => score >= least);
  }

  /** The rarity of a word is computed only from visible passages. */
  private byWords(seen: readonly Seen[], terms: Uint32Array, covered: number): PassageMatch[] {
    const asked = [...new Set(terms)];
    if (asked.length === 0) return [];
    const having = new Uint32Array(asked.length);
    const matches: Match[] = [];
    let [count, words] = [0, 0];
    for (const each of seen) {
      count += each.count;
      words += each.words;
      const own = new Map<number, Match>();
      for (const [which, term] of asked.entries())
        each.having(term, (at) => {
          let match = own.get(at);
          if (!match) {
            match = { number: each.place.numberOf(at), length: each.place.wordsIn(at), counts: asked.map(() => 0) };
            own.set(at, match);
          }
          const times = match.counts[which] as number;
          if (times === 0) having[which] = (having[which] as number) + 1;
          match.counts[which] = times + 1;
        });
      for (const match of own.values()) matches.push(match);
    }
    const weights = Array.from(having, (has) => Math.log(1 + (count - has + 0.5) / (has + 0.5)));
    const average = words / Math.max(1, count);
    const enough = covered * weights.reduce((sum, weight) => sum + weight, 0);
    const best = new Best(RANKED);
    for (const match of matches) {
      const norm = K1 * (1 - B + (B * match.length) / average);
      let [score, shared] = [0, 0];
      for (let which = 0; which < match.counts.length; which++) {
        const times = match.counts[which] as number;
        if (times === 0) continue;
        const weight = weights[which] as number;
        shared += weight;
        score += (weight * times * (K1 + 1)) / (times + norm);
      }
      if (shared >= enough && score >= best.least) best.add(match.number, score);
    }
    return best.found;
  }
}
interface Match {
  number: number;
  length: number;
  counts: number[];
}
