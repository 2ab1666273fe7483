// Parses the credential of a request: well-formed and of a known kind, not yet looked up. Also checks the CSRF token
// with which a browser proves that its own page sent the request.
import type { IncomingMessage } from "node:http";
import { CSRF_COOKIE, readCookies, SESSION_COOKIE } from "./cookies.ts";
import { csrfTokenOf, type SecretKind, sameText, secretKind, sha256 } from "./ids.ts";
import { Refusal } from "./problem.ts";

export type CredentialKind =
  | "session"
  | "personal"
  | "developer"
  | "native"
  | "mcp"
  | "service"
  | "agent"
  | "integration";
type Kinds = Partial<Record<SecretKind, CredentialKind>>;
/** Kinds accepted by the interface. Kinds of other surfaces are not even looked up. */
const kinds: Kinds = { pat: "personal", dat: "developer", nat: "native" };

export interface Presented {
  kind: CredentialKind;
  secret: string;
  hash: Buffer;
}
const presented = (kind: CredentialKind, secret: string): Presented => ({ kind, secret, hash: sha256(secret) });

/** Parses a bearer token of an accepted kind. */
export function bearer(request: IncomingMessage, accepted: Kinds): Presented {
  // `headers` keeps only the first of several and hides the others.
  const [sent = "", ...others] = request.headersDistinct.authorization ?? [];
  const match = others.length === 0 ? /^Bearer +(\S+)$/i.exec(sent) : null;
  const kind = match ? accepted[secretKind(match[1] as string) ?? "inv"] : undefined;
  if (!match || kind === undefined) throw new Refusal("invalid_token");
  return presented(kind, match[1] as string);
}

/** Parses the credential. A bearer, even an invalid one, takes precedence over the cookie. Undefined: none was sent. */
export function presentedCredential(request: IncomingMessage): Presented | undefined {
  if (request.headers.authorization !== undefined) return bearer(request, kinds);
  const cookies = readCookies(request, SESSION_COOKIE);
  if (cookies.length === 0) return undefined;
  const secret = cookies[0] as string;
  if (cookies.length > 1 || secretKind(secret) !== "ses") throw new Refusal("authentication_required", {}, true);
  return presented("session", secret);
}

/** Checks the token, which is derived from the session's own secret. */
export function hasCsrfToken(request: IncomingMessage, { secret }: Presented): boolean {
  // Node joins repeated headers, and the result matches nothing.
  const sent = request.headers["x-csrf-token"];
  const cookies = readCookies(request, CSRF_COOKIE);
  const expected = csrfTokenOf(secret);
  const matches = typeof sent === "string" && sameText(sent, expected);
  return matches && cookies.every((cookie) => sameText(cookie, expected));
}

/**
 * Whether another site caused the request, as reported by the browser; a page cannot set this header. Other programs do
 * not send it.
 */
export function isForeign({ headers }: IncomingMessage): boolean {
  const site = headers["sec-fetch-site"];
  return site !== undefined && site !== "same-origin" && site !== "none";
}
