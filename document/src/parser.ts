// The supported Markdown: CommonMark with GitHub's tables, strikethrough, task lists, footnotes and callouts, bare
// addresses as links, and two extensions: `> [!DETAILS] summary`, and `[words]{.underline}` for marks without Markdown
// syntax. HTML is text. The parser is markdown-it.
import markdownIt, { type Env, type StateBlock, type StateCore, type StateInline, type Token } from "markdown-it";
import { asAddress, isSafe, LABEL } from "./attributes.ts";
import { readQuotesLinearly, ruleOf } from "./blockquote.ts";
import { delimitersIn, MOST_DELIMITERS, TooComplex } from "./limits.ts";
import { CALLOUTS } from "./schema.ts";

/** Deeper than any content may be: deeper levels are not parsed, and the content is refused. */
const MOST_NESTING = 100;
const parser = markdownIt({ html: false, linkify: true, maxNesting: MOST_NESTING });
readQuotesLinearly(parser);
parser.normalizeLink = asAddress;
parser.normalizeLinkText = (text) => text;
parser.validateLink = isSafe;
parser.linkify.set({ fuzzyLink: false, fuzzyEmail: false, fuzzyIP: false });
for (const scheme of ["ftp:", "mailto:", "//"]) parser.linkify.add(scheme, null);
/**
 * A longer bare address is text. Without this limit, a text of addresses without spaces is scanned to its end from each
 * of them.
 */
const MOST_BARE_ADDRESS = 2048;
const matchAtStart = parser.linkify.matchAtStart.bind(parser.linkify);
parser.linkify.matchAtStart = (text) => {
  const found = matchAtStart(text.slice(0, MOST_BARE_ADDRESS + 1));
  return found && found.lastIndex > MOST_BARE_ADDRESS ? null : found;
};

/** `limited`: rejects Markdown with more delimiters than new input may have. */
export function tokensOf(markdown: string, limited: boolean): Token[] {
  const used = new Set<unknown>();
  const references = new Proxy<Definitions>(Object.create(null), {
    get(defined, label) {
      used.add(label);
      return Reflect.get(defined, label);
    },
  });
  const tokens = parser.parse(markdown, { references, used, limited });
  // Removes the first definition of each label that a link used. Only that definition has an effect, so the others
  // remain as text.
  return tokens.filter(({ type, meta }) => type !== "reference_definition" || !used.delete(meta?.label));
}
type Definitions = NonNullable<Env["references"]>;
export const { unescapeAll } = parser.utils;

// ---- footnotes
// -----------------------------------------------------------------------------------------------------------------------

const DEFINITION = new RegExp(`^\\[\\^(${LABEL})\\]:[ \\t]*`, "u");
/** [^1]: the first line, and the lines below it that are indented by four. */
function footnote(state: StateBlock, startLine: number, endLine: number, silent: boolean): boolean {
  const { bMarks, tShift, sCount, parentType } = state;
  const before = [bMarks[startLine] ?? 0, tShift[startLine] ?? 0, sCount[startLine] ?? 0] as const;
  if (before[2] - state.blkIndent >= 4) return false;
  const start = before[0] + before[1];
  if (state.src.charCodeAt(start) !== 0x5b || state.src.charCodeAt(start + 1) !== 0x5e) return false;
  const [marker, label] =
    DEFINITION.exec(state.src.slice(start, Math.min(state.eMarks[startLine] ?? 0, start + 200))) ?? [];
  if (marker === undefined) return false;
  if (silent) return true;
  state.push("footnote_open", "div", 1).meta = { label };
  state.blkIndent += 4;
  [bMarks[startLine], tShift[startLine], sCount[startLine]] = [start + marker.length, 0, state.blkIndent];
  state.parentType = "footnote" as never;
  state.md.block.tokenize(state, startLine, endLine);
  state.parentType = parentType;
  state.blkIndent -= 4;
  [bMarks[startLine], tShift[startLine], sCount[startLine]] = before;
  state.push("footnote_close", "div", -1);
  return true;
}
parser.block.ruler.before("reference", "footnote", footnote, { alt: ["paragraph", "reference", "blockquote"] });

const REFERENCE = new RegExp(`\\[\\^(${LABEL})\\]`, "uy");
function footnoteReference(state: StateInline, silent: boolean): boolean {
  if (state.src.charCodeAt(state.pos) !== 0x5b || state.src.charCodeAt(state.pos + 1) !== 0x5e) return false;
  REFERENCE.lastIndex = state.pos;
  const [whole, label] = REFERENCE.exec(state.src) ?? [];
  if (whole === undefined) return false;
  if (!silent) state.push("footnote_reference", "", 0).meta = { label };
  state.pos += whole.length;
  return true;
}
parser.inline.ruler.before("link", "footnote_reference", footnoteReference);

// ---- definitions of links
// --------------------------------------------------------------------------------------------------------------

const reference = ruleOf(parser.block.ruler, "reference");
/** Stores the source of a definition in its token, so that one that no link uses is not lost. */
function definition(state: StateBlock, startLine: number, endLine: number, silent: boolean): boolean {
  if (!reference(state, startLine, endLine, silent)) return false;
  const token = state.tokens.at(-1);
  if (!silent && token) token.content = state.getLines(startLine, state.line, state.blkIndent, false).trim();
  return true;
}
parser.block.ruler.at("reference", definition);
parser.core.ruler.disable("strip_references");

