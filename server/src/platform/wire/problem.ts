// The one way to refuse: throw a Refusal with a code from the catalogue. The pipeline turns it into application/problem+json.
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
  /** What could have been meant, where several could, or what is in the way. */
  choices?: { id: string; name: string }[];
  retry_after?: number;
}

export class Refusal extends Error {
  readonly code: ErrorCode;
  readonly extra: Extra;
  /** Set when the caller holds a dead session: the answer clears both cookies. */
  readonly clearsSession: boolean;
  constructor(code: ErrorCode, extra: Extra = {}, clearsSession = false, cause?: unknown) {
    super(code, { cause });
    this.code = code;
    this.extra = extra;
    this.clearsSession = clearsSession;
  }
}

/**
 * There is no room just now. Answered after a while: whoever asks again at once would take the machine with refusals alone. One for all,
 * because a trace of the stack for each would cost what is missing.
 */
export const NO_ROOM = new Refusal("overloaded", { retry_after: 1 });

export const refuse = (code: ErrorCode, extra?: Extra): never => {
  throw new Refusal(code, extra);
};

/** For one part of the request. `reason` says what is wrong with it, where the code says only that something is. */
export const refuseAt = (pointer: string, code: ErrorCode, detail: string, reason: string = code): never =>
  refuse(code, { errors: [{ pointer, code: reason, detail }] });

/** Body of an OAuth refusal (RFC 6749, section 5.2). The description names the members at fault; a registration also learns which way works. */
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
