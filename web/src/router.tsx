// Going from page to page without reloading: fifteen pages and no nesting need no library. Leaving for what is not a page of this
// application (an OAuth endpoint, the reference) is an ordinary navigation.
import { type ComponentProps, type MouseEvent, useSyncExternalStore } from "react";
import { isPage } from "./paths.ts";

const listeners = new Set<() => void>();
const changed = () => {
  for (const listener of listeners) listener();
};
window.addEventListener("popstate", changed);
// A link that is opened in the same tab while the page is open brings only another fragment.
window.addEventListener("hashchange", changed);

function subscribe(listener: () => void) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Path and query of the page that is shown. */
export const useAddress = () => new URL(useSyncExternalStore(subscribe, () => location.href));

export function go(to: string, { replace = false } = {}) {
  if (!isPage(new URL(to, location.href).pathname)) return location.assign(to);
  history[replace ? "replaceState" : "pushState"](null, "", to);
  scrollTo(0, 0);
  changed();
}

export function Link({ to, ...rest }: { to: string } & Omit<ComponentProps<"a">, "href">) {
  const follow = (event: MouseEvent) => {
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    if (!isPage(new URL(to, location.href).pathname)) return;
    event.preventDefault();
    go(to);
  };
  return <a className="link" {...rest} href={to} onClick={follow} />;
}

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
