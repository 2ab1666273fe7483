// Actions of a service of one's own: what a form shows of a schema comes back the same, and what it cannot show is
// kept.
import { expect, test } from "vitest";
import { draftOf, isTaken, newAction, sentOf } from "./declared-actions.ts";

const schemas = [
  { type: "object" },
  { type: "object", properties: {} },
  { type: "object", properties: { version: { type: "string" }, force: { type: "boolean" } }, required: ["version"] },
  { type: "object", properties: { version: { type: "string", maxLength: 10 } } },
  { type: "object", properties: { where: { type: "object", properties: { host: { type: "string" } } } } },
  { type: "object", properties: { level: { type: "string", enum: ["low", "high"] } } },
  { type: "object", properties: { tags: { type: "array", items: { type: "string" } } } },
  { type: "object", title: "Deploy", properties: { version: { type: "string" } } },
];

test("a schema that is read and sent says the same", () => {
  for (const input_schema of schemas) {
    const sent = sentOf(draftOf({ key: "deploy", name: "Deploy", input_schema }));
    expect(sent).toMatchObject({ key: "deploy", name: "Deploy" });
    expect({ properties: {}, ...sent.input_schema }, JSON.stringify(input_schema)).toEqual({
      properties: {},
      ...input_schema,
    });
  }
});

test("only plain fields are shown in a form; what says more is kept whole", () => {
  const drafts = schemas.map((input_schema) => draftOf({ key: "deploy", name: "Deploy", input_schema }));
  expect(drafts.map(({ kept, fields }) => (kept ? "kept" : fields.length))).toEqual([
    0,
    0,
    2,
    ...Array(5).fill("kept"),
  ]);
  expect(drafts[2]?.fields.map(({ name, type, required }) => [name, type, required])).toEqual([
    ["version", "string", true],
    ["force", "boolean", false],
  ]);
});

test("what has no name is called by its key", () => {
  expect(sentOf({ ...newAction(), key: "deploy", fields: [] })).toEqual({
    key: "deploy",
    input_schema: { type: "object", properties: {} },
  });
});

test("of two by one name the later one is wrong; what is not filled in yet is not", () => {
  const names = ["version", "", "Version", "version", "", "version"];
  expect(names.map((_name, at) => isTaken(names, at))).toEqual([false, false, false, true, false, true]);
});
