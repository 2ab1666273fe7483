// The rules of the content, in words: what Markdown says, what is kept that it cannot say, what is refused, and what a
// content refers to.
import { describe, expect, test } from "vitest";
import {
  attachmentsOf,
  check,
  fromMarkdown,
  InvalidContent,
  type NodeJson,
  referencesOf,
  toMarkdown,
  toText,
} from "./document.ts";

const ID = "0190b6a0-0000-7000-8000-000000000001";
const doc = (...content: unknown[]) => ({ type: "doc", content });
const paragraph = (...content: unknown[]) => ({ type: "paragraph", content });
const text = (words: string, ...marks: string[]) => ({
  type: "text",
  marks: marks.map((type) => ({ type })),
  text: words,
});
const same = (markdown: string) => expect(toMarkdown(fromMarkdown(markdown))).toBe(markdown);
const first = (markdown: string) => fromMarkdown(markdown).content[0] as NodeJson;
const refusal = (content: unknown): InvalidContent => {
  try {
    check(content);
  } catch (error) {
    if (error instanceof InvalidContent) return error;
  }
  throw new Error("it was not refused");
};

describe("people write, and read again as they wrote it,", () => {
  for (const [what, markdown] of Object.entries({
    headings: "# One\n\n###### Six *words*",
    marks: '**bold**, *italic*, ~~gone~~, `code`, [a link](https://a.b "with a title"), [**bold link**](/x)',
    "what Markdown has no sign for": "[under]{.underline} and [marked **bold**]{.highlight}",
    "words with signs in them": 'snake_case, 2 * 3, a < b, AT&T, C++, 50%, (really), "quoted"',
    lists: "- one\n- two\n  - below\n\n3. three\n4. four",
    "task lists": "- [ ] open\n- [x] done\n- plain",
    tables: "| left | right | none |\n| :-- | --: | --- |\n| a\\|b | `c\\|d` |  |",
    code: '```ts title="x"\nconst a = 1;\n\n\tb();\n```',
    "mathematics and diagrams": "```math\nx^2\n```\n\n```mermaid\ngraph LR\n```",
    "quotes and callouts": "> quoted\n>\n> - list\n\n> [!WARNING]\n> Careful\\\n> here",
    details: "> [!DETAILS] Show *more*\n>\n> hidden",
    pictures: `![alt](https://a.b/c.png "title") [![badge](/b.svg)](https://x.y)`,
    attachments: `![shot](attachment:${ID}) [plan.pdf](attachment:${ID})`,
    mentions: `[Anna](svc:person/${ID}) [ENG-1](svc:task/ENG-1) [Handbook](svc:document/handbook/start)`,
    footnotes: "Words[^1] and[^note]\n\n[^1]: Short.\n\n[^note]: Long.\n\n    - with a list",
    dividers: "a\n\n***\n\nb",
    addresses: "<https://a.b/c_d?e=f&g>",
    "empty paragraphs": "a\n\n&nbsp;\n\nb",
  }))
    test(what, () => same(markdown));
});

test("HTML is text, on the way in and on the way out", () => {
  expect(first("<script>alert(1)</script>")).toEqual({
    type: "paragraph",
    content: [{ type: "text", text: "<script>alert(1)</script>" }],
  });
  expect(toMarkdown(fromMarkdown("<b onclick=x>a</b>\n\n<!-- note -->"))).toBe(
    "\\<b onclick=x>a\\</b>\n\n\\<!-- note -->",
  );
});

test("a bare address is a link, a bare code or name is text", () => {
  expect(first("see https://a.b.").content?.[1]?.marks).toEqual([
    { type: "link", attrs: { href: "https://a.b", title: null } },
  ]);
  expect(first("ENG-1 @anna").content).toEqual([{ type: "text", text: "ENG-1 @anna" }]);
});

describe("what Markdown cannot say is kept", () => {
  const kept = (content: unknown, markdown: string) => {
    const canonical = check(content);
    expect(toMarkdown(canonical)).toBe(markdown);
    expect(fromMarkdown(markdown)).toEqual(canonical);
  };
  test("bold within a word, beside a sign", () =>
    kept(doc(paragraph(text("a.", "bold"), text("b"))), "[a\\.]{.bold}b"));
  test("spaces at the edge of a line", () => kept(doc(paragraph(text("  a "))), "&#32;&#32;a&#32;"));
  test("a break in a heading, in a cell and at an end", () => {
    const broken = [text("a"), { type: "hard_break" }, text("b")];
    kept(doc({ type: "heading", attrs: { level: 2 }, content: broken }), "## a&#10;b");
    kept(
      doc({ type: "table", content: [{ type: "table_row", content: [{ type: "table_header", content: broken }] }] }),
      "| a&#10;b |\n| --- |",
    );
    kept(doc(paragraph(text("a"), { type: "hard_break" })), "a&#10;");
  });
  test("two lists in a row, and lists that begin with lists", () => {
    const list = (...content: unknown[]) => ({ type: "bullet_list", content: [{ type: "list_item", content }] });
    kept(doc(list(paragraph(text("a"))), list(paragraph(text("b")))), "- a\n\n+ b");
    kept(doc(list(list(list(paragraph())))), "- + -");
  });
});

test("what looks alike is the same content", () => {
  const marked = check(
    doc(paragraph(text("a ", "bold"), text("b"), text("c"), { type: "hard_break", marks: [{ type: "bold" }] })),
  );
  expect(marked).toEqual(check(doc(paragraph(text("a", "bold"), text(" bc"), { type: "hard_break" }))));
  const cell = (type: string) => ({ type, content: [text("x")] });
  const table = check(
    doc({
      type: "table",
      content: [
        { type: "table_row", content: [cell("table_cell")] },
        { type: "table_row", content: [cell("table_header"), cell("table_cell")] },
      ],
    }),
  );
  expect(toMarkdown(table)).toBe("| x |  |\n| --- | --- |\n| x | x |");
});

