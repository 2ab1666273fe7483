// How large a content may be that somebody writes. The limits are on the input and never on the time that it takes, so that the same content is
// accepted or refused on every machine. What is stored already is read without them. Pure.
import { InvalidContent } from "./check.ts";
import type { DocumentJson, NodeJson } from "./schema.ts";

/** The content fits the schema and is larger than anybody may write. */
export class TooComplex extends InvalidContent {}

/** Nodes in all: 262,144 characters of Markdown have at most as many, and a few that tables add. */
export const MOST_NODES = 300_000;
/** Pieces of text, breaks, pictures and the like in one block. */
export const MOST_PIECES = 40_000;
/** Characters of attributes in all: a link repeats its address on every piece of text within it. */
export const MOST_ATTRIBUTES = 1_048_576;
/** Signs in Markdown that may open or close something within a block: runs of `*`, `_`, `~` and backticks, and opening brackets. */
export const MOST_DELIMITERS = 65_536;

const refuse = (message: string): never => {
  throw new TooComplex("", message);
};

export function requireWithinLimits(content: DocumentJson): void {
  let nodes = 0;
  let attributes = 0;
  const open: NodeJson[] = [content];
  for (let node = open.pop(); node; node = open.pop()) {
    if (++nodes > MOST_NODES) refuse(`has too many parts; at most ${MOST_NODES} are allowed`);
    attributes += lengthIn(node.attrs);
    for (const mark of node.marks ?? []) attributes += lengthIn(mark.attrs);
    if (attributes > MOST_ATTRIBUTES)
      refuse(`has too much in addresses, titles and names; at most ${MOST_ATTRIBUTES} characters are allowed`);
    const inside = node.content ?? [];
    const isBlock = inside.length > MOST_PIECES && inside.some(({ type }) => type === "text" || type === "hard_break");
    if (isBlock) refuse(`has a block with too many pieces of text; at most ${MOST_PIECES} are allowed`);
    for (const child of inside) open.push(child);
  }
}

function lengthIn(attrs: Record<string, unknown> | undefined): number {
  let length = 0;
  for (const value of Object.values(attrs ?? {}))
    if (typeof value === "string") length += value.length;
    else if (typeof value === "object" && value !== null) length += lengthIn(value as Record<string, unknown>);
  return length;
}

/** Runs of signs in a text that an inline parser would consider. */
export function delimitersIn(text: string): number {
  let count = 0;
  let last = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    // * _ ~ ` [
    const isSign = code === 42 || code === 95 || code === 126 || code === 96 || code === 91;
    if (isSign && code !== last) count++;
    last = isSign && code !== 91 ? code : 0;
  }
  return count;
}
