// Codes of OAuth grants: part of the one catalogue (errors.ts).
import { entry } from "../../error-entry.ts";

export const grantErrors = {
  invalid_grant: entry(
    400,
    "Invalid grant",
    "The code or refresh token is unknown, expired, used or not yours; authorize again.",
  ),
  unauthorized_client: entry(400, "Client not allowed", "This client may not use this grant or this endpoint."),
  unsupported_grant_type: entry(400, "Unsupported grant type", "Use authorization_code or refresh_token."),
  unsupported_response_type: entry(400, "Unsupported response type", "Use response_type=code."),
  invalid_scope: entry(400, "Invalid scope", "Request only scopes that this client and this grant have."),
  invalid_target: entry(400, "Invalid resource", "The resource must be one that this authorization server protects."),
  invalid_redirect_uri: entry(400, "Invalid redirect URI", "Use a redirect URI that the client has registered."),
  invalid_client_metadata: entry(
    400,
    "Invalid client metadata",
    "Correct the members that the description names. Registration is for public native clients with loopback " +
      "callbacks. A web client does not register: it uses the https address of its Client ID Metadata Document as " +
      "client_id, or asks the operator for a reviewed registration (npm run clients).",
  ),
} as const;
