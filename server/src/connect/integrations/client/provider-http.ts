// Client of provider APIs: uses the one egress, sends the credential only to the origin of the API, and observes the
// provider's rate limit. Errors become one of a few faults with our own texts; no fault contains request or response
// data.
import { EgressError } from "../../../platform/outside/egress.ts";
import type { HttpExchange } from "../../../platform/outside/external-systems.ts";
import type { Ask, Signing } from "./provider.ts";

/**
 * address_refused: egress does not allow the address.
 * unreachable: nothing was done there; a retry may help.
 * credential_refused: the credential is wrong or revoked.
 * resource_missing: it does not exist, or we may not see it.
 * refused: permanent.
 * rate_limited: retry after `seconds`.
 * unknown: it may have had its effect.
 * answer_too_large: cut off at the bound; a write may have had its effect.
 * unsupported: the provider cannot do it.
 */
export type FaultCode =
  | "address_refused"
  | "unreachable"
  | "credential_refused"
  | "resource_missing"
  | "refused"
  | "rate_limited"
  | "unknown"
  | "answer_too_large"
  | "unsupported";

export class ProviderFault extends Error {
  readonly code: FaultCode;
  readonly status: number | null;
  /** Seconds until a retry is worthwhile, for rate_limited. */
  readonly seconds: number;
  constructor(code: FaultCode, { status = null, seconds = 0 }: { status?: number | null; seconds?: number } = {}) {
    super(`the provider did not do it: ${code}${status === null ? "" : ` (${status})`}`);
    this.name = "ProviderFault";
    this.code = code;
    this.status = status;
    this.seconds = seconds;
  }
}

interface Way {
  egress: HttpExchange;
  /** Base address of paths; the credential is sent only to its origin. */
  api: string;
  /**
   * Address of the provider's pages, which exchange a code: used with full addresses, and never with the credential.
   */
  base?: string;
  credential: Record<string, string>;
  /** Rate limit: calls with the same `of` are counted together, per minute; absent: not counted. */
  pace?: { of: string; perMinute: number };
  /** Set if the provider requires signed calls, and signs its answers. */
  signing?: Signing;
  ms?: number;
  now?: () => number;
}

const BYTES = 1024 * 1024;
const MS = 10_000;

export function asking({ egress, api, base, credential, pace, signing, ms = MS, now = Date.now }: Way): Ask {
  return async (method, path, { json, form, headers, bytes = BYTES } = {}) => {
    const url = addressOf(api, base, path);
    const wait = pace === undefined ? 0 : counted(pace, now());
    if (wait > 0) throw new ProviderFault("rate_limited", { seconds: wait });
    const [type, body] = bodyOf(json, form);
    const sign = signing?.sign(body ?? Buffer.alloc(0), headers ?? {}) ?? {};
    const own = url.origin === new URL(api).origin;
    const answer = await egress(url.href, {
      method,
      bytes,
      ms,
      body,
      headers: { accept: "application/json", ...type, ...headers, ...sign },
      ...(own ? { credential: { origin: url.origin, headers: credential } } : {}),
    }).catch((error) => {
      throw faultOf(error, method === "GET");
    });
    const limited = limitOf(answer.status, answer.headers, now());
    if (pace !== undefined && limited > 0) paused(pace.of, now() + limited * 1000);
    const code = codeOf(answer.status, method === "GET", limited > 0);
    if (code !== null) {
      const seconds = code === "rate_limited" ? limited || DEFAULT_WAIT : 0;
      throw new ProviderFault(code, { status: answer.status, seconds });
    }
    // An answer of somebody else, or one that cannot be parsed, does not show whether the call had its effect.
    const uncertain = new ProviderFault(method === "GET" ? "unreachable" : "unknown", { status: answer.status });
    if (signing?.isAnswer(sign, answer.headers, answer.body) === false) throw uncertain;
    return { status: answer.status, headers: answer.headers, body: parsed(answer.body, uncertain) };
  };
}

