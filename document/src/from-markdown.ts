// Parses Markdown: converts the parser's tokens to nodes of the schema. Visible content is never dropped: tokens
// without a node of their own become text.
import type { Token } from "markdown-it";
import { asText, attachmentOf, attributes, onOneLine, referenceOf } from "./attributes.ts";
import { check } from "./check.ts";
import { requireWithinLimits } from "./limits.ts";
import { tokensOf, unescapeAll } from "./parser.ts";
import type { DocumentJson, MarkJson, NodeJson } from "./schema.ts";

/** `limited`: rejects a content above the limits for new input; stored content is read without limits. */
export function fromMarkdown(markdown: string, { limited = false } = {}): DocumentJson {
  const reader = { tokens: tokensOf(asText(markdown), limited), at: 0 };
  const content: DocumentJson = { type: "doc", content: blocksUntil(reader, undefined) };
  if (limited) requireWithinLimits(content);
  return check(content);
}

interface Reader {
  tokens: readonly Token[];
  at: number;
}

/** Reads blocks up to and including the closing token. An empty container gets an empty paragraph. */
function blocksUntil(reader: Reader, closing: string | undefined): NodeJson[] {
  const nodes: NodeJson[] = [];
  while (reader.at < reader.tokens.length) {
    const token = reader.tokens[reader.at++] as Token;
    if (token.type === closing) break;
    for (const node of blockOf(token, reader)) nodes.push(node);
  }
  return nodes.length > 0 ? nodes : [{ type: "paragraph" }];
}

const attr = (token: Token, name: string) => String(token.attrGet(name) ?? "");
const said = (token: Token, name: string) => token.meta?.[name];
const ALIGNED = /text-align:(left|center|right)/;

function blockOf(token: Token, reader: Reader): NodeJson[] {
  const inside = () => blocksUntil(reader, token.type.replace("_open", "_close"));
  const words = () => inlineUntilClosed(reader);
  switch (token.type) {
    case "paragraph_open":
      return [{ type: "paragraph", content: words() }];
    case "heading_open":
      return [{ type: "heading", attrs: { level: Number(token.tag.slice(1)) }, content: words() }];
    case "summary_open":
      return [{ type: "summary", content: words() }];
    case "th_open": {
      const align = ALIGNED.exec(attr(token, "style"))?.[1] ?? null;
      return [{ type: "table_header", attrs: { align }, content: words() }];
    }
    case "td_open":
      return [{ type: "table_cell", content: words() }];
    case "tr_open":
      return [{ type: "table_row", content: inside() }];
    case "table_open":
      return [{ type: "table", content: inside() }];
    case "bullet_list_open":
      return [{ type: "bullet_list", content: inside() }];
    case "ordered_list_open":
      return [{ type: "ordered_list", attrs: { start: Number(attr(token, "start") || 1) }, content: inside() }];
    case "list_item_open":
      return token.meta
        ? [{ type: "task_item", attrs: { checked: said(token, "checked") }, content: inside() }]
        : [{ type: "list_item", content: inside() }];
    case "blockquote_open":
      if (said(token, "callout"))
        return [{ type: "callout", attrs: { kind: said(token, "callout") }, content: inside() }];
      return [{ type: said(token, "details") ? "details" : "blockquote", content: inside() }];
    case "footnote_open":
      return [{ type: "footnote", attrs: { label: said(token, "label") }, content: inside() }];
    case "fence":
      return [codeBlock(token.content, unescapeAll(token.info).trim())];
    case "code_block":
      return [codeBlock(token.content, "")];
    // Preserves a link definition that no link uses as text.
    case "reference_definition":
      return [{ type: "paragraph", content: [{ type: "text", text: token.content }] }];
    case "hr":
      return [{ type: "divider" }];
    // The head and the body of a table are no nodes, only their rows are.
    default:
      return [];
  }
}

function codeBlock(code: string, info: string): NodeJson {
  const text = code.replace(/\n$/, "");
  const language = attributes.code_block?.language?.(asText(info)) ?? null;
  return { type: "code_block", attrs: { language }, content: text === "" ? [] : [{ type: "text", text }] };
}

