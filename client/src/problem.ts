// The one error class of all failed calls: a refusal of the service with its code, or a lost answer.
export interface Fault {
  pointer: string;
  code: string;
  detail: string;
}

/**
 * Outcome of the call. `refused`: it had no effect. `unknown`: it was sent without an answer and may have been applied;
 * retry with the same key, or check. `done`: its receipt shows that it was applied, and only its answer is lost.
 */
export type Outcome = "refused" | "unknown" | "done";

export class Problem extends Error {
  override readonly name = "Problem";
  /** A code of the service's catalogue, an OAuth error, `unreachable` without an answer, or `aborted`. */
  readonly code: string;
  /** HTTP status; 0 without an answer. */
  readonly status: number;
  readonly outcome: Outcome;
  readonly faults: readonly Fault[];
  /** Other fields of the problem that help to resolve it, such as `choices` or `current_revision`. */
  readonly extra: Readonly<Record<string, unknown>>;
  /** Seconds to wait, if the service requests it. */
  readonly retryAfter: number | null;
  /** Quote it when contacting an operator. */
  readonly correlationId: string | null;
  /** Idempotency key of the call. */
  readonly key: string | null;

  constructor(about: Partial<Omit<Problem, "name">> & { code: string }) {
    super(about.message || about.code, { cause: about.cause });
    this.code = about.code;
    this.status = about.status ?? 0;
    this.outcome = about.outcome ?? "refused";
    this.faults = about.faults ?? [];
    this.extra = about.extra ?? {};
    this.retryAfter = about.retryAfter ?? null;
    this.correlationId = about.correlationId ?? null;
    this.key = about.key ?? null;
  }
}

const KNOWN = new Set(
  "type title status detail code correlation_id errors retry_after error error_description".split(" "),
);
/** Converts an unsuccessful answer. */
export function problemOf(status: number, headers: Headers, body: unknown, key: string | null): Problem {
  const said = (typeof body === "object" && body !== null ? body : {}) as Record<string, unknown>;
  const text = (value: unknown) => (typeof value === "string" ? value : undefined);
  const wait = Number(headers.get("retry-after") ?? "");
  return new Problem({
    code: text(said.code) ?? text(said.error) ?? (status >= 500 ? "internal" : "invalid_answer"),
    message: text(said.detail) ?? text(said.error_description) ?? text(said.title) ?? `The service answered ${status}.`,
    status,
    // A server that failed without a code may have applied the write.
    outcome: status >= 500 && said.code === undefined ? "unknown" : "refused",
    faults: Array.isArray(said.errors) ? (said.errors as Fault[]) : [],
    extra: Object.fromEntries(Object.entries(said).filter(([name]) => !KNOWN.has(name))),
    retryAfter: wait > 0 ? wait : null,
    correlationId: headers.get("x-correlation-id"),
    key,
  });
}
