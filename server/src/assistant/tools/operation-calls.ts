// Calls operations for tools: in this process and through the same pipeline as over HTTP, under the terms of the
// caller. MCP presents the credential of its request; a run of an assistant acts as the person who asked, within the
// scopes of the credential that queued it and while that is valid.
import { pathOf, restOf } from "@svc/contract/kit.ts";
import { lookup } from "../../platform/database/principal.ts";
import type { Terms } from "../../platform/kernel/authentication.ts";
import { callWithin, type Host } from "../../platform/kernel/http.ts";
import type { Implementation } from "../../platform/kernel/implement-operation.ts";
import type { CredentialKind } from "../../platform/wire/credential.ts";
import { NIL } from "../../platform/wire/ids.ts";
import { innerRequest, type Outer } from "../../platform/wire/inner-request.ts";
import { type Refusal, refuse } from "../../platform/wire/problem.ts";
import { findProject, readDocument, readProject, writeDocumentPatch } from "./internal-operations.ts";

export interface CallInput {
  params?: Record<string, string>;
  query?: Record<string, unknown>;
  body?: unknown;
  key?: string;
  /** Command whose stored answer under this key is out of date: the write is made again and replaces it. */
  replaces?: string;
  revision?: string;
}
export interface CallResult {
  // biome-ignore lint/suspicious/noExplicitAny: the shape is the operation's, which its own tests hold.
  body: any;
  /** Id of the command whose receipt reports the result of a write. */
  commandId: string | null;
  /** Whether the same key was used before: then this is the stored answer. */
  repeated: boolean;
  /** Text for the caller that nothing was done again. */
  repeat?: string;
  /** Time of the transaction by the database's clock. */
  now: string;
}
const refusedBy = new WeakMap<Refusal, string>();
/** Operation that refused a tool. */
export const operationOf = (refusal: Refusal) => refusedBy.get(refusal) ?? null;
export type OperationCaller = (operation: string, asked?: CallInput) => Promise<CallResult>;

const served = new WeakMap<Host, Map<string, Implementation>>();
function implementationOf(host: Host, id: string, own: readonly Implementation[]): Implementation {
  let known = served.get(host);
  if (!known) {
    const named = [
      findProject,
      readDocument,
      writeDocumentPatch,
      readProject((inside) => implementationOf(host, inside, own)),
    ];
    known = new Map([...host.implementations, ...named, ...own].map((each) => [each.operation.id, each]));
    served.set(host, known);
  }
  const found = known.get(id);
  if (!found) throw new Error(`no operation is called ${id}`);
  return found;
}

interface Way {
  host: Host;
  terms: Terms;
  correlationId: string;
  /** Nothing is committed after it has aborted. */
  signal: AbortSignal;
  /** The Workspace that paths name; the nil id, which is the default, means the credential's Workspace. */
  workspaceId?: string;
  outer?: Outer;
  /** Additional operations of the surface. */
  own?: readonly Implementation[];
  /** Observes the outcome of each call. */
  noted?(decided: Awaited<ReturnType<typeof callWithin>>): void;
}
const NO_BODY = Buffer.alloc(0);

export function callingWith(way: Way): OperationCaller {
  const { host, terms, signal, correlationId, workspaceId = NIL, outer = null, own = [], noted = () => {} } = way;
  return async (id, asked = {}) => {
    const implementation = implementationOf(host, id, own);
    const { operation } = implementation;
    const params = { ...(operation.params.includes("workspace_id") && { workspace_id: workspaceId }), ...asked.params };
    const headers: Record<string, string> = { "x-correlation-id": correlationId };
    if (asked.body !== undefined) headers["content-type"] = "application/json";
    if (asked.key !== undefined) headers["idempotency-key"] = asked.key;
    if (asked.revision !== undefined) headers["if-match"] = `"${asked.revision}"`;
    const request = innerRequest(operation.method, urlOf(implementation, params, asked.query), headers, outer);
    const body = asked.body === undefined ? NO_BODY : Buffer.from(JSON.stringify(asked.body));
    const within = { terms: asked.replaces ? { ...terms, replaces: asked.replaces } : terms, body, signal };
    const decided = await callWithin(host, implementation, request, params, within);
    noted(decided);
    const { outcome, refusal, call } = decided;
    if (refusal) {
      refusedBy.set(refusal, id);
      throw refusal;
    }
    return {
      body: outcome.body === "" ? null : JSON.parse(outcome.body),
      commandId: outcome.headers["x-svc-command-id"] ?? null,
      repeated: outcome.headers["idempotent-replayed"] === "true",
      now: call.principal?.now ?? "",
    };
  };
}

function urlOf({ operation }: Implementation, params: Record<string, string>, query: CallInput["query"] = {}): string {
  const rest = restOf(operation);
  const path = pathOf(operation).replace(/\{(\w+)\}/g, (_, name: string) =>
    name === rest ? encodeURI(params[name] ?? "") : encodeURIComponent(params[name] ?? ""),
  );
  const asked = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)] as [string, string]],
  );
  return asked.length > 0 ? `${path}?${new URLSearchParams(asked)}` : path;
}

// ---- as the person who asked ----------------------------------------------------------------------------------------

/** Credential that queued something, and the Workspace. */
export interface QueuedCredential {
  workspaceId: string;
  credentialId: string;
  kind: CredentialKind;
}
// Replaces the secret, which nobody stores: 16 bytes each of the ids of the credential and the Workspace. A session may
// be in another Workspace by now; the call happens in the one where it was queued.
const partOf = (from: number) => `encode(substring($1::bytea from ${from} for 16), 'hex')::uuid`;
const QUEUED = lookup(
  `
left join credentials c on c.id = ${partOf(1)} and c.revoked_at is null and c.expires_at > now()
  and (c.kind <> 'session'
    or case when c.last_used_at is null then c.created_at else c.last_used_at end > now() - interval '7 days')
left join (memberships m join workspaces w on w.id = m.workspace_id and w.archived_at is null)
  on $3::text <> 'public' and m.user_id = c.user_id and m.state = 'active' and m.workspace_id = ${partOf(17)}
  and ($2::uuid is null or m.workspace_id = $2)`,
  ", 'Discuss' as client",
);
const bytesOf = (id: string) => Buffer.from(id.replaceAll("-", ""), "hex");

/** Valid while the credential and the membership are, and for those of these scopes that the credential has. */
export const queuedTerms = (
  { workspaceId, credentialId, kind }: QueuedCredential,
  scopes: readonly string[],
): Terms => ({
  presented: { kind, secret: "", hash: Buffer.concat([bytesOf(credentialId), bytesOf(workspaceId)]) },
  lookup: QUEUED,
  scopes,
  admit: ({ member_workspace_id }) => {
    if (member_workspace_id === null) refuse("invalid_token");
  },
});
