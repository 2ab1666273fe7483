// A provider as far as a test needs one: a real HTTP server that answers what a table says, keeps what it was asked,
// and fails in every way that a network can.
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

export interface AskedOf {
  method: string;
  path: string;
  headers: Record<string, string | string[] | undefined>;
  body: unknown;
}
type Answer = unknown | ((asked: AskedOf) => unknown);
/** after: the answer is lost, but what was asked is done. */
export type Failing =
  | "hang"
  | "reset"
  | "cut"
  | "html"
  | "wrong"
  | "huge"
  | "after"
  | { status: number; headers?: Record<string, string> };

/** An answer other than 200. */
export class Says {
  readonly status: number;
  constructor(status: number) {
    this.status = status;
  }
}

/** `otherwise`: answers what no line of the table does. */
export async function standIn(table: Record<string, Answer> = {}, otherwise?: (asked: AskedOf) => unknown) {
  const asked: AskedOf[] = [];
  const failing: Failing[] = [];
  const routes = new Map(Object.entries(table));
  const answer = (request: AskedOf) => {
    const found = routes.get(`${request.method} ${request.path.split("?")[0]}`);
    if (found === undefined) return otherwise?.(request);
    return typeof found === "function" ? (found as (asked: AskedOf) => unknown)(request) : found;
  };
  const server = createServer(async (request, response) => {
    let text = "";
    for await (const piece of request) text += piece;
    const isJson = request.headers["content-type"] === "application/json";
    const { method = "", url: path = "", headers } = request;
    const sent = { method, path, headers, body: isJson ? JSON.parse(text) : text };
    const failure = failing.shift();
    asked.push(sent);
    if (failure === "after") answer(sent);
    if (failure !== undefined) return void (await fail(response, failure));
    const body = answer(sent);
    if (body instanceof Says) return void response.writeHead(body.status).end("{}");
    if (body === undefined) return void response.writeHead(404).end("{}");
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    /** What was asked and is no reading. */
    written: () => asked.filter(({ method }) => method !== "GET"),
    on: (route: string, made: Answer) => void routes.set(route, made),
    /** How the next calls fail, one after the other. */
    fail: (...ways: Failing[]) => void failing.push(...ways),
    reset() {
      asked.length = 0;
      failing.length = 0;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function fail(response: ServerResponse, failure: Failing) {
  if (failure === "hang") return;
  if (failure === "reset" || failure === "after") return response.socket?.resetAndDestroy();
  if (failure === "cut") {
    response.writeHead(200, { "content-length": "100" }).write('{"id":');
    return sleep(1).then(() => response.destroy());
  }
  if (failure === "html") return response.end("<html>");
  if (failure === "wrong") return response.end('{"id":{},"number":[],"ts":null,"ok":"yes"}');
  if (failure === "huge") return response.end(`"${"x".repeat(9 * 1024 * 1024)}"`);
  return response.writeHead(failure.status, failure.headers).end("{}");
}
