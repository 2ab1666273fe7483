// Answers requests without a route: unknown paths, unsupported methods, unknown expectations, unexpected bodies. All
// are faults of the client and get a 4xx; only an error of our own is logged.
import type { IncomingMessage, ServerResponse } from "node:http";
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Allowed } from "./allowed-methods.ts";
import { deferContinue } from "./input/body-rest.ts";
import type { Log } from "./log.ts";
import { Refusal } from "./problem.ts";
import { answerRefusal, type Edge } from "./send-answer.ts";

/** Serves a page for an unknown path; null if the request does not accept pages. */
export type Missing = (request: FastifyRequest, reply: FastifyReply) => Promise<unknown> | null;

export const answerMethod = (
  host: Edge,
  request: IncomingMessage,
  response: ServerResponse,
  methods: readonly string[],
) => answerRefusal(host, request, response, new Refusal("method_not_allowed"), { allow: methods.join(", ") });

export function answerStrays(
  app: FastifyInstance,
  host: Edge & { log: Log },
  allowed: Allowed,
  missing: Missing,
): void {
  const answer = (request: FastifyRequest, reply: FastifyReply, refusal: Refusal) => {
    reply.hijack();
    answerRefusal(host, request.raw, reply.raw, refusal);
  };
  app.server.on("checkExpectation", (request, response) =>
    answerRefusal(host, request, response, new Refusal("expectation_failed")),
  );
  deferContinue(app.server);
  // The pipeline reads every body that an operation declares; no other route has one.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", (_request, _payload, done) => done(null));
  app.setNotFoundHandler((request, reply) => {
    const methods = allowed(request.url.split("?")[0] as string);
    if (!methods) return missing(request, reply) ?? answer(request, reply, new Refusal("not_found"));
    reply.hijack();
    answerMethod(host, request.raw, reply.raw, methods);
  });
  app.setErrorHandler((error: FastifyError, request, reply) => {
    if (error instanceof Refusal) return answer(request, reply, error);
    const { statusCode = 500 } = error;
    if (statusCode === 415) return answer(request, reply, new Refusal("unsupported_media_type"));
    if (statusCode < 500) return answer(request, reply, new Refusal("invalid_request"));
    host.log.error({ err: error }, "unexpected");
    return answer(request, reply, new Refusal("internal"));
  });
}
