// The depth of a JSON text is known before it is parsed, and the outermost member that is too deep is named.
import { expect, test } from "vitest";
import { MOST_JSON_DEPTH, tooDeepIn } from "./json-depth.ts";

const lists = (depth: number) => "[".repeat(depth) + "]".repeat(depth);

test("the limit itself passes, one level more does not", () => {
  expect(tooDeepIn(lists(MOST_JSON_DEPTH))).toBeNull();
  expect(tooDeepIn(lists(MOST_JSON_DEPTH + 1))).toBe("0");
  expect(tooDeepIn(`{"a":${lists(MOST_JSON_DEPTH - 1)}}`)).toBeNull();
  expect(tooDeepIn(`{"a":${lists(MOST_JSON_DEPTH)}}`)).toBe("a");
});

test("the member that is too deep is named, among others and in an array", () => {
  expect(tooDeepIn(`{"a":[1],"b":{"x":"y"},"c": ${lists(200)}}`)).toBe("c");
  expect(tooDeepIn(`[1,[2],${lists(200)}]`)).toBe("2");
});

test("brackets within strings do not nest, whatever is escaped there", () => {
  const inside = "[".repeat(500);
  expect(tooDeepIn(JSON.stringify({ a: `${inside}"${inside}\\`, b: inside }))).toBeNull();
  expect(tooDeepIn(`{"a\\"[":${lists(200)}}`)).toBe('a\\"[');
});

test("a text that is no JSON is read to its end", () => {
  for (const text of ['"', '"\\', "]]]]", "{".repeat(161), `"${"\\".repeat(1001)}`])
    expect(() => tooDeepIn(text)).not.toThrow();
});
