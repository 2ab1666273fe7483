// Bodies that come slowly, or too many of them: they end, and stop nobody else. Real sockets; where time decides, the
// test moves it.
import { createServer } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { afterEach, describe, expect, test, vi } from "vitest";
import { newKey, service, sessionHeaders, world } from "../../../../test/world.ts";
import { createHost, type Host } from "../../kernel/http.ts";
import { newSecret } from "../ids.ts";
import { createLog } from "../log.ts";
import type { Refusal } from "../problem.ts";
import { bodies } from "./body.ts";

const open: Socket[] = [];
const closers: (() => void)[] = [];
afterEach(() => {
  vi.useRealTimers();
  for (const socket of open.splice(0)) socket.destroy();
  for (const close of closers.splice(0)) close();
});

interface Sender {
  socket: Socket;
  /** The whole answer, once the other side has ended it; empty where it was cut off. */
  answer: Promise<string>;
  heard: () => string;
}
function sender(port: number, first: string): Sender {
  const socket = connect(port, "127.0.0.1");
  socket.write(first);
  open.push(socket);
  let text = "";
  socket.on("data", (chunk) => {
    text += chunk;
  });
  socket.on("error", () => {});
  return { socket, heard: () => text, answer: new Promise((resolve) => socket.on("close", () => resolve(text))) };
}

const head = (length: number, address = "one") =>
  `POST / HTTP/1.1\r\nHost: x\r\nX-Address: ${address}\r\nContent-Length: ${length}\r\n\r\n`;

/** Reads bodies as the service does and says what became of each. `X-Raw` is a file of so many bytes at most. */
async function reader(limits: Parameters<typeof bodies>[0], work = async () => {}) {
  const read = bodies(limits);
  const server = createServer(async (request, response) => {
    const raw = request.headers["x-raw"] ? { bytes: Number(request.headers["x-raw"]) } : undefined;
    const outcome = await read
      .use(request, String(request.headers["x-address"]), raw, async (body) => {
        await work();
        return `${body.length} bytes`;
      })
      .catch((error: Refusal) => error.code);
    response.writeHead(200, { connection: "close" }).end(outcome);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closers.push(() => server.close());
  const { port } = server.address() as AddressInfo;
  return { port, held: read.held };
}
const told = async ({ answer }: Sender) => (await answer).split("\r\n\r\n")[1]?.split("\r\n")[1];

/** Bodies whose time does not end within a test. */
const PATIENT = { small: { everyMs: 600_000, leastBytes: Infinity } };

describe("time", () => {
  const stopClock = () => vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "performance"] });

  test("a small body that is not whole in time is refused, however often a byte of it comes", async () => {
    const { port, held } = await reader({ checkMs: 1000, small: { everyMs: 15_000, leastBytes: Infinity } });
    stopClock();
    const slow = sender(port, head(1000));
    for (let sent = 1; sent <= 14; sent++) {
      slow.socket.write("x");
      await expect.poll(held).toBe(sent);
      vi.advanceTimersByTime(1000);
    }
    expect(held()).toBe(14);
    vi.advanceTimersByTime(1000);
    expect(held()).toBe(0);
    expect(await told(slow)).toBe("request_timeout");
  });

  test("a file lasts as long as it keeps its least rate, and is refused when it does not", async () => {
    const { port, held } = await reader({ checkMs: 1000, file: { everyMs: 10_000, leastBytes: 100 } });
    stopClock();
    const file = head(2000).replace("\r\n\r\n", "\r\nX-Raw: 5000\r\n\r\n");
    const [moving, stalled] = [sender(port, file), sender(port, file)];
    for (let sent = 200; sent <= 800; sent += 200) {
      moving.socket.write("x".repeat(200));
      if (sent === 200) stalled.socket.write("x".repeat(99));
      await expect.poll(held).toBe(sent + 99);
      vi.advanceTimersByTime(3000);
    }
    // Twelve seconds have passed, and only the stalled one was refused.
    expect(held()).toBe(800);
    expect(await told(stalled)).toBe("request_timeout");
    for (let sent = 1000; sent <= 1800; sent += 200) {
      moving.socket.write("x".repeat(200));
      await expect.poll(held).toBe(sent);
      vi.advanceTimersByTime(9000);
    }
    moving.socket.write("x".repeat(200));
    expect(await told(moving)).toBe("2000 bytes");
  });

  test("a head that is not whole in time is answered 408 as a problem, and the connection closes", async () => {
    const host = { implementations: [], secure: false, log: createLog("silent") } as unknown as Host;
    const app = createHost(host, { headersMs: 100, requestMs: 300, checkMs: 20 });
    await app.listen({ host: "127.0.0.1", port: 0 });
    closers.push(() => void app.close());
    const { port } = app.server.address() as AddressInfo;
    const answer = await sender(port, "GET /healthz HTTP/1.1\r\nHost: x\r\nX-Slow: ").answer;
    expect(answer).toMatch(/^HTTP\/1\.1 408 [\s\S]*content-type: application\/problem\+json/);
    expect(answer).toMatch(/connection: close[\s\S]*"code":"request_timeout"/);
  });
});

