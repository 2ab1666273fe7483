// Input schemas of private connectors: a subset of JSON Schema that is validated in bounded time, whoever wrote it. It
// has no patterns, no references and no combinators. Pure.
import type { Fault } from "../../../platform/wire/problem.ts";

const TYPES = ["object", "array", "string", "integer", "number", "boolean", "null"] as const;
type Kind = (typeof TYPES)[number];
interface Schema {
  type: Kind;
  title?: string;
  description?: string;
  enum?: unknown[];
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  minItems?: number;
  maxItems?: number;
}

const isFields = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const isText = (most: number) => (value: unknown) => typeof value === "string" && value.length <= most;
const isCount = (value: unknown) => Number.isSafeInteger(value) && (value as number) >= 0;
const isScalar = (value: unknown) => value === null || ["string", "number", "boolean"].includes(typeof value);
const isListOf = (is: (value: unknown) => boolean, most: number) => (value: unknown) =>
  Array.isArray(value) && value.length <= most && value.every(is);

/** Keywords, and the check of the value of each. */
const WORDS: Readonly<Record<string, (value: unknown) => boolean>> = {
  type: (value) => TYPES.includes(value as never),
  title: isText(200),
  description: isText(2000),
  enum: isListOf(isScalar, 100),
  properties: (value) => isFields(value) && Object.keys(value).length <= 50,
  required: isListOf(isText(100), 50),
  additionalProperties: (value) => value === false,
  items: isFields,
  minLength: isCount,
  maxLength: isCount,
  minimum: Number.isFinite,
  maximum: Number.isFinite,
  minItems: isCount,
  maxItems: isCount,
};
const DEEPEST = 5;
const escaped = (part: string) => part.replaceAll("~", "~0").replaceAll("/", "~1");

/** Faults of a schema; the outermost one must be of an object. */
export function faultsOfSchema(schema: unknown, pointer: string, depth = 1): Fault[] {
  const wrong = (at: string, detail: string) => [{ pointer: at, code: "not_allowed", detail }];
  if (!isFields(schema)) return wrong(pointer, "must be a schema");
  if (depth > DEEPEST) return wrong(pointer, `must not be deeper than ${DEEPEST} schemas`);
  if (depth === 1 && schema.type !== "object") return wrong(`${pointer}/type`, "must be object");
  if (!Object.hasOwn(schema, "type")) return wrong(`${pointer}/type`, "must be there");
  const ofWords = Object.entries(schema).flatMap(([word, value]) => {
    const is = Object.hasOwn(WORDS, word) ? WORDS[word] : undefined;
    if (!is) return wrong(`${pointer}/${escaped(word)}`, `must be one of ${Object.keys(WORDS).join(", ")}`);
    return is(value) ? [] : wrong(`${pointer}/${word}`, "is not what this word takes");
  });
  if (ofWords.length > 0) return ofWords;
  const required = (schema.required as string[]) ?? [];
  const again = required.flatMap((name, at) =>
    required.indexOf(name) < at
      ? [{ pointer: `${pointer}/required/${at}`, code: "repeated", detail: "must be given once" }]
      : [],
  );
  const inner = [
    ...Object.entries((schema.properties as Record<string, unknown>) ?? {}).map(
      ([name, each]) => [each, `${pointer}/properties/${escaped(name)}`] as const,
    ),
    ...(schema.items === undefined ? [] : [[schema.items, `${pointer}/items`] as const]),
  ];
  return [...again, ...inner.flatMap(([each, at]) => faultsOfSchema(each, at, depth + 1))];
}

const IS: Readonly<Record<Kind, (value: unknown) => boolean>> = {
  object: isFields,
  array: Array.isArray,
  string: (value) => typeof value === "string",
  integer: Number.isSafeInteger,
  number: Number.isFinite,
  boolean: (value) => typeof value === "boolean",
  null: (value) => value === null,
};
const MOST_FAULTS = 50;

/** Faults of a value. Properties that are not declared are refused at any depth. */
export function faultsOfValue(schema: Schema, value: unknown, pointer: string): Fault[] {
  const fault = (code: string, detail: string): Fault[] => [{ pointer, code, detail }];
  if (!IS[schema.type](value)) return fault("wrong_type", `must be ${schema.type}`);
  if (schema.enum && !schema.enum.includes(value)) return fault("not_allowed", "must be one of the declared values");
  if (typeof value === "string")
    return outside(schema.minLength, schema.maxLength, [...value].length, "characters", fault);
  if (typeof value === "number") return outside(schema.minimum, schema.maximum, value, "", fault);
  if (Array.isArray(value)) {
    const faults = outside(schema.minItems, schema.maxItems, value.length, "items", fault);
    if (faults.length > 0) return faults;
    const { items } = schema;
    return items
      ? value.flatMap((item, at) => faultsOfValue(items, item, `${pointer}/${at}`)).slice(0, MOST_FAULTS)
      : [];
  }
  return isFields(value) ? faultsOfFields(schema, value, pointer) : [];
}

function faultsOfFields(
  { properties = {}, required = [] }: Schema,
  value: Record<string, unknown>,
  pointer: string,
): Fault[] {
  const at = (name: string) => `${pointer}/${escaped(name.slice(0, 100))}`;
  return [
    ...required
      .filter((name) => !Object.hasOwn(value, name))
      .map((name) => ({ pointer: at(name), code: "required", detail: "must be there" })),
    ...Object.entries(value).flatMap(([name, each]) => {
      const schema = Object.hasOwn(properties, name) ? properties[name] : undefined;
      return schema
        ? faultsOfValue(schema, each, at(name))
        : [{ pointer: at(name), code: "unknown_field", detail: "is not declared" }];
    }),
  ].slice(0, MOST_FAULTS);
}

function outside(
  least: number | undefined,
  most: number | undefined,
  size: number,
  of: string,
  fault: (code: string, detail: string) => Fault[],
): Fault[] {
  const [short, long] =
    of === "characters"
      ? ["too_short", "too_long"]
      : of === "items"
        ? ["too_few", "too_many"]
        : ["too_small", "too_large"];
  if (least !== undefined && size < least) return fault(short as string, `must be at least ${least} ${of}`.trim());
  if (most !== undefined && size > most) return fault(long as string, `must be at most ${most} ${of}`.trim());
  return [];
}
export type DeclaredSchema = Schema;
