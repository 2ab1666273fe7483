// Reads the fragment of links sent by mail. Imports nothing of the pages: it runs before they load.
const kept = new Map<string, string>();
/**
 * Moves the secret of a mailed link out of the address bar at once, because it must not stay in the history or on a
 * shared screen. Stored for this tab, so that signing in on the way or reloading does not lose it.
 */
export function takeFragment(): Record<string, string> {
  const { pathname, search, hash } = location;
  if (hash.length > 1) {
    kept.set(pathname, hash.slice(1));
    sessionStorage.setItem(`fragment:${pathname}`, hash.slice(1));
    history.replaceState(null, "", pathname + search);
  }
  return keptFragment(pathname);
}
/** Fragment that a page has taken, for another page on the way. */
export function keptFragment(page: string): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(kept.get(page) ?? sessionStorage.getItem(`fragment:${page}`) ?? ""));
}
export function dropFragment(page = location.pathname) {
  kept.delete(page);
  sessionStorage.removeItem(`fragment:${page}`);
}
