// Bytes to the service as they are, for what no HTTP client agrees to send.
import { connect } from "node:net";

/** All that is answered until the service closes or has been silent for a second; status 0 where there was no answer. */
export function bytesTo(url: string, bytes: string | Buffer): Promise<{ status: number; text: string }> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    let text = "";
    const socket = connect(Number(port), hostname === "localhost" ? "127.0.0.1" : hostname.replace(/^\[|\]$/g, ""));
    const done = () => {
      socket.destroy();
      resolve({ status: Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1] ?? 0), text });
    };
    socket.setTimeout(1000, done);
    socket.on("data", (chunk) => {
      text += chunk.toString("latin1");
    });
    socket.on("error", done);
    socket.on("close", done);
    socket.write(bytes);
  });
}
