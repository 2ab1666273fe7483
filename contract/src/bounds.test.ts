// Everything that a caller can send has a bound, so that the kernel can refuse what is absurdly large before it looks
// closer.

import Type from "typebox";
import { expect, test } from "vitest";
import { type AnyOperation, ignoresUnknown, op, S } from "./kit.ts";
import { operations } from "./operations.ts";
import { object } from "./types.ts";

interface Schema {
  type?: string | string[];
  enum?: unknown[];
  format?: string;
  maxLength?: number;
  maxItems?: number;
  items?: Schema;
  properties?: Record<string, Schema>;
  additionalProperties?: unknown;
  anyOf?: Schema[];
}
const FIXED = ["uuid", "date", "date-time"];
function unbounded(schema: Schema, where: string): string[] {
  const types = [schema.type ?? []].flat();
  return [
    ...(types.includes("string") &&
    schema.maxLength === undefined &&
    !schema.enum &&
    !FIXED.includes(schema.format ?? "")
      ? [`${where} has no maxLength`]
      : []),
    ...(types.includes("array") && schema.maxItems === undefined ? [`${where} has no maxItems`] : []),
    ...(types.includes("object") && schema.additionalProperties !== false ? [`${where} takes unknown fields`] : []),
    ...(schema.items ? unbounded(schema.items, `${where}[]`) : []),
    ...(schema.anyOf ?? []).flatMap((each) => unbounded(each, where)),
    ...Object.entries(schema.properties ?? {}).flatMap(([name, property]) => unbounded(property, `${where}.${name}`)),
  ];
}
/** What a browser says of a passkey: it adds fields as WebAuthn grows. */
const GROWING = new Set(["body.response", "body.response.response", "body.response.clientExtensionResults"]);
const OF_PASSKEYS = new Set(["createPasskey", "loginWithPasskey", "reauthenticate"]);
/** What the schema of Documents checks, and refuses with a pointer. */
const OF_DOCUMENTS = "replaceDocumentContent body.content takes unknown fields";
/** Which the operation of the change checks, as it checks its body. */
const OF_CHANGES = "proposeChangeSet body.changes[].set takes unknown fields";
/** Which is checked against what the action declares; and the declaration itself, of which only so much is taken. */
const OF_ACTIONS = [
  "createIntegrationAction body.input takes unknown fields",
  "createPrivateConnector body.actions[].input_schema takes unknown fields",
  "updatePrivateConnector body.actions[].input_schema takes unknown fields",
];
const inputOf = (operation: AnyOperation) =>
  (["body", "query"] as const)
    .flatMap((part) =>
      operation.schemas[part] ? unbounded(operation.schemas[part] as Schema, `${operation.id} ${part}`) : [],
    )
    .filter((fault) => !(ignoresUnknown(operation) && fault === `${operation.id} body takes unknown fields`))
    .filter((fault) => ![OF_DOCUMENTS, OF_CHANGES, ...OF_ACTIONS].includes(fault))
    .filter(
      (fault) =>
        !GROWING.has(fault.replace(/^\w+ /, "").replace(/ takes unknown fields$/, "")) ||
        !OF_PASSKEYS.has(operation.id),
    );

test("every text has a maxLength, every list a maxItems, and no object takes unknown fields, save where they are ignored", () => {
  expect([...operations.values()].flatMap(inputOf)).toEqual([]);
});

test("what has no bound is seen", () => {
  const body = object({
    a: Type.String(),
    b: Type.Array(Type.String({ maxLength: 5 })),
    c: Type.Object({ d: Type.String() }),
  });
  expect(inputOf(op("POST /x", "x", { auth: [S], body }))).toHaveLength(4);
});
