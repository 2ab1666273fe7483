// One call, from its fields to its answer: where each field goes, who is calling, and how often it is tried. What can be repeated without a second effect is
// repeated: reads, and writes that carry a key. Whatever else is tried again only where the service said that nothing was done.
import { Problem, problemOf } from "./problem.ts";
import type { CallOptions, Route } from "./shapes.ts";

export interface ClientOptions {
  /** Where the service is, such as https://svc.example.com; in a browser its own origin. */
  url?: string;
  /** A token, or how to get the one that is good now: asked again after it was refused once. Without it the browser's session is used. */
  token?: string | ((refused: boolean) => string | Promise<string>);
  /** For native clients, which choose a Workspace with each call; and for receipts. */
  workspaceId?: string;
  /** How often a call is sent at most; 5. */
  attempts?: number;
  /** How long one attempt may take, in ms; 30,000. */
  patience?: number;
  /** Sent with every call. */
  headers?: Record<string, string>;
  fetch?: typeof fetch;
  /** Told before a call is tried again. */
  onRetry?: (about: { problem: Problem; attempt: number; waitMs: number }) => void;
  /** Asked when a session must prove again who it is: true, and the call is sent again. */
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

/** In a browser on the service's origin: without its cookie there is certainly no session; with it there may be one. */
export const maybeSignedIn = () => Boolean(csrfToken());

/** 43 characters that nobody else has. */
export function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(32));
  return btoa(String.fromCharCode(...bytes)).replace(/[+/=]/g, (sign) => ({ "+": "-", "/": "_" })[sign] ?? "");
}

/** The address and body of a call: fields that stand in the path, then those of the query, and the rest is the body. */
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
  // What takes a body is sent one, also where every field of it is left out.
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
/** Doubled with each attempt, and different for each of many who were refused together. */
export const waitMs = (attempt: number, retryAfter: number | null, random = Math.random()) =>
  Math.max((retryAfter ?? 0) * 1000, Math.min(MOST_WAIT_MS, LEAST_WAIT_MS * 2 ** (attempt - 1)) * (0.5 + random / 2));

/** Said by the service before it has done anything. */
const NOT_NOW = new Set([
  "overloaded",
  "maintenance",
  "rate_limited",
  "idempotency_in_progress",
  "baseline_unavailable",
]);

/** Whether a refusal says of an earlier attempt with the same key, which was never answered, that it came to nothing: the key was looked for before. */
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
    // What the caller's own function refuses with is the caller's, and comes out as it is.
    const token = typeof client.token === "function" ? await client.token(freshened) : client.token;
    const session = csrfToken();
    const failed = await once(client, method, request, key, options, token).catch((error) => toProblem(error, key));
    if (!(failed instanceof Problem)) return failed;
    unknown ||= failed.outcome === "unknown";
    options.signal?.throwIfAborted();
    // An access token has ended: its next one is asked for, once.
    if (failed.status === 401 && typeof client.token === "function" && !freshened) {
      freshened = true;
      continue;
    }
    // Another call has replaced the session's cookies meanwhile. A write is not repeated: it was meant for where the session was.
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
