// Lets the browser keep the application (see worker.ts). The page's policy trusts one address for a worker and no other.
const WORKER = "/worker.js";

interface Policies {
  createPolicy(
    name: string,
    rules: { createScriptURL(url: string): string },
  ): { createScriptURL(url: string): unknown };
}
let isAsked = false;
/** Once for a page: a policy is made once. */
export function install() {
  if (isAsked || !("serviceWorker" in navigator)) return;
  isAsked = true;
  const { trustedTypes } = globalThis as { trustedTypes?: Policies };
  const policy = trustedTypes?.createPolicy("worker", {
    createScriptURL(url) {
      if (url !== WORKER) throw new TypeError("no other worker");
      return url;
    },
  });
  const url = policy ? policy.createScriptURL(WORKER) : WORKER;
  // A private window may refuse: then everything works but opens only with a connection.
  navigator.serviceWorker.register(url as string).catch(() => {});
  const tell = () => void navigator.serviceWorker.ready.then(({ active }) => active?.postMessage(filesHere()));
  tell();
  // And those that came since.
  document.addEventListener("visibilitychange", () => document.visibilityState === "hidden" && tell());
}

/** Those that this page has loaded; some of them before there was a worker, others without asking it. */
const filesHere = () =>
  performance
    .getEntriesByType("resource")
    .map(({ name }) => new URL(name))
    .filter(({ origin, pathname }) => origin === location.origin && pathname.startsWith("/assets/"))
    .map(({ pathname }) => pathname);
