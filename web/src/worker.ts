// The service worker: the application opens without a connection, and notifications arrive while it is closed. It keeps the one document and the
// files that the document names, never an answer of the service: what people wrote is the store's to keep, and is forgotten when they sign out.
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
/** What is used of a worker's scope; the types of pages and of workers cannot be had together. */
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
/** The document is the same for each page; it is kept under this name. */
const DOCUMENT = "/";
/** Its header names what any Workspace needs. */
const WORKSPACE = "/workspaces/-";
const MOST_FILES = 200;

scope.addEventListener("install", (event) => {
  // Files come out of the cache without this worker being asked, where the browser can do that; what is not in it comes from the service.
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

/** A document is kept once its files are: one that needs others that are not here would open nothing. It is kept without the header that names them: a
 * further visit shows what was seen last before it fetches anything. */
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
/** The files that a page had before there was a worker, or without asking it: the browser has them still, and the next visit finds them here. */
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

/** A file's name changes with what is in it. */
async function file(request: Request | string): Promise<Response> {
  const cache = await caches.open(CACHE);
  const known = await cache.match(request);
  if (known) return known;
  const answer = await fetch(request);
  // The service has another version by now, and this page is of the one before: the next visit asks for its document.
  if (answer.status === 404) await cache.delete(DOCUMENT);
  if (answer.ok) {
    await cache.put(request, answer.clone());
    const all = await cache.keys();
    const old = all.filter(({ url }) => new URL(url).pathname !== DOCUMENT).slice(0, all.length - MOST_FILES);
    if (all.length > MOST_FILES) await Promise.all(old.map((each) => cache.delete(each)));
  }
  return answer;
}
/** As it was last, at once: the document is the same for everybody and says nothing of anybody. The next visit has the service's newest. */
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
      ...{ body: text(body), data: text(path) || "/", tag: text(id) },
    }),
  );
});
scope.addEventListener("notificationclick", (event) => {
  event.notification.close();
  const to = new URL(String(event.notification.data ?? "/"), location.origin);
  // Only ever an address of this service.
  const address = to.origin === location.origin ? to.href : location.origin;
  event.waitUntil(
    scope.clients.matchAll({ type: "window" }).then(async ([open]) => {
      if (!open) return scope.clients.openWindow(address);
      await open.focus();
      return open.navigate(address);
    }),
  );
});
