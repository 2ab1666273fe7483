// Builds the editor's extensions from the schema of document/: every node and mark keeps its content and attributes,
// and gains rendering and rules for pasted HTML. A test asserts that both schemas are equal.
import { CALLOUTS, schema } from "@svc/document/schema.ts";
import { type AnyExtension, Mark, Node } from "@tiptap/core";
import type { AttributeSpec, DOMOutputSpec, MarkSpec, NodeSpec, TagParseRule } from "@tiptap/pm/model";
import { type Key, t } from "../messages/t.ts";
import { isSafeAddress } from "./safe-address.ts";

type Attrs = Record<string, unknown>;
interface Form {
  render?: (attrs: Attrs) => DOMOutputSpec;
  parse?: readonly TagParseRule[];
}
const tag = (name: string, ...others: string[]): Form => ({
  render: () => [name, 0],
  parse: [name, ...others].map((each) => ({ tag: each })),
});
const still = { contenteditable: "false" };
const value = (element: HTMLElement, name: string) => element.getAttribute(name);

const nodes: Record<string, Form> = {
  doc: {},
  text: {},
  paragraph: tag("p"),
  // The page has the title as its h1, so heading levels shift by one.
  heading: {
    render: ({ level }) => [`h${Math.min(6, Number(level) + 1)}`, { "data-level": level }, 0],
    parse: [1, 2, 3, 4, 5, 6].map((level) => ({
      tag: `h${level}`,
      getAttrs: (element) => ({ level: Number(value(element, "data-level") ?? level) }),
    })),
  },
  bullet_list: tag("ul"),
  ordered_list: {
    render: ({ start }) => ["ol", { start }, 0],
    parse: [{ tag: "ol", getAttrs: (element) => ({ start: Number(value(element, "start") ?? 1) || 1 }) }],
  },
  task_item: {
    render: ({ checked }) => [
      "li",
      { "data-task": checked ? "done" : "open" },
      [
        "span",
        { ...still, class: "rich-box", role: "checkbox", "aria-checked": checked, "aria-label": t("edit.done") },
      ],
      ["div", 0],
    ],
    parse: [
      {
        tag: "li[data-task]",
        priority: 60,
        contentElement: "div",
        getAttrs: (element) => ({ checked: value(element, "data-task") === "done" }),
      },
    ],
  },
  list_item: tag("li"),
  blockquote: tag("blockquote"),
  callout: {
    render: ({ kind }) => [
      "div",
      { "data-callout": kind },
      ["p", { ...still, class: "rich-kind" }, t(`edit.callout.${kind}` as Key)],
      ["div", 0],
    ],
    parse: CALLOUTS.map((kind) => ({ tag: `div[data-callout=${kind}]`, contentElement: "div", attrs: { kind } })),
  },
  details: {
    render: () => ["div", { "data-details": "" }, 0],
    parse: [{ tag: "div[data-details]" }, { tag: "details" }],
  },
  summary: {
    render: () => ["div", { "data-summary": "" }, 0],
    parse: [{ tag: "div[data-summary]" }, { tag: "summary" }],
  },
  code_block: {
    render: ({ language }) => ["pre", language ? { "data-language": language } : {}, ["code", 0]],
    parse: [
      {
        tag: "pre",
        preserveWhitespace: "full",
        getAttrs: (element) => ({ language: value(element, "data-language") || null }),
      },
    ],
  },
  table: { render: () => ["div", { class: "rich-table" }, ["table", ["tbody", 0]]], parse: [{ tag: "table" }] },
  table_row: tag("tr"),
  table_header: {
    render: ({ align }) => ["th", align ? { "data-align": align } : {}, 0],
    parse: [{ tag: "th", getAttrs: (element) => ({ align: value(element, "data-align") }) }],
  },
  table_cell: tag("td"),
  divider: { render: () => ["hr"], parse: [{ tag: "hr" }] },
  footnote: {
    render: ({ label }) => [
      "div",
      { class: "rich-footnote", "data-footnote": label },
      ["sup", still, label as string],
      ["div", 0],
    ],
    parse: [
      {
        tag: "div[data-footnote]",
        contentElement: "div",
        getAttrs: (element) => ({ label: value(element, "data-footnote") }),
      },
    ],
  },
  hard_break: { render: () => ["br"], parse: [{ tag: "br" }] },
  // Format of the clipboard; picture.ts renders the node in the editor.
  image: {
    render: ({ src, alt }) => ["img", { "data-src": src, alt }],
    parse: [
      {
        tag: "img[data-src]",
        getAttrs: (element) => ({ src: value(element, "data-src"), alt: value(element, "alt") ?? "" }),
      },
    ],
  },
  file: {
    render: ({ attachment_id, name }) => ["span", { class: "rich-file", "data-file": attachment_id }, name as string],
    parse: [
      {
        tag: "span[data-file]",
        getAttrs: (element) => ({ attachment_id: value(element, "data-file"), name: element.textContent ?? "" }),
      },
    ],
  },
  mention: {
    render: ({ kind, id, label }) => [
      "span",
      { class: "rich-mention", "data-mention": kind, "data-id": id },
      kind === "person" ? `@${label}` : (label as string),
    ],
    parse: [
      {
        tag: "span[data-mention]",
        getAttrs: (element) => ({
          kind: value(element, "data-mention"),
          id: value(element, "data-id"),
          label: element.textContent?.replace(/^@/, "") ?? "",
        }),
      },
    ],
  },
  footnote_reference: {
    render: ({ label }) => ["sup", { "data-note": label }, label as string],
    parse: [{ tag: "sup[data-note]", getAttrs: (element) => ({ label: value(element, "data-note") }) }],
  },
};

