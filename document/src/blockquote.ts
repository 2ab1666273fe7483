// Block quotes. The rule of the Markdown library scans from each quote to the end of the text for lines that might continue a paragraph in it, which takes
// quadratic time if none of them does. This rule scans a line when a paragraph that is still open asks for it; it reads the same as CommonMark says.
import type { MarkdownIt, StateBlock } from "markdown-it";

type Rule = (state: StateBlock, startLine: number, endLine: number, silent: boolean) => boolean;

/** Marks a line in `sCount` instead of an indent: it continues an open paragraph or ends the quote. All rules but those of paragraphs stop there. */
const LAZY = -1;
const END = -2;
const TAB = 9;
const SPACE = 32;
const MARKER = 62;

interface Quote {
  endLine: number;
  /** First line that was not scanned. */
  next: number;
  ended: boolean;
  /** Whether nothing follows the last marker: then no paragraph is open. */
  isBlank: boolean;
  /** Belongs to the block that contains the quote. */
  blkIndent: number;
  listIndent: number;
  /** Marks of the scanned lines, which the quote gives back. */
  marks: [bMark: number, tShift: number, sCount: number, bsCount: number][];
}

export function readQuotesLinearly({ block }: MarkdownIt): void {
  class State extends block.State {
    quotes: Quote[] = [];
    inParagraph = false;

    override isEmpty(line: number): boolean {
      if (!this.inParagraph) return super.isEmpty(line);
      scan(this, line);
      return this.sCount[line] === END || super.isEmpty(line);
    }
  }
  block.State = State;

  /** Scans up to a line and, where that has a marker, to the first line without one. */
  function scan(state: State, line: number, depth = state.quotes.length - 1): void {
    const quote = state.quotes[depth];
    if (!quote) return;
    let marked = false;
    while ((quote.next <= line || marked) && !quote.ended && quote.next < quote.endLine) {
      scan(state, quote.next, depth - 1);
      marked = scanLine(state, quote, quote.next++);
    }
  }

  function scanLine(state: State, quote: Quote, line: number): boolean {
    const { src, bMarks, eMarks, tShift, sCount, bsCount } = state;
    const [bMark, shift, indent, bsIndent] = [
      bMarks[line],
      tShift[line],
      sCount[line],
      bsCount[line],
    ] as Quote["marks"][0];
    quote.marks.push([bMark, shift, indent, bsIndent]);
    let pos = bMark + shift;
    const max = eMarks[line] as number;
    if (pos >= max) {
      // Other rules step over a line that looks empty.
      tShift[line] = shift - 1;
      quote.ended = true;
    } else if (src.charCodeAt(pos) === MARKER && indent >= quote.blkIndent) {
      let start = indent + 1;
      const next = src.charCodeAt(++pos);
      const isTabWide = next === TAB && (bsIndent + start) % 4 !== 3;
      if (next === SPACE || (next === TAB && !isTabWide)) {
        pos++;
        start++;
      }
      bMarks[line] = pos;
      let offset = start;
      for (; pos < max; pos++) {
        const code = src.charCodeAt(pos);
        if (code === TAB) offset += 4 - ((offset + bsIndent + Number(isTabWide)) % 4);
        else if (code === SPACE) offset++;
        else break;
      }
      quote.isBlank = pos >= max;
      bsCount[line] = indent + 1 + Number(next === SPACE || next === TAB);
      sCount[line] = offset - start;
      tShift[line] = pos - (bMarks[line] as number);
      return true;
    } else quote.ended = quote.isBlank || (indent < 0 ? indent === END : isInterrupted(state, quote, line));
    sCount[line] = quote.ended ? END : LAZY;
    return false;
  }

  function isInterrupted(state: State, quote: Quote, line: number): boolean {
    const { parentType, blkIndent, listIndent } = state;
    Object.assign(state, { parentType: "blockquote", blkIndent: quote.blkIndent, listIndent: quote.listIndent });
    const found = block.ruler.getRules("blockquote").some((rule) => rule(state, line, quote.endLine, true));
    Object.assign(state, { parentType, blkIndent, listIndent });
    return found;
  }

  const blockquote = (state: State, startLine: number, endLine: number, silent: boolean) => {
    const { src, bMarks, tShift, sCount, bsCount, parentType, blkIndent, listIndent } = state;
    if ((sCount[startLine] as number) - blkIndent >= 4) return false;
    if (src.charCodeAt((bMarks[startLine] as number) + (tShift[startLine] as number)) !== MARKER) return false;
    if (silent) return true;
    const quote: Quote = { endLine, next: startLine, ended: false, isBlank: false, blkIndent, listIndent, marks: [] };
    state.quotes.push(quote);
    scan(state, startLine);
    Object.assign(state, { parentType: "blockquote", blkIndent: 0 });
    state.push("blockquote_open", "blockquote", 1);
    block.tokenize(state, startLine, endLine);
    state.push("blockquote_close", "blockquote", -1);
    Object.assign(state, { parentType, blkIndent });
    state.quotes.pop();
    for (const [at, marks] of quote.marks.entries())
      [bMarks[startLine + at], tShift[startLine + at], sCount[startLine + at], bsCount[startLine + at]] = marks;
    return true;
  };
  block.ruler.at("blockquote", blockquote as Rule, { alt: ["paragraph", "reference", "blockquote", "list"] });

  /** The rules in which a line may continue a paragraph lazily. */
  const lazily =
    (rule: Rule): Rule =>
    (state, ...rest) => {
      (state as State).inParagraph = true;
      const found = rule(state, ...rest);
      (state as State).inParagraph = false;
      return found;
    };
  for (const name of ["reference", "lheading", "paragraph"]) block.ruler.at(name, lazily(ruleOf(block.ruler, name)));
}

/** Finds a rule of the library, which does not export it. */
export function ruleOf(ruler: MarkdownIt["block"]["ruler"], name: string): Rule {
  const all = ruler.getRules("");
  ruler.disable(name);
  const others = ruler.getRules("");
  ruler.enable(name);
  return all.find((rule) => !others.includes(rule)) as Rule;
}
