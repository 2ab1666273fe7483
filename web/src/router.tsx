// Client-side routing: fifteen flat pages need no library. Addresses outside of the application (an OAuth endpoint, the
// reference) use normal navigation.
import { type ComponentProps, type MouseEvent, useSyncExternalStore } from "react";
import { isPage } from "./paths.ts";

const listeners = new Set<() => void>();
const changed = () => {
  for (const listener of listeners) listener();
};
window.addEventListener("popstate", changed);
// Opening a link to the same page in the same tab changes only the fragment.
window.addEventListener("hashchange", changed);

function subscribe(listener: () => void) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Current address. */
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