function inlineUntilClosed(reader: Reader): NodeJson[] {
  const inline = reader.tokens[reader.at] as Token;
  if (inline.type !== "inline") {
    reader.at++;
    return [];
  }
  reader.at += 2;
  return inlineOf(inline.children ?? []);
}

const MARKS: Readonly<Record<string, string>> = { strong: "bold", em: "italic", s: "strike" };

function inlineOf(tokens: readonly Token[]): NodeJson[] {
  const nodes: NodeJson[] = [];
  const marks: MarkJson[] = [];
  /**
   * Nesting depth of each mark: emphasis can nest as deep as a text is long, and a second mark of one kind has no
   * effect.
   */
  const open = new Map<string, number>();
  const enter = (mark: MarkJson) => {
    const count = open.get(mark.type) ?? 0;
    open.set(mark.type, count + 1);
    if (count === 0) marks.push(mark);
  };
  const leave = (type: string) => {
    const count = (open.get(type) ?? 0) - 1;
    open.set(type, count);
    if (count > 0) return;
    const at = marks.findIndex((mark) => mark.type === type);
    if (at >= 0) marks.splice(at, 1);
  };
  const add = (text: string, more: MarkJson[] = []) => {
    // A line break written as a character reference becomes a hard break.
    for (const [at, piece] of asText(text)
      .split(/\r\n?|\n/)
      .entries()) {
      if (at > 0) nodes.push({ type: "hard_break" });
      if (piece !== "") nodes.push({ type: "text", text: piece, marks: [...marks, ...more] });
    }
  };
  for (let at = 0; at < tokens.length; at++) {
    const token = tokens[at] as Token;
    const mark = token.type.startsWith("span_")
      ? String(said(token, "mark"))
      : MARKS[token.type.replace(/_(?:open|close)$/, "")];
    if (mark && token.nesting > 0) enter({ type: mark });
    else if (mark) leave(mark);
    else if (token.type === "link_close") leave("link");
    else if (token.type === "link_open") {
      let end = at + 1;
      while (tokens[end]?.type !== "link_close") end++;
      const href = attr(token, "href");
      const reference = referenceTo(href, tokens.slice(at + 1, end));
      if (reference) {
        nodes.push(reference);
        at = end;
        continue;
      }
      enter({ type: "link", attrs: { href, title: attr(token, "title") || null } });
      // A link without text would be invisible.
      if (end === at + 1) add(href === "" ? "link" : href);
    } else if (token.type === "text" || token.type === "html_inline") add(token.content);
    else if (token.type === "softbreak") add(" ");
    else if (token.type === "hardbreak") nodes.push({ type: "hard_break" });
    else if (token.type === "code_inline") add(token.content, [{ type: "code" }]);
    else if (token.type === "image") nodes.push(imageOf(token, marks));
    else if (token.type === "footnote_reference")
      nodes.push({ type: "footnote_reference", attrs: { label: said(token, "label") } });
  }
  return nodes;
}

function referenceTo(href: string, inside: readonly Token[]): NodeJson | null {
  const reference = referenceOf(href);
  if (reference) return { type: "mention", attrs: { ...reference, label: wordsOf(inside) } };
  const attachment = attachmentOf(href);
  return attachment === null ? null : { type: "file", attrs: { attachment_id: attachment, name: wordsOf(inside) } };
}

function imageOf(token: Token, marks: readonly MarkJson[]): NodeJson {
  const [src, title] = [attr(token, "src"), attr(token, "title") || null];
  const link = marks.find(({ type }) => type === "link")?.attrs ?? null;
  return { type: "image", attrs: { src, alt: wordsOf(token.children ?? []), title, link } };
}

/** Plain text on one line. */
function wordsOf(tokens: readonly Token[]): string {
  const words = tokens.map((token) => {
    if (token.type === "image") return wordsOf(token.children ?? []);
    if (token.type === "footnote_reference") return `[^${said(token, "label")}]`;
    return token.type === "softbreak" || token.type === "hardbreak" ? " " : token.content;
  });
  return onOneLine(asText(words.join("")));
}
