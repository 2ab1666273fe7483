// The lines between ---: ours are read and written, others' stay, and a file that we wrote says the same when it is
// read.
import fc from "fast-check";
import { expect, test } from "vitest";
import { editFile, InvalidFrontMatter, pageOf, parseFile, renderFile } from "./front-matter.ts";

test("what is written is read again, whatever is in it", () => {
  const line = fc
    .string({ minLength: 1, unit: "grapheme" })
    .map((text) => text.replace(/[\p{Cc}\p{Cs}\s]+/gu, " ").trim())
    .filter((text) => text !== "");
  fc.assert(
    fc.property(
      line,
      fc.array(line, { maxLength: 4 }),
      fc.string().map((text) => text.replace(/[\r\uFEFF]/g, "")),
      (title, labels, body) => {
        const page = { id: "0190c0de-0000-7000-8000-000000000001", title, labels, body };
        expect(pageOf(renderFile(page))).toEqual(page);
      },
    ),
    { numRuns: 1000 },
  );
});

test("titles and labels in the ways that people write them", () => {
  const file = (front: string) => parseFile(`---\n${front}\n---\nText\n`);
  expect(file("title: Plain words # remark")).toMatchObject({ title: "Plain words", body: "Text\n" });
  expect(file("title: 'It''s'")).toMatchObject({ title: "It's" });
  expect(file('title: "A \\"b\\" \\u00e9"')).toMatchObject({ title: 'A "b" é' });
  expect(file("labels: [one, 'two, three', \"four\"]")).toMatchObject({ labels: ["one", "two, three", "four"] });
  expect(file("labels:\n  - one\n  - 'two'\ndate: x")).toMatchObject({ labels: ["one", "two"] });
  expect(file("labels:\n- one")).toMatchObject({ labels: ["one"] });
  expect(file("labels: one")).toMatchObject({ labels: ["one"] });
  expect(file("labels: []")).toMatchObject({ labels: [] });
  expect(file("other: 1")).toMatchObject({ id: null, title: null, labels: null });
});

test("a line of hyphens that nothing closes is text, and so is everything without one", () => {
  for (const text of ["---\n\nText", "Text\n---\n", "", "----\ntitle: no\n---\n"])
    expect(parseFile(text)).toEqual({ id: null, title: null, labels: null, front: null, body: text });
  expect(parseFile("\uFEFF---\r\ntitle: T\r\n---\r\n\r\nA\r\nB")).toMatchObject({ title: "T", body: "A\nB" });
});

test("what YAML could mean otherwise is refused where it is one of our lines, and left alone where it is not", () => {
  for (const front of [
    "title: |\n  long",
    "title: [a]",
    'title: "open',
    "title: 'open",
    "labels: [a",
    "labels:\n  a: b",
    "id: &x y",
  ])
    expect(() => parseFile(`---\n${front}\n---\n`), front).toThrow(InvalidFrontMatter);
  expect(parseFile("---\nsummary: |\n  title: not this\nweird\n---\nx")).toMatchObject({ title: null, body: "x" });
});

test("a file of somebody else keeps its own lines and, where only the title changed, every byte of its text", () => {
  const file = "---\ndate: 2020-01-01\ntitle: Old\ntags:\n  - x\n---\n\n*  odd   list\n";
  const page = { id: "i", title: "New", labels: ["l"] };
  expect(editFile(file, page, null)).toBe(
    "---\nid: i\ndate: 2020-01-01\ntitle: New\nlabels: [l]\ntags:\n  - x\n---\n\n*  odd   list\n",
  );
  expect(editFile(file, page, "Else\n")).toBe(
    "---\nid: i\ndate: 2020-01-01\ntitle: New\nlabels: [l]\ntags:\n  - x\n---\n\nElse\n",
  );
  expect(editFile("Plain\r\ntext\r\n", page, null)).toBe(
    "---\r\nid: i\r\ntitle: New\r\nlabels: [l]\r\n---\r\n\r\nPlain\r\ntext\r\n",
  );
  expect(editFile("---\nlabels:\n  - a\n  - b\n---\n", { ...page, labels: [] }, null)).toBe(
    "---\nid: i\ntitle: New\n---\n\n",
  );
});
