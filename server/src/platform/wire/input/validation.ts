// Validates input against the contract's schemas and names every fault with a pointer. Schemas are compiled at their
// first use: compiling all of them at start would cost seconds and a hundred megabytes.
import { type AnyOperation, ignoresUnknown, PAGE } from "@svc/contract/kit.ts";
import { formats, MOST_CURSOR, paramOf } from "@svc/contract/types.ts";
import { Ajv, type ErrorObject, type ValidateFunction } from "ajv";
import addFormats from "ajv-formats";
import Type, { type TSchema } from "typebox";
import { type Fault, Refusal } from "../problem.ts";
import { MOST_JSON_DEPTH, tooDeepIn } from "./json-depth.ts";
import { nestsDeeper } from "./markdown-nesting.ts";
import { repeatedKeys } from "./repeated-keys.ts";
import { narrowed } from "./union-faults.ts";

const MAX_FAULTS = 50;

const ajv = new Ajv({
  allErrors: true,
  useDefaults: true,
  strict: false,
  validateFormats: true,
  verbose: true,
  // Compiling then takes two thirds of the time (all schemas: 1.1 s instead of 1.5 s), and a check 0.3 µs instead of
  // 0.15.
  code: { optimize: false },
});
addFormats.default(ajv, ["date", "date-time", "email"]);
ajv.addKeyword({
  keyword: "x-max-nesting",
  type: "string",
  schemaType: "number",
  validate: (most: number, value: string) => !nestsDeeper(value, most),
  error: {
    message: ({ schema }) => `nests too deep; at most ${schema} quotes and lists within each other are allowed`,
  },
});
for (const [name, check] of Object.entries(formats)) ajv.addFormat(name, check);

const compiled = new WeakMap<object, ValidateFunction>();
function compile(schema: TSchema): ValidateFunction {
  const known = compiled.get(schema);
  if (known) return known;
  const check = ajv.compile(schema);
  compiled.set(schema, check);
  return check;
}

const codes: Record<string, string> = {
  required: "required",
  additionalProperties: "unknown_field",
  type: "wrong_type",
  enum: "not_allowed",
  format: "wrong_format",
  pattern: "wrong_format",
  minLength: "too_short",
  maxLength: "too_long",
  minimum: "too_small",
  maximum: "too_large",
  minItems: "too_few",
  maxItems: "too_many",
  uniqueItems: "repeated",
  minProperties: "nothing_to_change",
  maxProperties: "too_many",
  "x-max-nesting": "too_deep",
};

const escaped = (part: string) => part.replaceAll("~", "~0").replaceAll("/", "~1");
function fault(where: string, error: ErrorObject): Fault {
  const named = (error.params.missingProperty ?? error.params.additionalProperty) as string | undefined;
  // The description of a pattern is easier to read than the pattern.
  const meant = error.keyword === "pattern" ? error.parentSchema?.description : undefined;
  const allowed = error.keyword === "enum" ? `: ${(error.params.allowedValues as unknown[]).join(", ")}` : "";
  return {
    pointer: `/${where}${error.instancePath}${named === undefined ? "" : `/${escaped(named.slice(0, 100))}`}`,
    code: codes[error.keyword] ?? error.keyword,
    detail: meant === undefined ? `${error.message ?? "is not valid"}${allowed}` : `does not fit: ${meant}`,
  };
}

interface Bounds {
  maxLength?: number;
  maxItems?: number;
  format?: string;
  items?: Bounds;
  properties?: Record<string, Bounds>;
}
const MOST_FIELDS = 1000;
const SMALL = 8192;
const FORMATTED = 100;
/**
 * Finds excessive sizes before the validator would compare all items with each other and collect a fault for each:
 * 20,000 items took it 27 seconds. Length counts UTF-16 units here, of which a character has at most two.
 */
function excess(schema: Bounds, value: unknown, pointer: string): Fault[] {
  const too = (code: string, most: number, what: string) => [
    { pointer, code, detail: `must not have more than ${most} ${what}` },
  ];
  if (typeof value === "string") {
    const most = schema.maxLength ?? (schema.format ? FORMATTED : Number.POSITIVE_INFINITY);
    return value.length > most * 2 ? too("too_long", most, "characters") : [];
  }
  if (Array.isArray(value)) {
    const { items, maxItems = Number.POSITIVE_INFINITY } = schema;
    if (value.length > maxItems) return too("too_many", maxItems, "items");
    return items ? value.flatMap((item, at) => excess(items, item, `${pointer}/${at}`)) : [];
  }
  if (value === null || typeof value !== "object") return [];
  if (Object.keys(value).length > MOST_FIELDS) return too("too_many", MOST_FIELDS, "fields");
  return Object.entries(schema.properties ?? {}).flatMap(([name, property]) =>
    Object.hasOwn(value, name) ? excess(property, value[name as never], `${pointer}/${escaped(name)}`) : [],
  );
}

/** `size` is the length in bytes of the value's text: small texts skip the check for excess. */
export function faultsIn(where: "path" | "query" | "body", schema: TSchema, value: unknown, size = 0): Fault[] {
  const excessive = size > SMALL ? excess(schema as Bounds, value, `/${where}`) : [];
  if (excessive.length > 0) return excessive.slice(0, MAX_FAULTS);
  const check = compile(schema);
  if (check(value)) return [];
  return narrowed(check.errors ?? [])
    .slice(0, MAX_FAULTS)
    .map((error) => fault(where, error));
}

