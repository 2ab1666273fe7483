// Error responses of the OpenAPI document: one response per status, one example per code, shared by all operations with
// the same errors.
import { type ErrorCode, errors } from "./errors.ts";
import { type AnyOperation, declaredErrors } from "./kit.ts";
import { oauthErrorOf } from "./oauth-errors.ts";
import { headers } from "./openapi-parts.ts";
import { type Json, ref, type Shared } from "./openapi-schemas.ts";

export function refusals(operation: AnyOperation, shared: Shared): Json {
  const byStatus = Map.groupBy(declaredErrors(operation), (code) => errors[code].status);
  return Object.fromEntries(
    [...byStatus].map(([status, codes]) => [
      status,
      ref("responses", (operation.oauth ? oauthRefusal : sharedRefusal)(codes, shared)),
    ]),
  );
}

/** Error response of an OAuth endpoint, in the protocol's format instead of a problem (RFC 6749, section 5.2). */
function oauthRefusal(codes: ErrorCode[], shared: Shared): string {
  const name = `oauth.${codes.join(".")}`;
  const text = { type: "string" };
  shared.responses[name] ??= {
    description: codes.map((code) => `\`${oauthErrorOf(code)}\`: ${errors[code].detail}`).join("\n\n"),
    headers: { "X-Correlation-ID": ref("headers", "X-Correlation-ID") },
    content: {
      "application/json": {
        schema: {
          type: "object",
          required: ["error", "error_description"],
          properties: { error: text, error_description: text },
        },
        example: {
          error: oauthErrorOf(codes[0] as ErrorCode),
          error_description: errors[codes[0] as ErrorCode].detail,
        },
      },
    },
  };
  return name;
}

function sharedRefusal(codes: ErrorCode[], shared: Shared): string {
  const name = codes.join(".");
  for (const code of codes) shared.examples[code] ??= { summary: errors[code].title, value: problemExample(code) };
  const retry = codes.some((code) => retryAfter.has(code));
  shared.responses[name] ??= {
    description: codes.map((code) => `\`${code}\`: ${errors[code].detail}`).join("\n\n"),
    headers: {
      "X-Correlation-ID": ref("headers", "X-Correlation-ID"),
      ...(retry ? { "Retry-After": ref("headers", "Retry-After") } : {}),
    },
    content: {
      "application/problem+json": {
        schema: ref("schemas", "Problem"),
        examples: Object.fromEntries(codes.map((code) => [code, ref("examples", code)])),
      },
    },
  };
  return name;
}

const retryAfter = new Set<ErrorCode>([
  "idempotency_in_progress",
  "rate_limited",
  "too_many_sockets",
  "maintenance",
  "overloaded",
  "baseline_unavailable",
  "delivery_unavailable",
]);
const extras: Partial<Record<ErrorCode, Json>> = {
  invalid_request: {
    errors: [{ pointer: "/body/title", code: "required", detail: "must have required property 'title'" }],
  },
  invalid_reference: {
    errors: [{ pointer: "/body/status_id", code: "unusable", detail: "is no Status of this Project" }],
  },
  insufficient_scope: { required_scopes: ["svc:write"] },
  completion_target_required: { choices: [{ id: "0198c5d2-6f00-7000-8000-00000000000a", name: "Done" }] },
  milestone_stage_in_use: { choices: [{ id: "0198c5d2-6f00-7000-8000-00000000000b", name: "Active" }] },
  revision_conflict: { current_revision: "7" },
};

/** The problem body that a caller receives with this code. */
export function problemExample(code: ErrorCode): Json {
  const { status, title, detail } = errors[code];
  return {
    type: `/problems/${code}`,
    title,
    status,
    detail,
    code,
    correlation_id: headers["X-Correlation-ID"].example,
    ...(retryAfter.has(code) ? { retry_after: 1 } : {}),
    ...extras[code],
  };
}
