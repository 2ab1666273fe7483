// Refusals: throw a Refusal with a code from the catalogue, and the pipeline turns it into application/problem+json.
import { type ErrorCode, errors } from "@svc/contract/errors.ts";
import { oauthErrorOf } from "@svc/contract/oauth-errors.ts";

export interface Fault {
  /** JSON pointer into { path, query, headers, body }. */
  pointer: string;
  code: string;
  detail: string;
}

export interface Extra {
  errors?: Fault[];
  current_revision?: string;
  required_scopes?: string[];
  /** Candidates for an ambiguous reference, or the resources that block the change. */
  choices?: { id: string; name: string }[];
  retry_after?: number;
}

export class Refusal extends Error {
  readonly code: ErrorCode;
  readonly extra: Extra;
  /** Set when the caller presents a dead session: the response clears both cookies. */
  readonly clearsSession: boolean;
  constructor(code: ErrorCode, extra: Extra = {}, clearsSession = false, cause?: unknown) {
    super(code, { cause });
    this.code = code;
    this.extra = extra;
    this.clearsSession = clearsSession;
  }
}

/**
 * No capacity now. Sent with a delay, because clients that retry at once would occupy the machine with refusals alone.
 * A single instance, because a stack trace for each would cost the capacity that is missing.
 */
export const NO_ROOM = new Refusal("overloaded", { retry_after: 1 });

export const refuse = (code: ErrorCode, extra?: Extra): never => {
  throw new Refusal(code, extra);
};

/** Refuses one part of the request. `reason` is its specific fault if `code` is general. */
export const refuseAt = (pointer: string, code: ErrorCode, detail: string, reason: string = code): never =>
  refuse(code, { errors: [{ pointer, code: reason, detail }] });

/**
 * Body of an OAuth refusal (RFC 6749, section 5.2). The description names the faulty members; that of a registration
 * also names the valid alternative.
 */
export function oauthBody({ code, extra }: Refusal): string {
  const faults = (extra.errors ?? []).map(({ pointer, detail }) => `${pointer} ${detail}`);
  const { detail } = errors[code];
  const named = code === "invalid_client_metadata" ? `${faults.join("; ")}. ${detail}` : faults.join("; ");
  return JSON.stringify({
    error: oauthErrorOf(code),
    error_description: (faults.length > 0 ? named : detail).replace(/[^\x20-\x21\x23-\x5b\x5d-\x7e]/g, "'"),
  });
}

export function problemBody(refusal: Refusal, correlationId: string): string {
  const { status, title, detail } = errors[refusal.code];
  const { code, extra } = refusal;
  return JSON.stringify({
    type: `/problems/${code}`,
    title,
    status,
    detail,
    code,
    correlation_id: correlationId,
    ...extra,
  });
}
