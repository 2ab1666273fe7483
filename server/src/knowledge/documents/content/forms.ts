// Operations on contents that run in a worker thread: parse Markdown or validate a content, render its three forms, and
// compare two. Contents travel as JSON text, so that the event loop does not parse them.
import {
  attachmentsOf,
  check,
  type DocumentJson,
  fromMarkdown,
  type NodeJson,
  type Reference,
  referencesOf,
  requireWithinLimits,
  toMarkdown,
  toText,
} from "@svc/document/document.ts";
import { type Compared, compare, type Side } from "./comparison.ts";
import { type Edit, patched, rebased } from "./patch-rules.ts";

/** A content in its three forms, the first as JSON text, and the resources that it refers to. */
export interface Forms {
  content: string;
  markdown: string;
  text: string;
  /** Length of the Markdown in characters. */
  size: number;
  references: Reference[];
  attachments: string[];
}
/**
 * Resolved references, by kind and name: the id, or null for a reference that becomes text. References not listed stay
 * unchanged.
 */
export type Meant = Readonly<Record<string, string | null>>;
export const meaning = (kind: string, name: string) => `${kind}/${name}`;

function formsOf(content: DocumentJson): Forms {
  const markdown = toMarkdown(content);
  return {
    content: JSON.stringify(content),
    markdown,
    text: toText(content),
    size: markdown.length - (markdown.match(/[\ud800-\udbff]/g)?.length ?? 0),
    references: referencesOf(content),
    attachments: attachmentsOf(content),
  };
}

function withMeaning(node: NodeJson, meant: Meant): NodeJson {
  if (node.content) return { ...node, content: node.content.map((child) => withMeaning(child, meant)) };
  if (node.type !== "mention") return node;
  const { kind, id, label } = node.attrs as { kind: string; id: string; label: string };
  const known = meant[meaning(kind, id)];
  if (known === null) return { type: "text", text: label || id };
  return known === undefined ? node : { ...node, attrs: { ...node.attrs, id: known } };
}

export const tasks = {
  parse: (markdown: string, limited: boolean): Forms => formsOf(fromMarkdown(markdown, { limited })),
  render: (content: string, limited: boolean): Forms => {
    const checked = check(JSON.parse(content));
    if (limited) requireWithinLimits(checked);
    return formsOf(checked);
  },
  mean: (content: string, meant: Meant): Forms => formsOf(check(withMeaning(JSON.parse(content), meant))),
  /**
   * Applies edits to a content, or rebases them onto a later one. Returns the conflicting ones if they overlap with its
   * changes.
   */
  patch: (base: string, onto: string | null, edits: readonly Edit[]) => {
    const [from, to] = [JSON.parse(base), onto === null ? null : JSON.parse(onto)];
    const made = to === null ? patched(from, edits) : rebased(from, to, edits);
    if ("conflicts" in made) return made;
    const content = check(made.content);
    requireWithinLimits(content);
    return { edits: made.edits, forms: formsOf(content) };
  },
  compare: (from: Side<string>, to: Side<string>): Compared =>
    compare({ ...from, content: JSON.parse(from.content) }, { ...to, content: JSON.parse(to.content) }),
};
export type FormTasks = typeof tasks;
