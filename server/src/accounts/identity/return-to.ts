// Where a browser goes after it has signed in. return_to comes out of a link that anybody can write, so it is followed only where it
// names a place of ours, letter by letter; everything else is as if it had not been there. Pure.

const LONGEST = 2048;

/** A segment that is spelled plainly: no escapes, and none that starts with a dot. */
const SEGMENT = "[A-Za-z0-9_~-][A-Za-z0-9._~-]*";
/** Application, Workspace, authorization of an OAuth client of each family, acceptance of an invitation. */
const PLACES = [
  /^\/$/,
  /^\/(?:account|security|review|email-change)$/,
  new RegExp(`^/workspaces(?:/${SEGMENT})+$`),
  /^\/(?:(?:api\/v1\/(?:dev|mobile)\/)?oauth\/authorize|consent)$/,
  /^\/api\/v1\/(?:dev|mobile)\/oauth\/authorize$/,
  /^\/invitation$/,
];
/** What RFC 3986 allows in a query or a fragment, without the characters that browsers repair. */
const TAIL = /^(?:[A-Za-z0-9\-._~!$&()*+,;=:@/?]|%[0-9A-Fa-f]{2})*$/;

/** The path with its query and fragment, unchanged, or null where it is none that we lead to. */
export function localPath(returnTo: string | undefined): string | null {
  if (returnTo === undefined || returnTo.length > LONGEST) return null;
  const [, path = "", query = "", fragment = ""] = /^([^?#]*)(\?[^#]*)?(#.*)?$/s.exec(returnTo) ?? [];
  if (!PLACES.some((place) => place.test(path))) return null;
  if (!isPlain(query.slice(1)) || !isPlain(fragment.slice(1))) return null;
  // The page keeps the token of an invitation itself; in an address it would be written into the history on the way.
  if (path === "/invitation" && (fragment !== "" || new URLSearchParams(query).has("token"))) return null;
  return returnTo;
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

/** Without a place to return to: the Workspace of the session, which the application opens itself, or the creation of one. */
export const homeOf = (workspaceId: string | null) => (workspaceId === null ? "/workspaces/new" : "/");
