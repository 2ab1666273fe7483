// Checks that a text still fits the schema after a change. Only items that the change added are checked, and only for
// faults that two valid changes cannot cause together: an unknown element, a misplaced one, a wrong attribute or mark.
// Faults of concurrent changes, such as a list without items, are repaired at the checkpoint. Pure.
import { attributes } from "@svc/document/attributes.ts";
import { MOST_DEPTH, schema } from "@svc/document/schema.ts";
import type { ContentMatch, MarkType, NodeType } from "prosemirror-model";
import * as Y from "yjs";
import { markName, PART, partOf } from "./rich-text.ts";
import { addedItems, depthOf } from "./transaction-items.ts";

/** Types that a node of a type may contain, at any position. */
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

/** Returns why the change does not fit, or null. */
export function misfit(transaction: Y.Transaction): string | null {
  for (const name of transaction.doc.share.keys())
    if (name !== PART) return `nothing is written in ${JSON.stringify(name)}`;
  for (const item of addedItems(transaction)) {
    const fault = itemFault(item);
    if (fault) return fault;
  }
  // Removing an attribute adds no item, so changed attributes are checked separately.
  for (const [type, keys] of transaction.changed as Map<unknown, Set<string | null>>)
    if (type instanceof Y.XmlElement && [...keys].some((key) => key !== null)) {
      const fault = elementFault(type);
      if (fault) return fault;
    }
  return null;
}

function itemFault(item: Y.Item): string | null {
  const { content, parent, parentSub } = item;
  if (parent instanceof Y.XmlText) {
    if (parentSub !== null) return "text has no attributes";
    if (content instanceof Y.ContentString) return null;
    if (!(content instanceof Y.ContentFormat)) return "only text stands in text";
    const within = typeOf(parent.parent);
    return within ? markFault(within, markName(content.key), content.value) : "text never stands there";
  }
  const within = typeOf(parent);
  if (!within) return `${nameOf(parent)} is no part of a text`;
  // The attributes of an element are checked together, including missing ones.
  if (parentSub !== null) return parent instanceof Y.XmlElement ? null : "a text as a whole has no attributes";
  const child = content instanceof Y.ContentType ? content.type : null;
  const type = child instanceof Y.XmlText ? (schema.nodes.text as NodeType) : typeOf(child);
  if (!type || !mayHold(within).has(type)) return `${nameOf(child)} never stands in ${within.name}`;
  if (!(child instanceof Y.XmlElement)) return null;
  return depthOf(item, MOST_DEPTH) < MOST_DEPTH ? elementFault(child) : "it is nested too deeply";
}

const nameOf = (type: unknown) => (type instanceof Y.XmlElement ? String(type.nodeName) : "what was sent");
function typeOf(type: unknown): NodeType | undefined {
  if (type instanceof Y.XmlElement)
    return Object.hasOwn(schema.nodes, type.nodeName) ? schema.nodes[type.nodeName] : undefined;
  const isPart = type instanceof Y.XmlFragment && type._item === null && type === partOf(type.doc as Y.Doc);
  return isPart ? schema.topNodeType : undefined;
}

function elementFault(element: Y.XmlElement): string | null {
  const type = typeOf(element);
  if (!type) return `${nameOf(element)} is no part of a text`;
  return attributesFault(type.name, type.spec.attrs ?? {}, element.getAttributes());
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

function markFault(within: NodeType, name: string, attrs: unknown): string | null {
  const mark: MarkType | undefined = Object.hasOwn(schema.marks, name) ? schema.marks[name] : undefined;
  if (!mark || !within.allowsMarkType(mark)) return `${name} never stands in ${within.name}`;
  if (attrs === null) return null;
  if (typeof attrs !== "object") return `${name} has no such value`;
  return attributesFault(name, mark.spec.attrs ?? {}, attrs as Attributes);
}