test("what was answered before its body came is not answered a second time when the body does not come", async () => {
  const host = { implementations: [], secure: false, log: createLog("silent") } as unknown as Host;
  const app = createHost(host, { headersMs: 200_000, requestMs: 200_000, checkMs: 20 });
  await app.listen({ host: "127.0.0.1", port: 0 });
  closers.push(() => void app.close());
  const { port } = app.server.address() as AddressInfo;
  const waiting = sender(port, head(10));
  await expect.poll(waiting.heard).toMatch(/^HTTP\/1\.1 404 /);
  // The request is too late from here on.
  Object.assign(app.server, { headersTimeout: 1, requestTimeout: 1 });
  const answer = await waiting.answer;
  expect(answer).toMatch(/^HTTP\/1\.1 404 /);
  expect(answer.match(/HTTP\/1\.1/g)).toHaveLength(1);
});

describe("number", () => {
  test("one more than an address may have unfinished ends its oldest, and nobody else's", async () => {
    const { port, held } = await reader({ ...PATIENT, perAddress: 3 });
    /** Resolves once the body is being read: its first byte is held. */
    const begun = async (address?: string) => {
      const before = held();
      const one = sender(port, `${head(10, address)}0`);
      await expect.poll(held).toBe(before + 1);
      return one;
    };
    const other = await begun("other");
    const first = await begun();
    const [second, third] = [await begun(), await begun()];
    expect(first.heard()).toBe("");
    const atOnce = sender(port, `${head(10)}0123456789`);
    expect(await told(first)).toBe("request_timeout");
    expect(await told(atOnce)).toBe("10 bytes");
    for (const patient of [second, third, other]) {
      patient.socket.write("123456789");
      expect(await told(patient)).toBe("10 bytes");
    }
  });
});

describe("memory", () => {
  const BYTES = { ...PATIENT, bytes: 1000 };

  test("where all bodies together are too much, whoever holds the most loses its oldest", async () => {
    const { port, held } = await reader(BYTES);
    const modest = sender(port, head(500, "modest") + "x".repeat(300));
    const greedy = sender(port, head(1000, "greedy") + "x".repeat(600));
    await expect.poll(held).toBe(900);
    modest.socket.write("x".repeat(200));
    expect(await told(greedy)).toBe("overloaded");
    expect(await told(modest)).toBe("500 bytes");
    await expect.poll(held).toBe(0);
  });

  test("a body counts until its request is answered; where nothing can be taken back the newcomer is refused", async () => {
    let finish = () => {};
    const working = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const { port, held } = await reader(BYTES, () => working);
    const busy = sender(port, head(900, "busy") + "x".repeat(900));
    await expect.poll(held).toBe(900);
    expect(await told(sender(port, head(200, "late") + "x".repeat(200)))).toBe("overloaded");
    finish();
    expect(await told(busy)).toBe("900 bytes");
    await expect.poll(held).toBe(0);
  });

  test("what is cut off is given back", async () => {
    const { port, held } = await reader(BYTES);
    const cut = sender(port, head(500) + "x".repeat(400));
    await expect.poll(held).toBe(400);
    cut.socket.destroy();
    await expect.poll(held).toBe(0);
  });
});

describe("450 connections that send a body a byte at a time", () => {
  const running = service();

  test.each([
    ["without an account", "/auth/login"],
    ["with made-up tokens", "/tasks/0190b2a0-0000-7000-8000-000000000000/comments"],
  ])("%s do not stop the writes of others, also of the same address", async (_who, path) => {
    const { workspaceId, owner } = await world(running);
    const port = Number(new URL(running.url).port);
    const slow = Array.from({ length: 450 }, () =>
      sender(
        port,
        `POST /api/v1${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${newSecret("pat")}\r\nContent-Type: ` +
          `application/json\r\nContent-Length: 100\r\n\r\n{`,
      ),
    );
    const refused = () => slow.filter(({ heard }) => heard().startsWith("HTTP/1.1 408 "));
    await expect.poll(() => refused().length).toBeGreaterThanOrEqual(450 - 128);
    for (const { socket } of slow) if (socket.writable) socket.write(" ");
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        owner.call("POST", `/workspaces/${workspaceId}/projects`, {
          body: { key: `SLOW${n}`, name: "Not slow" },
          key: newKey(),
        }),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 201));
    expect(slow.filter(({ heard }) => heard() !== "")).toHaveLength(refused().length);
  });

  test("a body that is refused halfway is answered 408 with a problem, and its connection closes", async () => {
    const { owner } = await world(running);
    const port = Number(new URL(running.url).port);
    const headers = Object.entries(sessionHeaders(owner.session)).map(([name, value]) => `${name}: ${value}\r\n`);
    const request =
      `PATCH /api/v1/me HTTP/1.1\r\nHost: x\r\n${headers.join("")}Content-Type: ` +
      `application/json\r\nContent-Length: 100\r\n\r\n{`;
    const senders = Array.from({ length: 129 }, () => sender(port, request));
    const refused = Promise.race(senders.map(({ answer }) => answer));
    expect(await refused).toMatch(/^HTTP\/1\.1 408 [\s\S]*connection: close[\s\S]*"code":"request_timeout"/);
  });
});
