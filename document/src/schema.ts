// The one schema of a Document's content, which server and browser share. Names are those of the wire format; only text
// has marks. This file declares the content of nodes; attributes.ts validates their attributes.
import { type MarkSpec, type NodeSpec, Schema } from "prosemirror-model";

export interface MarkJson {
  type: string;
  attrs?: Record<string, unknown>;
}
export interface NodeJson {
  type: string;
  attrs?: Record<string, unknown>;
  content?: NodeJson[];
  text?: string;
  marks?: MarkJson[];
}
export interface DocumentJson extends NodeJson {
  type: "doc";
  content: NodeJson[];
}

const required = {};
const optional = { default: null };

const nodes: Record<string, NodeSpec> = {
  doc: { content: "block+" },
  paragraph: { group: "block", content: "inline*" },
  heading: { group: "block", content: "inline*", attrs: { level: required }, defining: true },
  bullet_list: { group: "block", content: "(list_item | task_item)+" },
  ordered_list: { group: "block", content: "(list_item | task_item)+", attrs: { start: { default: 1 } } },
  list_item: { content: "block+", defining: true },
  task_item: { content: "paragraph block*", attrs: { checked: { default: false } }, defining: true },
  blockquote: { group: "block", content: "block+", defining: true },
  callout: { group: "block", content: "block+", attrs: { kind: required }, defining: true },
  details: { group: "block", content: "summary block+", defining: true },
  summary: { content: "inline*", defining: true },
  // Mathematics and diagrams are code blocks in the languages math and mermaid.
  code_block: {
    group: "block",
    content: "text*",
    marks: "",
    attrs: { language: optional },
    code: true,
    defining: true,
  },
  // The first row is the header, and its cells define the alignment of their columns.
  table: { group: "block", content: "table_row+", isolating: true, tableRole: "table" },
  table_row: { content: "(table_header | table_cell)+", tableRole: "row" },
  table_header: { content: "inline*", attrs: { align: optional }, isolating: true, tableRole: "header_cell" },
  table_cell: { content: "inline*", isolating: true, tableRole: "cell" },
  divider: { group: "block" },
  footnote: { group: "block", content: "block+", attrs: { label: required }, defining: true },

  text: { group: "inline" },
  hard_break: { group: "inline", inline: true, selectable: false },
  /**
   * src is an address, or attachment: with the id of an attachment of the Document. link is the target of the image.
   */
  image: {
    group: "inline",
    inline: true,
    attrs: { src: required, alt: { default: "" }, title: optional, link: optional },
  },
  file: { group: "inline", inline: true, attrs: { attachment_id: required, name: required } },
  mention: { group: "inline", inline: true, attrs: { kind: required, id: required, label: required } },
  footnote_reference: { group: "inline", inline: true, attrs: { label: required } },
};

const marks: Record<string, MarkSpec> = {
  link: { attrs: { href: required, title: optional }, inclusive: false },
  bold: {},
  italic: {},
  strike: {},
  underline: {},
  highlight: {},
  code: {},
};

export const schema = new Schema({ nodes, marks });

export const MENTIONED = ["person", "task", "document", "project", "milestone"] as const;
export type Mentioned = (typeof MENTIONED)[number];
export const CALLOUTS = ["note", "tip", "important", "warning", "caution"] as const;
/** Maximum nesting of nodes, far beyond real texts, so that readers may recurse through a content. */
export const MOST_DEPTH = 64;
export const EMPTY_PARAGRAPH: NodeJson = Object.freeze({ type: "paragraph" });
