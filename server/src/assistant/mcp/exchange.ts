// A request to /mcp: its credential, and the operations that a tool calls under it, in this process and through the
// same pipeline as over HTTP. Nothing is stored between requests. A refusal of the credential rather than the tool
// (401, 403 for a scope, 429, 503) becomes the answer to the request as a whole.
import type { IncomingMessage } from "node:http";
import { mcpScopes } from "@svc/contract/accounts/oauth/scopes.ts";
import { type ErrorCode, errors } from "@svc/contract/errors.ts";
import { mcpTerms } from "../../accounts/oauth/store.ts";
import type { Host } from "../../platform/kernel/http.ts";
import type { Presented } from "../../platform/wire/credential.ts";
import type { Decision } from "../../platform/wire/limits/rate-limit.ts";
import { type Refusal, refuse } from "../../platform/wire/problem.ts";
import { callingWith, type OperationCaller } from "../tools/operation-calls.ts";
import type { Self } from "../tools/tool.ts";
import { enter } from "./caller-operation.ts";

/** Codes that refuse the request as a whole, whichever tool was called. */
const OF_THE_REQUEST: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  "authentication_required",
  "invalid_token",
  "insufficient_scope",
  "ai_access_disabled",
  "rate_limited",
  "overloaded",
  "maintenance",
]);
export interface McpExchange {
  readonly presented: Presented;
  /** Origin of this service. */
  readonly origin: string;
  /** Refusal of the request as a whole. */
  refusal: Refusal | null;
  /** Rate limit state after the last operation. */
  rate: Decision | null;
  /** Whether an operation has authenticated the credential. */
  known: boolean;
  /** Calls operations under one of these scopes. */
  under(scopes: readonly string[], cancelled?: AbortSignal): OperationCaller;
  /** The caller, under any scope. */
  self(): Promise<Self>;
  /** The caller, as an operation has identified it. */
  caller(): Promise<Caller>;
  /** The address of a page of the application, by its path within the Workspace. */
  page(path: string): string;
}
export interface Caller {
  kind: string;
  scopes: readonly string[];
  /** Id of the grant or service credential: the same for all tokens of one client. */
  holderId: string;
}

export function openExchange(
  host: Host,
  outer: IncomingMessage,
  presented: Presented,
  resource: string,
  correlationId: string,
  /** Aborts when the client has disconnected. */
  gone: AbortSignal,
): McpExchange {
  let caller: Caller | undefined;
  let slug = "";
  const exchange: McpExchange = {
    presented,
    origin: new URL(resource).origin,
    refusal: null,
    rate: null,
    known: false,
    under: (scopes, cancelled) =>
      callingWith({
        host,
        terms: mcpTerms(presented, resource, scopes, (workspace) => {
          slug = workspace;
        }),
        correlationId,
        signal: cancelled ? AbortSignal.any([gone, cancelled]) : gone,
        outer,
        own: [enter],
        noted({ call, refusal }) {
          exchange.rate = call.rate ?? exchange.rate;
          exchange.known ||= call.principal !== null;
          const { kind, scopes, holderId } = call.principal ?? {};
          if (kind && holderId) caller ??= { kind, holderId, scopes: scopes ?? [] };
          if (refusal && OF_THE_REQUEST.has(refusal.code)) exchange.refusal ??= refusal;
        },
      }),
    self: async () => (await exchange.under(mcpScopes)(enter.operation.id)).body as Self,
    async caller() {
      if (!caller) await exchange.self();
      return caller ?? refuse("invalid_token");
    },
    page: (path) => `${exchange.origin}/workspaces/${slug}/${path}`,
  };
  return exchange;
}

/** Headers of a refusal of the whole request, which an OAuth client needs to get a credential, or a better one. */
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
      `Bearer realm="svc", error="insufficient_scope", scope="${refusal.extra.required_scopes?.[0] ?? ""}", ` +
      `${metadata}`;
  return headers;
}
