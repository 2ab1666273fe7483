// Registers the service worker (see worker.ts). The page's Trusted Types policy allows exactly one worker URL.
const WORKER = "/worker.js";

interface Policies {
  createPolicy(
    name: string,
    rules: { createScriptURL(url: string): string },
  ): { createScriptURL(url: string): unknown };
}
let isAsked = false;
/** Runs once per page, because a policy can be created only once. */
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
  // A private window may refuse: the application then works, but not offline.
  navigator.serviceWorker.register(url as string).catch(() => {});
  const tell = () => void navigator.serviceWorker.ready.then(({ active }) => active?.postMessage(filesHere()));
  tell();
  // Reports the files loaded since.
  document.addEventListener("visibilitychange", () => document.visibilityState === "hidden" && tell());
}

/** Files that this page has loaded: some before the worker existed, others without a request to it. */
const filesHere = () =>
  performance
    .getEntriesByType("resource")
    .map(({ name }) => new URL(name))
    .filter(({ origin, pathname }) => origin === location.origin && pathname.startsWith("/assets/"))
    .map(({ pathname }) => pathname);
