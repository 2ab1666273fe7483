// The credential that a request carries: well-formed and of a kind that is known, not yet looked up. And the token with which a browser proves
// that its own page has sent it.
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
/** Those of the interface. What is good elsewhere is not even looked for. */
const kinds: Kinds = { pat: "personal", dat: "developer", nat: "native" };

export interface Presented {
  kind: CredentialKind;
  secret: string;
  hash: Buffer;
}
const presented = (kind: CredentialKind, secret: string): Presented => ({ kind, secret, hash: sha256(secret) });

/** One of these kinds. */
export function bearer(request: IncomingMessage, accepted: Kinds): Presented {
  // headers keeps the first of several and hides the others.
  const [sent = "", ...others] = request.headersDistinct.authorization ?? [];
  const match = others.length === 0 ? /^Bearer +(\S+)$/i.exec(sent) : null;
  const kind = match ? accepted[secretKind(match[1] as string) ?? "inv"] : undefined;
  if (!match || kind === undefined) throw new Refusal("invalid_token");
  return presented(kind, match[1] as string);
}

/** A bearer, even a bad one, outranks the cookie. Undefined: none was sent. */
export function presentedCredential(request: IncomingMessage): Presented | undefined {
  if (request.headers.authorization !== undefined) return bearer(request, kinds);
  const cookies = readCookies(request, SESSION_COOKIE);
  if (cookies.length === 0) return undefined;
  const secret = cookies[0] as string;
  if (cookies.length > 1 || secretKind(secret) !== "ses") throw new Refusal("authentication_required", {}, true);
  return presented("session", secret);
}

/** The token is derived from the session's own secret. */
export function hasCsrfToken(request: IncomingMessage, { secret }: Presented): boolean {
  // Sent twice, the two are joined and match nothing.
  const sent = request.headers["x-csrf-token"];
  const cookies = readCookies(request, CSRF_COOKIE);
  const expected = csrfTokenOf(secret);
  const matches = typeof sent === "string" && sameText(sent, expected);
  return matches && cookies.every((cookie) => sameText(cookie, expected));
}

/** As the browser itself says: no page can. Programs that are no browser say nothing. */
export function isForeign({ headers }: IncomingMessage): boolean {
  const site = headers["sec-fetch-site"];
  return site !== undefined && site !== "same-origin" && site !== "none";
}
