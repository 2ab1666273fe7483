// One HTTP attempt of a write, classified by whether its answer is definite. A connection that breaks after it was
// opened, a timeout, idempotency_in_progress, and a 503 or 507 with Retry-After are not definite.
import { Agent, type IncomingHttpHeaders, request } from "node:http";
import { correlationOf, type Definite, keyOf, type Write } from "./ledger.ts";

export type AttemptResult =
  | { kind: "answer"; answer: Definite }
  | { kind: "ambiguous"; why: string; killed: boolean }
  | { kind: "unreached" };

/** Longer than the service's own deadline of 10 s. */
const PATIENCE_MS = 12_000;
/** Time for full recovery after a fault ends. */
export const RECOVERY_MS = 5000;
const agent = new Agent({ keepAlive: true });

/** `giveUpMs`: the client disconnects after this time, so that its retry overlaps the first attempt. */
export function attempt(
  port: number,
  headers: Record<string, string>,
  write: Write,
  number: number,
  giveUpMs: number | null,
): Promise<AttemptResult> {
  return new Promise((resolve) => {
    const payload = JSON.stringify(write.body);
    const sent = request({
      host: "127.0.0.1",
      port,
      agent,
      method: write.method,
      path: `/api/v1${write.path}`,
      headers: {
        ...headers,
        "content-type": "application/json",
        "content-length": Buffer.byteLength(payload),
        "idempotency-key": keyOf(write.id),
        "x-correlation-id": correlationOf(write.id, number),
        ...(write.revision === undefined ? {} : { "if-match": `"${write.revision}"` }),
      },
    });
    let connected = false;
    let hungUp: string | null = null;
    const hangUp = (why: string) => () => {
      hungUp = why;
      sent.destroy();
    };
    const patience = setTimeout(hangUp("time-out"), PATIENCE_MS);
    let impatience: NodeJS.Timeout | undefined;
    function finish(result: AttemptResult) {
      clearTimeout(patience);
      clearTimeout(impatience);
      resolve(result);
    }
    const broken = (error: NodeJS.ErrnoException) =>
      finish(
        connected
          ? { kind: "ambiguous", why: hungUp ?? error.code ?? error.message, killed: hungUp === null }
          : { kind: "unreached" },
      );
    sent.on("socket", (socket) => {
      const begin = () => {
        connected = true;
        if (giveUpMs !== null) impatience = setTimeout(hangUp("gave up"), giveUpMs);
      };
      if (socket.connecting) socket.once("connect", begin);
      else begin();
    });
    sent.on("error", broken);
    sent.on("response", (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk) => chunks.push(chunk));
      response.on("error", broken);
      response.on("end", () => {
        const answer = {
          status: response.statusCode as number,
          etag: response.headers.etag ?? null,
          replayed: response.headers["idempotent-replayed"] === "true",
          body: Buffer.concat(chunks).toString(),
        };
        const why = undecided(answer, response.headers);
        finish(why === null ? { kind: "answer", answer } : { kind: "ambiguous", why, killed: false });
      });
    });
    sent.end(payload);
  });
}

/**
 * A refusal for lack of a database or of disk space is a problem document with Retry-After; any other form counts as an
 * unexpected answer.
 */
function undecided({ status, body }: Definite, headers: IncomingHttpHeaders): string | null {
  const isProblem = headers["content-type"]?.startsWith("application/problem+json") === true;
  if ((status === 503 || status === 507) && isProblem && /^\d+$/.test(headers["retry-after"] ?? "")) return "503";
  return status === 409 && body.includes('"idempotency_in_progress"') ? "idempotency_in_progress" : null;
}
