// The limits of what somebody may write, at the bound and one past it; and that the processor time of what passes them
// grows with its length.
import { beforeAll, describe, expect, test } from "vitest";
import { both, cost, ORDINARY, repeated, UNITS } from "../test/processor-time.ts";
import { check, fromMarkdown, InvalidContent, requireWithinLimits, TooComplex, toMarkdown } from "./document.ts";
import { delimitersIn, MOST_ATTRIBUTES, MOST_DELIMITERS, MOST_NODES, MOST_PIECES } from "./limits.ts";
import type { DocumentJson, NodeJson } from "./schema.ts";

const doc = (...content: NodeJson[]): DocumentJson => ({ type: "doc", content });
const text = (words: string, href?: string): NodeJson => ({
  type: "text",
  text: words,
  ...(href !== undefined && { marks: [{ type: "link", attrs: { href, title: null } }] }),
});
const many = (count: number, node: (at: number) => NodeJson) => Array.from({ length: count }, (_, at) => node(at));

describe("a content that somebody writes", () => {
  test.each<[string, number, (count: number) => DocumentJson]>([
    ["nodes", MOST_NODES - 1, (count) => ({ type: "doc", content: many(count, () => ({ type: "divider" })) })],
    ["pieces in a block", MOST_PIECES, (count) => doc({ type: "paragraph", content: many(count, () => text("a")) })],
    [
      "characters of attributes",
      MOST_ATTRIBUTES / 4096,
      (count) => doc({ type: "paragraph", content: many(count, () => text("a", "b".repeat(4096))) }),
    ],
  ])("has at most so many %s", (_what, most, made) => {
    expect(() => requireWithinLimits(made(most))).not.toThrow();
    expect(() => requireWithinLimits(made(most + 1))).toThrow(TooComplex);
  });

  test("has at most so many delimiters, which code does not have", () => {
    const delimited = (count: number) => "*a ".repeat(count);
    expect(() => fromMarkdown(delimited(MOST_DELIMITERS), { limited: true })).not.toThrow(InvalidContent);
    expect(() => fromMarkdown(delimited(MOST_DELIMITERS + 1), { limited: true })).toThrow(/too many signs/);
    expect(() => fromMarkdown(delimited(MOST_DELIMITERS + 1))).not.toThrow();
    expect(() => fromMarkdown(`~~~\n${delimited(MOST_DELIMITERS + 1)}\n~~~`, { limited: true })).not.toThrow();
  });

  test("counts runs of signs, and each bracket", () => {
    expect(delimitersIn("**a** _b_ `c` ~~d~~ [e]")).toBe(9);
    expect(delimitersIn("[[*_*")).toBe(5);
  });

  test("adds at most so many cells to its tables, which are read as words from then on if they are stored", () => {
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

  test("is not refused for the attributes that a link repeats before they are checked one by one", () => {
    const linked = `[${"*a*b".repeat(10_000)}](${"c".repeat(8000)})`;
    expect(() => fromMarkdown(linked, { limited: true })).toThrow(TooComplex);
  });
});

describe("processor time", () => {
  const LENGTH = 65_536;
  let usual = 0;
  beforeAll(() => {
    usual = Math.max(...[1, 2, 3].map(() => cost(() => both(repeated(ORDINARY, LENGTH)))));
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

  // Eight times these lengths are in limits.slow.test.ts.
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

  test("code with many backticks is written", () => {
    const code = doc({ type: "paragraph", content: [{ ...text("`a".repeat(131_000)), marks: [{ type: "code" }] }] });
    expect(toMarkdown(code)).toMatch(/^`` `a/);
  });
});
