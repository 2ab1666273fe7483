// Validates a content against the schema and returns its canonical form: contents that look the same are the same JSON.
// Concurrent edits can leave rows of different lengths or bold spaces, which are repaired. Anything outside the schema
// is rejected with a JSON pointer.
import type { ContentMatch, NodeType } from "prosemirror-model";
import { attachmentOf, attributes, isText, referenceOf } from "./attributes.ts";
import { type DocumentJson, type MarkJson, MOST_DEPTH, type NodeJson, schema } from "./schema.ts";

export class InvalidContent extends Error {
  readonly pointer: string;
  constructor(pointer: string, message: string) {
    super(message);
    this.name = "InvalidContent";
    this.pointer = pointer;
  }
}
const invalid = (pointer: string, message: string): never => {
  throw new InvalidContent(pointer, message);
};

export function check(content: unknown): DocumentJson {
  const node = nodeOf(content, "", 0, { cells: 0 });
  if (node.type !== "doc") invalid("/type", 'must be "doc"');
  return node as DocumentJson;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Number of parts added to a content so far. */
interface Added {
  cells: number;
}

function nodeOf(value: unknown, pointer: string, depth: number, added: Added): NodeJson {
  if (!isObject(value)) return invalid(pointer, "must be an object with a type");
  const { type, attrs, content, text, marks, ...rest } = value;
  const known = typeof type === "string" && Object.hasOwn(schema.nodes, type) ? schema.nodes[type] : undefined;
  if (!known) return invalid(`${pointer}/type`, `must be one of ${Object.keys(schema.nodes).join(", ")}`);
  const [unknown] = Object.keys(rest);
  if (unknown !== undefined) invalid(`${pointer}/${unknown}`, "is not a field of a node");
  if (depth > MOST_DEPTH) invalid(pointer, `is nested too deeply; at most ${MOST_DEPTH} levels are allowed`);
  const marked = marksOf(marks, `${pointer}/marks`);
  if (known.isText) return textOf(text, attrs ?? content, marked, pointer);
  if (text !== undefined) invalid(`${pointer}/text`, "belongs to nodes of the type text only");
  const kept = attrsOf(known.name, known.spec.attrs ?? {}, attrs, `${pointer}/attrs`);
  const inside = content ?? [];
  if (!Array.isArray(inside)) return invalid(`${pointer}/content`, "must be an array of nodes");
  const nodes = inside.map((each, at) => nodeOf(each, `${pointer}/content/${at}`, depth + 1, added));
  fits(known, nodes, pointer);
  const canonical = known.inlineContent
    ? inlineOf(known, nodes)
    : known.name === "table"
      ? rowsOf(nodes, pointer, added)
      : nodes;
  return {
    type: known.name,
    ...(kept && { attrs: kept }),
    ...(canonical.length > 0 && { content: canonical }),
  };
}

function fits(type: NodeType, nodes: readonly NodeJson[], pointer: string): void {
  let match: ContentMatch = type.contentMatch;
  for (const [at, node] of nodes.entries()) {
    const next = match.matchType(schema.nodes[node.type] as NodeType);
    match = next ?? invalid(`${pointer}/content/${at}`, `${node.type} cannot stand here in ${type.name}`);
  }
  if (!match.validEnd) invalid(`${pointer}/content`, `${type.name} lacks what it must hold: ${type.spec.content}`);
}

function textOf(text: unknown, other: unknown, marks: MarkJson[], pointer: string): NodeJson {
  if (other !== undefined) invalid(pointer, "a text has neither attrs nor content");
  if (!isText(text) || text === "") return invalid(`${pointer}/text`, "must be text without control characters");
  return { type: "text", ...(marks.length > 0 && { marks }), text };
}

function attrsOf(name: string, specs: Record<string, { default?: unknown }>, attrs: unknown, pointer: string) {
  const given = attrs ?? {};
  if (!isObject(given)) return invalid(pointer, "must be an object");
  for (const key of Object.keys(given))
    if (!Object.hasOwn(specs, key)) invalid(`${pointer}/${key}`, `is not an attribute of ${name}`);
  const kept = Object.entries(specs).map(([key, spec]) => {
    const value = given[key] === undefined ? spec.default : given[key];
    const canonical = value === undefined ? undefined : attributes[name]?.[key]?.(value);
    return [
      key,
      canonical === undefined ? invalid(`${pointer}/${key}`, "is missing, malformed or not allowed") : canonical,
    ];
  });
  return kept.length > 0 ? Object.fromEntries(kept) : undefined;
}

/**
 * Marks in the order of the schema, without duplicates. A link must not encode a reference: mentions and files do that.
 */
function marksOf(value: unknown, pointer: string): MarkJson[] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) return invalid(pointer, "must be an array of marks");
  const marks = new Map<string, MarkJson>();
  for (const [at, mark] of value.entries()) {
    const here = `${pointer}/${at}`;
    if (!isObject(mark)) return invalid(here, "must be an object with a type");
    const { type, attrs, ...rest } = mark;
    const known = typeof type === "string" && Object.hasOwn(schema.marks, type) ? schema.marks[type] : undefined;
    if (!known || Object.keys(rest).length > 0)
      return invalid(here, `must have one of the types ${Object.keys(schema.marks).join(", ")}, and attrs at most`);
    const kept = attrsOf(known.name, known.spec.attrs ?? {}, attrs, `${here}/attrs`);
    const href = kept?.href;
    if (typeof href !== "string" || (!referenceOf(href) && !attachmentOf(href)))
      marks.set(known.name, { type: known.name, ...(kept && { attrs: kept }) });
  }
  return Object.keys(schema.marks).flatMap((name) => marks.get(name) ?? []);
}

