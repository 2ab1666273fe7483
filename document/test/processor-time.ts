// Measures the processor time of reading and writing Markdown, for tests that compare texts with each other.
import { fromMarkdown, toMarkdown } from "../src/document.ts";

export const repeated = (unit: string, length: number) => unit.repeat(Math.floor(length / unit.length));
export const both = (markdown: string) => toMarkdown(fromMarkdown(markdown));

/** Microseconds of processor time of this thread. */
export const cost = (work: () => unknown): number => {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return user + system;
};

export const ORDINARY = "Some *emph* and **bold**, `code`, words that go on (so on).\n\n- item one\n- item two\n\n";

/** Units of which a parser may scan each to the end of the text; with closed brackets and quotes beside them. */
export const UNITS = [
  ">>\na\n",
  "> # a\nb\n",
  "> ~~~\n> a\nb\n",
  "- > # a\nb\n",
  "> [a]: b\n(c\n",
  "> |a|\n> |-|\nb\n",
  "[^a]: > # a\nb\n",
  "[a",
  "![a",
  "[a [b](c) ",
  "[a]: b '\n=\n",
  "[a](b",
  "<a",
  "`a``",
  "~~~\n\n",
  "- a\n\n    b\n",
] as const;
