// The three OAuth client families, and validation of authorization requests. Pure. Redirect URIs are compared as text
// and never as parsed URLs, so that browser and server cannot interpret a host, path or port differently.
import { createHash, timingSafeEqual } from "node:crypto";
import { broadScopes, mcpScopes, offeredScopes } from "@svc/contract/accounts/oauth/scopes.ts";
import type { ErrorCode } from "@svc/contract/errors.ts";
import type { SecretKind } from "../../platform/wire/ids.ts";

/** Also the kind of the credentials that the family gets. */
export type ClientFamily = "developer" | "native" | "mcp";

export interface Client {
  id: string;
  name: string;
  /** Built in, or reviewed by the operator: its name is trustworthy. */
  verified: boolean;
  redirectUris: readonly string[];
  scopes: readonly string[];
  /** Whether the client gets refresh tokens. */
  refreshes: boolean;
}

interface FamilyRules {
  access: SecretKind;
  refresh: SecretKind;
  accessSeconds: number;
  /** Lifetime of a refresh token, from each rotation on. */
  refreshSeconds: number;
  /** Path below the service's origin: the only resource that accepts its access tokens. */
  audience: string;
  /** Whether consent covers exactly one Workspace. */
  choosesWorkspace: boolean;
  /** Scopes of a request that names none, limited to those of the client. */
  defaultScopes: readonly string[];
  /** Built-in clients; MCP clients register, are reviewed, or publish a metadata document. */
  clients: readonly Client[];
}

const MINUTE = 60;
const DAY = 24 * 60 * MINUTE;
const builtIn = (id: string, name: string, redirectUris: readonly string[]): Client => ({
  id,
  name,
  verified: true,
  redirectUris,
  scopes: broadScopes,
  refreshes: true,
});
const CLI_CALLBACK = ["http://127.0.0.1/callback"];

export const families: Record<ClientFamily, FamilyRules> = {
  developer: {
    access: "dat",
    refresh: "drt",
    accessSeconds: 15 * MINUTE,
    refreshSeconds: 30 * DAY,
    audience: "/api/v1",
    choosesWorkspace: true,
    defaultScopes: broadScopes,
    clients: [
      builtIn("svc-cli", "svc command line", CLI_CALLBACK),
      builtIn("svc-ide-a", "svc for IDE A", CLI_CALLBACK),
      builtIn("svc-ide-b", "svc for IDE B", CLI_CALLBACK),
    ],
  },
  native: {
    access: "nat",
    refresh: "nrt",
    accessSeconds: 15 * MINUTE,
    refreshSeconds: 60 * DAY,
    audience: "/api/v1",
    choosesWorkspace: false,
    defaultScopes: broadScopes,
    clients: [builtIn("svc-mobile", "svc for mobile", ["svc://oauth/callback"])],
  },
  mcp: {
    access: "mat",
    refresh: "mrt",
    accessSeconds: 60 * MINUTE,
    refreshSeconds: 30 * DAY,
    audience: "/mcp",
    choosesWorkspace: true,
    defaultScopes: ["svc:read", "svc:write"],
    clients: [],
  },
};

// ---- redirect URIs
// ---------------------------------------------------------------------------------------------------------------

const LOOPBACK =
  /^http:\/\/(127\.0\.0\.1|\[::1\]|localhost)(?::([1-9]\d{0,4}))?((?:\/[\w\-.~!$&'()*+,;=:@%/]*)?(?:\?[\w\-.~!$&'()*+,;=:@%/?]*)?)$/;

/**
 * The parts of a loopback callback that must match. The port may differ, because a client chooses it on each start (RFC
 * 8252, 7.3).
 */
function loopback(uri: string): { host: string; rest: string } | null {
  const [, host, port = "80", rest] = LOOPBACK.exec(uri) ?? [];
  if (host === undefined || rest === undefined || Number(port) > 65_535 || /%(?![0-9a-f]{2})/i.test(rest)) return null;
  return { host, rest };
}
export const isLoopback = (uri: string) => loopback(uri) !== null;

/** An https address without user, password and fragment, in the parser's normal form. */
export function isWebCallback(uri: string): boolean {
  const url = URL.canParse(uri) ? new URL(uri) : null;
  return url?.protocol === "https:" && url.href === uri && url.username + url.password === "" && !uri.includes("#");
}

