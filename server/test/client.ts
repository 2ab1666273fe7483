// The HTTP client of the tests: one request, its answer whole. Over kept connections of node:http, which take a quarter of the CPU of
// fetch. Follows no redirect, retries nothing and judges nothing.
import { Agent, type IncomingMessage, request } from "node:http";

export interface Exchange {
  status: number;
  headers: Headers;
  text: string;
}

const agent = new Agent({ keepAlive: true });
const utf8 = new TextDecoder();

export function exchange(
  method: string,
  address: string,
  headers: Record<string, string>,
  body?: string | Buffer,
): Promise<Exchange> {
  // As a browser would: dots are resolved, and what may not stand in an address is encoded.
  const { hostname, port, pathname, search } = new URL(address);
  const length = body === undefined ? {} : { "content-length": Buffer.byteLength(body) };
  return new Promise((resolve, reject) => {
    const sent = request(
      { agent, hostname, port, method, path: pathname + search, headers: { ...headers, ...length } },
      (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk) => chunks.push(chunk));
        response.on("error", reject);
        response.on("end", () => resolve(answerIn(response, utf8.decode(Buffer.concat(chunks)))));
      },
    );
    // A socket is opened and left again.
    sent.on("upgrade", (response, socket) => {
      socket.destroy();
      resolve(answerIn(response, ""));
    });
    sent.on("error", reject);
    sent.end(body);
  });
}

function answerIn({ statusCode, rawHeaders }: IncomingMessage, text: string): Exchange {
  const headers = new Headers();
  for (let at = 0; at < rawHeaders.length; at += 2)
    headers.append(rawHeaders[at] as string, rawHeaders[at + 1] as string);
  return { status: statusCode as number, headers, text };
}
