// Personal API tokens: bearer credentials for scripts, bound to one Workspace. The token is shown once.
import Type from "typebox";
import { list, op, S } from "../../kit.ts";
import { Id, Name, nullable, object, resource, Scope, single, Timestamp } from "../../types.ts";

const scopes = Type.Array(Scope, { minItems: 1, maxItems: 3, uniqueItems: true });

const expires_at = Type.Optional({
  ...Timestamp,
  maxLength: 64,
  description: "At most 366 days ahead; 90 days if omitted.",
});

export const ApiToken = object({
  ...resource,
  workspace_id: Id,
  name: Name(100),
  scopes,
  last_four: Type.String(),
  expires_at: Timestamp,
  last_used_at: nullable(Timestamp),
});
export const CreatedApiToken = single(
  object({ ...ApiToken.properties, token: Type.String({ description: "The raw token, shown only here." }) }),
);

export const listApiTokens = list("GET /me/api-tokens", "List your live API tokens", { auth: [S], items: ApiToken });

export const createApiToken = op("POST /me/api-tokens", "Create an API token for the session's Workspace", {
  description:
    "The token acts as you in the Workspace of this session, with these scopes and never with more rights than " +
    "your role there. An account has at most 50 live tokens.",
  auth: [S],
  recentAuth: true,
  status: 201,
  creates: "/me/api-tokens/{id}",
  secret: true,
  body: object({ name: Name(100), scopes, expires_at }),
  example: { name: "nightly import", scopes: ["svc:read", "svc:write"] },
  returns: CreatedApiToken,
  errors: ["workspace_required", "invalid_expiry", "limit_reached"],
});

export const deleteApiToken = op("DELETE /me/api-tokens/{token_id}", "Revoke an API token at once", {
  description: "Revoking it again also returns 204.",
  auth: [S],
});
