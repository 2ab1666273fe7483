// Whether a change leaves a text of the schema behind. Only what it has changed is looked at, and only for what no two good changes could make
// together: an element that nobody knows, one that never stands there, an attribute or a mark that is none. What may come of changes that meet, such as a list
// without items, is mended when the text is written down. Pure.
import { attributes } from "@svc/document/attributes.ts";
import { MOST_DEPTH, schema } from "@svc/document/schema.ts";
import type { ContentMatch, MarkType, NodeType } from "prosemirror-model";
import * as Y from "yjs";
import { markName, PART, partOf } from "./rich-text.ts";

/** In characters of text: what a request may send as Markdown. */
export const MOST_CHARACTERS = 262_144;
export const MOST_ELEMENTS = 50_000;

/** What stands inside a node of a type, wherever. */
const inside = new Map<NodeType, Set<NodeType>>();
function mayHold(parent: NodeType): Set<NodeType> {
  let known = inside.get(parent);
  if (known) return known;
  known = new Set();
  const seen = new Set<ContentMatch>();
  const look = (match: ContentMatch) => {
    if (seen.has(match)) return;
    seen.add(match);
    for (let at = 0; at < match.edgeCount; at++) {
      const { type, next } = match.edge(at);
      known?.add(type);
      look(next);
    }
  };
  look(parent.contentMatch);
  inside.set(parent, known);
  return known;
}

/** Why it does not fit, or null. */
export function misfit({ doc, changed, beforeState }: Y.Transaction): string | null {
  for (const name of doc.share.keys()) if (name !== PART) return `nothing is written in ${JSON.stringify(name)}`;
  const isNew = ({ _item: item }: Y.AbstractType<unknown>) =>
    item !== null && item.id.clock >= (beforeState.get(item.id.client) ?? 0);
  for (const type of changed.keys() as Iterable<unknown>) {
    const fault = type instanceof Y.XmlText ? textFault(type) : nodeFault(type, isNew, false);
    if (fault) return fault;
  }
  return null;
}

type IsNew = (type: Y.AbstractType<unknown>) => boolean;

/** Of what it is and has, and of those children that are new; where it is new itself, of all. */
function nodeFault(node: unknown, isNew: IsNew, whole: boolean): string | null {
  const type = typeOf(node);
  if (!type) return `${nameOf(node)} is no part of a text`;
  if (node instanceof Y.XmlElement) {
    const fault = attributesFault(type.name, type.spec.attrs ?? {}, node.getAttributes());
    if (fault) return fault;
    if (depthOf(node) > MOST_DEPTH) return "it is nested too deeply";
  }
  for (const child of (node as Y.XmlFragment).toArray()) {
    if (!whole && !isNew(child as Y.AbstractType<unknown>)) continue;
    const childType = child instanceof Y.XmlText ? (schema.nodes.text as NodeType) : typeOf(child);
    if (!childType || !mayHold(type).has(childType)) return `${nameOf(child)} never stands in ${type.name}`;
    const fault = child instanceof Y.XmlText ? textFault(child) : nodeFault(child, isNew, true);
    if (fault) return fault;
  }
  return null;
}

const nameOf = (type: unknown) => (type instanceof Y.XmlElement ? String(type.nodeName) : "what was sent");
function typeOf(type: unknown): NodeType | undefined {
  if (type instanceof Y.XmlElement)
    return Object.hasOwn(schema.nodes, type.nodeName) ? schema.nodes[type.nodeName] : undefined;
  const isPart = type instanceof Y.XmlFragment && type._item === null && type === partOf(type.doc as Y.Doc);
  return isPart ? schema.topNodeType : undefined;
}

function depthOf(type: Y.XmlElement): number {
  let depth = 0;
  for (let at = type._item; at; at = (at.parent as Y.AbstractType<unknown>)._item) depth++;
  return depth;
}

type Attributes = Record<string, unknown>;
function attributesFault(name: string, specs: Record<string, { default?: unknown }>, given: Attributes): string | null {
  for (const key of Object.keys(given)) if (!Object.hasOwn(specs, key)) return `${name} has no ${key}`;
  for (const [key, spec] of Object.entries(specs)) {
    const value = given[key] === undefined ? spec.default : given[key];
    if (value === undefined || attributes[name]?.[key]?.(value) === undefined) return `${key} of ${name} is none`;
  }
  return null;
}

function textFault(text: Y.XmlText): string | null {
  const { parent } = text;
  const within = typeOf(parent);
  if (!within?.inlineContent) return "text never stands there";
  if (Object.keys(text.getAttributes()).length > 0) return "text has no attributes";
  for (const { insert, attributes: marks } of text.toDelta() as { insert: unknown; attributes?: Attributes }[]) {
    if (typeof insert !== "string") return "only text stands in text";
    for (const [key, attrs] of Object.entries(marks ?? {})) {
      const fault = markFault(within, markName(key), attrs);
      if (fault) return fault;
    }
  }
  return null;
}
function markFault(within: NodeType, name: string, attrs: unknown): string | null {
  const mark: MarkType | undefined = Object.hasOwn(schema.marks, name) ? schema.marks[name] : undefined;
  if (!mark || !within.allowsMarkType(mark)) return `${name} never stands in ${within.name}`;
  if (attrs === null) return null;
  if (typeof attrs !== "object") return `${name} has no such value`;
  return attributesFault(name, mark.spec.attrs ?? {}, attrs as Attributes);
}

/** How much is in it, counted anew. */
export function sizeOf(part: Y.XmlFragment): { characters: number; elements: number } {
  let [characters, elements] = [0, 0];
  const count = (type: Y.XmlFragment) => {
    for (const child of type.toArray()) {
      elements++;
      if (child instanceof Y.XmlText) characters += child.length;
      else if (child instanceof Y.XmlElement) count(child);
    }
  };
  count(part);
  return { characters, elements };
}
