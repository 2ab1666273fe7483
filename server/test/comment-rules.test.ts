// Comments outside of tests begin with a subject and use terms that can be looked up.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { commentsOf, faultsOf } from "./comment-rules.ts";

const root = join(import.meta.dirname, "../..");
const SOURCE = /\.(?:ts|tsx|mjs|css)$/;
/** Tests, and files that are frozen. */
const LEFT_OUT = /\.test\.ts$|\/test\/|\/releases\//;
const sources = execFileSync("git", ["ls-files"], { cwd: root, encoding: "utf8" })
  .split("\n")
  .filter((path) => SOURCE.test(path) && !LEFT_OUT.test(path));
const faultsIn = (source: string) => commentsOf(source).flatMap(faultsOf);

test("no comment begins without a subject or uses a banned phrase", () => {
  expect(sources.length).toBeGreaterThan(1000);
  const faults = sources.flatMap((path) =>
    commentsOf(readFileSync(join(root, path), "utf8")).flatMap((comment) =>
      faultsOf(comment).map((sentence) => `${path}:${comment.line}: ${sentence}`),
    ),
  );
  expect(faults).toEqual([]);
});

test.each([
  ["a line without a subject", "// Of one run.", "Of one run."],
  [
    "a later sentence without a subject",
    "// The run ends. Where it failed, it is retried.",
    "Where it failed, it is retried.",
  ],
  ["a block without a subject", "/** As which it acts. */", "As which it acts."],
  ["a block of several lines", "/**\n * Its state\n * in words.\n */", "Its state in words."],
  ["a comment after code", "const at = 0; // What it began with.", "What it began with."],
  ["a banned phrase", "/** The author is told of it. */", "The author is told of it."],
  ["a banned phrase across lines", "// The revision is\n// kept for a day.", "The revision is kept for a day."],
])("the rule finds %s", (_what, source, sentence) => {
  expect(faultsIn(source)).toEqual([sentence]);
});

test.each([
  ["a subject and a verb", "// The worker claims a job."],
  ["an address in a text", 'const url = "https://example.com/As // What";'],
  ["a comment for a program", "// biome-ignore lint/suspicious/noExplicitAny: What it is."],
  ["code between two comments", "// The first.\nconst of = 1;\n// The second."],
])("the rule passes %s", (_what, source) => {
  expect(faultsIn(source)).toEqual([]);
});
