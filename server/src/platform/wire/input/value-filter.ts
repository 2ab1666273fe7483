// Parses a filter by several values (`several` of the contract's types): `a,b` or `!a,b`, and `none` for an optional
// field.

export interface Several {
  /** The values without `none`. */
  values: string[];
  none: boolean;
  /** Matches none of the values instead of any. */
  not: boolean;
}
/** `none` is an ordinary value if the field is required. */
export function severalOf(filter: string, hasNone = true): Several {
  const not = filter.startsWith("!");
  const given = (not ? filter.slice(1) : filter).split(",");
  const isNone = (value: string) => hasNone && value === "none";
  return { values: given.filter((value) => !isNone(value)), none: given.some(isNone), not };
}

/** The identifier, if the filter matches exactly one. */
export function onlyOne(filter: string | undefined): string | undefined {
  if (filter === undefined) return undefined;
  const { values, none, not } = severalOf(filter);
  return values.length === 1 && !none && !not ? values[0] : undefined;
}

/** Words that match the filter; all of them without a filter. */
export function lettingThrough(filter: string | undefined, words: readonly string[]): readonly string[] {
  if (filter === undefined) return words;
  const { values, not } = severalOf(filter, false);
  return words.filter((word) => values.includes(word) !== not);
}
