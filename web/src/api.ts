// The way to the service: JSON in and out, the CSRF token from its cookie, and every failure as one kind of error. It never puts
// anything that a person typed into an address.
const CSRF_COOKIE = "__Host-svc_csrf";
const PATIENCE_MS = 30_000;

export interface Fault {
  pointer: string;
  code: string;
  detail: string;
}

/** Why the service did not do it: a code of its catalogue, or "unreachable" where no answer came. */
export class Problem extends Error {
  readonly code: string;
  readonly faults: readonly Fault[];
  /** Seconds to wait, where the service asks for it. */
  readonly retryAfter: number | null;
  readonly correlationId: string | null;

  constructor(code: string, faults: readonly Fault[] = [], retryAfter: number | null = null, id: string | null = null) {
    super(code);
    this.code = code;
    this.faults = faults;
    this.retryAfter = retryAfter;
    this.correlationId = id;
  }
}

const csrfToken = () =>
  document.cookie
    .split("; ")
    .find((cookie) => cookie.startsWith(`${CSRF_COOKIE}=`))
    ?.slice(CSRF_COOKIE.length + 1) ?? "";

/** Without its cookie there is certainly no session; with it there may be one. */
export const maybeSignedIn = () => csrfToken() !== "";

type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** Asks the person in front of the page to prove again who they are: true once they have. */
type AskForProof = () => Promise<boolean>;
let askForProof: AskForProof | null = null;
let asking: Promise<boolean> | null = null;
/** The one dialog that asks; what waits at the same time waits for the same answer. */
export function setAskForProof(ask: AskForProof | null) {
  askForProof = ask;
}
function proved(): Promise<boolean> {
  asking ??= (askForProof?.() ?? Promise.resolve(false)).finally(() => {
    asking = null;
  });
  return asking;
}

/** Runs it, and once more after the person has proved again who they are, where the service asks for that. */
export async function withProof<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if ((error as { code?: string }).code !== "recent_authentication_required" || !(await proved())) throw error;
    return run();
  }
}

/** The path is below /api/v1, or from the root where it starts with /oauth/. With a key, a repetition gets the first answer. */
export async function call<T = void>(method: Method, path: string, body?: unknown, key?: string): Promise<T> {
  const before = csrfToken();
  try {
    return await send<T>(method, path, body, key);
  } catch (error) {
    const { code } = error as Problem;
    if (code === "recent_authentication_required" && (await proved())) return send<T>(method, path, body, key);
    // Another request has replaced the session's cookies meanwhile. A write is not repeated: it was meant for where the session was.
    const late = code === "authentication_required" && maybeSignedIn() && csrfToken() !== before;
    if (!late || method !== "GET") throw error;
    return send<T>(method, path);
  }
}

async function send<T>(method: Method, path: string, body?: unknown, key?: string): Promise<T> {
  const headers: Record<string, string> = { accept: "application/json" };
  if (key !== undefined) headers["idempotency-key"] = key;
  if (method !== "GET" && maybeSignedIn()) headers["x-csrf-token"] = csrfToken();
  if (body !== undefined) headers["content-type"] = "application/json";
  let answer: Response;
  let text: string;
  try {
    answer = await fetch(path.startsWith("/oauth/") ? path : `/api/v1${path}`, {
      method,
      headers,
      body: body === undefined ? undefined : JSON.stringify(body),
      credentials: "same-origin",
      cache: "no-store",
      redirect: "error",
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    text = await answer.text();
  } catch {
    throw new Problem("unreachable");
  }
  const parsed = parse(text);
  if (answer.ok) return parsed as T;
  const { code, error, errors } = (parsed ?? {}) as { code?: string; error?: string; errors?: Fault[] };
  const wait = Number(answer.headers.get("retry-after") ?? "");
  throw new Problem(
    code ?? error ?? "internal",
    errors ?? [],
    wait > 0 ? wait : null,
    answer.headers.get("x-correlation-id"),
  );
}

function parse(text: string): unknown {
  try {
    return text === "" ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}
