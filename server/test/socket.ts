// Bytes to the service as they are, for what no HTTP client agrees to send.
import { connect } from "node:net";
import { registerWait } from "./wait-limit.ts";

/** Sends the bytes until so many responses are whole or the service closes; status 0 where there was no response. */
export function bytesTo(url: string, bytes: string | Buffer, most = 1): Promise<{ status: number; text: string }> {
  const { hostname, port } = new URL(url);
  const answered = registerWait(`bytes to ${url}`);
  return new Promise((resolve) => {
    let text = "";
    const socket = connect(Number(port), hostname === "localhost" ? "127.0.0.1" : hostname.replace(/^\[|\]$/g, ""));
    const done = () => {
      answered();
      socket.destroy();
      resolve({ status: Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1] ?? 0), text });
    };
    socket.on("data", (chunk) => {
      text += chunk.toString("latin1");
      if (wholeResponses(text) >= most) done();
    });
    socket.on("error", done);
    socket.on("close", done);
    socket.write(bytes);
  });
}

/**
 * One character is one byte. 100 Continue is part of the response behind it; what has neither length nor chunks ends
 * with the connection.
 */
function wholeResponses(text: string): number {
  let [count, from] = [0, 0];
  for (;;) {
    const end = text.indexOf("\r\n\r\n", from) + 4;
    if (end < 4) return count;
    const head = text.slice(from, end).toLowerCase();
    const length = /\r\ncontent-length: (\d+)\r\n/.exec(head)?.[1];
    const isChunked = /\r\ntransfer-encoding: chunked\r\n/.test(head);
    const hasNoBody = /^http\/1\.1 (?:1|204|304)/.test(head);
    if (isChunked) from = text.indexOf("\r\n0\r\n\r\n", end - 2) + 7;
    else if (length !== undefined || hasNoBody) from = end + Number(hasNoBody ? 0 : length);
    else return count;
    if (from < end || from > text.length) return count;
    if (!head.startsWith("http/1.1 100 ")) count++;
  }
}
