// Requests that want to become a socket and are refused: each is answered with a problem and closed, and none is left
// waiting.
import { expect, test } from "vitest";
import { bytesTo } from "../../../../test/socket.ts";
import { service } from "../../../../test/world.ts";

const running = service();
const HANDSHAKE = {
  connection: "Upgrade",
  upgrade: "websocket",
  "sec-websocket-version": "13",
  "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
};
async function upgrade(path: string, headers: Record<string, string> = {}, method = "GET") {
  const lines = Object.entries({ host: "localhost", "x-correlation-id": "mine", ...HANDSHAKE, ...headers });
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join("");
  const { status, text } = await bytesTo(running.url, `${method} ${path} HTTP/1.1\r\n${head}\r\n`);
  const [top = "", body = ""] = text.split("\r\n\r\n");
  return { status, top: top.toLowerCase(), body };
}
const problemIn = ({ status, top, body }: Awaited<ReturnType<typeof upgrade>>) => {
  expect(top).toContain("content-type: application/problem+json");
  expect(top).toContain("connection: close");
  expect(top).toContain("x-correlation-id: mine");
  expect(top).toContain(`content-length: ${Buffer.byteLength(body)}`);
  return [status, JSON.parse(body).code];
};
const DOOR = "/collaboration";

test("a socket is opened at one address, and everywhere else nothing is found", async () => {
  expect((await upgrade(DOOR)).status).toBe(101);
  for (const path of [
    "/",
    "/api/v1/me",
    `${DOOR}/`,
    `${DOOR}x`,
    `/x${DOOR}`,
    "/healthz",
    "/p/4pW0ZQm8yTjH2cVx6RkLb1",
    "*",
  ])
    expect(problemIn(await upgrade(path)), path).toEqual([404, "not_found"]);
});

test("a page of somebody else's opens none, and what is no handshake is told so", async () => {
  expect(problemIn(await upgrade(DOOR, { origin: "https://elsewhere.example" }))).toEqual([403, "forbidden"]);
  for (const [headers, method] of [
    [{ "sec-websocket-key": "short" }, "GET"],
    [{ "sec-websocket-version": "7" }, "GET"],
    [{}, "POST"],
  ] as const)
    expect(problemIn(await upgrade(DOOR, headers, method))).toEqual([400, "invalid_request"]);
});

test("whoever offers another protocol is answered in this one", async () => {
  for (const offered of ["h2c", "TLS/1.2", "h2c, foo/2"]) {
    const answered = await upgrade("/api/v1/me", {
      upgrade: offered,
      "http2-settings": "AAMAAABkAAQAAP__",
      connection: "close, Upgrade, HTTP2-Settings",
    });
    expect([answered.status, JSON.parse(answered.body).code], offered).toEqual([401, "authentication_required"]);
  }
});
