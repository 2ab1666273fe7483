// The service worker: the application opens without a connection, and notifications arrive while it is closed. It keeps the one document and the
// files that the document names, never an answer of the service: what people wrote is the store's to keep, and is forgotten when they sign out.
interface Extendable extends Event {
  waitUntil(work: Promise<unknown>): void;
}
interface Fetching extends Extendable {
  request: Request;
  respondWith(answer: Promise<Response>): void;
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
  addEventListener(name: "install" | "activate", run: (event: Extendable) => void): void;
  addEventListener(name: "fetch", run: (event: Fetching) => void): void;
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
const MOST_FILES = 200;

scope.addEventListener("install", (event) => event.waitUntil(keepDocument().then(() => scope.skipWaiting())));
scope.addEventListener("activate", (event) =>
  event.waitUntil(
    caches
      .keys()
      .then((names) => Promise.all(names.filter((name) => name !== CACHE).map((name) => caches.delete(name))))
      .then(() => scope.clients.claim()),
  ),
);

async function keepDocument() {
  const answer = await fetch(DOCUMENT, { cache: "no-store" });
  const cache = await caches.open(CACHE);
  if (!answer.ok) return;
  const text = await answer.clone().text();
  await cache.put(DOCUMENT, answer);
  const named = [...text.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, path]) => path as string);
  await Promise.all(named.map(async (path) => (await cache.match(path)) ?? cache.add(path)));
}

scope.addEventListener("fetch", (event) => {
  const { request } = event;
  const { pathname, origin } = new URL(request.url);
  if (request.method !== "GET" || origin !== location.origin) return;
  if (pathname.startsWith("/assets/")) event.respondWith(file(request));
  else if (request.mode === "navigate" && /^\/(?:$|workspaces\/)/.test(pathname)) event.respondWith(page(request));
});

/** A file's name changes with what is in it. */
async function file(request: Request): Promise<Response> {
  const cache = await caches.open(CACHE);
  const known = await cache.match(request);
  if (known) return known;
  const answer = await fetch(request);
  if (answer.ok) {
    await cache.put(request, answer.clone());
    const all = await cache.keys();
    const old = all.filter(({ url }) => new URL(url).pathname !== DOCUMENT).slice(0, all.length - MOST_FILES);
    if (all.length > MOST_FILES) await Promise.all(old.map((each) => cache.delete(each)));
  }
  return answer;
}
/** As the service has it; without a connection as it was last. */
async function page(request: Request): Promise<Response> {
  try {
    const answer = await fetch(request);
    if (answer.ok) keepDocument().catch(() => {});
    return answer;
  } catch (error) {
    const kept = await (await caches.open(CACHE)).match(DOCUMENT);
    if (kept) return kept;
    throw error;
  }
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
