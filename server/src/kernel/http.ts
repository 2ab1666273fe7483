// The host: routes of the contract to the pipeline, and the pipeline's outcome to the socket, with the headers that every answer
// carries. Owns admission, the deadline, the log line and the metrics of a request; decides nothing about operations.
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { type ErrorCode, errors, oauthErrorOf } from "@svc/contract/errors.ts";
import { type AnyOperation, API_VERSION, isUnsafe, pathOf } from "@svc/contract/kit.ts";
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest, type HTTPMethods } from "fastify";
import type { Admission } from "./admission.ts";
import type { Presented } from "./authenticate.ts";
import { type Bodies, hasBody, unhurried } from "./body.ts";
import type { Call, Outcome } from "./call.ts";
import { clientAddress, networkOf, type Trust } from "./client-address.ts";
import { clearedCookies } from "./cookies.ts";
import { timeouts } from "./db.ts";
import { newId } from "./ids.ts";
import type { Implementation } from "./implement.ts";
import type { Kernel } from "./kernel.ts";
import type { Log, RequestLine } from "./log.ts";
import type { Metrics } from "./metrics.ts";
import { present, serve } from "./pipeline.ts";
import { NO_ROOM, oauthBody, problemBody, Refusal } from "./problem.ts";
import { rateHeaders } from "./rate-limit.ts";
import { type Constraints, translate } from "./translate.ts";
import { turns } from "./turns.ts";

export const METHODS: HTTPMethods[] = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"];

export type Missing = (request: FastifyRequest, reply: FastifyReply) => Promise<unknown> | null;

export interface Host {
  kernel: Kernel;
  implementations: readonly Implementation[];
  constraints: Constraints;
  admission: Admission;
  bodies: Bodies;
  metrics: Metrics;
  log: Log;
  /** Whose word about where a request comes from is taken. */
  trust: Trust;
  /** Behind TLS: HSTS is sent. */
  secure: boolean;
  /** Why nothing is served just now, and for how many seconds; null in normal operation. */
  maintenance: () => { retryAfter: number } | null;
  /** Set when the service stops: what comes now is refused, what is under way is answered. */
  draining: boolean;
  underWay: number;
  /** A page for an address that is nobody's, where the request wants one. */
  missing?: Missing;
}

/** What the headers of an answer depend on. */
type Edge = Pick<Host, "secure"> & Partial<Pick<Host, "draining">>;

/** How long the head of a request may take, and the whole of it where nobody reads its body; looked at every second. */
const PATIENCE = { headersMs: 10_000, requestMs: 25_000, checkMs: 1000 };

export function createHost(host: Host, { headersMs, requestMs, checkMs } = PATIENCE): FastifyInstance {
  const app = Fastify({
    routerOptions: { maxParamLength: 500, ignoreTrailingSlash: false },
    http: { headersTimeout: headersMs, connectionsCheckingInterval: checkMs },
    requestTimeout: requestMs,
    // Refused here instead, as a problem.
    return503OnClosing: false,
    exposeHeadRoutes: false,
    clientErrorHandler: (error, socket) => answerUnreadable(host, error.code, socket as Socket),
    frameworkErrors: (_error, request, reply) => {
      reply.hijack();
      answerRefusal(
        host,
        request.raw,
        reply.raw,
        new Refusal("invalid_request", {
          errors: [{ pointer: "/path", code: "malformed", detail: "is not a valid path" }],
        }),
      );
    },
  });
  app.server.on("checkExpectation", (request, response) =>
    answerRefusal(host, request, response, new Refusal("expectation_failed")),
  );
  const inTurn = turns();
  const methodsOf = new Map<string, string[]>();
  for (const implementation of host.implementations) {
    const { operation } = implementation;
    const url = pathOf(operation).replace(/\{(\w+)\}/g, ":$1");
    methodsOf.set(url, [...(methodsOf.get(url) ?? []), operation.method]);
    route(app, operation.method, url, (request, response, params) =>
      inTurn(() => {
        answer(host, implementation, request, response, params).catch((error) => {
          host.log.error({ operation: operation.id, err: error }, "not answered");
          response.destroy();
        });
      }),
    );
  }
  for (const [url, methods] of methodsOf) {
    const others = METHODS.filter((method) => !methods.includes(method));
    route(app, others, url, (request, response) =>
      answerRefusal(host, request, response, new Refusal("method_not_allowed"), { allow: methods.join(", ") }),
    );
  }
  app.setNotFoundHandler((request, reply) => {
    const shown = host.missing?.(request, reply);
    if (shown) return shown;
    reply.hijack();
    answerRefusal(host, request.raw, reply.raw, new Refusal("not_found"));
  });
  app.setErrorHandler((error, request, reply) => {
    reply.hijack();
    host.log.error({ err: error }, "unexpected");
    answerRefusal(host, request.raw, reply.raw, new Refusal("internal"));
  });
  return app;
}

