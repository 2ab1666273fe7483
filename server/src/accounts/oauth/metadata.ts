// OAuth discovery metadata: the authorization server (RFC 8414) and the protected resource (RFC 9728). Public,
// identical for everyone, and readable across origins, because it contains only addresses.
import { mcpScopes } from "@svc/contract/accounts/oauth/scopes.ts";
import type { FastifyInstance } from "fastify";
import { rateHeaders, type TakeRead } from "../../platform/wire/limits/rate-limit.ts";
import { Refusal } from "../../platform/wire/problem.ts";
import { answerRefusal, correlationIdOf, HSTS } from "../../platform/wire/send-answer.ts";
import { families } from "./rules.ts";

const authorizationServer = (origin: string) => ({
  issuer: origin,
  authorization_endpoint: `${origin}/oauth/authorize`,
  token_endpoint: `${origin}/oauth/token`,
  registration_endpoint: `${origin}/oauth/register`,
  revocation_endpoint: `${origin}/oauth/revoke`,
  scopes_supported: mcpScopes,
  response_types_supported: ["code"],
  response_modes_supported: ["query"],
  grant_types_supported: ["authorization_code", "refresh_token"],
  token_endpoint_auth_methods_supported: ["none"],
  revocation_endpoint_auth_methods_supported: ["none"],
  code_challenge_methods_supported: ["S256"],
  authorization_response_iss_parameter_supported: true,
  client_id_metadata_document_supported: true,
  service_documentation: `${origin}/docs`,
});

/** `scopes_supported` lists only the default scopes, because clients request every scope listed here. */
const protectedResource = (origin: string) => ({
  resource: origin + families.mcp.audience,
  resource_name: "svc",
  authorization_servers: [origin],
  scopes_supported: families.mcp.defaultScopes,
  bearer_methods_supported: ["header"],
  resource_documentation: `${origin}/docs`,
});

const documents: Record<string, (origin: string) => object> = {
  "/.well-known/oauth-authorization-server": authorizationServer,
  "/.well-known/oauth-protected-resource": protectedResource,
  [`/.well-known/oauth-protected-resource${families.mcp.audience}`]: protectedResource,
};

interface Publisher {
  secure: boolean;
  origin: () => string;
  takeRead: TakeRead;
}
export function serveMetadata(app: FastifyInstance, { secure, origin, takeRead }: Publisher) {
  for (const [url, describe] of Object.entries(documents))
    app.route({
      method: ["GET", "HEAD", "OPTIONS"],
      url,
      async handler(request, reply) {
        const rate = takeRead(request.raw);
        if (rate?.allowed === false) {
          reply.hijack();
          const refusal = new Refusal("rate_limited", { retry_after: rate.retryAfter });
          return answerRefusal({ secure }, request.raw, reply.raw, refusal, rateHeaders(rate));
        }
        reply.headers({
          "access-control-allow-origin": "*",
          "access-control-allow-methods": "GET",
          "access-control-allow-headers": "*",
          "cache-control": "public, max-age=300",
          "x-content-type-options": "nosniff",
          "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
          "referrer-policy": "no-referrer",
          "x-correlation-id": correlationIdOf(request.raw),
          ...(rate && rateHeaders(rate)),
        });
        if (secure) reply.header(...HSTS);
        if (request.method === "OPTIONS") return reply.code(204).send();
        return reply.type("application/json; charset=utf-8").send(JSON.stringify(describe(origin())));
      },
    });
}
