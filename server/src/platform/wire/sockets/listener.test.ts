// A name that is several addresses: the same answers on each of them, on bare sockets, and nobody is left listening.
import { once } from "node:events";
import { type AddressInfo, connect, createServer, Server } from "node:net";
import { networkInterfaces } from "node:os";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { bytesTo } from "../../../../test/socket.ts";
import { createHost, type Host } from "../../kernel/http.ts";
import { createLog } from "../log.ts";
import { listen } from "./listener.ts";

const has = (wanted: string) =>
  Object.values(networkInterfaces()).some((all) => all?.some(({ address }) => address === wanted));
/** Of this machine, beside 127.0.0.1; one that nobody has is no reason not to start. */
const second = has("::1") ? "::1" : "127.0.0.2";
const addresses = ["127.0.0.1", second, "192.0.2.1"];
const hosts = ["127.0.0.1", second === "::1" ? "[::1]" : second];

const host = { implementations: [], secure: false, log: createLog("silent") } as unknown as Host;
const app = createHost(host);
const impatient = createHost(host, { headersMs: 100, requestMs: 300, checkMs: 20 });
app.get("/healthz", async () => "ok");
let [port, impatientPort] = [0, 0];
beforeAll(async () => {
  port = await listen(app, { port: 0, host: "localhost" }, async () => addresses);
  impatientPort = await listen(impatient, { port: 0, host: "localhost" }, async () => addresses);
});
afterAll(() => Promise.all([app.close(), impatient.close()]));

const ask = (at: string, bytes: string, of = port) => bytesTo(`http://${at}:${of}`, bytes);
const PROBLEM = /content-type: application\/problem\+json/;

describe.each(hosts)("on %s", (at) => {
  test("a request is answered", async () => {
    const { status } = await ask(at, "GET /healthz HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n");
    expect(status).toBe(200);
  });
  test("what nobody can expect is 417 as a problem", async () => {
    const { status, text } = await ask(at, "GET /healthz HTTP/1.1\r\nhost: x\r\nexpect: the-unexpected\r\n\r\n");
    expect([status, text]).toEqual([417, expect.stringMatching(PROBLEM)]);
    expect(text).toContain('"code":"expectation_failed"');
  });
  test("what is not HTTP is 400 as a problem", async () => {
    const { status, text } = await ask(at, "NONSENSE\r\n\r\n");
    expect([status, text]).toEqual([400, expect.stringMatching(PROBLEM)]);
  });
  test("a head that never ends is 408 as a problem", async () => {
    const { status, text } = await ask(at, "GET /healthz HTTP/1.1\r\nhost: x\r\nx-slow: ", impatientPort);
    expect([status, text]).toEqual([408, expect.stringMatching(PROBLEM)]);
  });
});

test("a crowd of 4,096 may wait to be accepted, at every address", async () => {
  const listening = vi.spyOn(Server.prototype, "listen");
  const other = createHost(host);
  await listen(other, { port: 0, host: "localhost" }, async () => addresses);
  const told = (listening.mock.calls as unknown[][]).map(([first, , third]) =>
    typeof first === "object" ? (first as { backlog?: number }).backlog : third,
  );
  listening.mockRestore();
  await other.close();
  expect(told).toEqual([4096, 4096, 4096]);
});

/** Another program at this address of the same name. */
async function occupied(at: number) {
  const other = createServer();
  await new Promise<void>((done) => other.listen(at, second, done));
  onTestFinished(() => void other.close());
  return (other.address() as AddressInfo).port;
}

test("a port that another program has at one of the addresses is taken", async () => {
  const own = createHost(host);
  onTestFinished(() => own.close());
  const taken = await occupied(0);
  await expect(listen(own, { port: taken, host: "localhost" }, async () => addresses)).rejects.toMatchObject({
    code: "EADDRINUSE",
    syscall: "listen",
  });
});

test("a port that the system chooses is free at every address", async () => {
  const own = createHost(host);
  onTestFinished(() => own.close());
  const begin = own.listen.bind(own) as (how: object) => Promise<string>;
  let busy = 0;
  Object.assign(own, {
    listen: async (how: object) => {
      const said = await begin(how);
      busy = await occupied((own.server.address() as AddressInfo).port);
      return said;
    },
  });
  own.get("/healthz", async () => "ok");
  const at = await listen(own, { port: 0, host: "localhost" }, async () => addresses);
  expect(at).not.toBe(busy);
  for (const each of hosts) {
    const asked = "GET /healthz HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n";
    expect((await bytesTo(`http://${each}:${at}`, asked)).status, each).toBe(200);
  }
});

test("closing ends every address, and what is idle on it", async () => {
  const other = createHost(host);
  const own = await listen(other, { port: 0, host: "localhost" }, async () => addresses);
  const idle = connect(own, second);
  idle.write("GET /nothing HTTP/1.1\r\nhost: x\r\n\r\n");
  await once(idle, "data");
  const idleEnded = new Promise((resolve) => idle.on("error", () => {}).on("close", resolve));
  expect((await bytesTo(`http://${hosts[1]}:${own}`, "GET / HTTP/1.1\r\nhost: x\r\n\r\n")).status).toBe(404);
  await other.close();
  await idleEnded;
  for (const at of hosts)
    expect((await bytesTo(`http://${at}:${own}`, "GET / HTTP/1.1\r\nhost: x\r\n\r\n")).status).toBe(0);
});
