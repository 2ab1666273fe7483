// Limits of a content, at the bound and one past it. limits.slow.test.ts has the limit of cells, and measures the
// processor time of what the limits permit.
import { describe, expect, test } from "vitest";
import { fromMarkdown, InvalidContent, requireWithinLimits, TooComplex, toMarkdown } from "./document.ts";
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

  test("is not refused for the attributes that a link repeats before they are checked one by one", () => {
    const linked = `[${"*a*b".repeat(10_000)}](${"c".repeat(8000)})`;
    expect(() => fromMarkdown(linked, { limited: true })).toThrow(TooComplex);
  });
});

test("code with many backticks is written", () => {
  const code = doc({ type: "paragraph", content: [{ ...text("`a".repeat(131_000)), marks: [{ type: "code" }] }] });
  expect(toMarkdown(code)).toMatch(/^`` `a/);
});
