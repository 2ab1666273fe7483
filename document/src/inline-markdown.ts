// Writes the inline content of a block as Markdown. It first writes the usual syntax. If that would parse differently
// (bold signs between letters, spaces at an edge), it writes again with every sign escaped and every mark as a span,
// which parses unambiguously.
import { fromMarkdown } from "./from-markdown.ts";
import type { MarkJson, NodeJson } from "./schema.ts";

/** `oneLine`: for a heading, a summary or a cell, where a line break is written as a character reference. */
export function inlineMarkdown(nodes: readonly NodeJson[], oneLine = false): string {
  if (nodes.length === 0) return "";
  const [only] = nodes;
  if (nodes.length === 1 && only?.text !== undefined && !only.marks && PLAIN.test(only.text)) return only.text;
  const pretty = written(nodes, { oneLine, safe: false });
  return readsAs(oneLine ? `# ${pretty}` : pretty, nodes) ? pretty : written(nodes, { oneLine, safe: true });
}

/** Text that no parser reads as anything else. */
const PLAIN = /^[\p{L}\p{N}](?:[\p{L}\p{N} ,;%€§?'"/()-]|\.(?=[^\d\s)]|\s\p{L}|$))*(?<=[^\s.]|\p{L}\.)$/u;

function readsAs(markdown: string, nodes: readonly NodeJson[]): boolean {
  const { content } = fromMarkdown(markdown);
  return content.length === 1 && JSON.stringify(content[0]?.content) === JSON.stringify(nodes);
}

interface Style {
  oneLine: boolean;
  safe: boolean;
}

function written(nodes: readonly NodeJson[], style: Style): string {
  const open: MarkJson[] = [];
  const ends = endsOf(nodes);
  let out = "";
  for (const [at, node] of nodes.entries()) {
    const marks = node.marks ?? [];
    // A span cannot be inside a link, so a link ends before a span begins.
    const span = marks.some((mark) => isSpan(mark, style) && !open.some((other) => same(mark, other)));
    const kept = open.findIndex((mark) => (span && mark.type === "link") || !marks.some((other) => same(mark, other)));
    while (kept >= 0 && open.length > kept) out += closing(open.pop() as MarkJson, style);
    const link = marks.find(({ type }) => type === "link");
    if (isAutolink(node, link)) {
      out += `${opening(open, marks, ends[at] ?? [], style)}<${node.text}>`;
      continue;
    }
    out += opening(open, marks, ends[at] ?? [], style, true) + leaf(node, nodes, at, open, style);
  }
  while (open.length > 0) out += closing(open.pop() as MarkJson, style);
  return out;
}

/** Compares two marks. Only links have attributes. */
const same = (a: MarkJson, b: MarkJson) =>
  a.type === b.type && a.attrs?.href === b.attrs?.href && a.attrs?.title === b.attrs?.title;

/**
 * For each node and each of its marks, the index of the first later node without the mark. Computed from the end, so
 * that no run is scanned twice.
 */
function endsOf(nodes: readonly NodeJson[]): number[][] {
  const ends: number[][] = new Array(nodes.length);
  for (let at = nodes.length - 1; at >= 0; at--) {
    const after = nodes[at + 1]?.marks ?? [];
    ends[at] = (nodes[at]?.marks ?? []).map((mark) => {
      const next = after.findIndex((other) => same(mark, other));
      return next < 0 ? at + 1 : (ends[at + 1]?.[next] as number);
    });
  }
  return ends;
}
const AUTOLINK = /^https?:\/\/[^\s<>]+$/i;
const isAutolink = ({ text = "", marks = [] }: NodeJson, link: MarkJson | undefined) =>
  link !== undefined &&
  link.attrs?.title === null &&
  link.attrs?.href === text &&
  marks.every(({ type }) => type !== "code") &&
  AUTOLINK.test(text);

/** Opens new marks, the longest outermost. A code mark is written with its text, and an autolink is its own link. */
function opening(open: MarkJson[], marks: MarkJson[], ends: readonly number[], style: Style, links = false): string {
  const fresh = marks.filter(
    (mark) => mark.type !== "code" && (links || mark.type !== "link") && !open.some((other) => same(mark, other)),
  );
  const ordered = fresh
    .map((mark) => ({ mark, span: Number(isSpan(mark, style)), end: ends[marks.indexOf(mark)] as number }))
    .sort((a, b) => b.span - a.span || b.end - a.end);
  open.push(...ordered.map(({ mark }) => mark));
  return ordered.map(({ mark }) => (mark.type === "link" || isSpan(mark, style) ? "[" : SIGNS[mark.type])).join("");
}

const SIGNS: Readonly<Record<string, string>> = { bold: "**", italic: "*", strike: "~~" };
const isSpan = ({ type }: MarkJson, { safe }: Style) =>
  type !== "link" && type !== "code" && (safe || SIGNS[type] === undefined);
function closing(mark: MarkJson, style: Style): string {
  if (mark.type === "link") return `](${destination(mark.attrs)})`;
  return isSpan(mark, style) ? `]{.${mark.type}}` : (SIGNS[mark.type] as string);
}

function destination(attrs: Record<string, unknown> | undefined): string {
  const [href, title] = [String(attrs?.href), attrs?.title];
  const address = href === "" || /[()<>\\&]/.test(href) ? `<${href.replace(/[<>\\&]/g, "\\$&")}>` : href;
  return typeof title === "string" ? `${address} "${title.replace(/["\\&]/g, "\\$&")}"` : address;
}

function leaf(node: NodeJson, nodes: readonly NodeJson[], at: number, open: readonly MarkJson[], style: Style): string {
  const attrs = node.attrs ?? {};
  const label = (text: unknown) => escaped(String(text), style, true);
  switch (node.type) {
    case "hard_break": {
      const alone = at === 0 || at === nodes.length - 1 || nodes[at - 1]?.type === "hard_break";
      return style.oneLine || style.safe || alone ? "&#10;" : "\\\n";
    }
    case "image": {
      const image = `![${label(attrs.alt)}](${destination({ href: attrs.src, title: attrs.title })})`;
      return attrs.link ? `[${image}](${destination(attrs.link as Record<string, unknown>)})` : image;
    }
    case "file":
      return `[${label(attrs.name)}](attachment:${attrs.attachment_id})`;
    case "mention":
      return `[${label(attrs.label)}](svc:${attrs.kind}/${attrs.id})`;
    case "footnote_reference":
      return `[^${attrs.label}]`;
    default:
      return textOf(node, nodes, at, open, style);
  }
}

function textOf(
  node: NodeJson,
  nodes: readonly NodeJson[],
  at: number,
  open: readonly MarkJson[],
  style: Style,
): string {
  const text = node.text as string;
  if (node.marks?.some(({ type }) => type === "code")) return codeSpan(text);
  const starts = at === 0 || nodes[at - 1]?.type === "hard_break";
  const ends = at === nodes.length - 1 || nodes[at + 1]?.type === "hard_break";
  const inner = escaped(
    text,
    style,
    open.some((mark) => mark.type === "link" || isSpan(mark, style)),
  );
  return edged(starts && !style.safe ? inner.replace(LINE_START, "$1\\$2") : inner, starts, ends);
}

const ALL = /[!-/:-@[-`{-~]/g;
const SIGNIFICANT = /[\\`*_[\]<~!]/g;
const LINE_START = /^(\d{0,9})(#(?=[#\s]|$)|>|[-+](?=[-|:\s]|$)|=|\||:(?=-)|[.)](?<=\d.)(?=\s|$))/;
/** Escapes signs that would be parsed as syntax. A closing bracket matters only within brackets. */
function escaped(text: string, { safe }: Style, bracketed: boolean): string {
  if (safe) return text.replace(ALL, "\\$&");
  return text
    .replace(SIGNIFICANT, (sign, offset: number) => {
      const [before, after] = [text[offset - 1] ?? "", text[offset + 1] ?? ""];
      const harmless =
        (sign === "_" && /[\p{L}\p{N}]/u.test(before) && /[\p{L}\p{N}]/u.test(after)) ||
        (sign === "*" && before === " " && after === " ") ||
        (sign === "<" && !/[a-z/!?]/i.test(after)) ||
        (sign === "~" && before !== "~" && after !== "~" && before !== "" && after !== "") ||
        (sign === "]" && !bracketed) ||
        (sign === "!" && after !== "");
      return harmless ? sign : `\\${sign}`;
    })
    .replace(/&(?=#?\w+;)/g, "\\&")
    .replace(/(https?):(?=\/\/)/gi, "$1\\:");
}
/** Spaces at the edge of a line would not be read. */
function edged(text: string, starts: boolean, ends: boolean): string {
  const coded = (spaces: string) => [...spaces].map((space) => `&#${space.codePointAt(0)};`).join("");
  const [from, to] = [starts ? text.length - text.trimStart().length : 0, ends ? text.trimEnd().length : text.length];
  if (from >= to) return coded(text);
  return coded(text.slice(0, from)) + text.slice(from, to) + coded(text.slice(to));
}

function codeSpan(text: string): string {
  const longest = (text.match(/`+/g) ?? []).reduce((most, { length }) => Math.max(most, length), 0);
  const fence = "`".repeat(longest + 1);
  const spaced = text.startsWith(" ") && text.endsWith(" ") && /[^ ]/.test(text);
  const padded = spaced || text.startsWith("`") || text.endsWith("`");
  return padded ? `${fence} ${text} ${fence}` : fence + text + fence;
}
