// The OpenAPI 3.1 document as a pure function of the operations. Parameters, headers, errors and examples all follow
// from the declarations, so that the document cannot promise what the pipeline does not do.
import type { TSchema } from "typebox";
import catalogue from "../operations.json" with { type: "json" };
import { exampleId, exampleOf, type Plain } from "./examples.ts";
import { Included } from "./included-schemas.ts";
import {
  type AnyOperation,
  type Credential,
  credentialNames,
  isPublic,
  isUnsafe,
  nameOf,
  needsIfMatch,
  PAGE,
  pathOf,
  successStatuses,
  takesIfMatch,
  takesKey,
  takesPrefer,
} from "./kit.ts";
import { headers, info, Problem, securitySchemes, tagOf } from "./openapi-parts.ts";
import { refusals } from "./openapi-problems.ts";
import { input, type Json, output, ref, type Shared, sorted } from "./openapi-schemas.ts";
import { MOST_CURSOR, paramOf } from "./types.ts";
import { undoable } from "./undoable-operations.ts";

const BASE = "/api/v1";
const ROOT = { url: "/", description: "The root of this service" };
const shapeOf = (method: string, path: string) => `${method} ${path.replace(/\{\w+\}/g, "{}")}`;
const listed = new Map(catalogue.map(({ method, path, tag }, place) => [shapeOf(method, path), { tag, place }]));
const listing = (operation: AnyOperation) => listed.get(shapeOf(operation.method, pathOf(operation)));

/** The specification's tag; for an operation that the specification does not name, the declared tag. */
export const tagFor = (operation: AnyOperation): string => listing(operation)?.tag ?? (operation.tag as string);
/** Position in the specification's order; operations that it does not name follow, sorted by name. */
const placeOf = (operation: AnyOperation) => listing(operation)?.place ?? listed.size;
export const inOrder = (operations: Iterable<AnyOperation>) =>
  [...operations].sort((a, b) => placeOf(a) - placeOf(b) || (a.id < b.id ? -1 : 1));

export function openApi(operations: Iterable<AnyOperation>): Json {
  const shared: Shared = { schemas: { Problem }, parameters: {}, responses: {}, examples: {}, tags: new Set() };
  const paths: Record<string, Json> = {};
  for (const operation of inOrder(operations)) {
    const path = operation.path;
    paths[path] ??= pathOf(operation) === path ? { servers: [ROOT] } : {};
    (paths[path] as Json)[operation.method.toLowerCase()] = describe(operation, shared);
  }
  return {
    openapi: "3.1.0",
    info,
    servers: [{ url: BASE, description: "This service" }],
    tags: [...shared.tags].map(tagOf),
    paths,
    components: {
      securitySchemes,
      schemas: sorted(shared.schemas),
      parameters: sorted(shared.parameters),
      headers,
      responses: sorted(shared.responses),
      examples: sorted(shared.examples),
    },
  };
}

/** The operation's own description, then sentences derived from its declaration. */
const textOf = (operation: AnyOperation) =>
  [
    operation.stage && "Upcoming: it may still change.",
    operation.description,
    operation.recentAuth && "Needs a sign-in, or POST /auth/reauthenticate, within the last 15 minutes.",
    operation.withoutIfMatch &&
      `If-Match is required unless nothing is sent but ${operation.withoutIfMatch.join(" or ")}.`,
    operation.unnamed && `Not named by the specification: ${operation.unnamed}.`,
    isUnsafe(operation) && !isPublic(operation) && undoing(operation),
  ]
    .filter(Boolean)
    .join(" ");
function undoing({ id }: AnyOperation): string {
  const limits = undoable[id];
  return limits === undefined ? "Cannot be undone." : `Can be undone${limits && ` ${limits}`}.`;
}

function describe(operation: AnyOperation, shared: Shared): Json {
  const tag = tagFor(operation);
  shared.tags.add(tag);
  const parameters = parametersOf(operation, shared);
  const body = operation.schemas.body;
  return {
    operationId: operation.id,
    tags: [tag],
    summary: operation.summary,
    ...(textOf(operation) === "" ? {} : { description: textOf(operation) }),
    ...(operation.stage ? { "x-svc-stage": operation.stage } : {}),
    security: isPublic(operation) ? [] : operation.auth.map((kind) => ({ [schemeOf(kind)]: [] })),
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(body
      ? {
          requestBody: { required: true, content: bodyContent(operation, body) },
        }
      : {}),
    responses: {
      ...Object.fromEntries(successStatuses(operation).map((status) => [status, success(operation, shared)])),
      ...(takesPrefer(operation)
        ? { 204: spared(operation, "With `Prefer: return=minimal`.", "Preference-Applied") }
        : {}),
      ...(operation.unchanging ? { 304: spared(operation, "The ETag in If-None-Match is still current.") } : {}),
      ...refusals(operation, shared),
    },
  };
}
/** A file has no schema: its media type describes it. */
const bodyContent = (operation: AnyOperation, body: TSchema) =>
  operation.raw
    ? Object.fromEntries(operation.raw.types.map((type) => [type, {}]))
    : { [bodyType(operation)]: { schema: input(body), example: bodyExample(operation) } };
