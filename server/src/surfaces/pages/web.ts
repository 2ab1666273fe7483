// The pages that a person sees: one small document, the same for each of them, and the hashed files that it names, all from web/dist.
// What the document may load and where it may be shown is as narrow as can be: it is trusted with passwords. An address that is nobody's is
// a page too for a browser that asks for one, with status 404; programs get a problem document.
import { readdir, readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { CSRF_COOKIE, readCookies } from "../../platform/wire/cookies.ts";
import { Refusal } from "../../platform/wire/problem.ts";
import { answerRefusal, correlationIdOf, HSTS } from "../../platform/wire/send.ts";
import type { Missing } from "../../platform/wire/stray-requests.ts";

/** The application has the same list; everything else is 404. A Workspace's address is below /workspaces. */
export const pages = [
  "/",
  "/account",
  "/login",
  "/register",
  "/second-factor",
  "/forgot",
  "/reset",
  "/verified",
  "/email-change",
  "/invitation",
  "/workspaces/new",
  "/consent",
  "/security",
  "/review",
  "/confirmed",
  "/signed-out",
  "/error",
];

const WORKSPACES = ["/workspaces/:slug", "/workspaces/:slug/*"];
/** What the application asks for first, in whichever Workspace; it has the same list. */
export const asked = ["/api/v1/me", "/api/v1/workspaces?limit=100", "/api/v1/realtime/baseline"];

/** Files are sent to storage and shown from there: where that is another host, nothing else of it is let in. */
const policyWith = (storage: string | null) => {
  const files = storage === null ? "'self'" : `'self' ${storage}`;
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    `img-src ${files}`,
    `connect-src ${files}`,
    "manifest-src 'self'",
    "worker-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    // One policy, which trusts one address: that of the service worker.
    "trusted-types worker",
  ].join("; ");
};

const TYPES: Record<string, string> = {
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
  svg: "image/svg+xml",
};
/** What a browser that keeps the application looks for, under names that stay. */
const ROOT = {
  "/worker.js": "text/javascript; charset=utf-8",
  "/manifest.webmanifest": "application/manifest+json",
  "/icon.svg": "image/svg+xml",
};
/** Where `npm run build` puts them. */
const DIST = fileURLToPath(new URL("../../../../web/dist/", import.meta.url));

/** How people can sign in here, as the pages show it. */
export interface Offers {
  providers: string[];
  passkeys: boolean;
  /** Mail stays in the outbox that a browser on this machine can read. */
  outbox: boolean;
}

