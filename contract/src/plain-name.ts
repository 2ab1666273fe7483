// Characters allowed in a name that others see: none that reorders the surrounding text, and no invisible one that
// would make two names look alike. Characters that a script needs are allowed: joiners within the scripts that use
// them, and those inside emoji.

/** A character that is neither white space nor invisible, such as a joiner or the blank Braille pattern. */
const VISIBLE = /[^\s\p{DI}\u2800]/u;

/**
 * Controls, line separators, and all ignorable characters: bidirectional controls, joiners, selectors, tags, fillers.
 */
const HIDDEN = /[\p{Cc}\p{Zl}\p{Zp}\p{DI}\u2800\ufff9-\ufffb]/u;

/** Scripts in which a joiner or its absence changes the meaning. */
const JOINED = [
  ...["Arabic", "Bengali", "Devanagari", "Gujarati", "Gurmukhi", "Kannada", "Khmer", "Malayalam"],
  ...["Mongolian", "Myanmar", "Oriya", "Sinhala", "Syriac", "Tamil", "Telugu"],
]
  .map((script) => `\\p{Script_Extensions=${script}}`)
  .join("");
const WITHIN = new RegExp(
  [
    `(?<=[${JOINED}])[\\u200c\\u200d](?=[${JOINED}])`,
    // Emoji: joined sequences, presentation selectors, keycaps, flags of subdivisions.
    "(?<=[\\p{Extended_Pictographic}\\p{Emoji_Modifier}\\ufe0f])\\u200d(?=\\p{Extended_Pictographic})",
    "(?<=[\\p{Extended_Pictographic}\\p{Emoji_Modifier}])[\\ufe0e\\ufe0f]",
    "(?<=[0-9#*])\\ufe0f(?=\\u20e3)",
    "(?<=\\u{1f3f4})[\\u{e0030}-\\u{e0039}\\u{e0061}-\\u{e007a}]{3,6}\\u{e007f}",
    // Variation selectors of Chinese characters, which names depend on, and of Mongolian letters.
    "(?<=\\p{Script=Han})[\\ufe00-\\ufe02\\u{e0100}-\\u{e01ef}]",
    "(?<=\\p{Script=Mongolian})[\\u180b-\\u180d\\u180f]",
  ].join("|"),
  "gu",
);

export const isVisible = (text: string): boolean => VISIBLE.test(text);
export const isPlain = (text: string): boolean => text.isWellFormed() && !HIDDEN.test(text.replace(WITHIN, ""));

/**
 * Removes hidden characters from a name that cannot be refused because others chose it; "" if nothing visible remains.
 */
export function plainName(text: string): string {
  const line = text.toWellFormed().replace(/\s+/gu, " ");
  const kept = line.match(WITHIN) ?? [];
  const parts = line.split(WITHIN).map((part, at) => part.replace(EVERY_HIDDEN, "") + (kept[at] ?? ""));
  const plain = parts.join("").trim();
  return isVisible(plain) ? plain : "";
}
const EVERY_HIDDEN = new RegExp(HIDDEN, "gu");
