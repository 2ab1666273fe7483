// Two changes of one text put together.
import fc from "fast-check";
import { expect, test } from "vitest";
import { blocksOf, merged } from "./merge.ts";

const base = ["A", "B", "C", "D"];

test.each([
  ["one side alone", ["A", "B2", "C", "D"], base, ["A", "B2", "C", "D"]],
  ["both sides, elsewhere", ["A2", "B", "C", "D"], ["A", "B", "C", "D2"], ["A2", "B", "C", "D2"]],
  ["both sides, side by side", ["A", "B2", "C", "D"], ["A", "B", "C2", "D"], ["A", "B2", "C2", "D"]],
  ["both the same", ["A", "B2", "C", "D"], ["A", "B2", "C", "D"], ["A", "B2", "C", "D"]],
  ["added and removed", ["A", "B", "X", "C", "D"], ["A", "B", "C"], ["A", "B", "X", "C"]],
  ["added at both ends", ["X", ...base], [...base, "Y"], ["X", ...base, "Y"]],
])("changes of %s are merged", (_, mine, theirs, expected) => {
  expect(merged(base, mine, theirs)).toEqual({ blocks: expected, conflicts: 0 });
});

test("where both changed the same, both texts are kept between marks", () => {
  const { blocks, conflicts } = merged(base, ["A", "mine", "C", "D"], ["A", "theirs", "C", "D"]);
  expect([blocks, conflicts]).toEqual([
    ["A", "<<<<<<< yours", "mine", "=======", "theirs", ">>>>>>> theirs", "C", "D"],
    1,
  ]);
  expect(merged(base, ["A", "X", ...base.slice(1)], ["A", "Y", ...base.slice(1)]).conflicts, "added at one place").toBe(
    1,
  );
  expect(merged(base, ["A", "D"], ["A", "B", "C2", "D"]).conflicts, "removed and changed").toBe(1);
});

const some = fc.array(fc.constantFrom("a", "b", "c", "d", "e"), { maxLength: 8 });
test("a side that changed nothing leaves the other's text as it is, whatever it is", () => {
  fc.assert(
    fc.property(some, some, (one, other) => {
      expect(merged(one, other, one)).toEqual({ blocks: other, conflicts: 0 });
      expect(merged(one, one, other)).toEqual({ blocks: other, conflicts: 0 });
    }),
  );
});

test("a text is cut into the blocks that the service knows, in its spelling", () => {
  expect(blocksOf("# Plan\n- one\n- two\n\n```\na\n\nb\n```\n")).toEqual([
    "# Plan",
    "- one\n- two",
    "```\na\n\nb\n```",
  ]);
  expect(blocksOf(" \n")).toEqual([]);
});