const marks: Record<string, Form> = {
  link: {
    render: ({ href, title }) => [
      "a",
      { ...(isSafeAddress(href) && { href }), ...(title ? { title } : {}), rel: "noopener noreferrer nofollow" },
      0,
    ],
    parse: [
      {
        tag: "a[href]",
        getAttrs(element) {
          const href = value(element, "href") ?? "";
          return /^(?:https?:|mailto:)/i.test(href) ? { href, title: value(element, "title") } : false;
        },
      },
    ],
  },
  bold: tag("strong", "b"),
  italic: tag("em", "i"),
  strike: tag("s", "del"),
  underline: tag("u"),
  highlight: tag("mark"),
  code: tag("code"),
};

/** Attributes without a default are required. Only the forms above write attributes into the DOM. */
const attributesOf = (specs: Record<string, AttributeSpec> = {}) =>
  Object.fromEntries(
    Object.entries(specs).map(([name, spec]) => [
      name,
      { rendered: false, ...("default" in spec ? { default: spec.default } : { isRequired: true }) },
    ]),
  );

function node(name: string, spec: NodeSpec): AnyExtension {
  const { render, parse = [] } = nodes[name] as Form;
  const { content, group, inline, code, defining, isolating, selectable, marks: allowed } = spec;
  const given = { content, group, inline, code, defining, isolating, selectable, marks: allowed };
  return Node.create({
    ...Object.fromEntries(Object.entries(given).filter(([, each]) => each !== undefined)),
    name,
    topNode: name === "doc",
    ...(spec.attrs && { addAttributes: () => attributesOf(spec.attrs as Record<string, AttributeSpec>) }),
    parseHTML: () => parse,
    ...(render && { renderHTML: ({ node: { attrs } }: { node: { attrs: Attrs } }) => render(attrs) }),
  } as Parameters<typeof Node.create>[0]);
}
function mark(name: string, spec: MarkSpec): AnyExtension {
  const { render, parse = [] } = marks[name] as Form;
  return Mark.create({
    name,
    ...(spec.inclusive !== undefined && { inclusive: spec.inclusive }),
    ...(spec.attrs && { addAttributes: () => attributesOf(spec.attrs as Record<string, AttributeSpec>) }),
    parseHTML: () => parse,
    renderHTML: ({ mark: { attrs } }: { mark: { attrs: Attrs } }) => render?.(attrs),
  } as Parameters<typeof Mark.create>[0]);
}

export function extensionsOfSchema(): AnyExtension[] {
  const all: AnyExtension[] = [];
  schema.spec.nodes.forEach((name, spec) => void all.push(node(name, spec)));
  schema.spec.marks.forEach((name, spec) => void all.push(mark(name, spec)));
  return all;
}