const bodyType = ({ form }: AnyOperation) => (form ? "application/x-www-form-urlencoded" : "application/json");
const schemeOf = (kind: Credential) => credentialNames[kind as keyof typeof credentialNames];

// ---- request
// -------------------------------------------------------------------------------------------------------------------

function parametersOf(operation: AnyOperation, shared: Shared): Json[] {
  const { properties = {}, required = [] } = (operation.schemas.query ?? {}) as Plain;
  const share = (name: string, value: Json) => {
    shared.parameters[name] ??= value;
    return ref("parameters", name);
  };
  return [
    ...operation.params.map((name) => share(paramOf(operation.path, name).name, pathParameter(operation.path, name))),
    ...Object.entries(properties).map(([name, schema]) => parameter("query", name, schema, required.includes(name))),
    ...(operation.kind === "page"
      ? [share("cursor", CURSOR), share(`limit${operation.pageOf ?? ""}`, limitOf(operation))]
      : []),
    ...headersOf(operation).map((header) =>
      share(header.required ? `${header.name}.required` : `${header.name}`, header),
    ),
  ];
}

const pathExamples: Record<string, string> = {
  task_code: "ENG-1",
  public_id: "4pW0ZQm8yTjH2cVx6RkLb1",
  category: "mentioned",
  milestone_code: "ENG-M1",
  project_code: "ENG",
  revision: "1",
  reaction: "heart",
  target_kind: "task",
  provider: "google",
  provider_key: "webhook",
};
const pathParameter = (path: string, name: string) =>
  parameter("path", name, paramOf(path, name).schema, true, pathExamples[name] ?? exampleId(name));

function parameter(where: string, name: string, schema: TSchema | Plain, required: boolean, example?: unknown): Json {
  const { description, ...rest } = input(schema) as Plain;
  return {
    name,
    in: where,
    required,
    ...(description ? { description } : {}),
    schema: rest,
    ...(example === undefined ? {} : { example }),
  };
}

const text = (description: string, extra: object = {}) => ({ type: "string", description, ...extra });
const CURSOR = parameter(
  "query",
  "cursor",
  text("next_cursor of the preceding page.", { minLength: 1, maxLength: MOST_CURSOR }),
  false,
);
const limitOf = ({ pageOf = PAGE }: AnyOperation) =>
  parameter(
    "query",
    "limit",
    { type: "integer", minimum: 1, maximum: 100, default: pageOf, description: "Maximum number of items in a page." },
    false,
  );
const CSRF = text("With a browser session: the value of the cookie __Host-svc_csrf.", { minLength: 43, maxLength: 43 });
const KEY = text("Makes the write retry-safe: the same key on every retry.", {
  minLength: 16,
  maxLength: 200,
  pattern: "^[\\x21-\\x7e]+$",
});
const IF_MATCH = text("The ETag of the revision that you saw, or * for any.", {
  pattern: '^(?:"\\d{1,19}"|\\d{1,19}|\\*)$',
});
const IF_NONE_MATCH = text("ETag of the answer that you have: 304 if it is still current.");
const PREFER = text("return=minimal: 204 without the body. Anything else is ignored.");
const BASELINE = text(
  "With a browser session, upcoming: 1 reads in one snapshot, and the answer's headers have its " +
    "position in the journal of changes.",
  { enum: ["1"] },
);
const WORKSPACE = text("With a native token: the Workspace of the request.", { format: "uuid" });
const ORIGIN = text(
  "With a browser session, which must send it: the origin of this service. With a token it is refused.",
  {
    format: "uri",
  },
);

function headersOf(operation: AnyOperation): Json[] {
  const { auth, params, idempotencyKey } = operation;
  const found: (Json | false)[] = [
    isUnsafe(operation) && auth.includes("S") && parameter("header", "X-CSRF-Token", CSRF, false),
    takesKey(operation) &&
      parameter(
        "header",
        "Idempotency-Key",
        KEY,
        idempotencyKey === "required",
        "8f14e45f-ceea-467f-a8d5-2c1b7a3e9d10",
      ),
    takesIfMatch(operation) && parameter("header", "If-Match", IF_MATCH, needsIfMatch(operation, undefined), '"1"'),
    operation.unchanging === true && parameter("header", "If-None-Match", IF_NONE_MATCH, false, '"1"'),
    takesPrefer(operation) && parameter("header", "Prefer", PREFER, false, "return=minimal"),
    operation.baseline === true && parameter("header", "X-Svc-Realtime-Baseline", BASELINE, false),
    operation.socket !== undefined &&
      parameter("header", "Sec-WebSocket-Protocol", text("", { enum: [operation.socket] }), true),
    operation.socket !== undefined && parameter("header", "Origin", ORIGIN, false, "https://svc.example.com"),
    auth.includes("M") &&
      (params.length > 0 || operation.workspaceHeader === true) &&
      !params.includes("workspace_id") &&
      parameter("header", "X-Svc-Workspace-ID", WORKSPACE, false),
  ];
  return found.filter((entry) => entry !== false);
}

