// MCP server at /mcp: streamable HTTP without sessions, for clients of the specification of 2026-07-28 and of earlier
// ones. The official library implements the protocol and is loaded with the first request; the pipeline authenticates,
// authorises and performs. The head of an answer is written with its first message, so that a refused credential is
// still 401, whatever the protocol would answer.
import type { IncomingMessage, ServerResponse } from "node:http";
import { errors } from "@svc/contract/errors.ts";
import type { FastifyInstance } from "fastify";
import { families } from "../../accounts/oauth/rules.ts";
import type { Host } from "../../platform/kernel/http.ts";
import { clientAddress, networkOf } from "../../platform/wire/client-address.ts";
import { bearer } from "../../platform/wire/credential.ts";
import { requireShallow } from "../../platform/wire/input/validation.ts";
import { rateHeaders } from "../../platform/wire/limits/rate-limit.ts";
import { problemBody, Refusal } from "../../platform/wire/problem.ts";
import { answerRefusal, beginStream, correlationIdOf, METHODS, route, send } from "../../platform/wire/send-answer.ts";
import { challengeOf, type McpExchange, openExchange } from "./exchange.ts";
import type { McpServerFactory, Protocol } from "./protocol.ts";

const PATH = families.mcp.audience;
const KINDS = { mat: "mcp", msk: "service" } as const;
const FOREIGN = new Refusal("forbidden", {
  errors: [{ pointer: "/headers/origin", code: "not_allowed", detail: "must be that of this service" }],
});

/** Returns a function that closes the open streams. */
export function serveMcp(
  app: FastifyInstance,
  host: Host,
  origin: () => string,
  offer?: McpServerFactory,
): () => Promise<void> {
  let loading: Promise<Protocol> | undefined;
  const protocol = () => {
    loading ??= import("./protocol.ts").then(({ openProtocol }) => openProtocol(host.log, offer));
    return loading;
  };
  route(app, "POST", PATH, (request, response) => {
    answer(host, protocol, origin(), request, response).catch((error) => {
      host.log.error({ operation: "mcp", err: error }, "not answered");
      response.destroy();
    });
  });
  const others = METHODS.filter((method) => method !== "POST");
  route(app, others, PATH, (request, response) =>
    answerRefusal(host, request, response, new Refusal("method_not_allowed"), { allow: "POST" }),
  );
  return async () => (await loading)?.close();
}

async function answer(
  host: Host,
  protocol: () => Promise<Protocol>,
  origin: string,
  request: IncomingMessage,
  response: ServerResponse,
) {
  const correlationId = correlationIdOf(request);
  let exchange: McpExchange | undefined;
  let id: unknown = null;
  try {
    // Refuses requests from pages of other origins, which may hold a stolen token.
    if (request.headers.origin !== undefined && request.headers.origin !== new URL(origin).origin) throw FOREIGN;
    if (request.headers.authorization === undefined) throw new Refusal("authentication_required");
    const gone = new AbortController();
    response.on("close", () => gone.abort());
    const opened = openExchange(host, request, bearer(request, KINDS), origin + PATH, correlationId, gone.signal);
    exchange = opened;
    const network = networkOf(clientAddress(request, host.trust));
    await host.bodies.use(request, network, undefined, async (body) => {
      const message = parsed(body);
      id = idIn(message);
      const asked = new Request(origin + PATH, {
        method: "POST",
        headers: headersFor(request),
        // Passes the parsed message on; the library reads the body only to refuse it.
        ...(message === undefined && { body: new Uint8Array(body) }),
        signal: gone.signal,
      });
      await reply(host, opened, await (await protocol()).fetch(asked, message, opened), {
        request,
        response,
        correlationId,
      });
    });
  } catch (error) {
    const refusal = error instanceof Refusal ? error : (exchange?.refusal ?? null);
    if (!refusal) throw error;
    const { status } = errors[refusal.code];
    const problem = JSON.parse(problemBody(refusal, correlationId));
    const said = {
      jsonrpc: "2.0",
      id,
      error: { code: -32000, message: `${problem.title}. ${problem.detail}`, data: problem },
    };
    const headers = { "content-type": "application/json; charset=utf-8", ...challengeOf(refusal, origin) };
    send(
      host,
      request,
      response,
      { status, headers, body: JSON.stringify(said), cookies: [] },
      correlationId,
      rateOf(exchange),
    );
  }
}

interface Reply {
  request: IncomingMessage;
  response: ServerResponse;
  correlationId: string;
}
/** Answers nobody whom no operation has authenticated. */
async function reply(host: Host, exchange: McpExchange, answer: Response, { request, response, correlationId }: Reply) {
  const reader = answer.body?.getReader();
  const first = await reader?.read();
  try {
    if (!exchange.known && !exchange.refusal) await exchange.self();
    if (exchange.refusal) throw exchange.refusal;
  } catch (error) {
    await reader?.cancel();
    throw error;
  }
  const type = answer.headers.get("content-type") ?? "";
  const headers: Record<string, string> = type === "" ? {} : { "content-type": type };
  const allow = answer.headers.get("allow");
  if (allow !== null) headers.allow = allow;
  if (!reader || !first || !type.startsWith("text/event-stream")) {
    const body = reader ? await textOf(reader, first?.value) : "";
    send(
      host,
      request,
      response,
      { status: answer.status, headers, body, cookies: [] },
      correlationId,
      rateOf(exchange),
    );
    return;
  }
  beginStream(host, response, { status: answer.status, headers: { ...headers, ...rateOf(exchange) } }, correlationId);
  for (let part = first; !part.done && !response.destroyed; part = await reader.read()) response.write(part.value);
  response.end();
}

type Reader = ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>>;
async function textOf(reader: Reader, first: Uint8Array | undefined): Promise<string> {
  const parts = first ? [first] : [];
  for (let part = await reader.read(); !part.done; part = await reader.read()) parts.push(part.value);
  return Buffer.concat(parts).toString();
}

const rateOf = (exchange: McpExchange | undefined) => (exchange?.rate ? rateHeaders(exchange.rate) : {});

/** Undefined if it is no JSON: the library answers that. */
function parsed(body: Buffer): unknown {
  const text = body.toString();
  requireShallow(text);
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
const idIn = (message: unknown) => (message as { id?: unknown } | null | undefined)?.id ?? null;

/** Passes on all headers but the credential. */
function headersFor({ headers }: IncomingMessage): Headers {
  const passed = new Headers();
  for (const name of ["accept", "content-type", "mcp-protocol-version", "mcp-method", "mcp-name", "mcp-session-id"])
    if (typeof headers[name] === "string") passed.set(name, headers[name]);
  for (const [name, value] of Object.entries(headers))
    if (name.startsWith("mcp-param-") && typeof value === "string") passed.set(name, value);
  return passed;
}
