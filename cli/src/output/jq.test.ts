// The filter of --jq: what it knows gives what jq gives, and what it does not know is refused, not guessed.
import { describe, expect, test } from "vitest";
import { filtered } from "./jq.ts";

const page = {
  items: [
    { code: "ENG-1", title: "Gears", priority: "high", points: 3, labels: ["a", "b"], due: null },
    { code: "ENG-2", title: "Springs", priority: "low", points: 5, labels: [], due: "2027-01-02" },
  ],
  has_more: false,
  "odd name": { x: 1 },
};

test.each([
  [".", [page]],
  [".has_more", [false]],
  [".items[].code", ["ENG-1", "ENG-2"]],
  [".items[0].title", ["Gears"]],
  [".items[-1].labels", [[]]],
  [".items[1:][].code", ["ENG-2"]],
  [".items[:1] | length", [1]],
  [".items[].labels[]", ["a", "b"]],
  ['.["odd name"].x', [1]],
  ['."odd name".x', [1]],
  [".nothing.at.all", [null]],
  [".items | length", [2]],
  [".items[] | select(.points > 3) | .code", ["ENG-2"]],
  ['.items[] | select(.priority == "high" or .due != null) | .code', ["ENG-1", "ENG-2"]],
  ['.items[] | select(.priority == "high" and .points >= 4) | .code', []],
  [".items[] | select(.due == null | not) | .code", ["ENG-2"]],
  [".items[] | select(.due) | .code", ["ENG-2"]],
  [".items | map(.points)", [[3, 5]]],
  ['.items | map(.code) | join(", ")', ["ENG-1, ENG-2"]],
  [".items[] | .code, .points", ["ENG-1", 3, "ENG-2", 5]],
  [".items | first | .code", ["ENG-1"]],
  [".items | last | keys", [["code", "due", "labels", "points", "priority", "title"]]],
  [".has_more[]?", []],
  [".items[] | (.points <= 3)", [true, false]],
])("%s", (source, expected) => {
  expect(filtered(source, page)).toEqual(expected);
});

describe("is refused", () => {
  test.each([
    "",
    ".items[",
    ".items |",
    ".a b",
    "select(.x",
    "upside_down",
    ".items[] | .code |= 1",
    ".a + 1",
    "$x",
    "..",
    ".items[x]",
    "__proto__",
    "constructor",
  ])("what it does not know: %s", (source) => {
    expect(() => filtered(source, page)).toThrow(/not understood/);
  });
  test.each([".has_more.x", ".has_more[]", ".items.code", ".items[] | .code | .[0]", ".has_more | length"])(
    "what the data does not have: %s",
    (source) => {
      expect(() => filtered(source, page)).toThrow(/cannot take/);
    },
  );
  test("an inherited name is no field", () => {
    expect(filtered(".constructor", page)).toEqual([null]);
  });
});
