// Service worker: opens the application offline, and shows push notifications while it is closed. It caches the HTML
// document and the files that the document references, never API responses: user data belongs to the store, which
// deletes it at sign-out.
interface Extendable extends Event {
  waitUntil(work: Promise<unknown>): void;
}
interface Installing extends Extendable {
  addRoutes?(routes: readonly object[]): Promise<void>;
}
interface Fetching extends Extendable {
  request: Request;
  respondWith(answer: Promise<Response>): void;
}
interface Told extends Extendable {
  data: unknown;
}
interface Pushed extends Extendable {
  data: { json(): unknown } | null;
}
interface Clicked extends Extendable {
  notification: { data: unknown; close(): void };
}
interface Window {
  url: string;
  focus(): Promise<unknown>;
  navigate(url: string): Promise<unknown>;
}
/**
 * Subset of ServiceWorkerGlobalScope in use, because TypeScript cannot load the types of pages and workers together.
 */
interface Scope {
  addEventListener(name: "install", run: (event: Installing) => void): void;
  addEventListener(name: "activate", run: (event: Extendable) => void): void;
  addEventListener(name: "fetch", run: (event: Fetching) => void): void;
  addEventListener(name: "message", run: (event: Told) => void): void;
  addEventListener(name: "push", run: (event: Pushed) => void): void;
  addEventListener(name: "notificationclick", run: (event: Clicked) => void): void;
  skipWaiting(): Promise<void>;
  clients: {
    claim(): Promise<void>;
    matchAll(options: { type: "window" }): Promise<readonly Window[]>;
    openWindow(url: string): Promise<unknown>;
  };
  registration: { showNotification(title: string, options: object): Promise<void> };
}
const scope = globalThis as unknown as Scope;

const CACHE = "shell-1";
/** Cache key of the document, which is the same for every page. */
const DOCUMENT = "/";
/** The Link header of this page names the files that any Workspace needs. */
const WORKSPACE = "/workspaces/-";
const MOST_FILES = 200;

scope.addEventListener("install", (event) => {
  // Static routing serves files from the cache without starting this worker if the browser supports it; missing files
  // come from the network.
  void event.addRoutes?.([
    { condition: { urlPattern: "/assets/*", requestMethod: "get" }, source: { cacheName: CACHE } },
  ]);
  event.waitUntil(keepDocument().then(() => scope.skipWaiting()));
});
scope.addEventListener("activate", (event) =>
  event.waitUntil(
    caches
      .keys()
      .then((names) => Promise.all(names.filter((name) => name !== CACHE).map((name) => caches.delete(name))))
      .then(() => scope.clients.claim()),
  ),
);

/**
 * Caches the document after its files: a document with missing files would open nothing. The Link header is removed,
 * because a repeat visit first shows the last state, before it fetches anything.
 */
async function keepDocument() {
  const answer = await fetch(WORKSPACE, { cache: "no-store" });
  if (!answer.ok) return;
  const text = await answer.text();
  const headers = new Headers(answer.headers);
  const named = text + headers.get("link");
  await keepFiles([...named.matchAll(/(?:(?:src|href)="|<)(\/assets\/[^">]+)/g)].map(([, path]) => path as string));
  headers.delete("link");
  await (await caches.open(CACHE)).put(DOCUMENT, new Response(text, { headers }));
}
async function keepFiles(paths: readonly string[]) {
  const found = await Promise.all(paths.map(file));
  if (!found.every(({ ok }) => ok)) throw new Error("not all of its files are there");
}
/**
 * Files that a page loaded before the worker existed or without a request to it: the browser still has them, so caching
 * them now makes them available to the next visit.
 */
scope.addEventListener("message", (event) => {
  if (!Array.isArray(event.data)) return;
  const paths = event.data.filter((path) => typeof path === "string" && /^\/assets\/[\w-]+\.\w+$/.test(path));
  event.waitUntil(keepFiles(paths).catch(() => {}));
});

scope.addEventListener("fetch", (event) => {
  const { request } = event;
  const { pathname, origin } = new URL(request.url);
  if (request.method !== "GET" || origin !== location.origin) return;
  if (pathname.startsWith("/assets/")) event.respondWith(file(request));
  else if (request.mode === "navigate" && /^\/(?:$|workspaces\/)/.test(pathname)) event.respondWith(page(event));
});

/** Cache first: a file's name changes with its content. */
async function file(request: Request | string): Promise<Response> {
  const cache = await caches.open(CACHE);
  const known = await cache.match(request);
  if (known) return known;
  const answer = await fetch(request);
  // The service has been updated and this page belongs to the previous version: drop the document, so that the next
  // visit fetches the new one.
  if (answer.status === 404) await cache.delete(DOCUMENT);
  if (answer.ok) {
    await cache.put(request, answer.clone());
    const all = await cache.keys();
    const old = all.filter(({ url }) => new URL(url).pathname !== DOCUMENT).slice(0, all.length - MOST_FILES);
    if (all.length > MOST_FILES) await Promise.all(old.map((each) => cache.delete(each)));
  }
  return answer;
}
/**
 * Stale-while-revalidate: the document contains no personal data and is the same for everybody; the next visit gets the
 * refreshed one.
 */
async function page(event: Fetching): Promise<Response> {
  const kept = await (await caches.open(CACHE)).match(DOCUMENT);
  if (!kept) return fetch(event.request);
  event.waitUntil(keepDocument().catch(() => {}));
  return kept;
}

scope.addEventListener("push", (event) => {
  const { title, body, path, id } = (event.data?.json() ?? {}) as Record<string, unknown>;
  const text = (value: unknown) => (typeof value === "string" ? value : "");
  event.waitUntil(
    scope.registration.showNotification(text(title) || "svc", {
      body: text(body),
      data: text(path) || "/",
      tag: text(id),
    }),
  );
});
scope.addEventListener("notificationclick", (event) => {
  event.notification.close();
  const to = new URL(String(event.notification.data ?? "/"), location.origin);
  // Only addresses of this origin.
  const address = to.origin === location.origin ? to.href : location.origin;
  event.waitUntil(
    scope.clients.matchAll({ type: "window" }).then(async ([open]) => {
      if (!open) return scope.clients.openWindow(address);
      await open.focus();
      return open.navigate(address);
    }),
  );
});
