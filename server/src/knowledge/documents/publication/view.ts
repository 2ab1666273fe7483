// Renders a published Document as a page: title, table of contents, content, and a style for screen and print. The page
// has no script. All text is escaped here.
import { createHash } from "node:crypto";
import type { NodeJson } from "@svc/document/document.ts";

export interface PublishedDocument {
  public_id: string;
  title: string;
  icon: string | null;
  locale: string;
  updated_at: string;
  content: NodeJson;
}

const ESCAPED: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };
export const escaped = (value: unknown) =>
  String(value ?? "").replace(/[&<>"']/g, (character) => ESCAPED[character] as string);

const STYLE = `:root{--ink:#1c1c1c;--soft:#555;--page:#fff;--wash:#f4f4f4;--line:#ccc;--link:#0645ad}
@media screen and (prefers-color-scheme:dark){:root{color-scheme:dark;--ink:#e4e4e4;--soft:#a6a6a6;--page:#161616;--wash:#242424;--line:#4a4a4a;--link:#8fb4ff}}
body{max-width:44rem;margin:2rem auto;padding:0 1rem;font:1.0625rem/1.6 system-ui,sans-serif;color:var(--ink);background:var(--page);overflow-wrap:break-word}
h1,h2,h3,h4,h5,h6{line-height:1.25;margin:1.6em 0 .5em}header h1{margin-top:0}time,nav,header span{color:var(--soft)}nav ul{list-style:none;padding-left:0}
nav .l2{padding-left:1rem}nav .l3{padding-left:2rem}nav .l4,nav .l5,nav .l6{padding-left:3rem}a{color:var(--link)}img{max-width:100%;height:auto}
pre{overflow:auto;padding:.8rem;background:var(--wash)}code{font-family:ui-monospace,monospace;font-size:.92em}table{border-collapse:collapse;display:block;overflow:auto}
td,th{border:1px solid var(--line);padding:.3rem .6rem}.left{text-align:left}.center{text-align:center}.right{text-align:right}blockquote,aside{margin:1em 0;padding:.1rem 1rem;border-left:.25rem solid var(--line)}aside>strong{text-transform:capitalize}
.task{list-style:none;margin-left:-1.4em}.task>p:first-of-type{display:inline}li>p{margin:.2em 0}hr{border:0;border-top:1px solid var(--line)}.footnote>p:first-of-type{display:inline}.footnote{font-size:.9em;color:var(--soft)}
progress{width:100%;height:.75rem;accent-color:var(--link)}dl{display:grid;grid-template-columns:auto 1fr;gap:.2rem 1rem}dt{color:var(--soft)}dd{margin:0}@media print{body{max-width:none;margin:0;font-size:11pt}nav{display:none}a{color:inherit}pre,table,img{break-inside:avoid}h1,h2,h3{break-after:avoid}}`;
/** Content security policy: the page may load its own style, and pictures. */
export const POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash("sha256").update(STYLE).digest("base64")}'`,
  "img-src 'self' https: data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

const TAGS: Record<string, string> = {
  bold: "strong",
  italic: "em",
  strike: "s",
  underline: "u",
  highlight: "mark",
  code: "code",
};
const SAFE_LINK = /^(?:https?:|mailto:|\/p\/|#)/i;
const SAFE_PICTURE = /^(?:https:|data:image\/(?:gif|png|jpeg|webp);)/i;
const ATTACHED = /^attachment:([0-9a-f-]{36})$/i;

const anchored = (href: unknown, inside: string) =>
  SAFE_LINK.test(String(href)) ? `<a href="${escaped(href)}" rel="noopener noreferrer nofollow">${inside}</a>` : inside;

const textOf = ({ text, content = [] }: NodeJson): string => text ?? content.map(textOf).join("");

/** Headings in order, each of which gets an anchor. */
const headingsIn = (node: NodeJson): NodeJson[] =>
  node.type === "heading" ? [node] : (node.content ?? []).flatMap(headingsIn);

/** Renders a content. `file` returns the address of an attachment; without it pictures and files are shown by name. */
export function drawn(content: NodeJson, file?: (id: unknown) => string) {
  const headings = headingsIn(content);
  const anchors = new Map(headings.map((heading, place) => [heading, `section-${place + 1}`]));

  const all = (nodes: readonly NodeJson[] = []): string => nodes.map(one).join("");
  const cell = (node: NodeJson, tag: string, align: unknown) =>
    `<${tag}${typeof align === "string" ? ` class="${escaped(align)}"` : ""}>${all(node.content)}</${tag}>`;
  const table = ({ content: rows = [] }: NodeJson) => {
    const aligned = (rows[0]?.content ?? []).map(({ attrs }) => attrs?.align);
    const cells = (row: NodeJson, tag: string) =>
      `<tr>${(row.content ?? []).map((each, place) => cell(each, tag, aligned[place])).join("")}</tr>`;
    return `<table tabindex="0">${rows.map((row, place) => cells(row, place === 0 ? "th" : "td")).join("")}</table>`;
  };
  const picture = ({ attrs = {} }: NodeJson) => {
    const attached = ATTACHED.exec(String(attrs.src))?.[1];
    const src = attached
      ? (file?.(attached) ?? null)
      : SAFE_PICTURE.test(String(attrs.src))
        ? escaped(attrs.src)
        : null;
    if (src === null) return escaped(attrs.alt);
    const image = `<img src="${src}" alt="${escaped(attrs.alt)}" loading="lazy">`;
    const link = attrs.link as { href?: unknown } | null | undefined;
    return link ? anchored(link.href, image) : image;
  };
  const marked = ({ text, marks = [] }: NodeJson) =>
    marks.reduce((inside, { type, attrs }) => {
      if (type === "link") return anchored(attrs?.href, inside);
      const tag = TAGS[type];
      return tag ? `<${tag}>${inside}</${tag}>` : inside;
    }, escaped(text));
  const within = (tag: string) => (node: NodeJson) => `<${tag}>${all(node.content)}</${tag}>`;

  const shapes: Record<string, (node: NodeJson) => string> = {
    text: marked,
    paragraph: within("p"),
    heading: (node) => {
      const level = Math.min(6, Number(node.attrs?.level) + 1);
      return `<h${level} id="${anchors.get(node)}">${all(node.content)}</h${level}>`;
    },
    bullet_list: within("ul"),
    ordered_list: (node) => `<ol start="${Number(node.attrs?.start ?? 1)}">${all(node.content)}</ol>`,
    list_item: within("li"),
    task_item: (node) => `<li class="task">${node.attrs?.checked ? "☑" : "☐"} ${all(node.content)}</li>`,
    blockquote: within("blockquote"),
    callout: (node) => `<aside><strong>${escaped(node.attrs?.kind)}</strong>${all(node.content)}</aside>`,
    details: (node) => `<details open>${all(node.content)}</details>`,
    summary: within("summary"),
    code_block: (node) => `<pre tabindex="0"><code>${escaped(textOf(node))}</code></pre>`,
    table,
    divider: () => "<hr>",
    footnote: (node) =>
      `<div class="footnote" id="note-${escaped(node.attrs?.label)}">[${escaped(node.attrs?.label)}] ` +
      `${all(node.content)}</div>`,
    footnote_reference: (node) =>
      `<sup><a href="#note-${escaped(node.attrs?.label)}">${escaped(node.attrs?.label)}</a></sup>`,
    hard_break: () => "<br>",
    image: picture,
    file: ({ attrs }) =>
      file ? `<a href="${file(attrs?.attachment_id)}">${escaped(attrs?.name)}</a>` : escaped(attrs?.name),
  };
  // Renders only the text of an unknown node.
  const one = (node: NodeJson): string => (shapes[node.type] ?? ((each: NodeJson) => all(each.content)))(node);

  const entry = (heading: NodeJson) =>
    `<li class="l${Number(heading.attrs?.level)}"><a ` +
    `href="#${anchors.get(heading)}">${escaped(textOf(heading))}</a></li>`;
  const contents =
    headings.length > 1 ? `<nav aria-label="Contents"><ul>${headings.map(entry).join("")}</ul></nav>` : "";
  return { contents, html: all(content.content) };
}

/** The page around it. */
export const framed = (title: string, icon: string | null, beside: string, body: string, language: string) =>
  `<!doctype html><html lang="${escaped(language)}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><meta name="robots" content="noindex">
<title>${escaped(title)}</title><style>${STYLE}</style></head><body><header><h1>${icon === null ? "" : `${escaped(icon)} `}${escaped(title)}</h1>${beside}</header>
${body}</body></html>`;

export function pageOf({ public_id, title, icon, locale, updated_at, content }: PublishedDocument): string {
  const { contents, html } = drawn(content, (id) => `/p/${public_id}/files/${escaped(id)}`);
  const day = `<time datetime="${escaped(updated_at)}">${escaped(updated_at.slice(0, 10))}</time>`;
  return framed(title, icon, day, `${contents}<main>${html}</main>`, locale);
}