const pageQuery = (size = PAGE) => ({
  cursor: Type.Optional(Type.String({ minLength: 1, maxLength: MOST_CURSOR })),
  limit: Type.Integer({ minimum: 1, maximum: 100, default: size }),
});
const inputs = new WeakMap<AnyOperation, { path: TSchema; query: TSchema }>();
/**
 * Schemas of path and query. A path parameter gets its schema by its name; a list has cursor and limit in addition to
 * its own filters.
 */
export function inputSchemas(operation: AnyOperation) {
  let found = inputs.get(operation);
  if (!found) {
    const path = Object.fromEntries(operation.params.map((name) => [name, paramOf(operation.path, name).schema]));
    const own = (operation.schemas.query as { properties?: Record<string, TSchema> } | undefined)?.properties ?? {};
    found = {
      path: Type.Object(path),
      // OAuth endpoints ignore parameters that they do not know (RFC 6749, 3.1 and 3.2).
      query: Type.Object(
        { ...own, ...(operation.kind === "page" ? pageQuery(operation.pageOf) : {}) },
        { additionalProperties: ignoresUnknown(operation) },
      ),
    };
    inputs.set(operation, found);
  }
  return found;
}

const spelled: Record<string, { as: RegExp; read: (text: string) => unknown }> = {
  integer: { as: /^-?\d{1,15}$/, read: Number },
  number: { as: /^-?\d{1,15}(?:\.\d{1,15})?$/, read: Number },
  boolean: { as: /^(?:true|false)$/, read: (text) => text === "true" },
};
/**
 * Converts query parameters, which arrive as text, to the numbers and booleans of the schema if they are spelled
 * plainly.
 */
export function typed(schema: TSchema, query: Record<string, string>): Record<string, unknown> {
  const { properties } = schema as unknown as { properties: Record<string, { type?: unknown }> };
  const read = ([name, text]: [string, string]) => {
    const type = Object.hasOwn(properties, name) ? spelled[String(properties[name]?.type)] : undefined;
    return [name, type?.as.test(text) ? type.read(text) : text];
  };
  return Object.fromEntries(Object.entries(query).map(read as never));
}

/** Parses query parameters; a parameter that is repeated or badly encoded is a fault. */
export function parseQuery(search: string): { query: Record<string, string>; faults: Fault[] } {
  const query: Record<string, string> = {};
  const faults: Fault[] = [];
  for (const pair of search === "" ? [] : search.split("&")) {
    const at = pair.indexOf("=");
    try {
      const name = decode(at < 0 ? pair : pair.slice(0, at));
      const pointer = `/query/${escaped(name.slice(0, 100))}`;
      if (Object.hasOwn(query, name)) faults.push({ pointer, code: "repeated", detail: "must be given once" });
      Object.defineProperty(query, name, {
        value: at < 0 ? "" : decode(pair.slice(at + 1)),
        enumerable: true,
        writable: true,
        configurable: true,
      });
    } catch {
      faults.push({ pointer: "/query", code: "wrong_encoding", detail: "must be percent-encoded UTF-8" });
    }
  }
  return { query, faults };
}
/** Parses a form like a query; a repeated field is a fault here too. */
export function parseForm(bytes: Buffer, faults: Fault[]): unknown {
  const { query, faults: found } = parseQuery(bytes.toString("latin1"));
  faults.push(...found.map((fault) => ({ ...fault, pointer: fault.pointer.replace(/^\/query/, "/body") })));
  return query;
}
const decode = (text: string) => decodeURIComponent(text.replaceAll("+", " "));

const utf8 = new TextDecoder("utf-8", { fatal: true });
export function parseJson(bytes: Buffer): unknown {
  try {
    const text = utf8.decode(bytes);
    requireShallow(text);
    const value: unknown = JSON.parse(text);
    const repeated = repeatedKeys(text, value, MAX_FAULTS);
    if (repeated.length === 0) return value;
    throw new Refusal("invalid_request", {
      errors: repeated.map((path) => ({
        pointer: `/body/${path.map((part) => escaped(String(part).slice(0, 100))).join("/")}`,
        code: "repeated",
        detail: "must be given once",
      })),
    });
  } catch (error) {
    if (error instanceof Refusal) throw error;
    const detail = error instanceof SyntaxError ? `is not JSON: ${error.message.slice(0, 200)}` : "is not UTF-8";
    throw new Refusal("invalid_request", { errors: [{ pointer: "/body", code: "malformed", detail }] });
  }
}

/**
 * Refuses a JSON text that nests too deep; the pointer names its outermost member. Called before anything walks the
 * value.
 */
export function requireShallow(text: string): void {
  const member = tooDeepIn(text);
  if (member === null) return;
  const pointer = `/body/${escaped(member.slice(0, 100))}`;
  const detail = `nests too deep; at most ${MOST_JSON_DEPTH} levels of arrays and objects are allowed`;
  throw new Refusal("invalid_request", { errors: [{ pointer, code: "too_deep", detail }] });
}

/**
 * Faults of a response against its schema; tests check every response. Uses a copy, because the validator writes
 * defaults into the value.
 */
export const answerFaults = (schema: TSchema, value: unknown) => faultsIn("body", schema, structuredClone(value));
