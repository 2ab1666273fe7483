// Splits a text into passages: by headings, then by paragraphs, sentences and words, so that each has one topic and
// fits the model. Also splits a passage into sentences. Positions are [start, end) in the original text, in UTF-16 code
// units, and split no character. Pure.

export interface TextSpan {
  start: number;
  end: number;
}
export interface TextPassage extends TextSpan {
  /** Headings above the passage, from the top. */
  heading: string;
}

/** About 150 tokens; the model reads 256, including the heading. */
const LONGEST = 700;
/** Shorter paragraphs are merged with the next one. */
const SHORT = 200;
const MOST_PASSAGES = 2000;

const HEADING = /^ {0,3}(#{1,6})[ \t]+(\S.*)?$/;
const FENCE = /^ {0,3}(```|~~~)/;

/** A heading may end with any number of # signs. */
function withoutClosing(heading: string): string {
  let end = heading.length;
  while (heading[end - 1] === "#") end--;
  return heading.slice(0, end).trimEnd();
}

interface Line extends TextSpan {
  text: string;
}
function* linesOf(text: string): Generator<Line> {
  for (let start = 0; start < text.length; ) {
    const at = text.indexOf("\n", start);
    const end = at < 0 ? text.length : at + 1;
    yield { start, end, text: text.slice(start, end).trimEnd() };
    start = end;
  }
}

/** Removes whitespace at both ends; undefined if no word is left. */
function trimmed(text: string, { start, end }: TextSpan): TextSpan | undefined {
  const part = text.slice(start, end);
  const from = start + (part.length - part.trimStart().length);
  const to = start + part.trimEnd().length;
  return to > from && /[\p{L}\p{N}]/u.test(part) ? { start: from, end: to } : undefined;
}

/** Ends of sentences: a mark before whitespace without a following lowercase letter, or an empty line. */
const SENTENCE = /(?:[.!?…]["'”’)\]]*(?=\s(?!\p{Ll}))|[.!?…]["'”’)\]]*$|\n(?=[^\S\n]*(?:\n|[-*+>|#]\s|\d+[.)]\s)))/gu;
/** Full stops that end no sentence: after a single letter, a number, or a common abbreviation. */
const SHORTENED = /(?:^|[\s(])(?:\p{L}|\d+|e\.g|i\.e|z\.B|d\.h|u\.a|bzw|ca|vgl|Nr|Dr|Mr|Mrs|Ms|St|etc|vs|approx)\.$/u;
export function sentencesOf(text: string, within: TextSpan = { start: 0, end: text.length }): TextSpan[] {
  const part = text.slice(within.start, within.end);
  const found: TextSpan[] = [];
  let from = 0;
  const add = (to: number) => {
    const span = trimmed(text, { start: within.start + from, end: within.start + to });
    if (span) found.push(span);
    from = to;
  };
  for (const match of part.matchAll(SENTENCE)) {
    const to = match.index + match[0].length;
    if (match[0] !== "." || !SHORTENED.test(part.slice(Math.max(from, to - 12), to))) add(to);
  }
  add(part.length);
  return found;
}

/**
 * Splits into pieces up to the maximum length: at sentences if possible, then at whitespace, then between characters.
 */
function piecesOf(text: string, span: TextSpan): TextSpan[] {
  if (span.end - span.start <= LONGEST) return [span];
  const pieces: TextSpan[] = [];
  let open: TextSpan | null = null;
  const close = () => {
    if (open) pieces.push(open);
    open = null;
  };
  for (const sentence of sentencesOf(text, span)) {
    if (open && sentence.end - open.start <= LONGEST) open = { start: open.start, end: sentence.end };
    else {
      close();
      let { start } = sentence;
      while (sentence.end - start > LONGEST) {
        const blank = text.lastIndexOf(" ", start + LONGEST);
        let end = blank > start + LONGEST / 2 ? blank : start + LONGEST;
        if (/[\ud800-\udbff]/.test(text[end - 1] as string)) end--;
        pieces.push({ start, end });
        start = end;
      }
      open = { start, end: sentence.end };
    }
  }
  close();
  return pieces;
}

interface Section {
  heading: string;
  /** Paragraphs in their order. */
  parts: TextSpan[];
}
/** Ignores headings inside code blocks. */
function sectionsOf(text: string, title: string): Section[] {
  const sections: Section[] = [{ heading: title, parts: [] }];
  const above: string[] = [];
  let fence: string | null = null;
  let part = null as TextSpan | null;
  const close = () => {
    const span = part && trimmed(text, part);
    if (span) sections.at(-1)?.parts.push(span);
    part = null;
  };
  for (const line of linesOf(text)) {
    const mark = FENCE.exec(line.text)?.[1];
    if (mark && (fence === null || fence === mark)) fence = fence === null ? mark : null;
    const heading = fence === null ? HEADING.exec(line.text) : null;
    if (heading) {
      close();
      above.length = Math.min(above.length, (heading[1] as string).length - 1);
      above.push(withoutClosing(heading[2] ?? ""));
      sections.push({ heading: [title, ...above].filter((each) => each).join(" › "), parts: [] });
    } else if (line.text === "" && fence === null) close();
    else part = { start: part?.start ?? line.start, end: line.end };
  }
  close();
  return sections;
}

/** Passages of a text, at most 2,000; none for a text without words. */
export function passagesOf(text: string, title: string): TextPassage[] {
  const passages: TextPassage[] = [];
  for (const { heading, parts } of sectionsOf(text, title)) {
    let open: TextSpan | null = null;
    const close = () => {
      if (open) for (const piece of piecesOf(text, open)) passages.push({ heading, ...piece });
      open = null;
    };
    for (const part of parts) {
      const together: boolean =
        open !== null &&
        (open.end - open.start < SHORT || part.end - part.start < SHORT) &&
        part.end - open.start <= LONGEST;
      if (!together) close();
      open = { start: open === null || !together ? part.start : (open as TextSpan).start, end: part.end };
    }
    close();
  }
  return passages.slice(0, MOST_PASSAGES);
}
