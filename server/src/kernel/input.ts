// What a caller sent, checked as a whole: path, query, headers and body together, so that one answer names every fault.
import type { IncomingMessage } from "node:http";
import type { AnyOperation } from "@svc/contract/kit.ts";
import { formats } from "@svc/contract/types.ts";
import { bindingOf, type CursorSigner, type Key } from "../wire/cursor.ts";
import { type Fault, Refusal, refuse } from "../wire/problem.ts";
import { faultsIn, inputSchemas, parseJson, parseQuery, typed } from "../wire/validate.ts";

export interface Input {
  params: Record<string, string>;
  query: Record<string, unknown>;
  body: unknown;
  page: Page;
}
interface Page {
  after: Key | null;
  limit: number;
  /** For whom the cursor was made; null without one. */
  caller: string | null;
  /** What a cursor of this list is bound to. */
  binding: string;
}

interface Incoming {
  implementation: { operation: AnyOperation };
  kernel: { cursors: CursorSigner };
  request: IncomingMessage;
  params: Record<string, string>;
  search: string;
}

export interface Path {
  params: Record<string, string>;
  faults: Fault[];
}
/** The path alone: what it names can be looked for before the rest has been read. */
export function parsePath(call: Incoming): Path {
  const { path } = inputSchemas(call.implementation.operation);
  const params = normalised(path as Shape, call.params);
  return { params, faults: faultsIn("path", path, params) };
}

export function parseInput(call: Incoming, { params, faults: ofPath }: Path, bytes: Buffer): Input {
  const { operation } = call.implementation;
  const schemas = inputSchemas(operation);
  const { query: sent, faults } = parseQuery(call.search);
  const query = typed(schemas.query, sent);
  faults.push(...ofPath, ...faultsIn("query", schemas.query, query, call.search.length));
  const body = parseBody(operation, call.request, bytes, faults);
  if (faults.length > 0) {
    const ofFields = faults.every(({ pointer }) => pointer.startsWith("/body/"));
    throw new Refusal((ofFields && operation.faults) || "invalid_request", { errors: faults });
  }
  return { params, query, body, page: operation.kind === "page" ? pageOf(call, params, query) : NO_PAGE };
}

const NO_PAGE: Page = { after: null, limit: 1e9, caller: null, binding: "" };

function pageOf(call: Incoming, params: Record<string, string>, query: Record<string, unknown>): Page {
  const { cursor, limit } = query as { cursor?: string; limit: number };
  const binding = bindingOf(call.implementation.operation.id, params, query);
  if (cursor === undefined) return { after: null, limit, caller: null, binding };
  return { ...call.kernel.cursors.open(cursor, binding), limit, binding };
}

const JSON_TYPE = /^application\/json *(?:; *charset="?utf-8"? *)?$/i;
const FORM = /^application\/x-www-form-urlencoded *(?:; *charset="?utf-8"? *)?$/i;

/** A form is written like a query, and a field given twice is a fault here too. */
function parseForm(bytes: Buffer, faults: Fault[]): unknown {
  const { query, faults: found } = parseQuery(bytes.toString("latin1"));
  faults.push(...found.map((fault) => ({ ...fault, pointer: fault.pointer.replace(/^\/query/, "/body") })));
  return query;
}

function parseBody(operation: AnyOperation, request: IncomingMessage, bytes: Buffer, faults: Fault[]): unknown {
  const schema = operation.schemas.body;
  if (!schema) return undefined;
  const type = request.headers["content-type"] ?? "";
  const encoding = request.headers["content-encoding"] ?? "identity";
  const kind = operation.raw ? "file as its" : operation.form ? "form" : "JSON";
  const accepted = operation.raw?.types.includes(type.toLowerCase()) ?? (operation.form ? FORM : JSON_TYPE).test(type);
  if (bytes.length > 0 && (!accepted || encoding !== "identity")) refuse("unsupported_media_type");
  if (bytes.length === 0) {
    faults.push({ pointer: "/body", code: "required", detail: `must have a ${kind} body` });
    return undefined;
  }
  if (operation.raw) return bytes;
  const body = operation.form ? parseForm(bytes, faults) : parseJson(bytes);
  const found = faultsIn("body", schema, body, bytes.length);
  faults.push(...found);
  return found.length === 0 ? spelled(schema as Shape, body) : body;
}

