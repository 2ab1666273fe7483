// Matches on the wire: plain text with the ranges of the matching words. No HTML, and no markup inside the text.
import { createHash } from "node:crypto";
import type { SearchResult } from "@svc/contract/knowledge/search/search.ts";
import type { Static } from "typebox";
import type { Match } from "./store.ts";

type Range = [start: number, end: number];

/** Finds words that begin with one of these, also with decomposed accents. Built once per page. */
function patternOf(words: readonly string[]): RegExp | null {
  const known = words
    .flatMap((word) => [...new Set([word, word.normalize("NFD")])])
    .filter((word) => word !== "")
    .sort((a, b) => b.length - a.length);
  if (known.length === 0) return null;
  const escaped = known.map((word) => word.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&"));
  return new RegExp(`(?<![\\p{L}\\p{N}])(?:${escaped.join("|")})`, "giu");
}
const rangesOf = (text: string, pattern: RegExp | null): Range[] =>
  pattern === null
    ? []
    : Array.from(text.matchAll(pattern), ({ index, 0: match }): Range => [index, index + match.length]);

/** Same as plain_excerpt in the database: replaces links and images by their text, and removes markup. */
const plain = (markdown: string) =>
  markdown
    .replace(/!?\[([^\]\n]*)\]\([^)\n]*\)/g, "$1")
    .replace(/<\/?[A-Za-z!][^>\n]*>/g, "")
    .replace(MARKS_OF_LINES, "")
    .replace(/[*~`]+(?=\S)|(?<=\S)[*~`]+|(?<!\w)__?(?=\S)|(?<=\S)__?(?!\w)/g, "");
const MARKS_OF_LINES =
  /^[ \t]*(?:#{1,6}[ \t]+|>[ \t]?|[-*+][ \t]+(?:\[[ xX]\][ \t]+)?|\d+[.)][ \t]+|(?:```|~~~).*$|[-*_][ \t]*[-*_][ \t]*[-*_][-*_ \t]*$)/gm;
/** Reduces a table to its words, even a truncated one: removes the rule under its header and the cell separators. */
const RULE_OF_TABLE = /^[ \t]*\|?(?:[ \t]*:?-{2,}:?[ \t]*\|)+[ \t]*(?::?-{2,}:?[ \t]*)?$/gm;
const ROW_OF_TABLE = /^[ \t]*\|.*$|^.*\|[ \t]*$/gm;
const withoutTables = (text: string) =>
  text.replace(RULE_OF_TABLE, "").replace(ROW_OF_TABLE, (row) => row.replace(/(?<!\\)\|/g, " ").replace(/\\\|/g, "|"));
/** Number of characters examined on either side of the first match. */
const AROUND = 1000;

/** A snippet on one line, without Markdown, which does not start inside a word. */
function snippetOf(text: string, pattern: RegExp | null): string {
  const match = rangesOf(text, pattern)[0]?.[0] ?? 0;
  const around = text.slice(Math.max(0, match - AROUND), match + AROUND);
  const line = withoutTables(plain(around)).replace(/\s+/g, " ").trim();
  const first = rangesOf(line, pattern)[0]?.[0] ?? 0;
  const start = first > 60 ? line.indexOf(" ", first - 60) + 1 : 0;
  // Does not end inside a surrogate pair.
  return line
    .slice(start, start + 200)
    .replace(/[\ud800-\udbff]$/, "")
    .trim();
}

export function resultOf(match: Match, pattern = patternOf(match.words)): Static<typeof SearchResult> {
  const { text, words, project_key, status_name, category, ...shown } = match;
  const snippet = snippetOf(text, pattern);
  return {
    kind: match.type,
    ...shown,
    title_matches: rangesOf(match.title, pattern),
    snippet,
    snippet_matches: rangesOf(snippet, pattern),
  };
}

/** Renders a page, and computes its version. */
export function shownOf(found: readonly Match[], limit: number): { shown: string[]; version: string } {
  const pattern = patternOf(found[0]?.words ?? []);
  const shown = found.slice(0, limit).map((match) => JSON.stringify(resultOf(match, pattern)));
  return { shown, version: versionOf("content", shown) };
}

/** The first digit of a result version names the search that produced it; the other 63 are a digest of the results. */
const DIGIT = { content: "0", knowledge: "1" };
export const versionOf = (search: keyof typeof DIGIT, found: readonly unknown[]): string =>
  DIGIT[search] + createHash("sha256").update(JSON.stringify(found)).digest("hex").slice(1);
export const isKnowledgeVersion = (version: string) => version.startsWith(DIGIT.knowledge);
