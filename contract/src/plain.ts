// What a name that others see may be made of: nothing that turns the text around it, and nothing that nobody sees, with which one name would
// pass for another. What writing needs of it stays: joiners within the scripts that have them, and the inside of emoji.

/** Neither space nor one that nobody sees, such as a joiner or the empty pattern of Braille. */
const VISIBLE = /[^\s\p{DI}\u2800]/u;

/** Controls, separators of lines, and whatever a reader is to ignore: bidirectional controls, joiners, selectors, tags, fillers. */
const HIDDEN = /[\p{Cc}\p{Zl}\p{Zp}\p{DI}\u2800\ufff9-\ufffb]/u;

/** Scripts in which a joiner or its absence changes what is read. */
const JOINED = [
  ...["Arabic", "Bengali", "Devanagari", "Gujarati", "Gurmukhi", "Kannada", "Khmer", "Malayalam"],
  ...["Mongolian", "Myanmar", "Oriya", "Sinhala", "Syriac", "Tamil", "Telugu"],
]
  .map((script) => `\\p{Script_Extensions=${script}}`)
  .join("");
const WITHIN = new RegExp(
  [
    `(?<=[${JOINED}])[\\u200c\\u200d](?=[${JOINED}])`,
    // Emoji: joined ones, how a sign is drawn, keys with a digit, flags of parts of a country.
    "(?<=[\\p{Extended_Pictographic}\\p{Emoji_Modifier}\\ufe0f])\\u200d(?=\\p{Extended_Pictographic})",
    "(?<=[\\p{Extended_Pictographic}\\p{Emoji_Modifier}])[\\ufe0e\\ufe0f]",
    "(?<=[0-9#*])\\ufe0f(?=\\u20e3)",
    "(?<=\\u{1f3f4})[\\u{e0030}-\\u{e0039}\\u{e0061}-\\u{e007a}]{3,6}\\u{e007f}",
    // How a Chinese character is drawn, which names depend on, and a Mongolian letter.
    "(?<=\\p{Script=Han})[\\ufe00-\\ufe02\\u{e0100}-\\u{e01ef}]",
    "(?<=\\p{Script=Mongolian})[\\u180b-\\u180d\\u180f]",
  ].join("|"),
  "gu",
);

export const isVisible = (text: string): boolean => VISIBLE.test(text);
export const isPlain = (text: string): boolean => text.isWellFormed() && !HIDDEN.test(text.replace(WITHIN, ""));

/** The same without what is hidden, for names that others made and that cannot be refused; "" where nothing is left to see. */
export function plainName(text: string): string {
  const line = text.toWellFormed().replace(/\s+/gu, " ");
  const kept = line.match(WITHIN) ?? [];
  const parts = line.split(WITHIN).map((part, at) => part.replace(EVERY_HIDDEN, "") + (kept[at] ?? ""));
  const plain = parts.join("").trim();
  return isVisible(plain) ? plain : "";
}
const EVERY_HIDDEN = new RegExp(HIDDEN, "gu");
