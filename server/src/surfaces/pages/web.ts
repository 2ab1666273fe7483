// Pages of the web application: one small document, the same for all of them, and the hashed files that it names, from
// web/dist. The document handles passwords, so that its policy is as narrow as possible. An unknown address is a page
// with status 404 for a browser; programs get a problem document.
import { readdir, readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { CSRF_COOKIE, readCookies } from "../../platform/wire/cookies.ts";
import { Refusal } from "../../platform/wire/problem.ts";
import { answerRefusal, correlationIdOf, HSTS } from "../../platform/wire/send-answer.ts";
import type { Missing } from "../../platform/wire/stray-requests.ts";

/** The application has the same list; everything else is 404. Addresses of Workspaces are below /workspaces. */
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
/** First requests of the application, in any Workspace; it has the same list. */
export const asked = ["/api/v1/me", "/api/v1/workspaces?limit=100", "/api/v1/realtime/baseline"];

/** The storage uploads and serves files: if it is another host, the policy allows that origin only. */
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
    // Trusted Types with one policy, for the address of the service worker.
    "trusted-types worker",
  ].join("; ");
};

const TYPES: Record<string, string> = {
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
  svg: "image/svg+xml",
};
/** Files under fixed names that an installed application requests. */
const ROOT = {
  "/worker.js": "text/javascript; charset=utf-8",
  "/manifest.webmanifest": "application/manifest+json",
  "/icon.svg": "image/svg+xml",
};
/** Output directory of `npm run build`. */
const DIST = fileURLToPath(new URL("../../../../web/dist/", import.meta.url));

/** Sign-in methods, as the pages show them. */
export interface Offers {
  providers: string[];
  passkeys: boolean;
  /** Mail goes to the outbox, which a browser on this machine can read. */
  outbox: boolean;
}

/** Returns the handler of unknown addresses, which answers a page to browsers. */
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
    // Caches only existing files, so that made-up names cannot fill the memory.
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
      // The service worker fetches the document and its files only.
      reply.header("content-security-policy", "default-src 'none'; connect-src 'self'; frame-ancestors 'none'");
      return reply.type(type).send(bytes);
    });
  return (request, reply) => (wantsPage(request) ? show(request, reply, 404) : null);
}

/** A browser navigation; requests of programs, and paths for programs, get no page. */
const wantsPage = ({ method, url, headers }: FastifyRequest) =>
  (method === "GET" || method === "HEAD") &&
  (headers.accept ?? "").includes("text/html") &&
  !/^\/(?:api|oauth|mcp|assets|\.well-known)(?:[/?]|$)/.test(url);

const accepts = (request: FastifyRequest, encoding: string) =>
  new RegExp(`\\b${encoding}\\b(?!\\s*;\\s*q=0(?:\\.0*)?(?:,|$))`).test(
    String(request.headers["accept-encoding"] ?? ""),
  );

/** Undefined if it does not exist: the web application was not built, or there is no such file. */
const present = (path: string) => readFile(`${DIST}${path}`).catch(() => undefined);

/** Embeds the offers in the document, so that the page needs no request and does not shift its layout. */
async function document(offers: Offers): Promise<string | undefined> {
  const built = await present("index.html");
  return built
    ?.toString()
    .replace(/(<script type="application\/json" id="offers">)\{\}/, `$1${JSON.stringify(offers)}`);
}

/** Scripts that the first script imports at once: on every page, and in a Workspace. */
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
/**
 * Link header of what a browser fetches while it reads the document. It is a header and no part of the document: a
 * cached document shows its last state first, and fetches nothing before that.
 */
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
