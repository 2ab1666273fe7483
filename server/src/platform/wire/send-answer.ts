// Writes HTTP responses: an outcome with the common headers, a refusal as a problem document, and a response on the
// bare socket for input that never became a request. Depends on operations only for the format of their refusals.
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { type ErrorCode, errors } from "@svc/contract/errors.ts";
import { type AnyOperation, API_VERSION } from "@svc/contract/kit.ts";
import { oauthErrorOf } from "@svc/contract/oauth-errors.ts";
import type { FastifyInstance, HTTPMethods } from "fastify";
import { clearedCookies } from "./cookies.ts";
import { newId } from "./ids.ts";
import { hasBody, unhurried } from "./input/body.ts";
import { awaitsContinue, discardRest } from "./input/body-rest.ts";
import { oauthBody, problemBody, Refusal } from "./problem.ts";

export interface HttpAnswer {
  status: number;
  body: string;
  headers: Record<string, string>;
  cookies: string[];
}

export const METHODS: HTTPMethods[] = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"];

/** Settings that the response headers depend on. */
export interface Edge {
  /** Set behind TLS, so that HSTS is sent. */
  secure: boolean;
  /** Set when the service stops: connections are not reused. */
  draining?: boolean;
}

/** Seconds after which another process listens instead of the one that stops. */
export const DRAINING = { retry_after: 2 };

/**
 * Registers a route that takes over before the host reads the body: the pipeline reads it itself, after it has checked
 * the credential.
 */
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

/** Uses an inbound id of 1 to 200 visible ASCII characters, then a trace id, else a new one. */
export function correlationIdOf(request: IncomingMessage & { [MADE]?: string }): string {
  const sent = request.headers["x-correlation-id"];
  if (typeof sent === "string" && /^[\x21-\x7e]{1,200}$/.test(sent)) return sent;
  const trace = /^[\da-f]{2}-([\da-f]{32})-[\da-f]{16}-[\da-f]{2}$/.exec(String(request.headers.traceparent ?? ""));
  // Cached, so that every caller gets the same id.
  request[MADE] ??= trace?.[1] ?? newId();
  return request[MADE];
}
/**
 * Stored on the request itself: with a WeakMap of all requests V8 finishes its marking in a pause of 18 ms instead of
 * one.
 */
const MADE = Symbol("correlation id");