/** Taken over before the host looks at the body: the pipeline reads it itself, after it has looked at the credential. */
export function route(
  app: FastifyInstance,
  method: HTTPMethods | HTTPMethods[],
  url: string,
  take: (request: IncomingMessage, response: ServerResponse, params: Record<string, string>) => void,
) {
  app.route({
    method,
    url,
    onRequest(request, reply, _done) {
      reply.hijack();
      take(request.raw, reply.raw, request.params as Record<string, string>);
    },
    handler: () => {
      throw new Error("every request is taken over before its handler");
    },
  });
}

async function answer(
  host: Host,
  implementation: Implementation,
  request: IncomingMessage,
  response: ServerResponse,
  params: Record<string, string>,
) {
  const started = performance.now();
  const url = request.url as string;
  const at = url.indexOf("?");
  const address = clientAddress(request, host.trust);
  const call: Call = {
    kernel: host.kernel,
    implementation,
    request,
    params,
    search: at < 0 ? "" : url.slice(at + 1),
    correlationId: correlationIdOf(request),
    address,
    network: networkOf(address),
    tenant: "",
    expired: false,
    proven: undefined,
    unkept: false,
    trips: 0,
    principal: null,
    rate: null,
  };
  let refusal: Refusal | null = null;
  let outcome: Outcome;
  try {
    outcome = await admitted(host, call);
  } catch (error) {
    refusal = translate(error, host.constraints);
    if (refusal.code === "internal")
      host.log.error(
        { correlation_id: call.correlationId, operation: implementation.operation.id, err: error },
        "internal",
      );
    outcome = showsPages(implementation.operation, request)
      ? pageFor(refusal, url)
      : refusalOutcome(refusal, call.correlationId, implementation.operation);
    if (isSlowedDown(implementation.operation, refusal)) await sleep(host.admission.refusalMs());
  }
  send(host, request, response, outcome, call.correlationId, call.rate ? rateHeaders(call.rate) : undefined);
  observe(host, call, request, outcome.status, refusal?.code ?? null, performance.now() - started);
}

const isSlowedDown = ({ limit }: AnyOperation, refusal: Refusal) =>
  refusal === NO_ROOM || (refusal.code === "overloaded" && (limit === "sign_in" || limit === "register"));

/** In this time another process listens in place of one that stops. */
export const DRAINING = { retry_after: 2 };

async function admitted(host: Host, call: Call): Promise<Outcome> {
  if (host.draining) throw new Refusal("overloaded", DRAINING);
  const stopped = host.maintenance();
  if (stopped) throw new Refusal("maintenance", { retry_after: stopped.retryAfter });
  const { operation } = call.implementation;
  host.underWay++;
  try {
    const credential = await present(call);
    if (!isUnsafe(operation)) return await placed(host, call, credential, NO_BODY);
    const { request, network } = call;
    return await host.bodies.use(request, network, operation.raw, (body) => placed(host, call, credential, body));
  } finally {
    host.underWay--;
  }
}

const NO_BODY = Buffer.alloc(0);

async function placed(host: Host, call: Call, credential: Presented | undefined, body: Buffer): Promise<Outcome> {
  const tenant = host.kernel.tenants.of(credential, call.network);
  call.tenant = tenant;
  if (!host.admission.enter(tenant, isUnsafe(call.implementation.operation))) throw NO_ROOM;
  let deadline: NodeJS.Timeout | undefined;
  try {
    const late = new Promise<never>((_resolve, reject) => {
      deadline = setTimeout(() => {
        call.expired = true;
        reject(new Refusal("overloaded", { retry_after: 1 }));
      }, timeouts.requestMs);
    });
    return await Promise.race([serve(call, credential, body), late]);
  } finally {
    clearTimeout(deadline);
    host.admission.leave(tenant);
  }
}

function observe(host: Host, call: Call, request: IncomingMessage, status: number, code: string | null, ms: number) {
  const operation = call.implementation.operation.id;
  host.metrics.observe(operation, status, code, ms / 1000, call.trips);
  const line: RequestLine = {
    correlation_id: call.correlationId,
    operation,
    method: request.method as string,
    status,
    code,
    ms: Math.round(ms * 10) / 10,
    round_trips: call.trips,
    credential: call.principal?.kind ?? null,
    workspace_id: call.principal?.membership?.workspaceId ?? null,
    actor_id: call.principal?.membership?.actorId ?? null,
  };
  host.log.request(line);
}

/** An inbound id of 1 to 200 visible ASCII characters is kept, then a trace id, else one is made. */
export function correlationIdOf(request: IncomingMessage): string {
  const sent = request.headers["x-correlation-id"];
  if (typeof sent === "string" && /^[\x21-\x7e]{1,200}$/.test(sent)) return sent;
  const trace = /^[\da-f]{2}-([\da-f]{32})-[\da-f]{16}-[\da-f]{2}$/.exec(String(request.headers.traceparent ?? ""));
  return trace?.[1] ?? newId();
}

