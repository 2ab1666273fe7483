// Letters: somebody's words within ours stay where they are, whatever they are made of.
import { expect, test } from "vitest";
import { isolated } from "./letter.ts";

test("somebody's words turn nothing around them, and cannot leave their place", () => {
  expect(isolated("Gears")).toBe("\u2068Gears\u2069");
  expect(isolated("שלום")).toBe("\u2068שלום\u2069");
  expect(isolated("a\u2069\u202eb\u200f\u061c\u2066c")).toBe("\u2068abc\u2069");
  expect(isolated("می\u200cخواهم")).toBe("\u2068می\u200cخواهم\u2069");
});