export function refusalOutcome(refusal: Refusal, correlationId: string, operation?: AnyOperation): HttpAnswer {
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

export const showsPages = (operation: AnyOperation, request: IncomingMessage) =>
  operation.browser === true && (request.headers.accept ?? "").includes("text/html");

/** Redirect of a browser: to sign in and then back here, or to the error page. */
export function pageFor(refusal: Refusal, here: string): HttpAnswer {
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

const ALWAYS = {
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "referrer-policy": "no-referrer",
  "x-svc-api-version": API_VERSION,
};
const CONSTANT = Object.entries(ALWAYS).flat();
/** Headers of every response that does not come from the pipeline. */
export const commonHeaders = ({ secure }: Edge, request: IncomingMessage): Record<string, string> => ({
  ...ALWAYS,
  "x-correlation-id": correlationIdOf(request),
  ...(secure ? Object.fromEntries([HSTS]) : {}),
});
export const HSTS = ["strict-transport-security", "max-age=31536000; includeSubDomains"] as const;

/** Connections whose last response was sent before the body was read: the rest arrives and is discarded. */
const answeredEarly = new WeakSet<object>();

export function send(
  host: Edge,
  request: IncomingMessage,
  response: ServerResponse,
  outcome: HttpAnswer,
  correlationId: string,
  more: Record<string, string> = {},
) {
  if (response.headersSent || response.destroyed) return;
  const isUnread = !request.complete && hasBody(request);
  if (isUnread) answeredEarly.add(request.socket);
  if (host.draining || outcome.status === 413 || (isUnread && (request.readableFlowing || awaitsContinue(request))))
    more = { ...more, connection: "close" };
  const isHead = request.method === "HEAD";
  // An empty response to HEAD may represent a body that was not rendered, so its length is unknown.
  const measured = isHead && outcome.body === "" ? null : outcome.body;
  response.writeHead(outcome.status, headersOf(host, { ...outcome, body: measured }, correlationId, more));
  const body = isHead ? "" : outcome.body;
  if (!isUnread || more.connection !== "close") return void response.end(body);
  response.flushHeaders();
  if (body !== "") response.write(body);
  discardRest(request).then(() => response.end());
}

/** Writes the head of a streamed response. */
export function beginStream(
  host: Edge,
  response: ServerResponse,
  { status, headers }: Pick<HttpAnswer, "status" | "headers">,
  correlationId: string,
) {
  const more: Record<string, string> = host.draining ? { connection: "close" } : {};
  if (response.headersSent || response.destroyed) return;
  response.writeHead(status, headersOf(host, { status, headers, body: null, cookies: [] }, correlationId, more));
}

/** Alternating names and values. */
function headersOf(
  host: Edge,
  outcome: Omit<HttpAnswer, "body"> & { body: string | null },
  correlationId: string,
  more: Record<string, string> = {},
): string[] {
  const headers = [...CONSTANT, "x-correlation-id", correlationId];
  if (host.secure) headers.push(...HSTS);
  for (const name in outcome.headers) headers.push(name, outcome.headers[name] as string);
  for (const name in more) headers.push(name, more[name] as string);
  for (const cookie of outcome.cookies) headers.push("set-cookie", cookie);
  if (outcome.body !== null && outcome.status !== 101 && outcome.status !== 204 && outcome.status !== 304)
    headers.push("content-length", String(Buffer.byteLength(outcome.body)));
  return headers;
}

const UNREADABLE: Record<string, ErrorCode> = {
  HPE_HEADER_OVERFLOW: "headers_too_large",
  ERR_HTTP_REQUEST_TIMEOUT: "request_timeout",
};
/**
 * Answers input that the parser cannot read: it never becomes a request, so the problem document is written to the bare
 * socket, which then closes.
 */
export function answerUnreadable(host: Edge, error: string | undefined, socket: Socket) {
  // The host reports the time-out once per request and leaves the rest to the reader of the body.
  if (error === "ERR_HTTP_REQUEST_TIMEOUT" && unhurried.has(socket)) return;
  const isAnswered = error === "ERR_HTTP_REQUEST_TIMEOUT" && answeredEarly.has(socket);
  if (error === "ECONNRESET" || isAnswered || !socket.writable) return void socket.destroy();
  const code = UNREADABLE[error ?? ""];
  const faults = [{ pointer: "", code: "malformed", detail: "is not HTTP that this service can read" }];
  answerOnSocket(host, newId(), socket, new Refusal(code ?? "invalid_request", code ? {} : { errors: faults }));
}

/** Writes a problem document to a socket without a response object, then closes it. */
export function answerOnSocket(
  host: Edge,
  correlationId: string,
  socket: Duplex,
  refusal: Refusal,
  more: Record<string, string> = {},
) {
  const outcome = refusalOutcome(refusal, correlationId);
  const lines = linesOf(headersOf(host, outcome, correlationId, { ...more, connection: "close" }));
  const head = `HTTP/1.1 ${outcome.status} ${STATUS_CODES[outcome.status]}\r\n${lines.join("\r\n")}\r\n\r\n`;
  socket.end(head + outcome.body, () => socket.destroy());
}

/** Headers of a successful upgrade, in addition to those of the handshake. */
export const socketHeaders = (host: Edge, request: IncomingMessage, more: Record<string, string> = {}): string[] =>
  linesOf(headersOf(host, { status: 101, body: "", headers: {}, cookies: [] }, correlationIdOf(request), more));

const linesOf = (headers: readonly string[]) =>
  headers.flatMap((name, at) => (at % 2 === 0 ? [`${name}: ${headers[at + 1]}`] : []));
