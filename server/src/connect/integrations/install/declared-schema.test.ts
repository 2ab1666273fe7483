// Schemas that customers declare are checked in bounded time, and inputs are validated against them.
import { expect, test } from "vitest";
import { type DeclaredSchema, faultsOfSchema, faultsOfValue } from "./declared-schema.ts";

const schema: DeclaredSchema = {
  type: "object",
  required: ["name"],
  properties: {
    name: { type: "string", minLength: 2, maxLength: 3 },
    size: { type: "integer", minimum: 1, maximum: 5 },
    ratio: { type: "number" },
    color: { type: "string", enum: ["red", "blue"] },
    tags: { type: "array", maxItems: 2, minItems: 1, items: { type: "string" } },
    place: { type: "object", properties: { "a/b": { type: "boolean" } } },
    nothing: { type: "null" },
  },
};
const faults = (value: unknown) =>
  faultsOfValue(schema, value, "/input").map(({ pointer, code }) => `${pointer} ${code}`);

test("what is declared is taken", () => {
  expect(faultsOfSchema(schema, "/s")).toEqual([]);
  const all = {
    name: "äöü",
    size: 5,
    ratio: 0.5,
    color: "red",
    tags: ["a", "b"],
    place: { "a/b": true },
    nothing: null,
  };
  expect(faults(all)).toEqual([]);
  expect(faults({ name: "ab", size: 1, tags: ["a"], place: {} })).toEqual([]);
});

test("and nothing else, at each bound and one past it", () => {
  expect(faults([])).toEqual(["/input wrong_type"]);
  expect(faults({})).toEqual(["/input/name required"]);
  expect(faults({ name: "a" })).toEqual(["/input/name too_short"]);
  expect(faults({ name: "abcd" })).toEqual(["/input/name too_long"]);
  expect(faults({ name: "ab", size: 0 })).toEqual(["/input/size too_small"]);
  expect(faults({ name: "ab", size: 6 })).toEqual(["/input/size too_large"]);
  expect(faults({ name: "ab", size: 1.5 })).toEqual(["/input/size wrong_type"]);
  expect(faults({ name: "ab", ratio: "1" })).toEqual(["/input/ratio wrong_type"]);
  expect(faults({ name: "ab", color: "green" })).toEqual(["/input/color not_allowed"]);
  expect(faults({ name: "ab", tags: [] })).toEqual(["/input/tags too_few"]);
  expect(faults({ name: "ab", tags: ["a", "b", "c"] })).toEqual(["/input/tags too_many"]);
  expect(faults({ name: "ab", tags: ["a", 1] })).toEqual(["/input/tags/1 wrong_type"]);
  expect(faults({ name: "ab", place: { "a/b": 1, other: 1 } })).toEqual([
    "/input/place/a~1b wrong_type",
    "/input/place/other unknown_field",
  ]);
  expect(faults(JSON.parse('{"name":"ab","__proto__":1,"constructor":2}'))).toEqual([
    "/input/__proto__ unknown_field",
    "/input/constructor unknown_field",
  ]);
});

test("a schema that could cost, refer or combine is none", () => {
  const inner = (extra: object) => ({ type: "object", properties: { a: { type: "string", ...extra } } });
  const wrong: [unknown, string][] = [
    [null, "/s"],
    [{ type: "string" }, "/s/type"],
    [{ type: "object", $ref: "#" }, "/s/$ref"],
    [{ type: "object", allOf: [] }, "/s/allOf"],
    [{ type: "object", additionalProperties: true }, "/s/additionalProperties"],
    [{ type: "object", constructor: 1 }, "/s/constructor"],
    [inner({ pattern: "(a+)+$" }), "/s/properties/a/pattern"],
    [inner({ type: "text" }), "/s/properties/a/type"],
    [inner({ maxLength: -1 }), "/s/properties/a/maxLength"],
    [inner({ enum: [{}] }), "/s/properties/a/enum"],
    [{ type: "object", properties: { a: {} } }, "/s/properties/a/type"],
  ];
  for (const [each, pointer] of wrong)
    expect(faultsOfSchema(each, "/s")).toMatchObject([{ pointer, code: "not_allowed" }]);
  const twice = { type: "object", properties: { a: { type: "object", required: ["b", "c", "b"] } } };
  expect(faultsOfSchema(twice, "/s")).toMatchObject([{ pointer: "/s/properties/a/required/2", code: "repeated" }]);
  const deep = (depth: number): object =>
    depth === 1 ? { type: "object" } : { type: "object", properties: { a: deep(depth - 1) } };
  expect([faultsOfSchema(deep(5), "/s").length, faultsOfSchema(deep(6), "/s").length]).toEqual([0, 1]);
});
