// A service that stops: what is under way is answered, what comes is refused in words, and the probes tell the two
// apart.
import { connect, type Socket } from "node:net";
import { expect, test } from "vitest";
import { service } from "./world.ts";

const running = service({});

interface Line {
  socket: Socket;
  /** Sends, and waits for the next whole answer. */
  ask(bytes: string): Promise<string>;
  closed: Promise<void>;
}
function line(): Line {
  const socket = connect(Number(new URL(running.url).port), "127.0.0.1");
  let text = "";
  let heard = () => {};
  socket.on("data", (chunk) => {
    text += chunk;
    const [head = "", body = ""] = text.split("\r\n\r\n");
    if (body.length >= Number(/content-length: (\d+)/i.exec(head)?.[1] ?? Infinity)) heard();
  });
  socket.on("error", () => {});
  const ask = (bytes: string) =>
    new Promise<string>((resolve) => {
      text = "";
      heard = () => resolve(text);
      socket.write(bytes);
    });
  return { socket, ask, closed: new Promise((resolve) => socket.on("close", () => resolve())) };
}
const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;
const REFUSED =
  /^HTTP\/1\.1 503 [\s\S]*application\/problem\+json[\s\S]*retry-after: [1-9][\s\S]*connection: close[\s\S]*"code":"overloaded"/;

test("while a request is under way, others are refused as problems with Retry-After, on old and new connections", async () => {
  const [kept, busy] = [line(), line()];
  expect(await kept.ask(get("/api/v1/me"))).toMatch(/^HTTP\/1\.1 401 /);
  const body = JSON.stringify({ email: "nobody@example.com", password: "quartz-lantern-48" });
  busy.socket.write(
    `POST /api/v1/auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ` +
      `${body.length}\r\n\r\n`,
  );
  for (const probe of ["/healthz", "/livez", "/readyz"])
    expect(await line().ask(get(probe)), probe).toMatch(/^HTTP\/1\.1 200 /);

  const closing = running.close();
  expect(await kept.ask(get("/api/v1/me"))).toMatch(REFUSED);
  await kept.closed;
  const late = line();
  expect(await late.ask(get("/api/v1/me"))).toMatch(REFUSED);
  await late.closed;
  const token = await line().ask("POST /api/v1/dev/oauth/token HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n");
  expect(token).toMatch(/^HTTP\/1\.1 503 [\s\S]*retry-after: [1-9][\s\S]*"error":"temporarily_unavailable"/);
  expect(await line().ask(get("/healthz"))).toMatch(/^HTTP\/1\.1 200 /);
  expect(await line().ask(get("/livez"))).toMatch(/^HTTP\/1\.1 200 /);
  expect(await line().ask(get("/readyz"))).toMatch(/^HTTP\/1\.1 503 /);

  expect(await busy.ask(body)).toMatch(/^HTTP\/1\.1 401 [\s\S]*connection: close/);
  await busy.closed;
  await closing;
  running.close = async () => {};
  const refused = line();
  await refused.closed;
  expect(refused.socket.bytesRead).toBe(0);
});
