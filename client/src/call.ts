// Performs one call: assigns each field to path, query or body, authenticates, and retries. Reads, and writes with an
// idempotency key, are retried, because repeating them has no second effect. Other writes are retried only if the
// service refused before doing anything.
import { Problem, problemOf } from "./problem.ts";
import type { CallOptions, Route } from "./shapes.ts";

export interface ClientOptions {
  /** Base URL of the service, such as https://svc.example.com; in a browser its own origin. */
  url?: string;
  /**
   * A token, or a function that returns the current one; it is called again after one refusal. Without it the browser's
   * session is used.
   */
  token?: string | ((refused: boolean) => string | Promise<string>);
  /** For native clients, which select a Workspace with each call; also for receipts. */
  workspaceId?: string;
  /** Maximum number of attempts per call; default 5. */
  attempts?: number;
  /** Timeout of one attempt in ms; default 30,000. */
  patience?: number;
  /** Sent with every call. */
  headers?: Record<string, string>;
  fetch?: typeof fetch;
  /** Called before each retry. */
  onRetry?: (about: { problem: Problem; attempt: number; waitMs: number }) => void;
  /** Called if the session must be reauthenticated; after true, the call is retried. */
  onProofNeeded?: () => Promise<boolean>;
}

export interface Answered {
  body: unknown;
  headers: Headers;
}

const CSRF_COOKIE = "__Host-svc_csrf=";
const csrfToken = () =>
  (globalThis as { document?: { cookie?: string } }).document?.cookie
    ?.split("; ")
    .find((cookie) => cookie.startsWith(CSRF_COOKIE))
    ?.slice(CSRF_COOKIE.length);

/**
 * For a browser on the service's origin: without the CSRF cookie there is certainly no session; with it there may be
 * one.
 */
export const maybeSignedIn = () => Boolean(csrfToken());

/** A random idempotency key of 43 characters. */
export function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(32));
  return btoa(String.fromCharCode(...bytes)).replace(/[+/=]/g, (sign) => ({ "+": "-", "/": "_" })[sign] ?? "");
}

/** Builds path, query and body of a call: fields named in the path, then those of the query; the rest is the body. */
export function addressed([method, path, query, flags]: Route, input: Record<string, unknown>) {
  const left = new Map(Object.entries(input).filter(([, value]) => value !== undefined));
  const take = (name: string) => {
    const value = left.get(name);
    left.delete(name);
    return value;
  };
  const address = path.replace(/\{(\*?)(\w+)\}/g, (_whole, rest, name: string) => {
    const value = take(name);
    if (value === undefined || value === "") throw new TypeError(`${name} is missing`);
    const parts = rest ? String(value).split("/") : [String(value)];
    return parts.map(encodeURIComponent).join("/");
  });
  const asked = new URLSearchParams();
  for (const name of query.split(" ")) {
    const value = name === "" ? undefined : take(name);
    if (value !== undefined && value !== null) asked.set(name, Array.isArray(value) ? value.join(",") : String(value));
  }
  const search = asked.size > 0 ? `?${asked}` : "";
  if (flags.includes("r")) {
    const file = left.get("file") as Blob;
    return { url: address + search, body: file, type: file.type };
  }
  // An operation with a body always sends one, even if all its fields are omitted.
  const isEmpty = left.size === 0 && !flags.includes("b");
  if (method === "GET" || (isEmpty && method === "DELETE")) {
    const [unknown] = left.keys();
    if (unknown !== undefined) throw new TypeError(`${unknown} is no field of this operation`);
    return { url: address + search };
  }
  const fields = Object.fromEntries(left);
  return flags.includes("f")
    ? { url: address + search, body: String(new URLSearchParams(fields as Record<string, string>)), type: FORM }
    : { url: address + search, body: isEmpty ? undefined : JSON.stringify(fields), type: "application/json" };
}
const FORM = "application/x-www-form-urlencoded";

const LEAST_WAIT_MS = 200;
const MOST_WAIT_MS = 20_000;
/** Exponential backoff with jitter, so that clients refused at the same time do not retry together. */
export const waitMs = (attempt: number, retryAfter: number | null, random = Math.random()) =>
  Math.max((retryAfter ?? 0) * 1000, Math.min(MOST_WAIT_MS, LEAST_WAIT_MS * 2 ** (attempt - 1)) * (0.5 + random / 2));