export function mayRedirectTo(client: Client, uri: string): boolean {
  const asked = loopback(uri);
  return client.redirectUris.some((registered) => {
    if (registered === uri) return true;
    const known = asked && loopback(registered);
    return known ? known.host === asked.host && known.rest === asked.rest : false;
  });
}

/** The redirect URI with these parameters in its query. */
export function answerTo(uri: string, parameters: Record<string, string | undefined>): string {
  const given = Object.entries(parameters).filter((pair): pair is [string, string] => pair[1] !== undefined);
  return `${uri}${uri.includes("?") ? "&" : "?"}${new URLSearchParams(given)}`;
}

/** Host (or scheme) of a redirect URI, for display. */
export const hostOf = (uri: string) => (/^https?:/.test(uri) ? new URL(uri).host : `${uri.split(":")[0]}:`);

// ---- proof of possession (RFC 7636)
// ----------------------------------------------------------------------------------------------

const isChallenge = (text: string) => /^[\w-]{43}$/.test(text);
const isVerifier = (text: string) => /^[\w\-.~]{43,128}$/.test(text);

export function proves(verifier: string | undefined, challenge: string): boolean {
  if (verifier === undefined || !isVerifier(verifier)) return false;
  const found = Buffer.from(createHash("sha256").update(verifier).digest("base64url"));
  const wanted = Buffer.from(challenge);
  return found.length === wanted.length && timingSafeEqual(found, wanted);
}

// ---- scopes
// ------------------------------------------------------------------------------------------------------------------------

/** The distinct scopes in a space-separated text; undefined if it names none. */
export function scopesIn(text: string | undefined): string[] | undefined {
  const named = [...new Set((text ?? "").split(" ").filter(Boolean))];
  return named.length > 0 ? named : undefined;
}
const isWithin = (scopes: readonly string[], wider: readonly string[]) =>
  scopes.every((scope) => wider.includes(scope));
/** Scopes of a client that registers or publishes a document; null if one is unknown. */
export const knownScopes = (text: string | undefined): string[] | null => {
  const named = scopesIn(text) ?? [...mcpScopes];
  return isWithin(named, mcpScopes) ? named : null;
};

// ---- authorization requests
// --------------------------------------------------------------------------------------------------------

/** Request parameters; one without a value counts as absent (RFC 6749, 3.1). */
export type OauthParameters = Record<string, string | undefined>;
export const withValues = (sent: Record<string, unknown>): OauthParameters =>
  Object.fromEntries(Object.entries(sent).filter(([, value]) => value !== "")) as OauthParameters;

type Judged = { scopes: string[]; challenge: string } | { error: ErrorCode; detail: string };

/** Validates a request except its client and redirect URI, which are validated before. */
export function judge(family: ClientFamily, client: Client, sent: OauthParameters, origin: string): Judged {
  const { audience, defaultScopes } = families[family];
  const fault = (error: ErrorCode, detail: string) => ({ error, detail });
  if (sent.response_type === undefined) return fault("invalid_request", "response_type is missing");
  if (sent.response_type !== "code") return fault("unsupported_response_type", "response_type must be code");
  if (sent.code_challenge === undefined) return fault("invalid_request", "code_challenge is missing: use PKCE");
  if (sent.code_challenge_method !== "S256") return fault("invalid_request", "code_challenge_method must be S256");
  if (!isChallenge(sent.code_challenge)) return fault("invalid_request", "code_challenge is not an S256 challenge");
  if (sent.resource !== undefined && sent.resource !== `${origin}${audience}`)
    return fault("invalid_target", `resource must be ${origin}${audience}`);
  const usual = defaultScopes.filter((scope) => client.scopes.includes(scope));
  const scopes = scopesIn(sent.scope) ?? (usual.length > 0 ? usual : [...client.scopes]);
  if (!isWithin(scopes, client.scopes)) return fault("invalid_scope", "scope holds more than this client may have");
  // The consent page never offers a scope that no tool needs.
  const offered = family === "mcp" ? scopes.filter((scope) => offeredScopes.includes(scope)) : scopes;
  if (offered.length === 0) return fault("invalid_scope", "no tool needs these scopes: ask for svc:read or svc:write");
  return { scopes: offered, challenge: sent.code_challenge };
}
