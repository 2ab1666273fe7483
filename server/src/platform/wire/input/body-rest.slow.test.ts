// A response that comes before the end of a request body reaches the client, over real sockets that keep writing, and a
// client that never ends is cut off.
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { describe, expect, test } from "vitest";
import { service, sessionHeaders, world } from "../../../../test/world.ts";
import { createLog } from "../log.ts";
import { discardRest } from "./body-rest.ts";

const running = service();
const MEGABYTE = 1024 * 1024;

interface Sent {
  text: string;
  /** Bytes that the kernel accepted before the connection ended. */
  written: number;
  error?: string;
}
/**
 * Writes the head and then pieces of a body until `most` bytes are written or the connection ends; reads only
 * afterwards, as many clients do.
 */
function upload(port: number, head: string, most: number, wrap?: (piece: Buffer) => Buffer): Promise<Sent> {
  const piece = Buffer.alloc(64 * 1024, "x");
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    const sent: Sent = { text: "", written: 0 };
    const finish = (error?: NodeJS.ErrnoException) => {
      socket.destroy();
      resolve({ ...sent, ...(error?.code && { error: error.code }) });
    };
    socket.on("error", finish);
    socket.on("close", () => finish());
    socket.write(head);
    const write = () => {
      if (sent.written >= most) {
        if (wrap !== undefined) socket.write("0\r\n\r\n");
        socket.on("data", (chunk) => {
          sent.text += chunk;
        });
        return;
      }
      socket.write(wrap?.(piece) ?? piece, (error) => {
        if (error) return;
        sent.written += piece.length;
        write();
      });
    };
    write();
  });
}
const portOf = (url: string) => Number(new URL(url).port);
const chunked = (piece: Buffer) =>
  Buffer.concat([Buffer.from(`${piece.length.toString(16)}\r\n`), piece, Buffer.from("\r\n")]);
const headOf = (more: string[], path = "/api/v1/auth/login") =>
  `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n${more.join("\r\n")}\r\n\r\n`;

describe("a body that is too large", () => {
  test.each([
    ["declared", [`Content-Length: ${12 * MEGABYTE}`], undefined],
    ["sent in chunks", ["Transfer-Encoding: chunked"], chunked],
  ])("and was %s gets a 413 that a client reads after it has written everything", async (_how, headers, wrap) => {
    for (let times = 0; times < 6; times++) {
      const { text, error } = await upload(portOf(running.url), headOf(headers), 12 * MEGABYTE, wrap);
      expect(error).toBeUndefined();
      expect(text).toMatch(/^HTTP\/1\.1 413 [\s\S]*connection: close[\s\S]*"code":"payload_too_large"/i);
    }
  });

  test("is not sent at all by a client that waits for 100 Continue", async () => {
    const head = headOf([`Content-Length: ${12 * MEGABYTE}`, "Expect: 100-continue"]);
    const { text } = await upload(portOf(running.url), head, 0);
    expect(text).toMatch(/^HTTP\/1\.1 413 /);
  });
});

describe("a client that waits for 100 Continue", () => {
  test("gets it once the body is read, and then its response", async () => {
    const body = JSON.stringify({ email: "nobody@example.com", password: "not the password" });
    const { text } = await upload(
      portOf(running.url),
      headOf([`Content-Length: ${body.length}`, "Expect: 100-continue", "Connection: close"]) + body,
      0,
    );
    expect(text).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 4\d\d /);
  });

  test("gets a refusal without it where no body is needed, and the connection closes", async () => {
    const head = headOf(["Content-Length: 100", "Expect: 100-continue"], "/api/v1/no/such/path");
    const { text } = await upload(portOf(running.url), head, 0);
    expect(text).toMatch(/^HTTP\/1\.1 404 [\s\S]*connection: close/i);
  });

  test("changes something as any other", async () => {
    const { owner } = await world(running);
    const headers = Object.entries(sessionHeaders(owner.session)).map(([name, value]) => `${name}: ${value}`);
    const body = JSON.stringify({ display_name: "Ada" });
    const head = headOf(
      [...headers, `Content-Length: ${body.length}`, "Expect: 100-continue", "Connection: close"],
      "/api/v1/me",
    );
    const { text } = await upload(portOf(running.url), head.replace("POST", "PATCH") + body, 0);
    expect(text).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 /);
  });
});

describe("what arrives after the response", () => {
  /** Responds at once and discards within the limits. */
  async function discarding(limits: { ms: number; idleMs: number; bytes: number }) {
    const server = createServer((request, response) => {
      response.writeHead(413, { connection: "close", "content-length": 2 });
      response.write("no");
      discardRest(request, limits).then(() => response.end());
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return { port: (server.address() as AddressInfo).port, close: () => server.close() };
  }
  const endless = headOf(["Transfer-Encoding: chunked"]);

  test.each([
    ["bytes", { ms: 60_000, idleMs: 60_000, bytes: MEGABYTE }],
    ["time", { ms: 100, idleMs: 60_000, bytes: 1024 * MEGABYTE }],
  ])("is bounded in %s: a client that never ends is cut off", async (_what, limits) => {
    const { port, close } = await discarding(limits);
    const { written } = await upload(port, endless, Number.POSITIVE_INFINITY, chunked);
    expect(written).toBeLessThan(Math.max(limits.bytes, 32 * MEGABYTE));
    close();
  });

  test("does not keep the connection of a client that sends nothing more", async () => {
    const { port, close } = await discarding({ ms: 60_000, idleMs: 50, bytes: MEGABYTE });
    expect((await upload(port, endless, 0)).text).toMatch(/no$/);
    close();
  });
});

describe("a body that no route takes", () => {
  const lines: { level: string }[] = [];
  const log = createLog("info", { write: (line) => void lines.push(JSON.parse(line)) });
  const own = service({}, { log });
  const BODIES = [
    ["application/json", "{"],
    ["application/json", ""],
    ["text/plain", "words"],
    ["application/x-www-form-urlencoded", "a=b"],
    ["multipart/form-data; boundary=x", "--x--"],
    ["nonsense", "?"],
    [";;;", "?"],
    ["", "?"],
  ] as const;

  test.each([
    "/no/such/path",
    "/api/v1/no/such/path",
    "/docs",
    "/docs/operations",
    "/problems",
    "/p",
    "/p/nobody",
    "/dev/mail",
    "/healthz",
    "/readyz",
    "/.well-known/oauth-authorization-server",
    "/login",
    "/",
  ])("%s: is refused with 4xx, and no error is logged", async (path) => {
    for (const method of ["POST", "PUT", "PATCH", "DELETE"])
      for (const [type, body] of BODIES) {
        const { status } = await fetch(own.url + path, { method, headers: { "content-type": type }, body });
        expect([method, type, body, Math.floor(status / 100)]).toEqual([method, type, body, 4]);
      }
    expect(lines.filter(({ level }) => level === "error")).toEqual([]);
  });
});
