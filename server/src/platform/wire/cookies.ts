// Builds and reads the cookies of the service. They are host-only, Secure, and readable by scripts only if they contain
// a CSRF token or a flag.
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
/** Longest lifetime that browsers allow for a cookie. */
const DEVICE_SECONDS = 400 * 24 * 60 * 60;
const MOST_ACCOUNTS = 5;
/** Sealed content of the device cookie: a browser that has signed in before, and its accounts, the latest first. */
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

/** Flag without a secret for the next page, which deletes it: a verification link was just used. */
const VERIFIED_COOKIE = "__Host-svc_verified";
const VERIFIED_SECONDS = 60;

/** Whether the cookies start a session that outlives the browser. */
export const keepsSession = (cookies: readonly string[]) =>
  cookies.some((line) => line.startsWith(`${SESSION_COOKIE}=svc_`) && line.includes("; Max-Age="));

/** Cookies of a browser besides its session. */
export interface Browser {
  /** Id of this browser if it has signed in to the account before and was remembered, or null. */
  deviceOf(userId: string): string | null;
  /** Remembers this browser for the account. */
  know(userId: string): void;
  /** Sets the flag for the page that a verification link leads to. */
  tellVerified(): void;
  /** SHA-256 of the presented session secret, which was not looked up; null without a well-formed one. */
  readonly session: Buffer | null;
  /** Secret that identifies the browser that began a sign-in; null without one. */
  readonly signIn: string | null;
  /** `crossSite` if a form of another site returns the browser: it would not send a Lax cookie. */
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
        `${SIGN_IN_COOKIE}=${secret}; Path=/; Secure; SameSite=${crossSite ? "None" : "Lax"}; HttpOnly; ` +
          `Max-Age=${SIGN_IN_SECONDS}`,
      ),
  };
}
