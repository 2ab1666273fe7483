// Writes Markdown in one canonical form: parsing it yields the same content, and writing that yields the same text.
import { inlineMarkdown } from "./inline-markdown.ts";
import { NOTHING } from "./parser.ts";
import type { DocumentJson, NodeJson } from "./schema.ts";

export const toMarkdown = ({ content }: DocumentJson): string => blocks(content);

const isEmpty = ({ type, content }: NodeJson) => type === "paragraph" && !content;
const isList = ({ type }: NodeJson) => type === "bullet_list" || type === "ordered_list";

/**
 * A single empty paragraph is written as nothing; among others it is written explicitly. `other`: a list at the
 * beginning uses the alternative marker.
 */
function blocks(nodes: readonly NodeJson[], between = "\n\n", other = false): string {
  const [only] = nodes;
  if (nodes.length === 1 && only && isEmpty(only)) return "";
  let second = other;
  return nodes
    .map((node, at) => {
      // Adjacent lists alternate their markers, so that they do not merge.
      if (at > 0) second = nodes[at - 1]?.type === node.type && !second;
      return isList(node) ? list(node, second) : block(node);
    })
    .join(between);
}

function block(node: NodeJson): string {
  const { attrs = {}, content = [] } = node;
  switch (node.type) {
    case "paragraph":
      return isEmpty(node) ? NOTHING : inlineMarkdown(content);
    case "heading":
      return `${"#".repeat(attrs.level as number)} ${inlineMarkdown(content, true)}`.trimEnd();
    case "code_block":
      return codeBlock(content.map(({ text }) => text).join(""), (attrs.language as string | null) ?? "");
    case "divider":
      return "***";
    case "table":
      return table(content);
    case "footnote":
      return indented(`[^${attrs.label}]: `, "    ", blocks(content)).trimEnd();
    case "callout":
      return quoted(special(`[!${String(attrs.kind).toUpperCase()}]`, content, "\n"));
    case "details": {
      const [summary, ...rest] = content as [NodeJson, ...NodeJson[]];
      return quoted(special(`[!DETAILS] ${inlineMarkdown(summary.content ?? [], true)}`.trimEnd(), rest, "\n\n"));
    }
    default:
      return quoted(blocks(content));
  }
}

/**
 * A paragraph follows the marker of a callout directly; other blocks follow an empty line, or they would become part of
 * the marker's paragraph.
 */
function special(marker: string, content: readonly NodeJson[], beforeWords: string): string {
  const [first] = content;
  const inside = blocks(content);
  if (inside === "") return marker;
  return marker + (first?.type === "paragraph" && !isEmpty(first) ? beforeWords : "\n\n") + inside;
}

const quoted = (text: string) => text.replace(/^(?=.)/gm, "> ").replace(/^$/gm, ">");
/** Writes the marker before the first line and indents the others. */
const indented = (marker: string, indent: string, text: string) => marker + text.replace(/\n(?=[^\n])/g, `\n${indent}`);

function list({ type, attrs, content = [] }: NodeJson, second: boolean): string {
  const tight = content.every((item) => isTight(item.content ?? []));
  return content
    .map((item, at) => {
      const number = Math.min(Number(attrs?.start) + at, 999_999_999);
      const sign = type === "bullet_list" ? (second ? "+" : "-") : `${number}${second ? ")" : "."}`;
      const box = item.attrs ? (item.attrs.checked ? "[x] " : "[ ] ") : "";
      // A nested first list uses the other marker: three equal markers on one line would be a divider.
      const inside = blocks(item.content ?? [], tight ? "\n" : "\n\n", !second);
      return indented(`${sign} ${box}`, " ".repeat(sign.length + 1), inside).trimEnd();
    })
    .join(tight ? "\n" : "\n\n");
}

/** True for a paragraph followed by at most one list that would not be parsed as part of it. */
function isTight([first, second, third]: readonly NodeJson[]): boolean {
  if (first?.type !== "paragraph" || third) return false;
  if (!second) return true;
  const start = second.content?.[0]?.content?.[0];
  return (
    isList(second) && (second.attrs?.start ?? 1) === 1 && start !== undefined && !isEmpty(start) && !isEmpty(first)
  );
}

function codeBlock(code: string, language: string): string {
  const sign = language.includes("`") ? "~" : "`";
  const runs = code.match(sign === "~" ? /~{3,}/g : /`{3,}/g) ?? [];
  const fence = sign.repeat(runs.reduce((most, { length }) => Math.max(most, length + 1), 3));
  // A bar in the first line could start a table.
  const info = language.replace(/[\\&]|^~/g, "\\$&").replaceAll("|", "&#124;");
  return `${fence}${info}\n${code === "" ? "" : `${code}\n`}${fence}`;
}

const RULES: Readonly<Record<string, string>> = { left: ":--", center: ":-:", right: "--:" };
function table(rows: readonly NodeJson[]): string {
  const cell = ({ content = [] }: NodeJson) => inlineMarkdown(content, true).replaceAll("|", "\\|");
  const row = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  const [head, ...body] = rows.map(({ content = [] }) => row(content.map(cell)));
  const rules = rows[0]?.content?.map(({ attrs }) => RULES[String(attrs?.align)] ?? "---") ?? [];
  return [head, row(rules), ...body].join("\n");
}