interface Shape {
  format?: string;
  properties?: Record<string, Shape>;
  items?: Shape;
}
/** The one spelling of what may be written in several: of an id in capitals, which would look like a change, and of a name with space around it. */
const spellings: Record<string, (value: string) => string> = {
  uuid: (value) => value.toLowerCase(),
  name: (value) => value.trim(),
  title: (value) => value.trim(),
};
const known = new WeakMap<Shape, boolean>();
/** Whether something of this shape may be written in several ways anywhere. */
function varies(shape: Shape): boolean {
  let found = known.get(shape);
  if (found === undefined) {
    const { format = "", items, properties = {} } = shape;
    found = format in spellings || (items !== undefined && varies(items)) || Object.values(properties).some(varies);
    known.set(shape, found);
  }
  return found;
}

function spelled(shape: Shape, value: unknown): unknown {
  if (value === null || !varies(shape)) return value;
  if (typeof value === "string") return spellings[shape.format ?? ""]?.(value) ?? value;
  if (Array.isArray(value)) return value.map((item) => spelled(shape.items ?? {}, item));
  if (typeof value !== "object") return value;
  const { properties = {} } = shape;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, spelled(properties[name] ?? {}, part)]));
}

/** Identifiers are compared as text, so they get the one spelling that the database returns. */
const normalised = ({ properties = {} }: Shape, params: Record<string, string>) =>
  Object.fromEntries(
    Object.entries(params).map(([name, value]) => [
      name,
      properties[name]?.format === "uuid" && isUuid(value) ? value.toLowerCase() : value,
    ]),
  );
const isUuid = (value: string) => formats.uuid?.(value) === true;

/** The Workspace that the request names, in its path or, for native clients, in a header. */
export function workspaceOf(call: Incoming): string | null {
  const named = call.params.workspace_id ?? call.request.headers["x-svc-workspace-id"];
  return typeof named === "string" && isUuid(named) ? named.toLowerCase() : null;
}

const headerFault = (name: string, code: string, detail: string) =>
  new Refusal("invalid_request", { errors: [{ pointer: `/headers/${name}`, code, detail }] });

/** A native client names its Workspace; and what is sent as one is an id, whoever sends it. */
export function requireWorkspace(call: Incoming, required: boolean): void {
  const sent = call.request.headers["x-svc-workspace-id"];
  if (call.params.workspace_id !== undefined || workspaceOf(call) !== null) return;
  if (sent !== undefined) throw headerFault("x-svc-workspace-id", "wrong_format", "must be the id of one Workspace");
  if (required) throw headerFault("x-svc-workspace-id", "required", "must name the Workspace: send its id");
}

export function idempotencyKey(request: IncomingMessage): string | undefined {
  // Sent twice, the two are joined by a comma and a space, which no key contains.
  const key = request.headers["idempotency-key"];
  if (key === undefined) return undefined;
  if (typeof key !== "string" || !/^[\x21-\x7e]{16,200}$/.test(key))
    throw headerFault("idempotency-key", "wrong_format", "must be one key of 16 to 200 visible ASCII characters");
  return key;
}

/** The revision, `*`, or undefined when the header is absent. */
export function ifMatch(request: IncomingMessage): string | undefined {
  const value = request.headers["if-match"];
  if (value === undefined) return undefined;
  const match = /^(?:"(\d{1,19})"|\*)$/.exec(value);
  if (!match) throw headerFault("if-match", "wrong_format", 'must be one quoted decimal revision, as in "3"');
  return match[1] ?? "*";
}
