// Starts a limited number of requests in each turn of the event loop. A crowd that arrives at once would otherwise be
// processed in one go, and no other request, not even /healthz, would be answered before its last one.
import type { IncomingMessage, Server, ServerResponse } from "node:http";

const AT_A_TIME = 16;
const AT_ONCE = new Set(["/healthz", "/livez"]);

export function turns(atATime = AT_A_TIME): (begin: () => void) => void {
  let begun = 0;
  let waiting: (() => void)[] = [];
  const turn = () => {
    const now = waiting.slice(0, atATime);
    waiting = waiting.slice(atATime);
    begun = now.length;
    if (begun > 0) setImmediate(turn);
    for (const begin of now) begin();
  };
  return (begin) => {
    if (begun >= atATime) return void waiting.push(begin);
    if (begun++ === 0) setImmediate(turn);
    begin();
  };
}

/** Passes requests to the server's listeners in batches, but health checks at once. */
export function beginInTurn(server: Server, atATime?: number): void {
  const listeners = server.listeners("request");
  server.removeAllListeners("request");
  const inTurn = turns(atATime);
  server.on("request", (request: IncomingMessage, response: ServerResponse) => {
    const begin = () => {
      for (const listener of listeners) listener.call(server, request, response);
    };
    if (AT_ONCE.has(request.url as string)) begin();
    else inTurn(begin);
  });
}
