// Public documentation of the service: the OpenAPI and AsyncAPI documents, the interactive reference, and a page for
// each error code. All of it is the same for everybody and served from here: no page loads anything from another host.
// Each file is prepared at its first request, so that a process without requests pays nothing for it.
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { gunzip, gzip } from "node:zlib";
import { type ErrorCode, errors } from "@svc/contract/errors.ts";
import { API_VERSION } from "@svc/contract/kit.ts";
import { operations } from "@svc/contract/operations.ts";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { rateHeaders, type TakeRead } from "../../platform/wire/limits/rate-limit.ts";
import { Refusal } from "../../platform/wire/problem.ts";
import { answerRefusal, correlationIdOf, HSTS } from "../../platform/wire/send-answer.ts";

/** A finished file, stored compressed only. */
interface File {
  type: string;
  gzipped: Buffer;
  etag: string;
  policy: string;
  /** Whether the address names the content, so that browsers cache it forever. */
  immutable: boolean;
}

const NO_POLICY = "default-src 'none'; frame-ancestors 'none'";
const HTML = "text/html; charset=utf-8";
const SCRIPT = "text/javascript; charset=utf-8";

async function file(type: string, text: string | Buffer, policy = NO_POLICY, immutable = false): Promise<File> {
  const gzipped = typeof text === "string" ? await promisify(gzip)(text) : text;
  const etag = `W/"${createHash("sha256").update(gzipped).digest("base64url").slice(0, 22)}"`;
  return { type, gzipped, etag, policy, immutable };
}

function once(make: () => Promise<File>): () => Promise<File> {
  let made: Promise<File> | undefined;
  return () => {
    made ??= make().catch((error) => {
      made = undefined;
      throw error;
    });
    return made;
  };
}

export function serveReference(app: FastifyInstance, { secure, takeRead }: { secure: boolean; takeRead: TakeRead }) {
  const get = (url: string, find: (params: Record<string, string>) => Promise<File | undefined>) =>
    app.route({
      method: ["GET", "HEAD"],
      url,
      async handler(request, reply) {
        const rate = takeRead(request.raw);
        const limits = rate === null ? {} : rateHeaders(rate);
        const refused = (refusal: Refusal) => {
          reply.hijack();
          answerRefusal({ secure }, request.raw, reply.raw, refusal, limits);
        };
        if (rate?.allowed === false) return refused(new Refusal("rate_limited", { retry_after: rate.retryAfter }));
        const found = await find(request.params as Record<string, string>);
        return found ? send(request, reply.headers(limits), found, secure) : refused(new Refusal("not_found"));
      },
    });
  const pages = () => import("./pages.ts");

  get(
    "/api/v1/openapi.json",
    once(async () => {
      const { openApi } = await import("@svc/contract/openapi.ts");
      return file("application/json; charset=utf-8", JSON.stringify(openApi(operations.values())));
    }),
  );
  get(
    "/api/v1/asyncapi.json",
    once(async () => {
      const { asyncApi } = await import("@svc/contract/surfaces/realtime/asyncapi.ts");
      return file("application/json; charset=utf-8", JSON.stringify(asyncApi()));
    }),
  );
  get(
    "/problems",
    once(async () => {
      const { pagePolicy, problemsPage } = await pages();
      return file(HTML, problemsPage(), pagePolicy);
    }),
  );
  const problems = new Map<string, () => Promise<File>>();
  for (const code of Object.keys(errors) as ErrorCode[])
    problems.set(
      code,
      once(async () => {
        const { pagePolicy, problemPage } = await pages();
        return file(HTML, problemPage(code, operations.values()), pagePolicy);
      }),
    );
  get("/problems/:code", async ({ code = "" }) => problems.get(code)?.());

  const scripts = referenceScripts();
  get(
    "/docs",
    once(async () => {
      const { referencePage, referencePolicy } = await pages();
      return file(HTML, referencePage(await scripts.addresses()), referencePolicy);
    }),
  );
  get("/docs/:script", ({ script = "" }) => scripts.find(script));
}

function referenceScripts() {
  const start = once(async () =>
    file(SCRIPT, await readFile(new URL("./browser.js", import.meta.url), "utf8"), NO_POLICY, true),
  );
  const scalar = once(async () => file(SCRIPT, await (await import("./bundle.ts")).bundle(), NO_POLICY, true));
  const names = async () => {
    const { bundleVersion } = await import("./bundle.ts");
    return { scalar: `scalar-${bundleVersion}.js`, start: `start-${(await start()).etag.slice(3, -1)}.js` };
  };
  return {
    addresses: async () => Object.values(await names()).map((name) => `/docs/${name}`),
    async find(name: string): Promise<File | undefined> {
      const known = await names();
      return name === known.scalar ? scalar() : name === known.start ? start() : undefined;
    },
  };
}

async function send(request: FastifyRequest, reply: FastifyReply, found: File, secure: boolean) {
  reply.headers({
    "cache-control": found.immutable ? "public, max-age=31536000, immutable" : "public, no-cache",
    "content-security-policy": found.policy,
    "referrer-policy": "no-referrer",
    vary: "Accept-Encoding",
    "x-content-type-options": "nosniff",
    "x-correlation-id": correlationIdOf(request.raw),
    "x-svc-api-version": API_VERSION,
    etag: found.etag,
  });
  if (secure) reply.header(...HSTS);
  if (request.headers["if-none-match"]?.split(/, */).includes(found.etag)) return reply.code(304).send();
  reply.type(found.type);
  if (!/\bgzip\b/.test(request.headers["accept-encoding"] ?? ""))
    return reply.send(await promisify(gunzip)(found.gzipped));
  return reply.header("content-encoding", "gzip").send(found.gzipped);
}