/** No path escapes the API; a full address must have the origin of the API or of the provider's pages. */
function addressOf(api: string, base: string | undefined, path: string): URL {
  if (path === "") return new URL(api);
  const root = new URL(api.endsWith("/") ? api : `${api}/`);
  if (/^https?:/i.test(path)) {
    const url = URL.canParse(path) ? new URL(path) : null;
    const origins = [root.origin, ...(base === undefined ? [] : [new URL(base).origin])];
    if (url !== null && origins.includes(url.origin) && url.username === "" && url.password === "") return url;
  } else {
    const url = new URL(root.href + path.replace(/^\//, ""));
    if (url.origin === root.origin && url.pathname.startsWith(root.pathname)) return url;
  }
  throw new ProviderFault("address_refused");
}

function bodyOf(json: unknown, form?: Record<string, string>): [Record<string, string>, Buffer | undefined] {
  if (form !== undefined)
    return [{ "content-type": "application/x-www-form-urlencoded" }, Buffer.from(new URLSearchParams(form).toString())];
  if (json === undefined) return [{}, undefined];
  return [{ "content-type": "application/json" }, Buffer.from(JSON.stringify(json))];
}

function parsed(body: Buffer, otherwise: ProviderFault): unknown {
  if (body.length === 0) return null;
  try {
    return JSON.parse(body.toString());
  } catch {
    throw otherwise;
  }
}

/** Errors raised before anything was sent over the connection. */
const NEVER_SENT =
  /^(ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|ENOTFOUND|EAI_AGAIN|CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|ERR_TLS_CERT)/;

function faultOf(error: unknown, reads: boolean): unknown {
  if (!(error instanceof EgressError)) return error;
  if (error.fault === "url" || error.fault === "address") return new ProviderFault("address_refused");
  if (error.fault === "size") return new ProviderFault("answer_too_large");
  const cause = String((error.cause as { code?: unknown } | undefined)?.code ?? "");
  if (reads || error.fault === "name" || NEVER_SENT.test(cause)) return new ProviderFault("unreachable");
  return new ProviderFault("unknown");
}

function codeOf(status: number, reads: boolean, limited: boolean): FaultCode | null {
  if (status >= 200 && status < 300) return null;
  if (status === 429 || (limited && (status === 403 || status === 503))) return "rate_limited";
  if (status === 401) return "credential_refused";
  if (status === 404 || status === 410) return "resource_missing";
  if (status >= 500) return reads ? "unreachable" : "unknown";
  return "refused";
}

const DEFAULT_WAIT = 60;
const LONGEST_WAIT = 3600;
/** A greater number is a Unix time and not a number of seconds. */
const A_TIME = 1_000_000_000;

/** Seconds until the provider accepts calls again; 0 if it does not say. */
function limitOf(status: number, headers: Headers, now: number): number {
  const after = headers.get("retry-after");
  if (after !== null && status >= 400) return withinBounds(secondsOf(after, now));
  const [remaining, reset] = ["remaining", "reset"].map(
    (name) => headers.get(`x-ratelimit-${name}`) ?? headers.get(`ratelimit-${name}`),
  );
  if (remaining?.trim() !== "0") return 0;
  return withinBounds(secondsOf(reset ?? "", now));
}

function secondsOf(text: string, now: number): number {
  const number = /^\s*\d{1,12}(\.\d+)?\s*$/.test(text) ? Number(text) : Date.parse(text) / 1000;
  return number > A_TIME ? number - now / 1000 : number;
}

const withinBounds = (seconds: number) =>
  Number.isFinite(seconds) ? Math.min(Math.max(Math.ceil(seconds), 1), LONGEST_WAIT) : DEFAULT_WAIT;

/** Calls that this process has sent in the minute since `since`; none is sent before `until`. */
interface Pace {
  since: number;
  calls: number;
  until: number;
}
const paces = new Map<string, Pace>();
const MINUTE = 60_000;
const MOST_PACES = 10_000;

/** Counts a call; returns the seconds to wait if it must not be made. */
function counted({ of, perMinute }: NonNullable<Way["pace"]>, now: number): number {
  const pace = paces.get(of) ?? { since: now, calls: 0, until: 0 };
  if (now - pace.since >= MINUTE || now < pace.since) Object.assign(pace, { since: now, calls: 0 });
  const until = Math.max(pace.until, pace.calls < perMinute ? 0 : pace.since + MINUTE);
  if (now < until) return withinBounds((until - now) / 1000);
  pace.calls++;
  remember(of, pace);
  return 0;
}

function paused(of: string, until: number) {
  const pace = paces.get(of) ?? { since: 0, calls: 0, until: 0 };
  remember(of, { ...pace, until: Math.max(pace.until, until) });
}

/** Evicts the least recently used pace. */
function remember(of: string, pace: Pace) {
  paces.delete(of);
  paces.set(of, pace);
  const [oldest] = paces.keys();
  if (paces.size > MOST_PACES && oldest !== undefined) paces.delete(oldest);
}
