// Merges an edit made by request into the live text. The difference between the version that the request named and its
// content becomes a Yjs update of that version, which merges with later changes. No text is lost: a block edited since
// is not deleted, and a block changed after its deletion is restored. Pure.
import type { Fragment, Node } from "prosemirror-model";
import * as Y from "yjs";
import { attributesOf, elementAttributes, grouped, partFor, partOf, textsOf } from "./yjs/rich-text.ts";
import { aligned } from "./yjs/sequences.ts";

type Part = Y.XmlElement | Y.XmlText;
type Group = Node | Node[];

/** Returns the update from the version to the wanted content, or null if they are equal. Changes `version`. */
export function difference(version: Y.Doc, live: Y.Doc, wanted: Node): Uint8Array | null {
  const before = Y.encodeStateVector(version);
  let changed = false;
  version.once("update", () => {
    changed = true;
  });
  version.transact(() => reshape(partOf(version), wanted.content, live));
  return changed ? Y.encodeStateAsUpdate(version, before) : null;
}

function reshape(parent: Y.XmlFragment, wanted: Fragment, live: Y.Doc): void {
  const had = parent.toArray() as Part[];
  const groups = grouped(wanted);
  const pairs = aligned(had.map(keyOf), groups.map(keyOfGroup), (from, to) =>
    likeness(had[from] as Part, groups[to] as Group),
  );
  // Runs backwards, so that earlier positions stay valid.
  let place = had.length;
  for (const { from, to } of pairs.reverse()) {
    const part = from === null ? undefined : (had[from] as Part);
    const group = to === null ? undefined : (groups[to] as Group);
    if (part) place--;
    if (part && group) {
      if (keyOf(part) === keyOfGroup(group)) continue;
      if (isThere(live, part)) change(part, group, live);
      else parent.insert(place + 1, [partFor(group)]);
    } else if (group) parent.insert(place, [partFor(group)]);
    else if (part && !isTouched(live, part)) parent.delete(place, 1);
  }
}

function change(part: Part, group: Group, live: Y.Doc): void {
  if (part instanceof Y.XmlText) {
    rewrite(part, group as Node[]);
    return;
  }
  const node = group as Node;
  const [has, wanted] = [part.getAttributes() as Record<string, unknown>, elementAttributes(node)];
  for (const name of Object.keys(has)) if (!(name in wanted)) part.removeAttribute(name);
  for (const [name, value] of Object.entries(wanted))
    if (JSON.stringify(has[name]) !== JSON.stringify(value)) part.setAttribute(name, value as string);
  reshape(part, node.content, live);
}

interface Word {
  text: string;
  marks: Record<string, unknown>;
}
const wordsOf = (nodes: readonly Node[]): Word[] =>
  nodes.flatMap(({ text = "", marks }) =>
    (text.match(/\s+|[\p{L}\p{N}]+|[^\s\p{L}\p{N}]/gu) ?? []).map((word) => ({
      text: word,
      marks: attributesOf(marks),
    })),
  );

/** Aligns word by word, so that insertions of others stay between the same words. */
function rewrite(text: Y.XmlText, wanted: readonly Node[]): void {
  const [had, will] = [wordsOf(textsOf(text)), wordsOf(wanted)];
  const steps = aligned(
    had.map((word) => word.text),
    will.map((word) => word.text),
  ).map(({ from, to }) => {
    const [old, word] = [from === null ? null : had[from], to === null ? null : will[to]];
    if (old && word) return { retain: word.text.length, attributes: turned(old.marks, word.marks) };
    return word ? { insert: word.text, attributes: word.marks } : { delete: (old as Word).text.length };
  });
  text.applyDelta(steps);
}
/** Changes of the marks; null removes one. */
function turned(from: Record<string, unknown>, to: Record<string, unknown>): Record<string, unknown> {
  const gone = Object.keys(from).filter((name) => !(name in to));
  const come = Object.entries(to).filter(([name, attrs]) => JSON.stringify(from[name]) !== JSON.stringify(attrs));
  return Object.fromEntries([...gone.map((name) => [name, null]), ...come]);
}

/** The same part in the live text. */
function inLive(live: Y.Doc, { _item: item }: Part): Part | null {
  const found = item && Y.getItem(live.store, item.id);
  if (!(found instanceof Y.Item) || found.deleted || !(found.content instanceof Y.ContentType)) return null;
  return found.content.type as Part;
}
const isThere = (live: Y.Doc, part: Part) => inLive(live, part) !== null;
/** Whether the part was edited since. */
function isTouched(live: Y.Doc, part: Part): boolean {
  const now = inLive(live, part);
  return now !== null && keyOf(now) !== keyOf(part);
}

/** A key for comparing parts by content. Attributes are sorted by name, because their order is not preserved. */
function keyOf(part: Part): string {
  if (part instanceof Y.XmlText) return textKey(textsOf(part));
  const children = (part.toArray() as Part[]).map(keyOf);
  return elementKey(part.nodeName, part.getAttributes() as Record<string, unknown>, children);
}
function keyOfGroup(group: Group): string {
  if (Array.isArray(group)) return textKey(group);
  return elementKey(group.type.name, elementAttributes(group), grouped(group.content).map(keyOfGroup));
}
const sorted = (values: Record<string, unknown>) =>
  Object.entries(values).sort(([one], [other]) => (one < other ? -1 : 1));
const elementKey = (name: string, attrs: Record<string, unknown>, children: string[]) =>
  JSON.stringify([name, sorted(attrs), children]);
const textKey = (nodes: readonly Node[]) =>
  JSON.stringify(nodes.map(({ text, marks }) => [text, sorted(attributesOf(marks))]));

/** Share of common words, from 0 to 1. 0 means that the part can never become the group. */
function likeness(part: Part, group: Group): number {
  if (part instanceof Y.XmlText) return Array.isArray(group) ? 1 : 0;
  if (Array.isArray(group) || part.nodeName !== group.type.name) return 0;
  const [had, will] = [wordsIn(plain(part)), wordsIn(group.textContent)];
  if (had.size === 0 || will.size === 0) return 0.5;
  let shared = 0;
  for (const word of had) if (will.has(word)) shared++;
  return shared / Math.max(had.size, will.size);
}
const wordsIn = (text: string) => new Set(text.match(/[\p{L}\p{N}]+/gu));
const plain = (part: Part): string =>
  part instanceof Y.XmlText
    ? textsOf(part)
        .map(({ text }) => text)
        .join("")
    : (part.toArray() as Part[]).map(plain).join(" ");
