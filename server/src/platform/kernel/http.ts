// The HTTP host: routes requests of the contract to the pipeline and writes its outcome to the socket. Responsible for
// admission, the deadline, the log line and the metrics of a request; contains no rules of operations.
import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { type AnyOperation, isUnsafe, pathOf, restOf, takesPrefer } from "@svc/contract/kit.ts";
import Fastify, { type FastifyInstance, type HTTPMethods } from "fastify";
import { timeouts } from "../database/db.ts";
import { type Constraints, translate } from "../database/translate-error.ts";
import { allowedMethods, hiddenMethods } from "../wire/allowed-methods.ts";
import { clientAddress, networkOf, type Trust } from "../wire/client-address.ts";
import type { Presented } from "../wire/credential.ts";
import type { Bodies } from "../wire/input/body.ts";
import { spared } from "../wire/input/preconditions.ts";
import type { Admission } from "../wire/limits/admission.ts";
import { rateHeaders } from "../wire/limits/rate-limit.ts";
import { beginInTurn } from "../wire/limits/turns.ts";
import type { Log } from "../wire/log.ts";
import type { Metrics } from "../wire/metrics.ts";
import { NO_ROOM, Refusal } from "../wire/problem.ts";
import {
  answerRefusal,
  answerUnreadable,
  correlationIdOf,
  DRAINING,
  type HttpAnswer,
  pageFor,
  refusalOutcome,
  route,
  send,
  showsPages,
} from "../wire/send-answer.ts";
import { answerMethod, answerStrays, type Missing } from "../wire/stray-requests.ts";
import type { Terms } from "./authentication.ts";
import type { Call } from "./call.ts";
import type { Implementation } from "./implement-operation.ts";
import type { Kernel } from "./kernel.ts";
import { NO_BODY, present, serve } from "./pipeline.ts";

export interface Host {
  kernel: Kernel;
  implementations: readonly Implementation[];
  constraints: Constraints;
  admission: Admission;
  bodies: Bodies;
  metrics: Metrics;
  log: Log;
  /** Proxies whose forwarding headers are trusted. */
  trust: Trust;
  /** Set behind TLS, so that HSTS is sent. */
  secure: boolean;
  /** Reason to refuse all requests, with the seconds to wait; null in normal operation. */
  maintenance: () => { retryAfter: number } | null;
  /** Set when the service stops: new requests are refused, running ones are answered. */
  draining: boolean;
  underWay: number;
  /** Page for an unknown path, if the request accepts pages. */
  missing?: Missing;
}

const unused = () => {
  throw new Error("every request is checked by the pipeline");
};

/** Time limits for the head of a request, and for the whole of it if nobody reads its body; checked every second. */
const PATIENCE = { headersMs: 10_000, requestMs: 25_000, checkMs: 1000 };

