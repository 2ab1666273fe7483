// Two contents side by side: blocks and words that a page can colour, and a diff that other programs apply.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fromMarkdown } from "@svc/document/document.ts";
import { expect, test } from "vitest";
import { compare } from "./comparison.ts";

const side = (name: string, markdown: string) => ({ name, markdown, content: fromMarkdown(markdown) });
const compared = (from: string, to: string) => compare(side("revision 1", from), side("revision 2", to));

test("a block that changed shows which words; others are the same, gone or new", () => {
  const { blocks } = compared("# Plan\n\nWe meet on Monday.\n\ngone", "# Plan\n\nWe meet on Friday, early.\n\n- new");
  expect(blocks).toEqual([
    { kind: "same", node: "heading", from: 0, to: 0, words: [{ kind: "same", text: "Plan" }] },
    {
      kind: "changed",
      node: "paragraph",
      from: 1,
      to: 1,
      words: [
        { kind: "same", text: "We meet on " },
        { kind: "removed", text: "Monday" },
        { kind: "added", text: "Friday, early" },
        { kind: "same", text: "." },
      ],
    },
    { kind: "removed", node: "paragraph", from: 2, to: null, words: [{ kind: "removed", text: "gone" }] },
    { kind: "added", node: "bullet_list", from: null, to: 2, words: [{ kind: "added", text: "new" }] },
  ]);
});

test("the same text with another mark is a change without other words", () => {
  const { blocks } = compared("a b", "a **b**");
  expect(blocks).toMatchObject([{ kind: "changed", words: [{ kind: "same", text: "a b" }] }]);
});

test("nothing differs: no diff", () => expect(compared("a\n\nb", "a\n\nb").markdown_diff).toBe(""));

test("the diff has three lines around each change, and starts at the right lines", () => {
  const lines = Array.from({ length: 30 }, (_, at) => `line ${at + 1}`);
  const other = lines.with(4, "other").toSpliced(19, 1);
  const code = (all: string[]) => `\`\`\`\n${all.join("\n")}\n\`\`\``;
  const { markdown_diff } = compared(code(lines), code(other));
  expect(markdown_diff.split("\n").filter((line) => /^[-+@]/.test(line))).toEqual([
    "--- revision 1",
    "+++ revision 2",
    "@@ -3,7 +3,7 @@",
    "-line 5",
    "+other",
    "@@ -18,7 +18,6 @@",
    "-line 20",
  ]);
});

test("git applies it", () => {
  const folder = mkdtempSync(join(tmpdir(), "diff-"));
  const file = join(folder, "file");
  for (const [from, to] of [
    ["a\nb\nc\nd\ne\nf\ng\nh\ni\nj\nk\nl", "a\nB\nc\nd\ne\nf\ng\nh\ni\nj\nK\nl\nm"],
    ["x", "y\nz"],
    ["one\ntwo", ""],
    ["", "one\ntwo"],
  ] as const) {
    writeFileSync(file, from === "" ? "" : `${from}\n`);
    const { markdown_diff } = compare(
      { ...side("a/file", ""), markdown: from },
      { ...side("b/file", ""), markdown: to },
    );
    writeFileSync(join(folder, "patch"), markdown_diff);
    execFileSync("git", ["apply", "--unidiff-zero", "patch"], { cwd: folder });
    expect(readFileSync(file, "utf8")).toBe(to === "" ? "" : `${to}\n`);
  }
});
