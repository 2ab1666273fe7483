// Client ID Metadata Documents: the client id is the https URL of a document that describes the client. It is fetched
// through the egress client with tight size and time limits, and cached for five minutes. The client name in it is
// unverified.
import { plainName } from "@svc/contract/plain-name.ts";
import type { Egress } from "../../platform/outside/external-systems.ts";
import { type Client, isLoopback, isWebCallback, knownScopes } from "./rules.ts";

const LIMITS = { bytes: 10_240, ms: 3000, headers: { accept: "application/json" } };
const KEEP_MS = 5 * 60 * 1000;
const MOST_KEPT = 1000;
const MOST_URIS = 20;
const LONGEST_NAME = 88;

/** An https URL with a path, in the parser's normal form: no user, no query, no fragment, no dot segments. */
export function isDocumentUrl(id: string): boolean {
  if (!id.startsWith("https://") || id.length > 2048 || /[?#@\\]/.test(id)) return false;
  const url = URL.canParse(id) ? new URL(id) : null;
  return url !== null && url.href === id && url.pathname.length > 1;
}

interface Kept {
  client: Client | undefined;
  until: number;
}
const kept = new WeakMap<Egress, Map<string, Kept>>();

/** Undefined if there is no such document, or it does not describe a supported client. */
export async function describedClient(
  egress: Egress,
  id: string,
  now = () => performance.now(),
): Promise<Client | undefined> {
  const known = kept.get(egress) ?? new Map<string, Kept>();
  kept.set(egress, known);
  const found = known.get(id);
  if (found && found.until > now()) return found.client;
  const client = await fetched(egress, id);
  known.delete(id);
  known.set(id, { client, until: now() + KEEP_MS });
  if (known.size > MOST_KEPT) known.delete(known.keys().next().value as string);
  return client;
}

async function fetched(egress: Egress, id: string): Promise<Client | undefined> {
  try {
    const { status, body } = await egress(id, LIMITS);
    return status === 200 ? clientIn(id, JSON.parse(body.toString("utf8"))) : undefined;
  } catch {
    return undefined;
  }
}

const isText = (value: unknown): value is string => typeof value === "string";

/** A web callback on the client's own origin. */
const isAt = (origin: string, uri: string) => isWebCallback(uri) && new URL(uri).origin === origin;

export function clientIn(id: string, document: Record<string, unknown> | null): Client | undefined {
  const {
    client_id,
    client_name,
    redirect_uris: uris,
    grant_types,
    token_endpoint_auth_method,
    scope,
  } = document ?? {};
  const scopes = scope === undefined || isText(scope) ? knownScopes(scope) : null;
  const { origin, host } = new URL(id);
  const mayUse = (uri: unknown) => isText(uri) && uri.length <= 2048 && (isLoopback(uri) || isAt(origin, uri));
  if (client_id !== id || "client_secret" in (document ?? {}) || !scopes) return undefined;
  if (token_endpoint_auth_method !== undefined && token_endpoint_auth_method !== "none") return undefined;
  if (!Array.isArray(uris) || uris.length === 0 || uris.length > MOST_URIS || !uris.every(mayUse)) return undefined;
  const refreshes = !Array.isArray(grant_types) || grant_types.includes("refresh_token");
  const name = isText(client_name) ? [...plainName(client_name)].slice(0, LONGEST_NAME).join("").trim() : "";
  return { id, name: name || host, verified: false, redirectUris: uris as string[], scopes, refreshes };
}
