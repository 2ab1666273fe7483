// MCP clients register, or are described by a document at their own address. They prove themselves by S256 PKCE and get
// access to exactly one Workspace by a member's consent. Their tokens are valid only at /mcp.
import Type from "typebox";
import { C, op, P, T } from "../../kit.ts";
import { Id, Line, object, Scope, Timestamp } from "../../types.ts";
import { authorizing, exchanging } from "./protocol.ts";

const unnamed = "MCP clients discover it through /.well-known/oauth-authorization-server";

const metadata = {
  redirect_uris: Type.Array(Line(2048), {
    minItems: 1,
    maxItems: 20,
    uniqueItems: true,
    description: "HTTP callbacks on 127.0.0.1, [::1] or localhost; the port may differ at each use.",
  }),
  token_endpoint_auth_method: Type.Enum(["none"]),
  application_type: Type.Enum(["native"]),
  grant_types: Type.Array(Type.Enum(["authorization_code", "refresh_token"]), { maxItems: 2, uniqueItems: true }),
  response_types: Type.Array(Type.Enum(["code"]), { maxItems: 1 }),
  scope: {
    ...Line(2048),
    description: "Scopes separated by spaces; if omitted, every scope available to MCP clients.",
  },
};
const { redirect_uris, token_endpoint_auth_method, application_type, grant_types, response_types, scope } = metadata;

export const RegisteredClient = object({ client_id: Type.String(), client_name: Line(88), ...metadata });

export const registerMcpClient = op("POST /oauth/register", "Register a public native MCP client", {
  description:
    "Registers a client without granting access; its name stays unverified. The client receives no secret and " +
    "uses PKCE. Unlisted metadata is ignored. Web callbacks need a Client ID Metadata Document or a " +
    "registration that the operator reviews (npm run clients).",
  auth: [P],
  status: 201,
  creates: null,
  oauth: true,
  faults: "invalid_client_metadata",
  limit: "register_client",
  body: Type.Object({
    redirect_uris,
    token_endpoint_auth_method,
    client_name: Type.Optional({ ...Line(88), format: "plain" }),
    application_type: Type.Optional(application_type),
    grant_types: Type.Optional(grant_types),
    response_types: Type.Optional(response_types),
    scope: Type.Optional(scope),
  }),
  example: {
    redirect_uris: ["http://127.0.0.1:33418/callback"],
    token_endpoint_auth_method: "none",
    client_name: "Example client",
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    scope: "svc:read svc:tasks:write",
  },
  returns: RegisteredClient,
  errors: ["invalid_redirect_uri", "invalid_client_metadata"],
});

export const authorizeMcpClient = op("GET /oauth/authorize", "Request access for an MCP client", {
  description:
    "Redirects the browser to the consent page, or back to the client with an error; " +
    "a browser without a session signs in first. If sent, resource must be the address of /mcp. " +
    "Scopes that enable no tool are omitted from the consent request and the grant.",
  auth: [P],
  unnamed,
  tag: "OAuth",
  ...authorizing,
});

export const createMcpToken = op("POST /oauth/token", "Exchange a code or a refresh token", {
  description:
    "A code is valid once and for five minutes, an access token for an hour, a refresh token once and for 30 " +
    "days. Reuse of a code or refresh token revokes the whole token family.",
  ...exchanging,
  unnamed,
  tag: "OAuth",
  example: {
    grant_type: "refresh_token",
    client_id: "01980000-0000-7000-8000-000000000001",
    refresh_token: "svc_mrt_...",
  },
});

export const revokeMcpToken = op("POST /oauth/revoke", "Revoke an MCP client's token (RFC 7009)", {
  description:
    "Takes an access or a refresh token and revokes its whole family. An unknown or inactive token is not an error.",
  auth: [P],
  unnamed,
  tag: "OAuth",
  status: 200,
  form: true,
  oauth: true,
  limit: "token",
  body: Type.Object({
    token: Type.Optional(Line(512)),
    token_type_hint: Type.Optional(Line(64)),
    client_id: Type.Optional(Line(2048)),
  }),
  example: { token: "svc_mrt_...", client_id: "01980000-0000-7000-8000-000000000001" },
  errors: ["invalid_client", "unauthorized_client"],
});

export const exchangeMcpToken = op("POST /cli/mcp/token", "Exchange the calling token for a short-lived MCP token", {
  description:
    "Issues a token for the Workspace of the calling token, with some of its scopes. It is accepted at /mcp only, " +
    "cannot be refreshed, and expires with the calling token or after an hour, whichever is earlier.",
  auth: [T, C],
  anyScope: true,
  status: 201,
  creates: null,
  secret: true,
  body: object({ workspace_id: Id, scopes: Type.Array(Scope, { minItems: 1, maxItems: 2, uniqueItems: true }) }),
  example: { workspace_id: "01980000-0000-7000-8000-000000000001", scopes: ["svc:read"] },
  returns: object({
    access_token: Type.String(),
    token_type: Type.Enum(["Bearer"]),
    expires_in: Type.Integer(),
    expires_at: Timestamp,
    scope: Type.String(),
  }),
  errors: ["workspace_access_denied", "ai_access_disabled", "insufficient_scope", "not_found"],
});
