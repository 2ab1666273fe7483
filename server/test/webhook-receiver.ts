// A receiver of webhooks on loopback, which answers as it is told to: well, badly, late, never, elsewhere, too long, or
// drop by drop.
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { Webhook } from "standardwebhooks";

export interface Received {
  path: string;
  headers: IncomingHttpHeaders;
  body: Buffer;
}
type Answer = (response: ServerResponse, received: Received) => void;

const status =
  (code: number, headers: Record<string, string> = {}): Answer =>
  (response) =>
    void response.writeHead(code, headers).end("what an answer says is nobody's business");
export const answers = {
  ok: status(200),
  created: status(201),
  failing: status(500),
  gone: status(410),
  busy: (seconds: number) => status(503, { "retry-after": String(seconds) }),
  elsewhere: (location: string) => status(307, { location }),
  silent: (() => {}) as Answer,
  reset: ((response) => void response.socket?.destroy()) as Answer,
  /** Well, and then without an end. */
  huge: ((response) => {
    response.writeHead(200);
    const piece = Buffer.alloc(65_536, "x");
    const more = () => {
      while (!response.destroyed && response.write(piece));
    };
    response.on("drain", more);
    more();
  }) as Answer,
  /** The same, by a byte now and then. */
  trickle: ((response) => {
    response.writeHead(200);
    const timer = setInterval(() => response.write("x"), 20);
    response.on("close", () => clearInterval(timer));
  }) as Answer,
} as const;

export async function webhookReceiver() {
  const received: Received[] = [];
  let answer: Answer = answers.ok;
  const server = createServer(async (request, response) => {
    response.on("error", () => {});
    const each = { path: request.url as string, headers: request.headers, body: await buffer(request) };
    received.push(each);
    answer(response, each);
  });
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    origin,
    url: `${origin}/hook`,
    received,
    /** From now on; given what came, so that it can differ. */
    says(next: Answer) {
      answer = next;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}

/** What the official package makes of it: it throws where signature or time is wrong. */
export const verified = ({ body, headers }: Received, secret: string) =>
  new Webhook(secret).verify(body, headers as Record<string, string>) as {
    type: string;
    version: number;
    timestamp: string;
    data: Record<string, unknown>;
  };
