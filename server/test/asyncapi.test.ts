// The frames against themselves: every example is one that would be sent or accepted, and the AsyncAPI document is one
// by AsyncAPI's own schema.
import specifications from "@asyncapi/specs";
import { asyncApi } from "@svc/contract/surfaces/realtime/asyncapi.ts";
import { frames } from "@svc/contract/surfaces/realtime/frames.ts";
import { formats } from "@svc/contract/types.ts";
import { Ajv } from "ajv";
import addFormats from "ajv-formats";
import { expect, test } from "vitest";
import { realtimePage } from "../../scripts/docs-realtime.ts";

const ajv = new Ajv({ strict: false, allErrors: true });
addFormats.default(ajv);
for (const [name, check] of Object.entries(formats)) ajv.addFormat(name, check);

test("every frame has its type as its name, and an example that fits", () => {
  for (const { type, schema, example } of frames) {
    const check = ajv.compile(schema);
    check(example);
    expect(check.errors ?? [], type).toEqual([]);
    expect(example.type).toBe(type);
    expect(ajv.validate(schema, { ...example, type: "other" }), type).toBe(false);
  }
  expect(new Set(frames.map(({ type }) => type)).size).toBe(frames.length);
});

test("nothing that a client sends is without a bound", () => {
  const unbounded = (
    schema: {
      type?: string;
      maxLength?: number;
      maxItems?: number;
      format?: string;
      enum?: unknown;
      const?: unknown;
      properties?: object;
      items?: object;
    },
    at: string,
  ): string[] => [
    ...(schema.type === "string" && !(schema.maxLength || schema.enum || schema.const || schema.format) ? [at] : []),
    ...(schema.type === "array" && !schema.maxItems ? [at] : []),
    ...Object.entries(schema.properties ?? {}).flatMap(([name, part]) => unbounded(part, `${at}.${name}`)),
    ...(schema.items ? unbounded(schema.items, `${at}[]`) : []),
  ];
  expect(
    frames.filter(({ from }) => from === "client").flatMap(({ type, schema }) => unbounded(schema as object, type)),
  ).toEqual([]);
});

test("the AsyncAPI document is valid, and has every frame with its example", () => {
  const schema = structuredClone(specifications.schemas["3.0.0"]) as { definitions: Record<string, unknown> };
  // Ajv has the schema of draft 7 already, and takes no second one.
  delete schema.definitions["http://json-schema.org/draft-07/schema"];
  const check = new Ajv({ strict: false, allErrors: true, validateFormats: false }).compile(schema);
  const document = asyncApi();
  check(document);
  expect(check.errors ?? []).toEqual([]);
  const { messages } = document.components as {
    messages: Record<string, { payload: object; examples: { payload: unknown }[] }>;
  };
  expect(Object.keys(messages).sort()).toEqual(frames.map(({ type }) => type).sort());
  for (const [type, { payload, examples }] of Object.entries(messages)) {
    const fits = ajv.compile(payload);
    for (const example of examples) fits(example.payload);
    expect(fits.errors ?? [], type).toEqual([]);
  }
  // A document that is wrong is noticed.
  expect(check({ ...document, operations: { hear: { action: "listen" } } })).toBe(false);
});

test("the reference names every field of a frame, and those of the objects in it", () => {
  type Schema = { properties?: Record<string, Schema>; items?: Schema };
  const namesIn = ({ properties = {}, items }: Schema): string[] => [
    ...Object.entries(properties).flatMap(([name, field]) => [name, ...namesIn(field)]),
    ...(items ? namesIn(items) : []),
  ];
  const page = realtimePage();
  for (const { type, schema } of frames) {
    const [section = ""] = page.split(`\n### ${type}\n`)[1]?.split("\n#") ?? [];
    const named = [...section.matchAll(/^\| `(?:.*\.)?(\w+)`/gm)].map(([, name]) => name);
    expect(named, type).toEqual(namesIn(schema as Schema).filter((name) => name !== "type"));
  }
});
