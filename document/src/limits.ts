// Limits on the size of new content. They limit the input and never the processing time, so that every machine accepts
// and refuses the same content. Stored content is read without them. Pure.
import { InvalidContent } from "./check.ts";
import type { DocumentJson, NodeJson } from "./schema.ts";

/** The content fits the schema but exceeds a limit. */
export class TooComplex extends InvalidContent {}

/** Nodes in total: 262,144 characters of Markdown yield at most that many, and tables add a few. */
export const MOST_NODES = 300_000;
/** Text nodes, breaks, pictures and the like in one block. */
export const MOST_PIECES = 40_000;
/** Characters of attributes in total: a link repeats its address on every text node within it. */
export const MOST_ATTRIBUTES = 1_048_576;
/**
 * Delimiters in Markdown that may open or close inline syntax: runs of `*`, `_`, `~` and backticks, and opening
 * brackets.
 */
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

/** Counts the delimiter runs that an inline parser would consider. */
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
