// One request to /mcp: the credential that it came with, and the operations that a tool calls under it, in this process and through the same
// pipeline as over HTTP. Nothing is kept from one request to the next. What concerns the credential and not the tool (401, 403 for a scope, 429,
// 503) becomes the answer to the request as a whole.
import { IncomingMessage } from "node:http";
import { type ErrorCode, errors } from "@svc/contract/errors.ts";
import { pathOf, restOf } from "@svc/contract/kit.ts";
import { mcpScopes } from "@svc/contract/oauth/scopes.ts";
import { callWithin, type Host } from "../kernel/http.ts";
import type { Implementation } from "../kernel/implement.ts";
import { mcpTerms } from "../oauth/store.ts";
import type { Presented } from "../wire/credential.ts";
import { NIL } from "../wire/ids.ts";
import type { Refusal } from "../wire/problem.ts";
import type { Decision } from "../wire/rate-limit.ts";
import { enter, findProject, readDocument, readProject, type Self } from "./own.ts";

/** Of the whole request, whichever tool was called. */
const OF_THE_REQUEST: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  "authentication_required",
  "invalid_token",
  "insufficient_scope",
  "ai_access_disabled",
  "rate_limited",
  "overloaded",
  "maintenance",
]);
const NO_BODY = Buffer.alloc(0);

export interface Asked {
  params?: Record<string, string>;
  query?: Record<string, unknown>;
  body?: unknown;
  key?: string;
  revision?: string;
}
export interface Performed {
  // biome-ignore lint/suspicious/noExplicitAny: the shape is the operation's, which its own tests hold.
  body: any;
  /** Under which a receipt says what became of a write. */
  commandId: string | null;
  /** It was done before, under the same key: this is the answer that was kept. */
  repeated: boolean;
}
export type Call = (operation: string, asked?: Asked) => Promise<Performed>;

export interface Exchange {
  readonly presented: Presented;
  /** Of this service. */
  readonly origin: string;
  /** Why the request as a whole is refused. */
  refusal: Refusal | null;
  /** As the last operation has left it. */
  rate: Decision | null;
  /** Whether an operation has let the credential in. */
  known: boolean;
  /** Calls operations under one of these scopes. */
  under(scopes: readonly string[], cancelled?: AbortSignal): Call;
  /** Who is calling, with whatever scope. */
  self(): Promise<Self>;
}

const served = new WeakMap<Host, Map<string, Implementation>>();
function implementationOf(host: Host, id: string): Implementation {
  let known = served.get(host);
  if (!known) {
    const own = [enter, findProject, readDocument, readProject((inside) => implementationOf(host, inside))];
    known = new Map([...host.implementations, ...own].map((each) => [each.operation.id, each]));
    served.set(host, known);
  }
  const found = known.get(id);
  if (!found) throw new Error(`no operation is called ${id}`);
  return found;
}

/** What a proxy says about where the request comes from holds for all that it leads to. */
const PASSED_ON = ["forwarded", "x-forwarded-for", "traceparent"] as const;

function requestFor(outer: IncomingMessage, implementation: Implementation, asked: Asked, correlationId: string) {
  const { operation } = implementation;
  // The nil id stands for the Workspace of the credential.
  const params: Record<string, string> = { ...(operation.params.includes("workspace_id") && { workspace_id: NIL }) };
  Object.assign(params, asked.params);
  const rest = restOf(operation);
  const path = pathOf(operation).replace(/\{(\w+)\}/g, (_, name: string) =>
    name === rest ? encodeURI(params[name] ?? "") : encodeURIComponent(params[name] ?? ""),
  );
  const query = Object.entries(asked.query ?? {}).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)] as [string, string]],
  );
  const request = new IncomingMessage(outer.socket);
  request.method = operation.method;
  request.url = query.length > 0 ? `${path}?${new URLSearchParams(query)}` : path;
  request.headers = { "x-correlation-id": correlationId };
  for (const name of PASSED_ON)
    if (outer.headers[name] !== undefined) request.headers[name] = outer.headers[name] as string;
  if (asked.body !== undefined) request.headers["content-type"] = "application/json";
  if (asked.key !== undefined) request.headers["idempotency-key"] = asked.key;
  if (asked.revision !== undefined) request.headers["if-match"] = `"${asked.revision}"`;
  return { request, params };
}

export function openExchange(
  host: Host,
  outer: IncomingMessage,
  presented: Presented,
  resource: string,
  correlationId: string,
  /** Fires once nobody waits for the answer any more. */
  gone: AbortSignal,
): Exchange {
  const exchange: Exchange = {
    presented,
    origin: new URL(resource).origin,
    refusal: null,
    rate: null,
    known: false,
    under: (scopes, cancelled) => {
      const signal = cancelled ? AbortSignal.any([gone, cancelled]) : gone;
      const terms = mcpTerms(presented, resource, scopes);
      return async (id, asked = {}) => {
        const implementation = implementationOf(host, id);
        const { request, params } = requestFor(outer, implementation, asked, correlationId);
        const body = asked.body === undefined ? NO_BODY : Buffer.from(JSON.stringify(asked.body));
        const { outcome, refusal, call } = await callWithin(host, implementation, request, params, {
          terms,
          body,
          signal,
        });
        exchange.rate = call.rate ?? exchange.rate;
        exchange.known ||= call.principal !== null;
        if (refusal) {
          if (OF_THE_REQUEST.has(refusal.code)) exchange.refusal ??= refusal;
          throw refusal;
        }
        return {
          body: outcome.body === "" ? null : JSON.parse(outcome.body),
          commandId: outcome.headers["x-svc-command-id"] ?? null,
          repeated: outcome.headers["idempotent-replayed"] === "true",
        };
      };
    },
    self: async () => (await exchange.under(mcpScopes)(enter.operation.id)).body as Self,
  };
  return exchange;
}

/** A refusal of the request as a whole: what an OAuth client needs in order to get a credential, or a better one. */
export function challengeOf(refusal: Refusal, origin: string): Record<string, string> {
  const { status } = errors[refusal.code];
  const metadata = `resource_metadata="${origin}/.well-known/oauth-protected-resource/mcp"`;
  const headers: Record<string, string> = {};
  if (refusal.extra.retry_after !== undefined) headers["retry-after"] = String(refusal.extra.retry_after);
  if (status === 401)
    headers["www-authenticate"] =
      refusal.code === "invalid_token"
        ? `Bearer realm="svc", error="invalid_token", ${metadata}`
        : `Bearer realm="svc", ${metadata}, scope="svc:read svc:write"`;
  if (refusal.code === "insufficient_scope")
    headers["www-authenticate"] =
      `Bearer realm="svc", error="insufficient_scope", scope="${refusal.extra.required_scopes?.[0] ?? ""}", ${metadata}`;
  return headers;
}
