// Names in any script to lowercase ASCII words joined by hyphens, for URLs and handles. Proposes; whether one is free is for a
// unique constraint to say.
import { randomInt } from "node:crypto";

/** Letters that Unicode does not take apart. */
const LETTERS: Record<string, string> = { ß: "ss", æ: "ae", œ: "oe", ø: "o", đ: "d", ð: "d", þ: "th", ł: "l", ı: "i" };

/** Empty when the name holds nothing that can be written in ASCII. */
export function slugOf(name: string, maxLength: number): string {
  const plain = name
    .normalize("NFKD")
    .toLowerCase()
    .replace(/[\p{M}'’]/gu, "")
    .replace(/[ßæœøđðþłı]/g, (letter) => LETTERS[letter] as string);
  return cut(plain.replace(/[^a-z0-9]+/g, "-"), maxLength);
}

const cut = (slug: string, maxLength: number) => slug.slice(0, maxLength).replace(/^-+|-+$/g, "");

/** The slug itself, then numbered, then with so much chance that the last one is as good as free. */
export function slugCandidates(slug: string, maxLength: number): string[] {
  const endings = ["", "-2", "-3", "-4", "-5", `-${chance(5)}`, `-${chance(10)}`];
  return endings.map((ending) => cut(slug, maxLength - ending.length) + ending);
}
const chance = (length: number) => Array.from({ length }, () => randomInt(36).toString(36)).join("");
