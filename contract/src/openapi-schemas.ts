// Converts schemas of the contract for the OpenAPI document, and collects the components that operations share. Input
// is closed, because unknown fields are refused; output is open, because fields may be added within a major version.
import type { TSchema } from "typebox";
import type { Plain } from "./examples.ts";
import { nameOf } from "./kit.ts";
import { formats } from "./types.ts";

export type Json = Record<string, unknown>;

/** Components that several operations reference, filled while the operations are described. */
export interface Shared {
  schemas: Record<string, unknown>;
  parameters: Record<string, unknown>;
  responses: Record<string, unknown>;
  examples: Record<string, unknown>;
  tags: Set<string>;
}
export const sorted = (entries: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(entries).sort(([a], [b]) => (a < b ? -1 : 1)));
export const ref = (kind: string, name: string) => ({ $ref: `#/components/${kind}/${name}` });

export const input = (schema: TSchema | Plain) => convert(schema as Plain, null) as Json;
/** Named schemas become components. */
export const output = (schema: TSchema, shared: Shared) => convert(schema as Plain, shared) as Json;

function convert(schema: Plain, shared: Shared | null): Json {
  const name = shared ? nameOf(schema)?.replace(/Row$/, "ListItem") : undefined;
  if (!shared || !name) return body(schema, shared);
  shared.schemas[name] ??= body(schema, shared);
  return ref("schemas", name);
}

function body(schema: Plain, shared: Shared | null): Json {
  const { format, additionalProperties, properties, items, anyOf, variants, ...rest } = schema;
  const words = rest.enum?.every((value) => typeof value === "string") ?? false;
  return {
    ...(rest.enum && !rest.type ? { type: words ? "string" : ["string", "null"] } : {}),
    ...rest,
    // Our own formats mean nothing to a reader's tools; the introduction describes the text formats.
    ...(format && (format === "uuid" || !(format in formats)) ? { format } : {}),
    ...(typeof additionalProperties === "object"
      ? { additionalProperties: convert(additionalProperties as Plain, shared) }
      : additionalProperties === undefined || shared
        ? {}
        : { additionalProperties }),
    ...(properties ? { properties: mapValues(properties, (value) => convert(value, shared)) } : {}),
    ...(items ? { items: convert(items, shared) } : {}),
    ...(anyOf ? { anyOf: anyOf.map((value) => convert(value, shared)) } : {}),
    ...(variants ? { oneOf: variants.map((value) => convert(value, shared)) } : {}),
  };
}
const mapValues = (entries: Record<string, Plain>, change: (value: Plain) => Json) =>
  Object.fromEntries(Object.entries(entries).map(([name, value]) => [name, change(value)]));
