// Answers of Slack's Web API: 200 to everything, and the body says whether it was done.
import type { Ask } from "../../client/provider.ts";
import { type FaultCode, ProviderFault } from "../../client/provider-http.ts";
import { fieldsOf } from "../untrusted-fields.ts";

const CODES: Record<string, FaultCode> = {
  ...Object.fromEntries(
    ["invalid_auth", "not_authed", "account_inactive", "token_revoked", "token_expired", "org_login_required"].map(
      (error) => [error, "credential_refused" as const],
    ),
  ),
  ...Object.fromEntries(
    [
      "channel_not_found",
      "not_in_channel",
      "is_archived",
      "message_not_found",
      "thread_not_found",
      "cannot_find_message",
    ].map((error) => [error, "resource_missing" as const]),
  ),
  ...Object.fromEntries(
    ["internal_error", "fatal_error", "service_unavailable", "request_timeout"].map((error) => [
      error,
      "unknown" as const,
    ]),
  ),
  ratelimited: "rate_limited",
  rate_limited: "rate_limited",
};

/** Body of the answer; throws if it says that the call failed. */
export function saidOf({ body }: { body: unknown }, method: "GET" | "POST") {
  const answer = fieldsOf(body);
  if (answer.ok === true) return answer;
  const code = CODES[String(answer.error)] ?? (answer.ok === false ? "refused" : "unknown");
  throw new ProviderFault(code === "unknown" && method === "GET" ? "unreachable" : code, {
    seconds: code === "rate_limited" ? 60 : 0,
  });
}
export const slack = async (ask: Ask, method: "GET" | "POST", path: string, json?: unknown) =>
  saidOf(await ask(method, path, json === undefined ? {} : { json }), method);