/** Ends with what shows a page for an address that is nobody's, to those who want one. */
export function serveWeb(
  app: FastifyInstance,
  { secure, offers, storage }: { secure: boolean; offers: Offers; storage: string | null },
): Missing {
  const policy = policyWith(storage);
  const missing = (request: FastifyRequest, reply: FastifyReply) => {
    reply.hijack();
    answerRefusal({ secure }, request.raw, reply.raw, new Refusal("not_found"));
  };
  const get = (url: string, handler: (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>) =>
    app.route({ method: ["GET", "HEAD"], url, handler });

  let shell: string | undefined;
  let scripts: Scripts | undefined;
  const show = async (request: FastifyRequest, reply: FastifyReply, status: number) => {
    shell ??= await document(offers);
    if (shell === undefined) return missing(request, reply);
    scripts ??= await scriptsBehind();
    reply.header("link", told(request, scripts));
    common(request, reply, secure, "no-store");
    reply.headers({
      "content-security-policy": policy,
      "cross-origin-opener-policy": "same-origin",
      "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
    });
    return reply.code(status).type("text/html; charset=utf-8").send(shell);
  };
  for (const url of [...pages, ...WORKSPACES]) get(url, (request, reply) => show(request, reply, 200));

  const kept = new Map<string, Promise<Buffer | undefined>>();
  get("/assets/:name", async (request, reply) => {
    const { name } = request.params as { name: string };
    const type = /^[\w-]+\.(js|css|svg)$/.exec(name)?.[1];
    const encoding = ["br", "gzip"].find((word) => accepts(request, word));
    const path = `assets/${name}${encoding === "br" ? ".br" : encoding === "gzip" ? ".gz" : ""}`;
    const bytes = type === undefined ? undefined : await (kept.get(path) ?? present(path));
    if (type === undefined || bytes === undefined) return missing(request, reply);
    // Only what exists is kept, so that nobody can fill the memory with names.
    kept.set(path, Promise.resolve(bytes));
    common(request, reply, secure, "public, max-age=31536000, immutable");
    reply.headers({ "content-security-policy": "default-src 'none'; frame-ancestors 'none'", vary: "Accept-Encoding" });
    if (encoding) reply.header("content-encoding", encoding);
    return reply.type(TYPES[type] as string).send(bytes);
  });
  for (const [url, type] of Object.entries(ROOT))
    get(url, async (request, reply) => {
      const bytes = await present(url.slice(1));
      if (bytes === undefined) return missing(request, reply);
      common(request, reply, secure, "no-cache");
      // The worker asks for the document and its files, and for nothing else.
      reply.header("content-security-policy", "default-src 'none'; connect-src 'self'; frame-ancestors 'none'");
      return reply.type(type).send(bytes);
    });
  return (request, reply) => (wantsPage(request) ? show(request, reply, 404) : null);
}

/** A browser that goes to an address; what a program asks for is no page, and what lies below these is for programs. */
const wantsPage = ({ method, url, headers }: FastifyRequest) =>
  (method === "GET" || method === "HEAD") &&
  (headers.accept ?? "").includes("text/html") &&
  !/^\/(?:api|oauth|mcp|assets|\.well-known)(?:[/?]|$)/.test(url);

const accepts = (request: FastifyRequest, encoding: string) =>
  new RegExp(`\\b${encoding}\\b(?!\\s*;\\s*q=0(?:\\.0*)?(?:,|$))`).test(
    String(request.headers["accept-encoding"] ?? ""),
  );

/** Undefined where it does not exist: the pages were not built, or this name never was. */
const present = (path: string) => readFile(`${DIST}${path}`).catch(() => undefined);

/** What the service offers stands in the document itself, so that the page need not ask and nothing in it moves. */
async function document(offers: Offers): Promise<string | undefined> {
  const built = await present("index.html");
  return built
    ?.toString()
    .replace(/(<script type="application\/json" id="offers">)\{\}/, `$1${JSON.stringify(offers)}`);
}

/** What the first script imports as soon as it runs: for every page, and for a Workspace. */
interface Scripts {
  pages: string[];
  app: string[];
}
async function scriptsBehind(): Promise<Scripts> {
  const names = await readdir(`${DIST}assets`).catch(() => []);
  const named = (start: string) =>
    names
      .filter((name) => name.startsWith(`${start}-`) && name.endsWith(".js"))
      .map((name) => `</assets/${name}>; rel=modulepreload; crossorigin`);
  return { pages: named("pages"), app: named("app") };
}
/** What a browser fetches while it reads the document. It is a header and no part of the document: one that was kept first shows what was seen last, and fetches
 * nothing before that. */
function told(request: FastifyRequest, { pages, app }: Scripts): string {
  if (!WORKSPACES.includes(request.routeOptions.url ?? "")) return pages.join(", ");
  const isSignedIn = readCookies(request.raw, CSRF_COOKIE).length > 0;
  const answers = isSignedIn ? asked.map((path) => `<${path}>; rel=preload; as=fetch; crossorigin`) : [];
  return [...pages, ...app, ...answers].join(", ");
}

function common(request: FastifyRequest, reply: FastifyReply, secure: boolean, cache: string) {
  reply.headers({
    "cache-control": cache,
    "cross-origin-resource-policy": "same-origin",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "x-correlation-id": correlationIdOf(request.raw),
  });
  if (secure) reply.header(...HSTS);
}