/** Codes with which the service refuses before it has done anything. */
const NOT_NOW = new Set([
  "overloaded",
  "maintenance",
  "rate_limited",
  "idempotency_in_progress",
  "baseline_unavailable",
]);

/**
 * True if this refusal proves that an earlier unanswered attempt with the same key had no effect: the service checks
 * the key first.
 */
const settles = ({ status }: Problem) => ![0, 401, 403, 429, 503].includes(status) && status < 500;

export async function perform(
  client: ClientOptions,
  route: Route,
  input: Record<string, unknown>,
  options: CallOptions & { ifMatch?: string },
): Promise<Answered> {
  const [method, , , flags] = route;
  const key = options.key ?? (flags.includes("k") ? newKey() : null);
  const repeatable = method === "GET" || key !== null;
  const request = addressed(route, input);
  const most = client.attempts ?? 5;
  let [freshened, proved, unknown] = [false, false, false];
  for (let attempt = 1; ; attempt++) {
    // An error of the caller's own token function is thrown unchanged.
    const token = typeof client.token === "function" ? await client.token(freshened) : client.token;
    const session = csrfToken();
    const failed = await once(client, method, request, key, options, token).catch((error) => toProblem(error, key));
    if (!(failed instanceof Problem)) return failed;
    unknown ||= failed.outcome === "unknown";
    options.signal?.throwIfAborted();
    // The access token has expired: renew it once.
    if (failed.status === 401 && typeof client.token === "function" && !freshened) {
      freshened = true;
      continue;
    }
    // Another call has replaced the session's cookies meanwhile. Only a read is retried: a write was meant for the
    // Workspace that the session was in.
    if (failed.status === 401 && token === undefined && method === "GET" && !freshened && replaced(session)) {
      freshened = true;
      continue;
    }
    if (failed.code === "recent_authentication_required" && !proved && client.onProofNeeded) {
      proved = true;
      if (await client.onProofNeeded()) continue;
    }
    const again = NOT_NOW.has(failed.code) || (repeatable && failed.outcome === "unknown");
    const wait = waitMs(attempt, failed.retryAfter);
    if (!again || attempt >= most || wait > 2 * MOST_WAIT_MS)
      throw unknown && !settles(failed)
        ? new Problem({ ...failed, message: failed.message, cause: failed.cause, outcome: "unknown" })
        : failed;
    client.onRetry?.({ problem: failed, attempt, waitMs: wait });
    await pause(wait, options.signal);
  }
}

const replaced = (session: string | undefined) => maybeSignedIn() && csrfToken() !== session;

async function once(
  { url: origin = "", workspaceId, patience = 30_000, headers, fetch: send = fetch }: ClientOptions,
  method: string,
  { url, body, type }: ReturnType<typeof addressed>,
  key: string | null,
  { signal, ifMatch }: CallOptions & { ifMatch?: string },
  token: string | undefined,
): Promise<Answered> {
  const sent: Record<string, string> = { accept: "application/json", ...headers };
  if (token !== undefined) sent.authorization = `Bearer ${token}`;
  else if (method !== "GET") {
    const csrf = csrfToken();
    if (csrf) sent["x-csrf-token"] = csrf;
  }
  if (workspaceId !== undefined && token !== undefined) sent["x-svc-workspace-id"] = workspaceId;
  if (key !== null) sent["idempotency-key"] = key;
  if (ifMatch !== undefined) sent["if-match"] = ifMatch;
  if (body !== undefined) sent["content-type"] = type as string;
  const limit = AbortSignal.timeout(patience);
  const answer = await send(origin.replace(/\/$/, "") + url, {
    method,
    headers: sent,
    body,
    credentials: "same-origin",
    cache: "no-store",
    redirect: "error",
    signal: signal ? AbortSignal.any([signal, limit]) : limit,
  });
  const text = await answer.text();
  const isJson = /\bjson\b/.test(answer.headers.get("content-type") ?? "");
  const parsed = text === "" ? undefined : isJson ? JSON.parse(text) : text;
  if (!answer.ok) throw problemOf(answer.status, answer.headers, parsed, key);
  return { body: parsed, headers: answer.headers };
}

function toProblem(error: unknown, key: string | null): Problem {
  if (error instanceof Problem) return error;
  const message = "No answer came from the service. Check the connection, and send it again with the same key.";
  return new Problem({ code: "unreachable", message, outcome: "unknown", key, cause: error });
}

function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const ended = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", ended);
      resolve();
    }, ms);
    signal?.addEventListener("abort", ended, { once: true });
  });
}
