// Block quotes in linear time. The rule of markdown-it scans from each quote to the end of the text for lines that
// might continue a paragraph in it, which is quadratic if none does. This rule scans a line only when an open paragraph
// needs it, with the same result as CommonMark specifies.
import type { MarkdownIt, StateBlock } from "markdown-it";

type Rule = (state: StateBlock, startLine: number, endLine: number, silent: boolean) => boolean;

/**
 * Values of `sCount` that replace a line's indent: the line continues an open paragraph, or it ends the quote. Only
 * paragraph rules read on past such a line.
 */
const LAZY = -1;
const END = -2;
const TAB = 9;
const SPACE = 32;
const MARKER = 62;

interface Quote {
  endLine: number;
  /** First line that has not been scanned. */
  next: number;
  ended: boolean;
  /** True if nothing follows the last marker, so that no paragraph is open. */
  isBlank: boolean;
  /** Indent of the block that contains the quote. */
  blkIndent: number;
  listIndent: number;
  /** Original marks of the scanned lines, restored when the quote ends. */
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

  /** Scans up to a line; if that line has a marker, up to the first line without one. */
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
      // Makes the line non-empty for other rules, which would skip an empty one.
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

  /** Wraps the rules in which a line may continue a paragraph lazily. */
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

/** Returns a rule that the library does not export. */
export function ruleOf(ruler: MarkdownIt["block"]["ruler"], name: string): Rule {
  const all = ruler.getRules("");
  ruler.disable(name);
  const others = ruler.getRules("");
  ruler.enable(name);
  return all.find((rule) => !others.includes(rule)) as Rule;
}
