// Size of a collaborative text, updated item by item: characters of its Markdown, elements and marks. The characters
// are an estimate, exact for plain words, paragraphs and lists, which counts every attribute; the checkpoint measures
// the Markdown itself. Pure.
import { MOST_MARKDOWN } from "@svc/contract/types.ts";
import { MOST_DEPTH } from "@svc/document/schema.ts";
import * as Y from "yjs";
import { type DocUpdate, newLength } from "../change.ts";
import { addedItems, depthOf, liveItems, removedItems } from "./transaction-items.ts";

export interface TextSize {
  characters: number;
  elements: number;
  marks: number;
}
const MOST: Readonly<TextSize> = { characters: MOST_MARKDOWN, elements: 50_000, marks: 10_000 };

/** Whether the text grew past a limit. A text that is already past one may still shrink. */
export const outgrows = (after: TextSize, before: TextSize): boolean =>
  (Object.keys(MOST) as (keyof TextSize)[]).some((key) => after[key] > MOST[key] && after[key] > before[key]);

/** Whether changes that two to four processes accept concurrently could together exceed a limit. */
export const isLarge = (size: TextSize): boolean =>
  (Object.keys(MOST) as (keyof TextSize)[]).some((key) => size[key] > MOST[key] / 4);

export function sizeOf(doc: Y.Doc): TextSize {
  // The first block has no blank line before it.
  const size = { characters: -2, elements: 0, marks: 0 };
  for (const item of liveItems(doc)) add(size, item, 1);
  return size;
}
export function sizeAfter(size: TextSize, transaction: Y.Transaction): TextSize {
  const after = { ...size };
  for (const item of addedItems(transaction)) add(after, item, 1);
  removedItems(transaction, (item) => add(after, item, -1));
  return after;
}
/** Upper bound of the size after a change, from what it adds and the text lacks. */
export function sizeWith(size: TextSize, { structs }: DocUpdate, doc: Y.Doc): TextSize {
  const after = { ...size };
  for (const struct of structs) {
    const added = newLength(struct, doc);
    if (!(struct instanceof Y.Item) || added <= 0) continue;
    // Two UTF-16 units are at least one character.
    if (struct.content instanceof Y.ContentString) after.characters += added / 2;
    else if (struct.content instanceof Y.ContentFormat) after.marks++;
    else if (struct.content instanceof Y.ContentType) after.elements++;
  }
  return after;
}

function add(size: TextSize, item: Y.Item, sign: 1 | -1): void {
  const { content } = item;
  if (item.parentSub !== null) size.characters += sign * valueSize(content.getContent().at(-1));
  else if (content instanceof Y.ContentString) size.characters += sign * stringSize(content.str, item);
  else if (content instanceof Y.ContentFormat) {
    size.marks += sign;
    if (content.value !== null) size.characters += sign * (markSigns[content.key] ?? 4 + valueSize(content.value));
  } else if (content instanceof Y.ContentType) {
    size.elements += sign;
    if (content.type instanceof Y.XmlElement) size.characters += sign * elementSize(content.type.nodeName, item);
  }
}

/** Characters that Markdown escapes in plain text. */
const ESCAPED = /[\\`*_[<~]/g;
const countOf = (text: string, pattern: RegExp) => text.match(pattern)?.length ?? 0;
const characters = (text: string) => text.length - countOf(text, /[\ud800-\udbff]/g);
const parentName = ({ parent }: Y.Item) => (parent instanceof Y.XmlElement ? parent.nodeName : "");
function stringSize(text: string, item: Y.Item): number {
  const lines = text.includes("\n") ? countOf(text, /\n/g) * depthOf(item, MOST_DEPTH) : 0;
  const around = (item.parent as Y.AbstractType<unknown>)._item;
  const isCode = around !== null && parentName(around) === "code_block";
  return characters(text) + lines + (isCode ? 0 : countOf(text, ESCAPED));
}
function valueSize(value: unknown): number {
  if (typeof value === "string") return characters(value);
  if (typeof value !== "object" || value === null) return 0;
  return Object.values(value).reduce<number>((sum, each) => sum + valueSize(each), 0);
}

const markSigns: Readonly<Record<string, number>> = {
  bold: 4,
  italic: 2,
  strike: 4,
  code: 2,
  underline: 14,
  highlight: 14,
};
/** Number of Markdown characters of an element, without its attributes. */
const elementSigns: Readonly<Record<string, number>> = {
  heading: 4,
  code_block: 9,
  divider: 5,
  details: 14,
  callout: 16,
  footnote: 8,
  table_row: 3,
  table_cell: 3,
  table_header: 9,
  hard_break: 2,
  image: 8,
  file: 15,
  mention: 9,
  footnote_reference: 3,
  bullet_list: 0,
  ordered_list: 0,
  summary: 0,
};
const ITEMS = new Set(["list_item", "task_item"]);
function elementSize(name: string, item: Y.Item): number {
  if (ITEMS.has(name)) return depthOf(item, MOST_DEPTH) + (name === "task_item" ? 5 : 1);
  if (name !== "paragraph") return elementSigns[name] ?? 2;
  return ITEMS.has(parentName(item)) ? 1 : 2;
}
