// The one way to refuse: throw a Refusal with a code from the catalogue. The pipeline turns it into application/problem+json.
import { type ErrorCode, errors } from "@svc/contract/errors.ts";

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
  retry_after?: number;
}

export class Refusal extends Error {
  readonly code: ErrorCode;
  readonly extra: Extra;
  /** Set when the caller holds a dead session: the answer clears both cookies. */
  readonly clearsSession: boolean;
  constructor(code: ErrorCode, extra: Extra = {}, clearsSession = false) {
    super(code);
    this.code = code;
    this.extra = extra;
    this.clearsSession = clearsSession;
  }
}

export const refuse = (code: ErrorCode, extra?: Extra): never => {
  throw new Refusal(code, extra);
};

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
