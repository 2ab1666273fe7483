// The cookies as Set-Cookie values. Host-only, Secure, and readable by scripts only where the CSRF token is meant to be.
import type { IncomingMessage } from "node:http";
import { csrfTokenOf, newId, secretKind, sha256 } from "./ids.ts";
import type { SecretBox } from "./secret-box.ts";

export const SESSION_COOKIE = "__Host-svc_session";
export const CSRF_COOKIE = "__Host-svc_csrf";

export function readCookies(request: IncomingMessage, name: string): string[] {
  const found: string[] = [];
  for (const pair of (request.headers.cookie ?? "").split(";")) {
    const at = pair.indexOf("=");
    if (at > 0 && pair.slice(0, at).trim() === name) found.push(pair.slice(at + 1).trim());
  }
  return found;
}

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

const DEVICE_COOKIE = "__Host-svc_device";
/** As long as browsers keep a cookie. */
const DEVICE_SECONDS = 400 * 24 * 60 * 60;
const MOST_ACCOUNTS = 5;
/** Sealed: a browser that has signed in before, and to which accounts, the last one first. */
interface Device {
  id: string;
  accounts: string[];
}
function deviceIn(sealed: string | null, secrets: SecretBox): Device | null {
  try {
    const device = sealed && secrets.open(sealed, DEVICE_COOKIE);
    return device ? JSON.parse(device) : null;
  } catch {
    return null;
  }
}

/** Tells the next page, which takes it away, that a link has just done its work. No secret. */
const VERIFIED_COOKIE = "__Host-svc_verified";
const VERIFIED_SECONDS = 60;

/** Whether a session was given that is to outlive the browser. */
export const keepsSession = (cookies: readonly string[]) =>
  cookies.some((line) => line.startsWith(`${SESSION_COOKIE}=svc_`) && line.includes("; Max-Age="));

/** What a browser carries beside its session. */
export interface Browser {
  /** The name of this browser, where it has signed in to the account before and was to be remembered; null where it has not. */
  deviceOf(userId: string): string | null;
  /** From now on it is one that has. */
  know(userId: string): void;
  /** For the page to which the link of a verification leads. */
  tellVerified(): void;
  /** SHA-256 of the session secret that it presents and that nobody has looked up; null without a well-formed one. */
  readonly session: Buffer | null;
  /** The secret by which a browser that began a sign-in is known again; null without one. */
  readonly signIn: string | null;
  /** `crossSite` where another site's form brings the browser back: a Lax cookie would not come along. */
  keepSignIn(secret: string, crossSite: boolean): void;
}
export function browserOf(request: IncomingMessage, cookies: string[], secrets: SecretBox): Browser {
  const only = (name: string) => {
    const [value, ...others] = readCookies(request, name);
    return value !== undefined && others.length === 0 ? value : null;
  };
  const device = () => deviceIn(only(DEVICE_COOKIE), secrets);
  return {
    deviceOf: (userId) => {
      const known = device();
      return known?.accounts.includes(userId) ? known.id : null;
    },
    know(userId) {
      const { id, accounts } = device() ?? { id: newId(), accounts: [] };
      if (accounts.includes(userId)) return;
      const kept: Device = { id, accounts: [userId, ...accounts].slice(0, MOST_ACCOUNTS) };
      const sealed = secrets.seal(JSON.stringify(kept), DEVICE_COOKIE);
      cookies.push(`${DEVICE_COOKIE}=${sealed}; ${attributes}; HttpOnly; Max-Age=${DEVICE_SECONDS}`);
    },
    tellVerified: () => cookies.push(`${VERIFIED_COOKIE}=1; ${attributes}; Max-Age=${VERIFIED_SECONDS}`),
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
