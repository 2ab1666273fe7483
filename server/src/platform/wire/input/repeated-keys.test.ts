// Members that a JSON text names twice: found wherever they stand and however they are written, and nothing else is.
import { expect, test } from "vitest";
import { repeatedKeys } from "./repeated-keys.ts";

const found = (text: string, most = 50) => repeatedKeys(text, JSON.parse(text), most);

test.each([
  ['{"a":1,"a":2}', [["a"]]],
  ['{"a":1,"\\u0061":2}', [["a"]]],
  ['{"a":1, "a" \n\t\r :1}', [["a"]]],
  [`{"a":1,"a"${" ".repeat(500)}:1}`, [["a"]]],
  ['{"a":{"b":[0,{"c":1,"d":2,"c":3}]}}', [["a", "b", 1, "c"]]],
  ['[[],{"x":1,"x":1}]', [[1, "x"]]],
  ['{"__proto__":1,"__proto__":2}', [["__proto__"]]],
  ['{"":1,"":2}', [[""]]],
  ['{"a":1,"a":2,"a":3}', [["a"], ["a"]]],
  ['{"a":{"x":1,"x":2},"a":{"y":1}}', [["a", "x"], ["a"]]],
  ['{"a\\"":1,"a\\"":2}', [['a"']]],
])("%s names a member twice", (text, paths) => expect(found(text)).toEqual(paths));

test.each([
  '{"a":1,"b":2}',
  '{"a":{"a":{"a":1}},"b":{"a":1}}',
  '[{"a":1},{"a":1}]',
  '{"a":"a\\":1,\\"a","b":"::::\\\\"}',
  '{"a":"a","b":["a","a:"]}',
  '{"A":1,"a":2}',
  '{"__proto__":1,"constructor":2}',
  '"a:a"',
  "null",
])("%s does not", (text) => expect(found(text)).toEqual([]));

test("a text may be nested as deep as it is long, and only so many are told", () => {
  const deep = 200_000;
  expect(found(`${"[".repeat(deep)}{"a":1,"a":1}${"]".repeat(deep)}`)[0]).toHaveLength(deep + 1);
  expect(found(`{${Array(1000).fill('"a":1').join()}}`, 50)).toHaveLength(50);
});
