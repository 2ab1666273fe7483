// Converts names in any script to lowercase ASCII words joined by hyphens, for URLs and handles. Only proposes slugs; a
// unique constraint decides whether one is free.
import { randomInt } from "node:crypto";

/** Letters that Unicode normalisation does not decompose. */
const LETTERS: Record<string, string> = { ß: "ss", æ: "ae", œ: "oe", ø: "o", đ: "d", ð: "d", þ: "th", ł: "l", ı: "i" };

const apart = (name: string) =>
  name
    .normalize("NFKD")
    .toLowerCase()
    .replace(/[ßæœøđðþłı]/g, (letter) => LETTERS[letter] as string);

/** Empty if the name contains nothing that can be written in ASCII. */
export const slugOf = (name: string, maxLength: number): string =>
  cut(
    apart(name)
      .replace(/[\p{M}'’]/gu, "")
      .replace(/[^a-z0-9]+/g, "-"),
    maxLength,
  );

/**
 * The same with the letters of every script, and without accents on letters that exist without them. Empty if there is
 * no letter or digit.
 */
export function segmentOf(title: string, maxLength: number): string {
  const plain = apart(title)
    .replace(/[\u0300-\u036f'’]/g, "")
    .normalize("NFC")
    .replace(/[^\p{L}\p{N}\p{M}]+/gu, "-");
  return cut([...plain].slice(0, maxLength).join(""), plain.length);
}

const cut = (slug: string, maxLength: number) => slug.slice(0, maxLength).replace(/^-+|-+$/g, "");

/**
 * Candidates: the slug itself, then numbered, then with enough random characters that the last one is practically free.
 */
export function slugCandidates(slug: string, maxLength: number): string[] {
  const endings = ["", "-2", "-3", "-4", "-5", `-${chance(5)}`, `-${chance(10)}`];
  return endings.map((ending) => cut(slug, maxLength - ending.length) + ending);
}
/** Unpredictable letters and digits. */
export const chance = (length: number) => Array.from({ length }, () => randomInt(36).toString(36)).join("");
