// Markdown that nests too deep is found by its lines; dividers and ordinary texts are not mistaken for it.
import { expect, test } from "vitest";
import { nestsDeeper } from "./markdown-nesting.ts";

test.each([
  ["quotes", ">".repeat(64), ">".repeat(65)],
  ["quotes with spaces", `${"> ".repeat(64)}a`, `${"> ".repeat(65)}a`],
  ["lists", `${"- ".repeat(64)}a`, `${"- ".repeat(65)}a`],
  ["numbers", `${"1. ".repeat(64)}a`, `${"1. ".repeat(65)}a`],
  ["both", `${"> - ".repeat(32)}a`, `${"> - ".repeat(33)}a`],
  ["a later line", `words\n\n${"> ".repeat(64)}a`, `words\n\n${"> ".repeat(65)}a`],
  ["quotes around a divider", `${"> ".repeat(64)}- - -`, `${"> ".repeat(65)}- - -`],
])("%s: 64 pass and 65 do not", (_what, passes, refused) => {
  expect(nestsDeeper(passes, 64)).toBe(false);
  expect(nestsDeeper(refused, 64)).toBe(true);
});

test.each([
  ["a divider", "- ".repeat(200)],
  ["a divider of stars", "* ".repeat(200)],
  ["a line", "-".repeat(200)],
  ["text", `a ${">".repeat(200)}`],
  ["indentation", `${" ".repeat(400)}code`],
])("%s nests nothing", (_what, text) => expect(nestsDeeper(text, 64)).toBe(false));
