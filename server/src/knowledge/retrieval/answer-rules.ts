// Selects the sentences of the found passages that answer a question. Each sentence appears once, with all of its
// sources. Pure.
import { MOST_SENTENCES } from "@svc/contract/knowledge/retrieval/answer.ts";
import { sentencesOf } from "./extraction/passages.ts";
import { UNIT } from "./index/scan.ts";
import { termsOf } from "./index/words.ts";
import type { SourcePassage } from "./store.ts";

export interface Candidate {
  text: string;
  sources: Omit<SourcePassage, "passage">[];
  /** Rank of the first passage with this sentence. */
  rank: number;
}

/** Number of passages examined, and of sentences per passage. */
export const LOOKED_AT = 5;
const MOST_IN_PASSAGE = 8;
/** Each candidate takes a few milliseconds to embed. */
const MOST_CANDIDATES = 24;
const LONGEST = 500;
/** Marks before a heading, a list or a quotation are no part of a sentence. */
const MARKS = /^(?:[#>*+\-\s]|\[[ xX]\]\s|\d+[.)]\s)+/;

export function candidatesOf(passages: readonly SourcePassage[]): Candidate[] {
  const found = new Map<string, Candidate>();
  for (const [rank, { passage, start, ...place }] of passages.entries()) {
    for (const span of sentencesOf(passage).slice(0, MOST_IN_PASSAGE)) {
      const lead = MARKS.exec(passage.slice(span.start, span.end))?.[0].length ?? 0;
      const text = passage.slice(span.start + lead, span.end);
      if (text.length > LONGEST || !/\p{L}/u.test(text)) continue;
      const source = { ...place, start: start + span.start + lead, end: start + span.end };
      const known = found.get(text);
      if (known) known.sources.push(source);
      else found.set(text, { text, sources: [source], rank });
    }
  }
  return [...found.values()].slice(0, MOST_CANDIDATES);
}

/** Share of the question's words that a sentence has, from 0 to 1. */
function sharedWords(question: Uint32Array, text: string): number {
  const asked = new Set(question);
  if (asked.size === 0) return 0;
  const said = new Set(termsOf(text));
  return [...asked].filter((term) => said.has(term)).length / asked.size;
}
/** Cosine similarity, from -1 to 1. */
function likeness(one: Int8Array, other: Int8Array): number {
  let sum = 0;
  for (let at = 0; at < one.length; at++) sum += (one[at] as number) * (other[at] as number);
  return sum / UNIT;
}

/** Chosen by trying a few questions; the error rate has not been measured. */
const NEAR = 0.5;
/** A match by words alone needs a larger share, because it ignores meaning. */
const SHARED = 0.6;
const BESIDE_BEST = 0.8;

/** Best first; empty if none is near enough. */
export function chosen(
  question: string,
  candidates: readonly Candidate[],
  vectors: { question: Int8Array; candidates: readonly Int8Array[] } | null,
): Pick<Candidate, "text" | "sources">[] {
  const terms = termsOf(question);
  const scored = candidates.map((candidate, at) => {
    const shared = sharedWords(terms, candidate.text);
    const score = vectors ? likeness(vectors.question, vectors.candidates[at] as Int8Array) + 0.2 * shared : shared;
    return { candidate, score };
  });
  scored.sort((one, other) => other.score - one.score || one.candidate.rank - other.candidate.rank);
  const least = Math.max(vectors ? NEAR : SHARED, (scored[0]?.score ?? 0) * BESIDE_BEST);
  return scored
    .filter(({ score }) => score >= least)
    .slice(0, MOST_SENTENCES)
    .map(({ candidate: { text, sources } }) => ({ text, sources: sources.slice(0, 20) }));
}
