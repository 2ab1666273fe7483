// The small rules of an open Task: names of branches, lines that differ.
import { expect, test } from "vitest";
import { rowsOf } from "../../editor/text-comparison.tsx";
import { branchName } from "./branch.ts";

test("a branch is called by the code and the words of the title, as Git takes them", () => {
  expect(branchName({ code: "ENG-12" as never, title: "Größe: cut *all* the gears…" })).toBe(
    "eng-12-groesse-cut-all-the-gears",
  );
  expect(branchName({ code: "ENG-1" as never, title: "日本語" })).toBe("eng-1");
  expect(branchName({ code: "ENG-1" as never, title: "x".repeat(500) }).length).toBe(60);
});

test("lines that differ stand beside each other", () => {
  expect(rowsOf("a\nb\nc", "a\nx\ny\nc")).toEqual([
    { before: "a", after: "a" },
    { before: "b", after: "x" },
    { before: null, after: "y" },
    { before: "c", after: "c" },
  ]);
  expect(rowsOf("a\nb", "b")).toEqual([
    { before: "a", after: null },
    { before: "b", after: "b" },
  ]);
});