const bodyExample = (operation: AnyOperation) => operation.example ?? exampleOf(operation.schemas.body as TSchema);

// ---- answers
// -------------------------------------------------------------------------------------------------------------------

/** The answer to Prefer: return=minimal: the headers of a success without a body. */
const spared = (operation: AnyOperation, description: string, ...more: string[]): Json => ({
  description,
  headers: Object.fromEntries([...headersOfSuccess(operation), ...more].map((name) => [name, ref("headers", name)])),
});

function headersOfSuccess(operation: AnyOperation): string[] {
  const one = operation.kind === "one";
  const { result } = operation.schemas;
  return [
    "X-Correlation-ID",
    "RateLimit",
    "RateLimit-Policy",
    one && (result as Plain | undefined)?.properties?.revision && "ETag",
    !one && "Link",
    isUnsafe(operation) && !isPublic(operation) && "X-Svc-Command-ID",
    takesKey(operation) && "Idempotent-Replayed",
    ...(operation.baseline === true ? ["X-Svc-Realtime-Cursor", "X-Svc-Realtime-Position"] : []),
    operation.session && "Set-Cookie",
    (operation.redirect || operation.creates) && "Location",
  ].filter((name) => typeof name === "string");
}

function success(operation: AnyOperation, shared: Shared): Json {
  const { result } = operation.schemas;
  return {
    description: described(operation),
    headers: Object.fromEntries(headersOfSuccess(operation).map((name) => [name, ref("headers", name)])),
    ...(operation.csv ? { content: { "text/csv": {} } } : {}),
    ...(result
      ? {
          content: {
            "application/json": { schema: answerSchema(operation, result, shared), example: answerExample(operation) },
          },
        }
      : {}),
  };
}

function described(operation: AnyOperation): string {
  const { result } = operation.schemas;
  if (operation.socket) return `A WebSocket that speaks ${operation.socket}.`;
  if (operation.redirect) return "Redirects the browser.";
  if (operation.csv) return "A file of comma-separated values.";
  if (!result) return "Success without a body.";
  const name = nameOf(result)?.replace(/Row$/, "");
  if (operation.kind === "page") return name ? `A page of ${name} rows.` : "A page.";
  return name ? `The ${name}.` : "Success.";
}

function answerSchema(operation: AnyOperation, result: TSchema, shared: Shared): Json {
  const schema = output(result, shared);
  const included = operation.include ? { included: output(Included, shared) } : {};
  if (operation.kind === "one")
    return operation.include ? { allOf: [schema, { type: "object", properties: included }] } : schema;
  return {
    type: "object",
    required: ["items", "next_cursor", "has_more", ...Object.keys(operation.beside ?? {})],
    properties: {
      items: { type: "array", items: schema },
      next_cursor: { type: ["string", "null"], description: "Cursor of the next page." },
      has_more: { type: "boolean" },
      ...Object.fromEntries(Object.entries(operation.beside ?? {}).map(([name, part]) => [name, output(part, shared)])),
      ...included,
    },
  };
}

/** Example of a success: fields that the request's example sets have the same value in the answer. */
export function answerExample(operation: AnyOperation): unknown {
  const result = operation.schemas.result as Plain;
  const example = exampleOf(result, "", nameOf(result)) as Json;
  const beside = Object.entries(operation.beside ?? {}).map(([name, part]) => [name, exampleOf(part as Plain, name)]);
  if (operation.kind === "page")
    return { items: [example], next_cursor: null, has_more: false, ...Object.fromEntries(beside) };
  if (Array.isArray(example)) return example;
  // The body of another service's request uses that service's own field names.
  const repeats = operation.schemas.body && !operation.raw && !operation.lenient;
  const sent = (repeats ? bodyExample(operation) : {}) as Json;
  // A list of objects is not echoed: the request holds fewer fields of each than the answer.
  const whole = (value: unknown) => !(Array.isArray(value) && typeof value[0] === "object");
  const echoed = Object.entries(sent).filter(
    ([name, value]) => result.properties?.[name] !== undefined && whole(value),
  );
  const changed = operation.method === "PATCH" ? { revision: "2" } : {};
  return { ...example, ...Object.fromEntries(echoed), ...changed };
}
