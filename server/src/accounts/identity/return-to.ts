// Validates `return_to`, the path that a browser opens after sign-in. Anyone can write it into a link, so only an exact
// match of a known path is followed; anything else is ignored. Pure.

const LONGEST = 2048;

/** A plain path segment: no escapes, and no leading dot. */
const SEGMENT = "[A-Za-z0-9_~-][A-Za-z0-9._~-]*";
/**
 * Allowed paths: application pages, Workspaces, the OAuth authorization of each client family, acceptance of an
 * invitation.
 */
const PLACES = [
  /^\/$/,
  /^\/(?:account|security|review|email-change)$/,
  new RegExp(`^/workspaces(?:/${SEGMENT})+$`),
  /^\/(?:(?:api\/v1\/(?:dev|mobile)\/)?oauth\/authorize|consent)$/,
  /^\/api\/v1\/(?:dev|mobile)\/oauth\/authorize$/,
  /^\/invitation$/,
];
/** Characters that RFC 3986 allows in a query or a fragment, without those that browsers normalize. */
const TAIL = /^(?:[A-Za-z0-9\-._~!$&()*+,;=:@/?]|%[0-9A-Fa-f]{2})*$/;

/** The path with its query and fragment, unchanged, or null if it is not an allowed target. */
export function localPath(returnTo: string | undefined): string | null {
  if (returnTo === undefined || returnTo.length > LONGEST) return null;
  const [, path = "", query = "", fragment = ""] = /^([^?#]*)(\?[^#]*)?(#.*)?$/s.exec(returnTo) ?? [];
  if (!PLACES.some((place) => place.test(path))) return null;
  if (!isPlain(query.slice(1)) || !isPlain(fragment.slice(1))) return null;
  // The invitation page stores the token itself; in a URL it would end up in the browser history.
  if (path === "/invitation" && (fragment !== "" || new URLSearchParams(query).has("token"))) return null;
  return returnTo;
}

/** Whether all escapes are valid UTF-8 and hide no control character. */
function isPlain(tail: string): boolean {
  if (!TAIL.test(tail)) return false;
  try {
    return !/\p{Cc}/u.test(decodeURIComponent(tail));
  } catch {
    return false;
  }
}

/** Redirect without a `return_to`: the application opens the session's Workspace, or offers to create one. */
export const homeOf = (workspaceId: string | null) => (workspaceId === null ? "/workspaces/new" : "/");
