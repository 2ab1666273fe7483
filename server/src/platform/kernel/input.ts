// Validates all input of a request together (path, query, headers, body), so one response names every fault.
import type { IncomingMessage } from "node:http";
import type { AnyOperation } from "@svc/contract/kit.ts";
import { bindingOf, type CursorSigner, type Key } from "../wire/cursor.ts";
import { baselineFaults, headerFault } from "../wire/input/preconditions.ts";
import { parseBody } from "../wire/input/request-body.ts";
import { isUuid, normalised, type Shape } from "../wire/input/spelling.ts";
import { faultsIn, inputSchemas, parseQuery, typed } from "../wire/input/validation.ts";
import { type Fault, Refusal } from "../wire/problem.ts";
import { handshakeFaults } from "../wire/sockets/handshake.ts";

export interface Input {
  params: Record<string, string>;
  query: Record<string, unknown>;
  body: unknown;
  page: Page;
}
interface Page {
  after: Key | null;
  limit: number;
  /** Caller for whom the cursor was issued; null without one. */
  caller: string | null;
  /** Binding of this list's cursors. */
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
/** Parses the path alone, so that its target can be loaded before the rest is read. */
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
  if (operation.baseline === true) faults.push(...baselineFaults(call.request));
  if (operation.socket) faults.push(...handshakeFaults(call.request, operation.socket));
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

/** Id of the Workspace that the request names: in its path or, for native clients, a header, or else in its query. */
export function workspaceOf(call: Incoming): string | null {
  const asked = call.search.includes("workspace_id=") ? new URLSearchParams(call.search).get("workspace_id") : null;
  const named = call.params.workspace_id ?? call.request.headers["x-svc-workspace-id"] ?? asked;
  return typeof named === "string" && isUuid(named) ? named.toLowerCase() : null;
}

/** A native client must name its Workspace; a header that is sent must contain an id, from any client. */
export function requireWorkspace(call: Incoming, required: boolean): void {
  const sent = call.request.headers["x-svc-workspace-id"];
  if (call.params.workspace_id !== undefined || workspaceOf(call) !== null) return;
  if (sent !== undefined) throw headerFault("x-svc-workspace-id", "wrong_format", "must be the id of one Workspace");
  if (required) throw headerFault("x-svc-workspace-id", "required", "must name the Workspace: send its id");
}
