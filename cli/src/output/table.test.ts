// How wide a text is at a terminal, and that tables keep to its width.
import { describe, expect, test } from "vitest";
import type { Screen } from "./screen.ts";
import { cut, table, widthOf } from "./table.ts";

test.each([
  ["gears", 5],
  ["Zahnräder", 9],
  ["e\u0301", 1],
  ["歯車", 4],
  ["한글", 4],
  ["ｆｕｌｌ", 8],
  ["👩‍🔧", 2],
  ["❤️", 2],
  ["🇩🇪", 2],
  ["a\u200bb", 2],
])("%s takes its columns", (text, width) => {
  expect(widthOf(text)).toBe(width);
});

test.each([
  ["gears", 5, "gears"],
  ["gears", 4, "gea…"],
  ["歯車を切る", 6, "歯車…"],
  ["歯車を切る", 5, "歯車…"],
  ["👩‍🔧👩‍🔧", 3, "👩‍🔧…"],
  ["gears", 0, ""],
])("%s is cut to %i columns, never within a character", (text, most, expected) => {
  expect(cut(text, most)).toBe(expected);
});

const screen = (columns: number | null): Screen => ({ columns, interactive: false, colour: (_, text) => text });
const columns = [
  { title: "code", of: ({ code }: Row) => code },
  { title: "title", of: ({ title }: Row) => title, shrinks: true as const },
  { title: "note", of: ({ note }: Row) => note, shrinks: true as const },
];
interface Row {
  code: string;
  title: string;
  note?: string;
}

describe("a table", () => {
  const rows: Row[] = [
    { code: "ENG-1", title: "歯車".repeat(30), note: "n".repeat(40) },
    { code: "ENG-12", title: "x" },
  ];

  test.each([24, 40, 60, 200])("fits %i columns, and the widest gives way first", (width) => {
    for (const line of table(rows, columns, screen(width)).split("\n"))
      expect(widthOf(line)).toBeLessThanOrEqual(width);
  });
  test("has no column in which nothing stands", () => {
    expect(table([{ code: "ENG-1", title: "x" }], columns, screen(80))).toBe("CODE   TITLE\nENG-1  x");
  });
  test("is rows of whole cells where there is no terminal, without what would break a row", () => {
    expect(table([{ code: "ENG-1", title: "a\tb\nc\u001b[31m" }], columns, screen(null))).toBe(
      "ENG-1\ta b c\ufffd[31m\t",
    );
  });
});
