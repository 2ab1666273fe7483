// The processor time of a content that passes the limits grows with its length, whatever it consists of. Also the limit
// of cells in tables, whose contents take seconds.
import { beforeAll, expect, test } from "vitest";
import { both, cost, ORDINARY, repeated, UNITS } from "../test/processor-time.ts";
import { check, fromMarkdown, TooComplex, toMarkdown } from "./document.ts";
import type { DocumentJson, NodeJson } from "./schema.ts";

const doc = (...content: NodeJson[]): DocumentJson => ({ type: "doc", content });
const many = (count: number, node: (at: number) => NodeJson) => Array.from({ length: count }, (_, at) => node(at));

const LENGTH = 65_536;
let usual = 0;
beforeAll(() => {
  usual = Math.max(...[1, 2, 3].map(() => cost(() => both(repeated(ORDINARY, LENGTH)))));
});

test.each(UNITS)("%j, four times as often: at most nine times as much", (unit) => {
  const [less, more] = [32_768, 131_072].map((length) => cost(() => both(repeated(unit, length)))) as [number, number];
  expect(more / Math.max(less, usual / 8)).toBeLessThan(9);
});

// Twice to twelve times the usual is what these take; without care, each of them takes forty times as much and more.
test.each([
  ["spaces between words", `a${" ".repeat(LENGTH)}b`],
  ["code that begins with a space", `\` ${"a".repeat(LENGTH)}b\``],
  ["emphasis in emphasis", repeated("*a **b ", LENGTH / 2) + repeated(" c** d*", LENGTH / 2)],
  ["addresses without spaces", repeated("http://a/", LENGTH)],
])("%s: as ordinary text", (_what, markdown) => {
  expect(cost(() => both(markdown)) / usual).toBeLessThan(25);
});

test("a link that ends at each underlined word: as ordinary text", () => {
  const marks = [{ type: "link", attrs: { href: "b", title: null } }];
  const words = many(12_000, (at) => ({
    type: "text",
    text: "a",
    marks: at % 2 ? marks : [...marks, { type: "underline" }],
  }));
  const linked = doc({ type: "paragraph", content: words });
  expect(cost(() => toMarkdown(linked)) / usual).toBeLessThan(25);
});

test("of four times as much text: at most nine times as much, whatever it consists of", () => {
  const ratioOf = (unit: string) => {
    const [less, more] = [4096, 16_384].map((length) => cost(() => both(repeated(unit, length)))) as [number, number];
    return more / Math.max(less, usual / 8);
  };
  expect(UNITS).toHaveLength(16);
  // A pause for garbage collection weighs much in so short a time, and does not come twice.
  const slow = UNITS.filter((unit) => ratioOf(unit) >= 9 && ratioOf(unit) >= 9);
  expect(slow).toEqual([]);
});

test("a content adds at most so many cells to its tables, which are read as words from then on if they are stored", () => {
  const sparse = `${"|a".repeat(200)}\n${"|-".repeat(200)}\n${"|\n".repeat(320)}\n`;
  expect(() => fromMarkdown(sparse, { limited: true })).not.toThrow();
  expect(() => fromMarkdown(sparse.repeat(3), { limited: true })).toThrow(TooComplex);
  const tables = fromMarkdown(sparse.repeat(5)).content.filter(({ type }) => type === "table");
  expect(tables.length).toBeLessThan(4);
  const cells = (count: number): NodeJson[] => many(count, () => ({ type: "table_cell" }));
  const uneven: NodeJson = {
    type: "table",
    content: many(300, (at) => ({ type: "table_row", content: cells(at === 0 ? 300 : 1) })),
  };
  expect(() => check(doc(uneven, uneven))).not.toThrow();
  expect(() => check(doc(uneven, uneven, uneven))).toThrow(/too many cells/);
});
