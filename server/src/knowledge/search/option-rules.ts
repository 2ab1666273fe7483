// What somebody has typed into a picker, and in which order its choices stand. Pure.
import type { ReferenceOption } from "@svc/contract/knowledge/search/reference-options.ts";
import type { Static } from "typebox";

export type Option = Static<typeof ReferenceOption>;
export interface Typed {
  text: string;
  /** Of a code that was begun: the key, and the digits so far. */
  code: { key: string; milestone: boolean; digits: string } | null;
}

const CODE = /^([a-z][a-z0-9]{0,9})-(m?)(\d{0,15})$/i;
/** In one line, without what a picker is opened with. */
export function typedOf(sent: string): Typed {
  const text = sent
    .replace(/\s+/g, " ")
    .trim()
    .replace(/^[@#] ?/, "");
  const [, key, m, digits = ""] = CODE.exec(text) ?? [];
  return { text, code: key === undefined ? null : { key: key.toUpperCase(), milestone: m !== "", digits } };
}

/** Named exactly, beginning so, or found in another way. */
function rankOf({ code, name }: Option, text: string): number {
  const [typed, names] = [text.toLowerCase(), [code, name].map((each) => (each ?? "").toLowerCase())];
  if (names.includes(typed)) return 0;
  return names.some((each) => each.startsWith(typed)) ? 1 : 2;
}

/** Each once: the best rank first, and within a rank the first of each kind, then the second of each. */
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