describe("a content is refused, with a pointer,", () => {
  const cases: Record<string, [unknown, string]> = {
    "that is none": [null, ""],
    "that is no doc": [paragraph(text("a")), "/type"],
    "that is empty": [doc(), "/content"],
    "with an unknown node": [doc({ type: "iframe" }), "/content/0/type"],
    "with a node named like a property of objects": [doc({ type: "constructor" }), "/content/0/type"],
    "with an unknown mark": [doc(paragraph(text("a", "blink"))), "/content/0/content/0/marks/0"],
    "with an unknown attribute": [doc({ type: "heading", attrs: { level: 1, id: "x" } }), "/content/0/attrs/id"],
    "with an unknown field": [doc({ type: "divider", style: "x" }), "/content/0/style"],
    "with a heading of level 7": [doc({ type: "heading", attrs: { level: 7 } }), "/content/0/attrs/level"],
    "with a link that runs": [
      doc(paragraph({ ...text("a"), marks: [{ type: "link", attrs: { href: " JavaScript:alert(1)" } }] })),
      "/content/0/content/0/marks/0/attrs/href",
    ],
    "with a scheme that hides behind a break": [
      doc(paragraph({ type: "image", attrs: { src: "\tvbscript:x" } })),
      "/content/0/content/0/attrs/src",
    ],
    "with an attachment that is no id": [
      doc(paragraph({ type: "file", attrs: { attachment_id: "x", name: "a" } })),
      "/content/0/content/0/attrs/attachment_id",
    ],
    "with a control character": [doc(paragraph(text("a\u0000"))), "/content/0/content/0/text"],
    "with half a character": [doc(paragraph(text("\ud800"))), "/content/0/content/0/text"],
    "with an empty text": [doc(paragraph(text(""))), "/content/0/content/0/text"],
    "with a block among words": [doc(paragraph({ type: "divider" })), "/content/0/content/0"],
    "with a task without a paragraph": [
      doc({ type: "bullet_list", content: [{ type: "task_item", content: [{ type: "divider" }] }] }),
      "/content/0/content/0/content/0",
    ],
  };
  for (const [what, [content, pointer]] of Object.entries(cases))
    test(what, () => expect(refusal(content)).toMatchObject({ pointer, message: expect.stringMatching(/\w/) }));

  test("that is nested more than 64 levels deep, also in Markdown", () => {
    const nested = (levels: number): unknown =>
      levels === 0 ? paragraph() : { type: "blockquote", content: [nested(levels - 1)] };
    expect(check(doc(nested(63)))).toBeDefined();
    expect(refusal(doc(nested(64))).message).toContain("too deeply");
    expect(fromMarkdown(`${">".repeat(62)} a`)).toBeDefined();
    for (const markdown of [">".repeat(64), ">".repeat(100_000), `${"- ".repeat(500)}a`])
      expect(() => fromMarkdown(`${markdown} a`)).toThrow(InvalidContent);
  });
});

test("an unsafe address in Markdown stays text", () => {
  for (const markdown of ["[a](javascript:alert)", "[a](java&#10;script:x)", "![a](file:///x)", "<javascript:x>"])
    expect(JSON.stringify(fromMarkdown(markdown)), markdown).not.toMatch(/"(?:href|src)":"\s*(?:javascript|file):/i);
});

test("characters that browsers ignore do not hide a scheme", () => {
  const paragraph = (href: string) =>
    doc({
      type: "paragraph",
      content: [{ type: "text", text: "a", marks: [{ type: "link", attrs: { href, title: null } }] }],
    });
  const hidden = ["\u0001javascript:x", "java\u0000script:x", "\u200bjavascript:x", "java\u00adscript:x"];
  for (const href of [...hidden, `${"\u0001".repeat(200)}javascript:x`, "\u007fdata:text/html,x", "vb\u0002script:x"])
    expect(() => check(paragraph(href)), JSON.stringify(href)).toThrow(InvalidContent);
  for (const href of ["https://example.com/a\u200bb", "/x", "data:image/png;base64,x"])
    expect(check(paragraph(href)), href).toBeDefined();
});

test("a definition that a link uses is its address; one that none uses is text", () => {
  expect(toMarkdown(fromMarkdown("[a][b] [c]\n\n[b]: /x 'T'\n[c]: /y\n[b]: /z\n[//]: # (a note)"))).toBe(
    '[a](/x "T") [c](/y)\n\n\\[b]: /z\n\n\\[//]: # (a note)',
  );
});

test("text is what a reader sees, a line for each block", () => {
  expect(
    toText(fromMarkdown(`# T\n\na **b**\\\nc\n\n- x\n- [ENG-1](svc:task/ENG-1)\n\n| h | i |\n| - | - |\n| 1 | 2 |`)),
  ).toBe("T\na b\nc\nx\nENG-1\nh\ti\n1\t2");
});

test("references and attachments are found wherever they stand, each once", () => {
  const other = ID.replace(/1$/, "2");
  const content = fromMarkdown(
    `[a](svc:person/${ID}) [b](svc:task/ENG-1)\n\n> - [c](svc:task/ENG-1) [d](svc:project/ENG) ` +
      `[e](svc:nothing/x)\n\n![p](attachment:${ID}) [f](attachment:${other.toUpperCase()}) [f](attachment:${ID})`,
  );
  expect(referencesOf(content)).toEqual([
    { kind: "person", id: ID },
    { kind: "task", code: "ENG-1" },
    { kind: "project", code: "ENG" },
  ]);
  expect(attachmentsOf(content)).toEqual([ID, other]);
});
