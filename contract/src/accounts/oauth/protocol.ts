// Requests and responses of the OAuth endpoints of every client family (RFC 6749, 7636, 8707). The schema requires no
// parameter: a missing one is answered with the protocol's error, and an unknown one is ignored.
import Type from "typebox";
import { P } from "../../kit.ts";
import { Line, object } from "../../types.ts";

const field = (longest: number, description?: string) =>
  Type.Optional({ ...Line(longest), ...(description ? { description } : {}) });

const redirect_uri = field(
  2048,
  "Exactly a URI that the client has registered; the port of a loopback callback may differ.",
);
const scope = field(2048, "Scopes separated by spaces, at most those that the client may have.");
const resource = field(2048, "The resource that the token is for (RFC 8707).");

const AuthorizationRequest = object({
  response_type: field(64, "code"),
  client_id: field(2048),
  redirect_uri,
  code_challenge: field(512, "43 characters: the verifier's SHA-256 as base64url."),
  code_challenge_method: field(64, "S256"),
  state: field(512, "Opaque value, returned unchanged."),
  scope,
  resource,
});

const TokenRequest = Type.Object({
  grant_type: field(64, "authorization_code or refresh_token"),
  client_id: field(2048),
  code: field(512),
  redirect_uri,
  code_verifier: field(512),
  refresh_token: field(512),
  scope: field(2048, "With a refresh token: scopes of the new access token, if fewer than granted."),
  resource,
});

export const OAuthTokens = object({
  access_token: Type.String(),
  token_type: Type.Enum(["Bearer"]),
  expires_in: Type.Integer({ description: "Lifetime in seconds." }),
  refresh_token: Type.Optional(
    Type.String({ description: "Valid for one use; reuse revokes the whole token family." }),
  ),
  scope: Type.String(),
});

/** Declaration shared by the authorization endpoints of every client family. */
export const authorizing = {
  redirect: true,
  oauth: true,
  browser: true,
  query: AuthorizationRequest,
  errors: ["unauthorized_client", "invalid_redirect_uri"],
} as const;

/** Declaration shared by the token endpoints of every client family. */
export const exchanging = {
  auth: [P],
  form: true,
  oauth: true,
  limit: "token",
  body: TokenRequest,
  returns: OAuthTokens,
  errors: ["invalid_grant", "invalid_client", "unsupported_grant_type", "invalid_scope", "invalid_target"],
} as const;
