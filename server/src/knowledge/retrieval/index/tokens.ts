// Tokenizes a text for the model (WordPiece, without case and accents), as its tokenizer.json defines. Pure.

/** Returns token ids, including the markers at both ends; at most this many. */
export type Tokenizer = (text: string, most: number) => number[];
interface Described {
  model: { vocab: Record<string, number>; max_input_chars_per_word?: number };
}

const PUNCTUATION = /[!-/:-@[-`{-~\p{P}]/u;
const IDEOGRAPH = /[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\u{20000}-\u{2fa1f}]/u;

/** Words and single punctuation marks. */
function wordsOf(text: string): string[] {
  const plain = text
    .replace(/[\p{Cc}\p{Cf}\ufffd]/gu, (each) => (/\s/.test(each) ? " " : ""))
    .normalize("NFD")
    .replace(/\p{Mn}/gu, "")
    .toLowerCase();
  const words: string[] = [];
  let word = "";
  const close = () => {
    if (word !== "") words.push(word);
    word = "";
  };
  for (const each of plain)
    if (/\s/.test(each)) close();
    else if (PUNCTUATION.test(each) || IDEOGRAPH.test(each)) {
      close();
      words.push(each);
    } else word += each;
  close();
  return words;
}

export function tokenizerOf({ model }: Described): Tokenizer {
  const vocabulary = new Map(Object.entries(model.vocab));
  const numberOf = (mark: string) => {
    const number = vocabulary.get(mark);
    if (number === undefined) throw new Error(`the vocabulary has no ${mark}`);
    return number;
  };
  const [UNKNOWN, FIRST, LAST] = ["[UNK]", "[CLS]", "[SEP]"].map(numberOf) as [number, number, number];
  const longest = model.max_input_chars_per_word ?? 100;
  /** Repeatedly takes the longest known piece; a word with an unknown part is unknown as a whole. */
  const piecesOf = (word: string): number[] => {
    const letters = [...word];
    if (letters.length > longest) return [UNKNOWN];
    const pieces: number[] = [];
    for (let start = 0; start < letters.length; ) {
      let end = letters.length;
      let piece: number | undefined;
      for (; end > start; end--) {
        piece = vocabulary.get((start > 0 ? "##" : "") + letters.slice(start, end).join(""));
        if (piece !== undefined) break;
      }
      if (piece === undefined) return [UNKNOWN];
      pieces.push(piece);
      start = end;
    }
    return pieces;
  };
  return (text, most) => {
    const pieces = [FIRST];
    for (const word of wordsOf(text)) {
      if (pieces.length >= most - 1) break;
      pieces.push(...piecesOf(word));
    }
    return [...pieces.slice(0, most - 1), LAST];
  };
}
