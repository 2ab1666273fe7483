// The two session cookies as Set-Cookie values. Host-only, Secure, and readable by scripts only where the CSRF token is meant to be.
import { CSRF_COOKIE, SESSION_COOKIE } from "./authenticate.ts";
import { csrfTokenOf } from "./ids.ts";

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
