// Reading what a caller sent: query strings and bodies.
import Type from "typebox";
import { expect, test } from "vitest";
import { faultsIn, parseJson, parseQuery, typed } from "../wire/input/validation.ts";

test("a query is decoded, and a name that comes twice or is badly encoded is a fault", () => {
  expect(parseQuery("")).toEqual({ query: {}, faults: [] });
  expect(parseQuery("a=1&b=x+y&c=%C3%BC&d").query).toEqual({ a: "1", b: "x y", c: "ü", d: "" });
  expect(parseQuery("a=1&a=1").faults).toMatchObject([{ pointer: "/query/a", code: "repeated" }]);
  expect(parseQuery("a=%ff").faults).toMatchObject([{ pointer: "/query", code: "wrong_encoding" }]);
  expect(Object.getPrototypeOf(parseQuery("__proto__=x").query)).toBe(Object.prototype);
  expect(Object.keys(parseQuery("__proto__=x").query)).toEqual(["__proto__"]);
});

test("numbers and booleans of a query are read where they are spelled plainly, and stay text otherwise", () => {
  const schema = Type.Object({ n: Type.Integer(), x: Type.Number(), b: Type.Boolean(), s: Type.String() });
  expect(typed(schema, { n: "50", x: "-1.5", b: "true", s: "50" })).toEqual({ n: 50, x: -1.5, b: true, s: "50" });
  for (const n of ["", " 5", "5 ", "+5", "1e1", "0x10", "1.0", "٥", "9".repeat(16)])
    expect(typed(schema, { n })).toEqual({ n });
  expect(faultsIn("query", schema, typed(schema, { n: "x", x: "1", b: "false", s: "" }))).toMatchObject([
    { pointer: "/query/n", code: "wrong_type" },
  ]);
});

test("every fault is named with a pointer in which / and ~ are escaped", () => {
  const schema = Type.Object(
    { a: Type.String({ maxLength: 2 }), b: Type.Enum(["x", "y"]) },
    { additionalProperties: false },
  );
  expect(
    faultsIn("body", schema, { a: "abc", b: "z", "c/d~e": 1 })
      .map(({ pointer, code }) => `${pointer} ${code}`)
      .sort(),
  ).toEqual(["/body/a too_long", "/body/b not_allowed", "/body/c~1d~0e unknown_field"]);
  expect(faultsIn("body", schema, {}).map(({ pointer }) => pointer)).toEqual(["/body/a", "/body/b"]);
});

test("what is not JSON or not UTF-8 is refused", () => {
  expect(parseJson(Buffer.from('{"a":"ü"}'))).toEqual({ a: "ü" });
  for (const bytes of [Buffer.from("{"), Buffer.from([0x22, 0xff, 0x22]), Buffer.alloc(0)])
    expect(() => parseJson(bytes)).toThrow("invalid_request");
});
