// Target after sign-in. Anybody can write a return_to, so it is followed only if it matches an allowlist of paths,
// character by character. The service applies the same rule to its redirects; a test compares both.
const LONGEST = 2048;
/** Path segment without escapes and without a leading dot. */
const SEGMENT = "[A-Za-z0-9_~-][A-Za-z0-9._~-]*";
const PLACES = [
  /^\/$/,
  /^\/(?:account|security|review)$/,
  new RegExp(`^/workspaces(?:/${SEGMENT})+$`),
  /^\/(?:oauth\/authorize|consent)$/,
  /^\/api\/v1\/(?:dev|mobile)\/oauth\/authorize$/,
  /^\/invitation$/,
  /^\/email-change$/,
];
/** Characters that RFC 3986 allows in a query or fragment, without those that browsers rewrite. */
const TAIL = /^(?:[A-Za-z0-9\-._~!$&()*+,;=:@/?]|%[0-9A-Fa-f]{2})*$/;
/** These pages store their token themselves; in an address it would reach the history. */
const TOKENLESS = ["/invitation", "/email-change"];

/** Returns path, query and fragment unchanged, or null if the target is not allowed. */
export function localPath(asked: string | null | undefined): string | null {
  if (!asked || asked.length > LONGEST) return null;
  const [, path = "", query = "", fragment = ""] = /^([^?#]*)(\?[^#]*)?(#.*)?$/s.exec(asked) ?? [];
  if (!PLACES.some((place) => place.test(path)) || !isPlain(query.slice(1)) || !isPlain(fragment.slice(1))) return null;
  if (TOKENLESS.includes(path) && (fragment !== "" || new URLSearchParams(query).has("token"))) return null;
  return asked;
}

/** True if the escapes are valid UTF-8 and contain no control character. */
function isPlain(tail: string): boolean {
  if (!TAIL.test(tail)) return false;
  try {
    return !/\p{Cc}/u.test(decodeURIComponent(tail));
  } catch {
    return false;
  }
}

/** Appends return_to to a page address. */
export function withReturnTo(page: string, returnTo: string | null): string {
  return returnTo ? `${page}?return_to=${encodeURIComponent(returnTo)}` : page;
}
