// What stands behind the # of a link that was sent by mail. It knows nothing of the pages: it is taken before they are here.
const kept = new Map<string, string>();
/**
 * The secret of a link that was sent by mail, taken out of the address bar at once: it must stay neither in the history nor on a screen that
 * somebody shares. Kept for this tab, so that signing in on the way or reloading does not lose it.
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
/** What a page has taken, for another one on the way. */
export function keptFragment(page: string): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(kept.get(page) ?? sessionStorage.getItem(`fragment:${page}`) ?? ""));
}
export function dropFragment(page = location.pathname) {
  kept.delete(page);
  sessionStorage.removeItem(`fragment:${page}`);
}
