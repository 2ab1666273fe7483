// Parses the text typed into a picker, and orders its choices. Pure.
import type { ReferenceOption } from "@svc/contract/knowledge/search/reference-options.ts";
import type { Static } from "typebox";

export type Option = Static<typeof ReferenceOption>;
export interface Typed {
  text: string;
  /** An incomplete code: the key, and the digits so far. */
  code: { key: string; milestone: boolean; digits: string } | null;
}

const CODE = /^([a-z][a-z0-9]{0,9})-(m?)(\d{0,15})$/i;
/** Collapses whitespace, and removes the character that opens a picker. */
export function typedOf(sent: string): Typed {
  const text = sent
    .replace(/\s+/g, " ")
    .trim()
    .replace(/^[@#] ?/, "");
  const [, key, m, digits = ""] = CODE.exec(text) ?? [];
  return { text, code: key === undefined ? null : { key: key.toUpperCase(), milestone: m !== "", digits } };
}

/** Ranks exact matches of code or name first, then prefixes, then other matches. */
function rankOf({ code, name }: Option, text: string): number {
  const [typed, names] = [text.toLowerCase(), [code, name].map((each) => (each ?? "").toLowerCase())];
  if (names.includes(typed)) return 0;
  return names.some((each) => each.startsWith(typed)) ? 1 : 2;
}

/** Removes duplicates; sorts by rank and, within a rank, alternates between the kinds. */
export function inTurn(found: readonly Option[][], text: string, limit: number): Option[] {
  const ranked = found.flatMap((options) => {
    const unique = [...new Map(options.map((option) => [option.id, option])).values()];
    return unique.map((option, place) => ({ option, place, rank: rankOf(option, text) }));
  });
  return ranked
    .sort((one, other) => one.rank - other.rank || one.place - other.place)
    .slice(0, limit)
    .map(({ option }) => option);
}