export function createHost(host: Host, { headersMs, requestMs, checkMs } = PATIENCE): FastifyInstance {
  const app = Fastify({
    routerOptions: { maxParamLength: 500, ignoreTrailingSlash: false },
    // Our routes have no schemas of the framework; loading its compilers would take a twentieth of a start.
    schemaController: { compilersFactory: { buildValidator: unused, buildSerializer: unused } },
    http: {
      headersTimeout: headersMs,
      connectionsCheckingInterval: checkMs,
      // A client that offers another protocol, as curl --http2 does, gets a response in this one.
      shouldUpgradeCallback: ({ headers }) => headers.upgrade?.toLowerCase() === "websocket",
    },
    requestTimeout: requestMs,
    // The pipeline refuses requests while closing, with a problem document.
    return503OnClosing: false,
    exposeHeadRoutes: true,
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
  beginInTurn(app.server);
  const byUrl = Map.groupBy(host.implementations, ({ operation }) => urlOf(operation));
  const methodsOf = (url: string) => (byUrl.get(url) ?? []).flatMap(({ operation }) => methodsFor(operation));
  const addresses = [...byUrl.keys()].map((url) => ({ url, methods: methodsOf(url) }));
  answerStrays(app, host, allowedMethods(addresses), (request, reply) => host.missing?.(request, reply) ?? null);
  for (const { url, methods } of hiddenMethods(addresses))
    route(app, methods, url, (request, response) => answerMethod(host, request, response, methodsOf(url)));
  for (const implementation of host.implementations) {
    const { operation } = implementation;
    const rest = restOf(operation);
    route(app, methodsFor(operation), urlOf(operation), (request, response, { "*": last, ...named }) => {
      const params = rest ? { ...named, [rest]: last as string } : named;
      decide(host, implementation, request, params)
        .then(({ call, outcome, headers, seen }) => {
          send(host, request, response, outcome, call.correlationId, headers);
          seen();
        })
        .catch((error) => {
          host.log.error({ operation: operation.id, err: error }, "not answered");
          response.destroy();
        });
    });
  }
  return app;
}

const methodsFor = ({ method }: AnyOperation): HTTPMethods[] => (method === "GET" ? ["GET", "HEAD"] : [method]);
/** Path in the syntax of the router. */
const urlOf = (operation: AnyOperation) =>
  pathOf(operation)
    .replace(`{${restOf(operation)}}`, "*")
    .replace(/\{(\w+)\}/g, ":$1");

/** A call from within the process: the surface's terms, its body, and the signal after which nothing is committed. */
interface Within {
  terms: Terms;
  body: Buffer;
  signal: AbortSignal;
}
/** Calls an operation under a surface's credential, with the limits, places, deadline, log and metrics of HTTP. */
export async function callWithin(
  host: Host,
  implementation: Implementation,
  request: IncomingMessage,
  params: Call["params"],
  within: Within,
) {
  const decided = await decide(host, implementation, request, params, undefined, within);
  decided.seen();
  return decided;
}

/** Runs a request through the pipeline. `last` runs once all succeeded and may throw; call `seen` after sending. */
export async function decide(
  host: Host,
  implementation: Implementation,
  request: IncomingMessage,
  params: Record<string, string>,
  last = (_call: Call) => {},
  within?: Within,
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
    terms: within?.terms ?? null,
    expired: within?.signal.aborted === true,
    proven: within && true,
    unkept: false,
    trips: 0,
    principal: null,
    place: null,
    rate: null,
  };
  within?.signal.addEventListener("abort", () => {
    call.expired = true;
  });
  let refusal: Refusal | null = null;
  let outcome: HttpAnswer;
  try {
    const { operation } = implementation;
    const wanted = { unchanging: operation.unchanging === true, brief: takesPrefer(operation) };
    outcome = spared(await admitted(host, call, within?.body), request, wanted);
    last(call);
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
  const seen = () => observe(host, call, outcome.status, refusal?.code ?? null, performance.now() - started);
  return { call, outcome, refusal, headers: call.rate ? rateHeaders(call.rate) : undefined, seen };
}

const isSlowedDown = ({ limit }: AnyOperation, refusal: Refusal) =>
  refusal === NO_ROOM || (refusal.code === "overloaded" && (limit === "sign_in" || limit === "register"));

async function admitted(host: Host, call: Call, given?: Buffer): Promise<HttpAnswer> {
  if (host.draining) throw new Refusal("overloaded", DRAINING);
  const stopped = host.maintenance();
  if (stopped) throw new Refusal("maintenance", { retry_after: stopped.retryAfter });
  const { operation } = call.implementation;
  host.underWay++;
  try {
    const credential = await present(call);
    if (given || !isUnsafe(operation)) return await placed(host, call, credential, given ?? NO_BODY);
    const { request, network } = call;
    return await host.bodies.use(request, network, operation.raw, (body) => placed(host, call, credential, body));
  } finally {
    host.underWay--;
  }
}

const LARGE_BODY = 16_384;
async function placed(host: Host, call: Call, credential: Presented | undefined, body: Buffer): Promise<HttpAnswer> {
  const tenant = host.kernel.tenants.of(credential, call.network);
  call.tenant = tenant;
  if (!host.admission.enter(tenant, isUnsafe(call.implementation.operation))) throw NO_ROOM;
  let deadline: NodeJS.Timeout | undefined;
  const limit = body.length > LARGE_BODY ? timeouts.largeRequestMs : timeouts.requestMs;
  try {
    const late = new Promise<never>((_resolve, reject) => {
      deadline = setTimeout(() => {
        call.expired = true;
        reject(new Refusal("overloaded", { retry_after: 1 }));
      }, limit);
    });
    return await Promise.race([serve(call, credential, body), late]);
  } finally {
    clearTimeout(deadline);
    host.admission.leave(tenant);
  }
}

function observe(host: Host, call: Call, status: number, code: string | null, ms: number) {
  const operation = call.implementation.operation.id;
  host.metrics.observe(operation, status, code, ms / 1000, call.trips);
  host.log.request({
    correlation_id: call.correlationId,
    operation,
    method: call.request.method as string,
    status,
    code,
    ms: Math.round(ms * 10) / 10,
    round_trips: call.trips,
    credential: call.principal?.kind ?? null,
    workspace_id: call.principal?.membership?.workspaceId ?? null,
    actor_id: call.principal?.membership?.actorId ?? null,
  });
}
