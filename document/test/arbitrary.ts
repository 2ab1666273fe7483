// Contents as nobody would write them, for the tests of the round trip: every node and mark of the schema, with texts
// that are full of signs.
import fc from "fast-check";
import { CALLOUTS, type MarkJson, MENTIONED, type NodeJson } from "../src/schema.ts";

const pieces = [
  ...[
    "a",
    "word",
    "Ünï",
    "日本",
    "1",
    "12",
    "x_y",
    "a.b",
    " ",
    "  ",
    "\t",
    "\n",
    "\u00a0",
    "\u2003",
    "é",
    "😀",
    "C++",
    "==",
  ],
  ..."\\`*_{}[]()<>#+-.!|~&:;='\"/@^$%,?".split(""),
  ...[
    "**",
    "__",
    "~~",
    "```",
    "~~~",
    "- ",
    "+ ",
    "1. ",
    "2) ",
    "# ",
    "> ",
    "***",
    "---",
    "===",
    "| - |",
    ":-:",
    "&amp;",
    "&#10;",
    "&nbsp;",
  ],
  ...[
    "http://a.b",
    "https://x.y/z?q=1&r",
    "www.a.b",
    "a@b.c",
    "<br>",
    "<!-- x -->",
    "</div>",
    "[ ] ",
    "[x]",
    "[^1]",
    "[^1]: ",
    "[a]: /b",
    "](",
    "]{.bold}",
  ],
  ...["[!NOTE]", "[!DETAILS] x", "ENG-1", "@anna", "\\\n", "svc:task/x", ":::"],
];
const wordsOf = (from: readonly string[]) =>
  fc.array(fc.constantFrom(...from), { minLength: 1, maxLength: 6 }).map((parts) => parts.join(""));
const words = wordsOf(pieces);
const line = fc.oneof(words, fc.constant(""));
const id = fc.uuid();
const address = fc.oneof(
  fc.constantFrom(
    "https://a.b/c",
    "/x(y)",
    "http://a.b/?q=1&amp;r=2",
    "",
    "#a",
    "a b",
    "<x>",
    "\\(",
    "mailto:a@b.c",
    "a)b",
    'x"y',
  ),
  fc.webUrl({ withFragments: true, withQueryParameters: true }),
);
const title = fc.option(words, { nil: null });

const simpleMarks = ["bold", "italic", "strike", "underline", "highlight", "code"].map((type): MarkJson => ({ type }));
const link = fc.record({ href: address, title });
const marks = fc
  .tuple(fc.subarray(simpleMarks, { maxLength: 3 }), fc.option(link, { freq: 6, nil: null }))
  .map(([simple, linked]): MarkJson[] => (linked ? [{ type: "link", attrs: linked }, ...simple] : simple));

const label = fc.constantFrom("1", "2", "note", "é-1");
const leaf: fc.Arbitrary<NodeJson> = fc.oneof(
  { weight: 10, arbitrary: fc.record({ type: fc.constant("text"), text: words, marks }) },
  { weight: 1, arbitrary: fc.constant({ type: "hard_break" }) },
  {
    weight: 1,
    arbitrary: fc
      .record({
        src: fc.oneof(
          address,
          id.map((each) => `attachment:${each}`),
        ),
        alt: line,
        title,
        link: fc.option(link, { nil: null }),
      })
      .map((attrs) => ({ type: "image", attrs })),
  },
  { weight: 1, arbitrary: fc.record({ attachment_id: id, name: line }).map((attrs) => ({ type: "file", attrs })) },
  {
    weight: 1,
    arbitrary: fc
      .record({
        kind: fc.constantFrom(...MENTIONED),
        id: fc.oneof(id, fc.constantFrom("ENG-1", "anna", "a/b_c", "ENG-M1")),
        label: line,
      })
      .map((attrs) => ({ type: "mention", attrs })),
  },
  { weight: 1, arbitrary: label.map((each) => ({ type: "footnote_reference", attrs: { label: each } })) },
);
const inline = fc.array(leaf, { maxLength: 4 });

const code = fc.oneof(
  words,
  fc.array(words, { maxLength: 4 }).map((lines) => lines.join("\n")),
  fc.constant(""),
);
const { block } = fc.letrec<{ block: NodeJson; blocks: NodeJson[]; item: NodeJson }>((tie) => {
  const within = (type: string, attrs?: fc.Arbitrary<Record<string, unknown>>) =>
    fc.record({ type: fc.constant(type), ...(attrs && { attrs }), content: tie("blocks") });
  const items = fc.array(tie("item"), { minLength: 1, maxLength: 3 });
  const textblock = (type: string, attrs?: fc.Arbitrary<Record<string, unknown>>) =>
    fc.record({ type: fc.constant(type), ...(attrs && { attrs }), content: inline });
  const cells = (head: boolean, width: number) =>
    fc.array(
      head
        ? textblock("table_header", fc.record({ align: fc.constantFrom(null, "left", "center", "right") }))
        : textblock("table_cell"),
      { minLength: 1, maxLength: width },
    );
  return {
    blocks: fc.array(tie("block"), { minLength: 1, maxLength: 3 }),
    item: fc.oneof(
      within("list_item"),
      fc
        .record({ checked: fc.boolean() })
        .chain((attrs) =>
          fc
            .tuple(textblock("paragraph"), fc.array(tie("block"), { maxLength: 2 }))
            .map(([first, rest]) => ({ type: "task_item", attrs, content: [first, ...rest] })),
        ),
    ),
    block: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      textblock("paragraph"),
      textblock("heading", fc.record({ level: fc.integer({ min: 1, max: 6 }) })),
      fc.constant({ type: "divider" }),
      fc
        .record({
          language: fc.option(fc.oneof(words, fc.constantFrom("ts", "math", "mermaid", "a`b", "x &amp; \\y")), {
            nil: null,
          }),
          text: code,
        })
        .map(({ language, text }) => ({
          type: "code_block",
          attrs: { language },
          content: text === "" ? [] : [{ type: "text", text }],
        })),
      fc.tuple(cells(true, 3), fc.array(cells(false, 4), { maxLength: 3 })).map((rows) => ({
        type: "table",
        content: [rows[0], ...rows[1]].map((content) => ({ type: "table_row", content })),
      })),
      items.map((content) => ({ type: "bullet_list", content })),
      fc
        .tuple(items, fc.constantFrom(0, 1, 2, 41, 999_999_999))
        .map(([content, start]) => ({ type: "ordered_list", attrs: { start }, content })),
      within("blockquote"),
      within("callout", fc.record({ kind: fc.constantFrom(...CALLOUTS) })),
      fc
        .tuple(inline, tie("blocks"))
        .map(([content, rest]) => ({ type: "details", content: [{ type: "summary", content }, ...rest] })),
      within("footnote", fc.record({ label })),
    ),
  };
});

export const contents = fc.array(block, { minLength: 1, maxLength: 3 }).map((content) => ({ type: "doc", content }));
/** Markdown of lines that each mean something, in any order. */
const lines = (text: fc.Arbitrary<string>) =>
  fc
    .array(fc.tuple(fc.constantFrom("", "", "", "  ", "    ", "> ", "- ", "1. ", "   > ", "\t", "| "), text), {
      maxLength: 12,
    })
    .map((each) => each.map(([prefix, words]) => prefix + words).join("\n"));
export const markdowns = lines(words);
/** Without what only we read as more than text. */
export const plainMarkdowns = lines(wordsOf(pieces.filter((piece) => !/^\[\^|^\]\{|^\[!|\d/.test(piece))));