// ---- tables
// ----------------------------------------------------------------------------------------------------------------------------

const table = ruleOf(parser.block.ruler, "table");
/**
 * The library adds missing cells to rows: one table may get 65,536 of them, and a text of such tables would exceed the
 * memory.
 */
const MOST_ADDED_TOKENS = 200_000;
function boundedTable(state: StateBlock, startLine: number, endLine: number, silent: boolean): boolean {
  if (state.tokens.length <= MOST_ADDED_TOKENS + 4 * state.src.length) return table(state, startLine, endLine, silent);
  if (state.env.limited) throw new TooComplex("", "has too many cells that its tables lack");
  return false;
}
parser.block.ruler.at("table", boundedTable, { alt: ["paragraph", "reference"] });

// ---- spans
// ---------------------------------------------------------------------------------------------------------------------------

const SPAN = /\]\{\.(bold|italic|strike|underline|highlight)\}/y;
const spanned = new WeakMap<StateInline, boolean>();
/** [words]{.underline}, also in places where the signs of bold and the like would not be parsed as such. */
function span(state: StateInline, silent: boolean): boolean {
  if (state.src.charCodeAt(state.pos) !== 0x5b) return false;
  if (!spanned.has(state)) spanned.set(state, state.src.includes("]{."));
  if (!spanned.get(state)) return false;
  const [start, max] = [state.pos + 1, state.posMax];
  const end = state.md.helpers.parseLinkLabel(state, state.pos, false);
  SPAN.lastIndex = end;
  const [closing, mark] = (end >= 0 && SPAN.exec(state.src)) || [];
  if (closing === undefined) return false;
  if (!silent) {
    [state.pos, state.posMax] = [start, end];
    state.push("span_open", "span", 1).meta = { mark };
    state.md.inline.tokenize(state);
    state.push("span_close", "span", -1).meta = { mark };
  }
  [state.pos, state.posMax] = [end + closing.length, max];
  return true;
}
parser.inline.ruler.before("link", "span", span);

// ---- callouts, details, tasks, empty paragraphs
// ----------------------------------------------------------------------------------------

const CALLOUT = new RegExp(`^\\[!(${CALLOUTS.join("|")})\\][ \\t]*(?:\\n[ \\t]*|$)`, "i");
const DETAILS = /^\[!details\][ \t]*([^\n]*)(?:\n[ \t]*|$)/i;
const CHECKBOX = /^\[([ xX])\](?:[ \t]+|\n[ \t]*|$)/;
/** Markdown of an empty paragraph, which has no syntax of its own. */
export const NOTHING = "&nbsp;";

/** Runs before inline parsing: detects callouts and details in quotes, tasks in list items, and empty paragraphs. */
function firstWords(state: StateCore): void {
  const { tokens, env, Token: Made } = state;
  // Until now only definitions have looked up labels, to find out whether they are the first.
  (env.used as Set<unknown>).clear();
  // Builds a new array: a splice for each quote would move all tokens after it.
  const out: Token[] = [];
  for (let at = 0; at < tokens.length; at++) {
    const inline = tokens[at] as Token;
    const container = out.at(-2);
    if (inline.type !== "inline" || out.at(-1)?.type !== "paragraph_open") {
      out.push(inline);
      continue;
    }
    if (container?.type === "list_item_open") readCheckbox(inline, container);
    const special = container?.type === "blockquote_open" ? asSpecialQuote(inline, container) : null;
    // The marker's own paragraph is dropped, unless the quote contains nothing else.
    const alone = special && inline.content === "" && tokens[at + 2]?.type !== "blockquote_close";
    if (inline.content === NOTHING) inline.content = "";
    const opening = out.pop() as Token;
    if (special?.summary !== undefined) {
      const summary = Object.assign(new Made("inline", "", 0), { content: special.summary, children: [] });
      out.push(new Made("summary_open", "", 1), summary, new Made("summary_close", "", -1));
    }
    if (alone) at++;
    else out.push(opening, inline);
  }
  state.tokens = out;
}

function readCheckbox(inline: Token, item: Token): void {
  const [marker, box] = CHECKBOX.exec(inline.content) ?? [];
  if (marker === undefined) return;
  item.meta = { checked: box !== " " };
  inline.content = inline.content.slice(marker.length);
}

/** Removes the marker from the first paragraph of a quote; null if there is none. */
function asSpecialQuote(inline: Token, quote: Token): { summary?: string } | null {
  const callout = CALLOUT.exec(inline.content);
  const details = callout ? null : DETAILS.exec(inline.content);
  const [marker] = callout ?? details ?? [];
  if (marker === undefined) return null;
  quote.meta = callout ? { callout: callout[1]?.toLowerCase() } : { details: true };
  inline.content = inline.content.slice(marker.length);
  return details ? { summary: details[1]?.trim() ?? "" } : {};
}
parser.core.ruler.after("block", "first_words", firstWords);

function limitDelimiters({ tokens, env }: StateCore): void {
  if (!env.limited) return;
  let count = 0;
  for (const { type, content } of tokens) if (type === "inline") count += delimitersIn(content);
  if (count > MOST_DELIMITERS)
    throw new TooComplex("", `has too many signs of formatting; at most ${MOST_DELIMITERS} are allowed`);
}
parser.core.ruler.after("first_words", "limit_delimiters", limitDelimiters);
