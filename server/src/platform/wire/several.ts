// A filter by several values (`several` of the contract's types), read: `a,b` or `!a,b`, and `none` where there need not be any.

export interface Several {
  /** The values, and none of them is `none`. */
  values: string[];
  none: boolean;
  /** None of them, in place of any. */
  not: boolean;
}
/** `none` is a value like any other where everything has one. */
export function severalOf(filter: string, hasNone = true): Several {
  const not = filter.startsWith("!");
  const given = (not ? filter.slice(1) : filter).split(",");
  const isNone = (value: string) => hasNone && value === "none";
  return { values: given.filter((value) => !isNone(value)), none: given.some(isNone), not };
}

/** The one identifier that a filter asks for, where it asks for nothing else. */
export function onlyOne(filter: string | undefined): string | undefined {
  if (filter === undefined) return undefined;
  const { values, none, not } = severalOf(filter);
  return values.length === 1 && !none && !not ? values[0] : undefined;
}

/** Of all the words that there are, those that a filter lets through: without one, all of them. */
export function lettingThrough(filter: string | undefined, words: readonly string[]): readonly string[] {
  if (filter === undefined) return words;
  const { values, not } = severalOf(filter, false);
  return words.filter((word) => values.includes(word) !== not);
}
