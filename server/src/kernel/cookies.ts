// The cookies as Set-Cookie values. Host-only, Secure, and readable by scripts only where the CSRF token is meant to be.
import type { IncomingMessage } from "node:http";
import { CSRF_COOKIE, readCookies, SESSION_COOKIE } from "./authenticate.ts";
import { csrfTokenOf, secretKind, sha256 } from "./ids.ts";

const attributes = "Path=/; Secure; SameSite=Lax";

/** maxAge in seconds, or null for cookies that end with the browser. */
export function sessionCookies(secret: string, maxAge: number | null): string[] {
  const lifetime = maxAge === null ? "" : `; Max-Age=${maxAge}`;
  return [
    `${SESSION_COOKIE}=${secret}; ${attributes}; HttpOnly${lifetime}`,
    `${CSRF_COOKIE}=${csrfTokenOf(secret)}; ${attributes}${lifetime}`,
  ];
}

export const clearedCookies = [
  `${SESSION_COOKIE}=; ${attributes}; HttpOnly; Max-Age=0`,
  `${CSRF_COOKIE}=; ${attributes}; Max-Age=0`,
];

const SIGN_IN_COOKIE = "__Host-svc_signin";
const SIGN_IN_SECONDS = 600;

/** What a browser carries while it is away at a provider to sign in. */
export interface Browser {
  /** SHA-256 of the session secret that it presents and that nobody has looked up; null without a well-formed one. */
  readonly session: Buffer | null;
  /** The secret by which a browser that began a sign-in is known again; null without one. */
  readonly signIn: string | null;
  /** `crossSite` where another site's form brings the browser back: a Lax cookie would not come along. */
  keepSignIn(secret: string, crossSite: boolean): void;
}
export function browserOf(request: IncomingMessage, cookies: string[]): Browser {
  const only = (name: string) => {
    const [value, ...others] = readCookies(request, name);
    return value !== undefined && others.length === 0 ? value : null;
  };
  return {
    get session() {
      const secret = only(SESSION_COOKIE);
      return secret !== null && secretKind(secret) === "ses" ? sha256(secret) : null;
    },
    get signIn() {
      return only(SIGN_IN_COOKIE);
    },
    keepSignIn: (secret, crossSite) =>
      cookies.push(
        `${SIGN_IN_COOKIE}=${secret}; Path=/; Secure; SameSite=${crossSite ? "None" : "Lax"}; HttpOnly; Max-Age=${SIGN_IN_SECONDS}`,
      ),
  };
}