// ---- the canonical form
// ----------------------------------------------------------------------------------------------------------------

/** Compares marks. Marks have one order, and only links have attributes. */
const sameMarks = ({ marks: a = [] }: NodeJson, { marks: b = [] }: NodeJson) =>
  a.length === b.length &&
  a.every(({ type, attrs }, at) => {
    const other = b[at];
    return type === other?.type && attrs?.href === other.attrs?.href && attrs?.title === other.attrs?.title;
  });
const hasMark = (node: NodeJson | undefined, name: string) => node?.marks?.some(({ type }) => type === name) ?? false;

/** Joins adjacent text with the same marks, removes line breaks from it, and removes marks from other nodes. */
function inlineOf(type: NodeType, nodes: readonly NodeJson[]): NodeJson[] {
  const code = type.spec.code === true;
  const plain = nodes.map((node) => {
    const { marks, ...rest } = node;
    if (node.text === undefined) return rest;
    const text = code ? node.text.replace(/\r\n?/g, "\n") : node.text.replace(/\r\n?|\n/g, " ");
    return { type: "text", ...(marks && !code && { marks }), text };
  });
  return joined(code ? plain : ["bold", "italic"].reduce(withoutMarkedSpace, joined(plain)));
}

function joined(nodes: readonly NodeJson[]): NodeJson[] {
  const out: NodeJson[] = [];
  for (const node of nodes) {
    const last = out.at(-1);
    if (node.text !== undefined && last?.text !== undefined && sameMarks(last, node))
      out[out.length - 1] = { ...last, text: last.text + node.text };
    else out.push(node);
  }
  return out;
}

/** Removes a mark from spaces at the edge of the marked text, where it is invisible. */
function withoutMarkedSpace(nodes: readonly NodeJson[], name: string): NodeJson[] {
  const out: NodeJson[] = [];
  for (let at = 0; at < nodes.length; at++) {
    if (!hasMark(nodes[at], name)) {
      out.push(nodes[at] as NodeJson);
      continue;
    }
    let end = at;
    while (hasMark(nodes[end + 1], name)) end++;
    const run = nodes.slice(at, end + 1);
    const shown = (node: NodeJson) => hasMark(node, "code") || /\S/u.test(node.text ?? "");
    const [first, last] = [run.findIndex(shown), run.findLastIndex(shown)];
    for (const [place, node] of run.entries()) {
      const text = node.text as string;
      const bare = hasMark(node, "code");
      const from = first < 0 || place < first ? text.length : place === first && !bare ? text.search(/\S/u) : 0;
      const to = place > last ? from : place === last && !bare ? text.trimEnd().length : text.length;
      out.push(
        ...part(node, text.slice(0, from), name),
        ...part(node, text.slice(from, to)),
        ...part(node, text.slice(to), name),
      );
    }
    at = end;
  }
  return joined(out);
}
function part({ marks = [] }: NodeJson, text: string, without = ""): NodeJson[] {
  const kept = marks.filter(({ type }) => type !== without);
  return text === "" ? [] : [{ type: "text", ...(kept.length > 0 && { marks: kept }), text }];
}

/** Maximum number of cells in one table, and of cells added to all tables: one long row lengthens every other row. */
const MOST_CELLS = 200_000;
/** Pads all rows to the longest; the first one is the header. */
function rowsOf(rows: readonly NodeJson[], pointer: string, added: Added): NodeJson[] {
  const width = rows.reduce((most, { content = [] }) => Math.max(most, content.length), 0);
  added.cells += rows.reduce((sum, { content = [] }) => sum + width - content.length, 0);
  if (width * rows.length > MOST_CELLS || added.cells > MOST_CELLS)
    return invalid(pointer, `has too many cells; at most ${MOST_CELLS} are allowed`);
  return rows.map(({ content = [] }, at) => {
    const cells = Array.from({ length: width }, (_, column): NodeJson => {
      const { attrs, content: inside } = content[column] ?? { type: "table_cell" };
      const kept = inside && { content: inside };
      return at === 0
        ? { type: "table_header", attrs: { align: attrs?.align ?? null }, ...kept }
        : { type: "table_cell", ...kept };
    });
    return { type: "table_row", content: cells };
  });
}