function refusalOutcome(refusal: Refusal, correlationId: string, operation?: AnyOperation): Outcome {
  const { status } = errors[refusal.code];
  const type = operation?.oauth ? "application/json" : "application/problem+json";
  const headers: Record<string, string> = { "content-type": `${type}; charset=utf-8` };
  if (status === 401) headers["www-authenticate"] = challenge(refusal.code);
  if (refusal.extra.retry_after !== undefined) headers["retry-after"] = String(refusal.extra.retry_after);
  return {
    status,
    headers,
    body: operation?.oauth ? oauthBody(refusal) : problemBody(refusal, correlationId),
    cookies: refusal.clearsSession ? clearedCookies : [],
  };
}

const showsPages = (operation: AnyOperation, request: IncomingMessage) =>
  operation.browser === true && (request.headers.accept ?? "").includes("text/html");

/** Where a browser goes on: to sign in and then back here, or to the page that shows what is wrong. */
function pageFor(refusal: Refusal, here: string): Outcome {
  const location =
    refusal.code === "authentication_required"
      ? `/login?return_to=${encodeURIComponent(here)}`
      : `/error?error=${oauthErrorOf(refusal.code)}`;
  return { status: 302, headers: { location }, body: "", cookies: refusal.clearsSession ? clearedCookies : [] };
}

const challenge = (code: ErrorCode) =>
  code === "invalid_token" ? 'Bearer realm="svc", error="invalid_token"' : 'Bearer realm="svc"';

export function answerRefusal(
  host: Edge,
  request: IncomingMessage,
  response: ServerResponse,
  refusal: Refusal,
  headers: Record<string, string> = {},
) {
  const correlationId = correlationIdOf(request);
  send(host, request, response, refusalOutcome(refusal, correlationId), correlationId, headers);
}

const CONSTANT = [
  ["cache-control", "no-store"],
  ["x-content-type-options", "nosniff"],
  ["content-security-policy", "default-src 'none'; frame-ancestors 'none'"],
  ["referrer-policy", "no-referrer"],
  ["x-svc-api-version", API_VERSION],
].flat();
export const HSTS = ["strict-transport-security", "max-age=31536000; includeSubDomains"] as const;

/** Connections whose last answer did not need the body: it is still coming, and is thrown away. */
const answeredEarly = new WeakSet<object>();

function send(
  host: Edge,
  request: IncomingMessage,
  response: ServerResponse,
  outcome: Outcome,
  correlationId: string,
  more: Record<string, string> = {},
) {
  if (response.headersSent || response.destroyed) return;
  // The rest of a body that was refused is not waited for.
  if (host.draining || outcome.status === 413 || (request.readableFlowing && !request.complete))
    more = { ...more, connection: "close" };
  else if (!request.complete && hasBody(request)) answeredEarly.add(request.socket);
  response.writeHead(outcome.status, headersOf(host, outcome, correlationId, more));
  response.end(request.method === "HEAD" ? undefined : outcome.body);
}

/** Names and values in turn. */
function headersOf(host: Edge, outcome: Outcome, correlationId: string, more: Record<string, string> = {}): string[] {
  const headers = [...CONSTANT, "x-correlation-id", correlationId];
  if (host.secure) headers.push(...HSTS);
  for (const name in outcome.headers) headers.push(name, outcome.headers[name] as string);
  for (const name in more) headers.push(name, more[name] as string);
  for (const cookie of outcome.cookies) headers.push("set-cookie", cookie);
  if (outcome.status !== 204) headers.push("content-length", String(Buffer.byteLength(outcome.body)));
  return headers;
}

const UNREADABLE: Record<string, ErrorCode> = {
  HPE_HEADER_OVERFLOW: "headers_too_large",
  ERR_HTTP_REQUEST_TIMEOUT: "request_timeout",
};
/** What the parser cannot read never becomes a request: it is answered on the bare socket, like any other, which then closes. */
function answerUnreadable(host: Edge, error: string | undefined, socket: Socket) {
  // The host tells it once of each request and leaves the rest to us.
  if (error === "ERR_HTTP_REQUEST_TIMEOUT" && unhurried.has(socket)) return;
  const isAnswered = error === "ERR_HTTP_REQUEST_TIMEOUT" && answeredEarly.has(socket);
  if (error === "ECONNRESET" || isAnswered || !socket.writable) return void socket.destroy();
  const code = UNREADABLE[error ?? ""];
  const faults = [{ pointer: "", code: "malformed", detail: "is not HTTP that this service can read" }];
  const correlationId = newId();
  const outcome = refusalOutcome(new Refusal(code ?? "invalid_request", code ? {} : { errors: faults }), correlationId);
  const headers = headersOf(host, outcome, correlationId, { connection: "close" });
  const lines = headers.flatMap((name, at) => (at % 2 === 0 ? [`${name}: ${headers[at + 1]}\r\n`] : []));
  const head = `HTTP/1.1 ${outcome.status} ${STATUS_CODES[outcome.status]}\r\n${lines.join("")}\r\n`;
  socket.end(head + outcome.body, () => socket.destroy());
}
