// Filters by several values, as they are read.
import { expect, test } from "vitest";
import { lettingThrough, onlyOne, severalOf } from "./value-filter.ts";

test("a filter is some values, or none of them, and `none` is apart where something may be absent", () => {
  expect(severalOf("a,b")).toEqual({ values: ["a", "b"], none: false, not: false });
  expect(severalOf("!a,none")).toEqual({ values: ["a"], none: true, not: true });
  expect(severalOf("none")).toEqual({ values: [], none: true, not: false });
  expect(severalOf("none,low", false)).toEqual({ values: ["none", "low"], none: false, not: false });
});

test("one value is one that nothing stands beside", () => {
  expect(["a", "a,b", "!a", "none", "a,none", undefined].map(onlyOne)).toEqual(["a", ...Array(5).fill(undefined)]);
});

test("of the words that there are a filter lets some through, or all but some", () => {
  const roles = ["owner", "admin", "member"];
  expect(lettingThrough(undefined, roles)).toEqual(roles);
  expect(lettingThrough("member,owner", roles)).toEqual(["owner", "member"]);
  expect(lettingThrough("!member,owner", roles)).toEqual(["admin"]);
  expect(lettingThrough("!owner,admin,member", roles)).toEqual([]);
});
