// Where a person goes after signing in. return_to comes out of a link that anybody can write, so it is followed only where it names a place
// of ours, letter by letter. The service applies the same rule to its own redirects; a test holds both against each other.
const LONGEST = 2048;
/** A segment that is spelled plainly: no escapes, and none that starts with a dot. */
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
/** What RFC 3986 allows in a query or a fragment, without the characters that browsers repair. */
const TAIL = /^(?:[A-Za-z0-9\-._~!$&()*+,;=:@/?]|%[0-9A-Fa-f]{2})*$/;
/** The pages behind these keep their token themselves; in an address it would be written into the history. */
const TOKENLESS = ["/invitation", "/email-change"];

/** The path with its query and fragment, unchanged, or null where it is none that we lead to. */
export function localPath(asked: string | null | undefined): string | null {
  if (!asked || asked.length > LONGEST) return null;
  const [, path = "", query = "", fragment = ""] = /^([^?#]*)(\?[^#]*)?(#.*)?$/s.exec(asked) ?? [];
  if (!PLACES.some((place) => place.test(path)) || !isPlain(query.slice(1)) || !isPlain(fragment.slice(1))) return null;
  if (TOKENLESS.includes(path) && (fragment !== "" || new URLSearchParams(query).has("token"))) return null;
  return asked;
}

/** Escapes are UTF-8 and hide no control character. */
function isPlain(tail: string): boolean {
  if (!TAIL.test(tail)) return false;
  try {
    return !/\p{Cc}/u.test(decodeURIComponent(tail));
  } catch {
    return false;
  }
}

/** A page, with the place to hand on to it. */
export function withReturnTo(page: string, returnTo: string | null): string {
  return returnTo ? `${page}?return_to=${encodeURIComponent(returnTo)}` : page;
}
