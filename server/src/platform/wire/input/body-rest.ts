// Discards the unread rest of a request body: an early response must still reach a client that is writing. Closing at
// once makes the kernel reset the connection, and the client sees EPIPE instead of the status. So the rest is read and
// discarded for a while.
import type { IncomingMessage, Server, ServerResponse } from "node:http";

/** `idleMs`: a client that sends nothing for this long is already reading, or never will. */
const LIMITS = { ms: 5_000, idleMs: 1_000, bytes: 32 * 1024 * 1024 };

/** Resolves once the body has ended, the client has gone, or a limit is reached. */
export async function discardRest(request: IncomingMessage, { ms, idleMs, bytes } = LIMITS): Promise<void> {
  if (request.complete || request.destroyed) return;
  const timers: NodeJS.Timeout[] = [];
  await new Promise<void>((resolve) => {
    let isIdle = true;
    // Data that arrived while this process was busy is read before the immediate.
    const idle = setTimeout(() => {
      isIdle = true;
      setImmediate(() => isIdle && resolve());
    }, idleMs);
    timers.push(setTimeout(resolve, ms), idle);
    let left = bytes;
    request.on("data", (chunk: Buffer) => {
      isIdle = false;
      idle.refresh();
      left -= chunk.length;
      if (left < 0) resolve();
    });
    for (const event of ["end", "error", "close"]) request.on(event, () => resolve());
    request.resume();
  });
  for (const timer of timers) clearTimeout(timer);
}

type Asking = IncomingMessage & { [CONTINUE]?: () => void };
const CONTINUE = Symbol("100-continue");

/**
 * Answers `Expect: 100-continue` when something reads the body, so that a request that is refused earlier sends none.
 */
export function deferContinue(server: Server): void {
  server.on("checkContinue", (request: Asking, response: ServerResponse) => {
    request[CONTINUE] = () => response.writeContinue();
    server.emit("request", request, response);
  });
}
/** The client still waits for 100: it may send the body or not, so that the connection cannot serve another request. */
export const awaitsContinue = (request: Asking) => request[CONTINUE] !== undefined;
export function askForBody(request: Asking): void {
  request[CONTINUE]?.();
  delete request[CONTINUE];
}
