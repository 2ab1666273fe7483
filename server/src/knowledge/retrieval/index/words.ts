// Hashes the words of a text to numbers, for English and German: lowercase, without accents, endings and stop words.
// Pure.

const EVERYWHERE = new Set(
  (
    "a an and any are as at be been but by can could did do does for from had has have how i if in into is it its " +
    "me my no not of on or our shall should so " +
    "than that the their them then there these they this those to us was we were what when where which who whom " +
    "whose why will with would you your " +
    "aber alle als also am an auch auf aus bei beim bin bis da dann das dass dem den denn der des die dies diese " +
    "diesem diesen dieser doch du ein eine einem einen " +
    "einer eines er es euch für hat hatte haben ich ihr ihre im in ins ist ja kann kein keine man mein mit muss " +
    "nach nicht noch nun nur ob oder ohne sein seine " +
    "sich sie sind so soll über um und uns unser vom von vor war waren warum was welche welchem welchen welcher " +
    "welches wem wen wenn wer werden wie wieder wir wird " +
    "wo wurde zu zum zur"
  )
    .split(" ")
    .map(plainWord),
);
const ENDINGS = /(?:ungen|ings?|ung|ern|est|ed|en|er|es|ly|em|e|n|s|t)$/;

function plainWord(word: string): string {
  return word.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase().replace(/ß/g, "ss");
}
/** Stems a word by its ending, so that its forms are equal; leaves at least four letters, or three of a plural. */
function stemOf(word: string): string {
  const single = word.length > 3 ? word.replace(/s$/, "") : word;
  const stem = single.replace(ENDINGS, "");
  return stem.length >= 4 ? stem : single;
}

/** 32 bits of FNV-1a: two words with the same hash would be confused, which is extremely rare. */
function numberOf(word: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < word.length; at++) hash = Math.imul(hash ^ word.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}

const WORD = /[\p{L}\p{N}]+/gu;
/** All terms except stop words, repeated for each occurrence; a text of only stop words has these. */
export function termsOf(text: string): Uint32Array {
  const words = (plainWord(text).match(WORD) ?? []).slice(0, 1000);
  const telling = words.filter((word) => !EVERYWHERE.has(word));
  return Uint32Array.from(telling.length > 0 ? telling : words, (word) => numberOf(stemOf(word)));
}
