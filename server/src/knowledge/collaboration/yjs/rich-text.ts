// Converts rich text between its two forms: a Yjs document in the layout of y-prosemirror, and the stored document.
// Pure.
import { asText } from "@svc/document/attributes.ts";
import { schema } from "@svc/document/schema.ts";
import { Fragment, Mark, type Node, type NodeType } from "prosemirror-model";
import * as Y from "yjs";

/** The only part of the Yjs document with content. */
export const PART = "default";
export const partOf = (doc: Y.Doc) => doc.getXmlFragment(PART);

type Attributes = Record<string, unknown>;
/** Marks that may overlap themselves have a digest in their name. */
export const markName = (key: string) => key.replace(/--[\w+/=]{8}$/, "");

function marksOf(attributes: Attributes | undefined): readonly Mark[] {
  const marks = Object.entries(attributes ?? {}).filter(([, attrs]) => attrs !== null);
  return Mark.setFrom(marks.map(([key, attrs]) => schema.mark(markName(key), attrs as Attributes)));
}
export const attributesOf = (marks: readonly Mark[]): Attributes =>
  Object.fromEntries(marks.map((mark) => [mark.type.name, mark.attrs]));

/**
 * Converts the live text to a document that fits the schema. If concurrent changes do not fit, their text is preserved.
 */
export function nodeOf(part: Y.XmlFragment): Node {
  const children = childrenOf(part);
  const fitting = created(schema.topNodeType, {}, children);
  if (fitting) return fitting;
  const blocks = children.flatMap((child) => (fits(schema.topNodeType, child) ? [child] : inParagraph(child)));
  return created(schema.topNodeType, {}, blocks) ?? (schema.topNodeType.createAndFill() as Node);
}

function childrenOf(parent: Y.XmlFragment): Node[] {
  return parent.toArray().flatMap((child) => {
    if (child instanceof Y.XmlText) return textsOf(child);
    return child instanceof Y.XmlElement ? elementOf(child) : [];
  });
}

export const textsOf = (text: Y.XmlText): Node[] =>
  (text.toDelta() as { insert: string; attributes?: Attributes }[]).map(({ insert, attributes }) =>
    schema.text(asText(insert), marksOf(attributes)),
  );

/** The element, or its children if it does not fit. */
function elementOf(element: Y.XmlElement): Node[] {
  const type = schema.nodes[element.nodeName];
  const children = childrenOf(element);
  if (!type) return children;
  const made = created(type, element.getAttributes() as Attributes, children);
  return made ? [made] : children;
}

function created(type: NodeType, attrs: Attributes, children: readonly Node[]): Node | null {
  const content = Fragment.from(children as Node[]);
  try {
    if (type.validContent(content)) return type.create(attrs, content);
    const filled = type.createAndFill(attrs, content);
    return filled && type.validContent(filled.content) ? filled : null;
  } catch {
    return null;
  }
}

const fits = (parent: NodeType, child: Node) => created(parent, {}, [child]) !== null;
function inParagraph(child: Node): Node[] {
  const paragraph = schema.nodes.paragraph as NodeType;
  if (child.isInline) return [paragraph.create(null, child)];
  return child.textContent === "" ? [] : [paragraph.create(null, schema.text(child.textContent))];
}

/** Converts a node, with all its children. */
function elementFor(node: Node): Y.XmlElement {
  const element = new Y.XmlElement(node.type.name);
  for (const [name, value] of Object.entries(elementAttributes(node))) element.setAttribute(name, value as string);
  element.insert(0, partsFor(node.content));
  return element;
}
/** Omits attributes that are null. */
export const elementAttributes = ({ attrs }: Node): Attributes =>
  Object.fromEntries(Object.entries(attrs).filter(([, value]) => value !== null));

/** Groups siblings: each node that is no text by itself, consecutive texts together. */
export function grouped(content: Fragment): (Node | Node[])[] {
  const groups: (Node | Node[])[] = [];
  content.forEach((node) => {
    const last = groups.at(-1);
    if (!node.isText) groups.push(node);
    else if (Array.isArray(last)) last.push(node);
    else groups.push([node]);
  });
  return groups;
}
export const partFor = (group: Node | Node[]) => (Array.isArray(group) ? textFor(group) : elementFor(group));
const partsFor = (content: Fragment) => grouped(content).map(partFor);
function textFor(nodes: Node[]): Y.XmlText {
  const text = new Y.XmlText();
  text.applyDelta(nodes.map((node) => ({ insert: node.text as string, attributes: attributesOf(node.marks) })));
  return text;
}

/** The initial state of a collaborative text. */
export function stateFor(node: Node): Uint8Array {
  const doc = new Y.Doc();
  partOf(doc).insert(0, partsFor(node.content));
  return Y.encodeStateAsUpdate(doc);
}

/** Merging all updates at once takes quadratic time: 20,000 take 45 s, and 0.3 s in batches. */
const AT_ONCE = 200;
/** Merges many updates into one. */
export function mergedUpdate(updates: readonly Uint8Array[]): Uint8Array {
  if (updates.length <= AT_ONCE)
    return updates.length === 1 ? (updates[0] as Uint8Array) : Y.mergeUpdates([...updates]);
  const parts: Uint8Array[] = [];
  for (let at = 0; at < updates.length; at += AT_ONCE) parts.push(mergedUpdate(updates.slice(at, at + AT_ONCE)));
  return mergedUpdate(parts);
}

/**
 * A document that never changes by itself. By default, Yjs deletes formatting that an update made redundant. The author
 * of the update does not receive this deletion, and copies with different deletions diverge as soon as somebody changes
 * that formatting. Editors send such deletions themselves.
 */
export function docOf(...updates: readonly Uint8Array[]): Y.Doc {
  const doc = new Y.Doc();
  doc.on("afterTransaction", (transaction) => {
    transaction._needFormattingCleanup = false;
  });
  Y.applyUpdate(doc, mergedUpdate(updates));
  return doc;
}
