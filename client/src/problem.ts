// Every failure of a call is one kind of error: what the service refused, with its code, and what never came back.
export interface Fault {
  pointer: string;
  code: string;
  detail: string;
}

/**
 * What became of the call. `refused`: nothing happened. `unknown`: it was sent and no answer came, so that it may have happened; send it again with the same
 * key, or look at it. `done`: it has happened, as its receipt says, and only its answer is lost.
 */
export type Outcome = "refused" | "unknown" | "done";

export class Problem extends Error {
  override readonly name = "Problem";
  /** Of the service's catalogue, an OAuth error, `unreachable` where no answer came, or `aborted`. */
  readonly code: string;
  /** Of HTTP; 0 where there was no answer. */
  readonly status: number;
  readonly outcome: Outcome;
  readonly faults: readonly Fault[];
  /** What else the service said that helps to act on it, such as `choices` or `current_revision`. */
  readonly extra: Readonly<Record<string, unknown>>;
  /** Seconds to wait, where the service asks for it. */
  readonly retryAfter: number | null;
  /** To be named when asking an operator. */
  readonly correlationId: string | null;
  /** The key that the call was sent with. */
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
/** From an answer that is no success. */
export function problemOf(status: number, headers: Headers, body: unknown, key: string | null): Problem {
  const said = (typeof body === "object" && body !== null ? body : {}) as Record<string, unknown>;
  const text = (value: unknown) => (typeof value === "string" ? value : undefined);
  const wait = Number(headers.get("retry-after") ?? "");
  return new Problem({
    code: text(said.code) ?? text(said.error) ?? (status >= 500 ? "internal" : "invalid_answer"),
    message: text(said.detail) ?? text(said.error_description) ?? text(said.title) ?? `The service answered ${status}.`,
    status,
    // A server that failed may have done it; one that refuses says so.
    outcome: status >= 500 && said.code === undefined ? "unknown" : "refused",
    faults: Array.isArray(said.errors) ? (said.errors as Fault[]) : [],
    extra: Object.fromEntries(Object.entries(said).filter(([name]) => !KNOWN.has(name))),
    retryAfter: wait > 0 ? wait : null,
    correlationId: headers.get("x-correlation-id"),
    key,
  });
}
