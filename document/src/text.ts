// Derives data from a content: its plain text for search and excerpts, its references for backlinks, its attachments
// for access.
import { attachmentOf, isId } from "./attributes.ts";
import type { DocumentJson, Mentioned, NodeJson } from "./schema.ts";

/** One line per block of text; tabs separate the cells of a row. */
export const toText = (content: DocumentJson): string => linesOf(content).join("\n");

function linesOf(node: NodeJson): string[] {
  const { type, content = [] } = node;
  if (type === "table_row") return [content.map((cell) => wordsOf(cell.content ?? [])).join("\t")];
  if (content.some(isInline)) return [wordsOf(content)];
  return content.flatMap(linesOf);
}
const INLINE = new Set(["text", "hard_break", "image", "file", "mention", "footnote_reference"]);
const isInline = ({ type }: NodeJson) => INLINE.has(type);

function wordsOf(nodes: readonly NodeJson[]): string {
  return nodes
    .map(({ type, text, attrs }) => {
      if (type === "hard_break") return "\n";
      if (type === "footnote_reference") return `[${attrs?.label}]`;
      return text ?? String(attrs?.alt ?? attrs?.name ?? attrs?.label ?? "");
    })
    .join("");
}

function* nodesIn(node: NodeJson): Generator<NodeJson> {
  yield node;
  for (const child of node.content ?? []) yield* nodesIn(child);
}

export interface Reference {
  kind: Mentioned;
  id?: string;
  code?: string;
}
/** References without duplicates, in the order of the text: by id, or by the code that a person typed. */
export function referencesOf(content: DocumentJson): Reference[] {
  const found = new Map<string, Reference>();
  for (const { type, attrs } of nodesIn(content)) {
    if (type !== "mention") continue;
    const [kind, id] = [attrs?.kind as Mentioned, attrs?.id as string];
    found.set(`${kind}/${id}`, { kind, ...(isId(id) ? { id } : { code: id }) });
  }
  return [...found.values()];
}

export function attachmentsOf(content: DocumentJson): string[] {
  const found = new Set<string>();
  for (const { type, attrs } of nodesIn(content)) {
    const id =
      type === "file" ? (attrs?.attachment_id as string) : type === "image" ? attachmentOf(String(attrs?.src)) : null;
    if (id !== null) found.add(id);
  }
  return [...found];
}
