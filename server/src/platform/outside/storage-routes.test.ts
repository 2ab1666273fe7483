// Long uploads to files: they last as long as they move, and the host's time-out for whole requests is not for them.
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { Agent, type ClientRequest, type IncomingMessage, request } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { newObjectKey, put, type } from "../../../test/storages.ts";
import { testConfig } from "../../../test/world.ts";
import { createHost, type Host } from "../kernel/http.ts";
import { createLog } from "../wire/log.ts";
import { openStorage } from "./storage.ts";
import { serveStorage } from "./storage-routes.ts";

const dataDir = mkdtempSync(join(tmpdir(), "svc-storage-"));
const config = { ...testConfig, dataDir };
const host = { implementations: [], secure: false, log: createLog("silent") } as unknown as Host;
const app = createHost(host);
serveStorage(app, config, host, async () => true, { everyMs: 10_000, leastBytes: 1000, mostMs: 600_000 });
let origin = "";
const storage = openStorage(config, () => origin);
const sockets: Socket[] = [];
beforeAll(async () => {
  app.server.on("connection", (socket) => sockets.push(socket));
  await app.listen({ host: "127.0.0.1", port: 0 });
  origin = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  app.server.closeAllConnections();
  await app.close();
  rmSync(dataDir, { recursive: true, force: true });
});

afterEach(() => vi.useRealTimers());

const LENGTH = 40_000;
/**
 * Sends the head and the first 5,000 bytes of an upload; its pace is measured from here on, by the clock of the test.
 */
async function begun(at: string): Promise<{ outgoing: ClientRequest; answer: Promise<IncomingMessage | null> }> {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "performance"] });
  const url = await put(storage, at, { length: LENGTH });
  const outgoing = request(url, { method: "PUT", headers: { "content-type": type, "content-length": LENGTH } });
  const answer = new Promise<IncomingMessage | null>((resolve) => {
    outgoing.on("response", resolve).on("error", () => resolve(null));
  });
  outgoing.write(Buffer.alloc(5000, 7));
  // The upload is watched.
  await expect.poll(() => vi.getTimerCount()).toBe(1);
  return { outgoing, answer };
}
const bytesRead = () => sockets.reduce((sum, socket) => sum + socket.bytesRead, 0);
/** What the host says of a connection whose request has not ended in time. */
const timeOut = (socket: Socket | undefined) =>
  app.server.emit("clientError", Object.assign(new Error(), { code: "ERR_HTTP_REQUEST_TIMEOUT" }), socket);

test("an upload that moves outlasts the host's time-out", async () => {
  const at = newObjectKey();
  const { outgoing, answer } = await begun(at);
  for (let sent = 5000; sent < LENGTH; sent += 5000) {
    vi.advanceTimersByTime(9000);
    if (sent === 10_000) timeOut(sockets.at(-1));
    const before = bytesRead();
    outgoing.write(Buffer.alloc(5000, 7));
    await expect.poll(bytesRead).toBeGreaterThanOrEqual(before + 5000);
  }
  outgoing.end();
  expect((await answer)?.statusCode).toBe(200);
  expect(await storage.get(at)).toEqual(Buffer.alloc(LENGTH, 7));
});

test("an upload that stands still is answered 408 and leaves nothing", async () => {
  const at = newObjectKey();
  const { answer } = await begun(at);
  // The second look at the latest finds no more than the one before it.
  vi.advanceTimersByTime(20_000);
  const told = await answer;
  expect([told?.statusCode, told?.headers.connection]).toEqual([408, "close"]);
  await expect.poll(() => readdirSync(join(dataDir, "objects", "incoming"))).toEqual([]);
  expect(await storage.get(at)).toBeUndefined();
});

test("any other request ends with the host's time-out", async () => {
  const before = sockets.length;
  const answered = new Promise<string>((resolve) => {
    const outgoing = request(`${origin}/nothing`, { method: "POST", headers: { "content-length": 100 } });
    outgoing.on("error", () => resolve("closed")).on("close", () => resolve("closed"));
    outgoing.write("x");
  });
  await expect.poll(() => sockets.length).toBeGreaterThan(before);
  for (const socket of sockets) timeOut(socket);
  expect(await answered).toBe("closed");
});

test("uploads on one kept-alive connection leave no listener on its socket", async () => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const before = sockets.length;
  const counts: number[] = [];
  for (let turn = 0; turn < 20; turn++) {
    const url = await put(storage, newObjectKey(), { length: 100 });
    const status = await new Promise<number | undefined>((resolve, reject) => {
      const outgoing = request(url, { agent, method: "PUT", headers: { "content-type": type, "content-length": 100 } });
      outgoing
        .on("error", reject)
        .on("response", (answer) => answer.resume().on("end", () => resolve(answer.statusCode)));
      outgoing.end(Buffer.alloc(100, 7));
    });
    expect(status).toBe(200);
    counts.push((sockets.at(-1) as Socket).listenerCount("close"));
  }
  agent.destroy();
  expect(sockets.length, "one connection").toBe(before + 1);
  expect(new Set(counts).size, `close listeners after each upload: ${counts}`).toBe(1);
});
