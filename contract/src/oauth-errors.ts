// OAuth error codes for the codes of the catalogue: the endpoints of the authorization server refuse with {error,
// error_description}.
import type { ErrorCode } from "./errors.ts";

const oauthErrors: Partial<Record<ErrorCode, string>> = {
  internal: "server_error",
  overloaded: "temporarily_unavailable",
  maintenance: "temporarily_unavailable",
  rate_limited: "temporarily_unavailable",
  payload_too_large: "invalid_request",
  unsupported_media_type: "invalid_request",
};
/** The OAuth error for a code of the catalogue; the code itself if there is no other. */
export const oauthErrorOf = (code: ErrorCode): string => oauthErrors[code] ?? code;
