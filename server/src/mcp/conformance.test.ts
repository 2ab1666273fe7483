// The published conformance suite, as far as it concerns transport and lifecycle and needs no tools of its own. It knows no credentials, so that a
// proxy in front of the service adds one. Left out: scenarios that call the suite's fixture tools, resources and prompts; logging, completion,
// subscriptions, sampling and elicitation, which are not offered; streams of a session, because there is none; and those about clients.
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { request as ask, createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { mcpToken } from "../../test/mcp.ts";
import { service, world } from "../../test/world.ts";

const running = service();
const CLI = join(import.meta.dirname, "../../../node_modules/@modelcontextprotocol/conformance/dist/index.js");
const folder = mkdtempSync(join(tmpdir(), "svc-conformance-"));
let proxy: Server;
let url: string;

beforeAll(async () => {
  const token = await mcpToken(running, await world(running));
  const { hostname, port, origin: own } = new URL(running.url);
  proxy = createServer((incoming, outgoing) => {
    const { host, origin, ...headers } = incoming.headers;
    const said = origin === undefined ? {} : { origin: origin === `http://${host}` && isLocal(host) ? own : origin };
    const onward = ask(
      {
        hostname,
        port,
        path: incoming.url,
        method: incoming.method,
        headers: { ...headers, ...said, authorization: `Bearer ${token}` },
      },
      (answer) => {
        outgoing.writeHead(answer.statusCode as number, answer.headers);
        answer.pipe(outgoing);
      },
    );
    incoming.pipe(onward);
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  url = `http://localhost:${(proxy.address() as AddressInfo).port}/mcp`;
});
afterAll(() => {
  proxy.close();
  rmSync(folder, { recursive: true, force: true });
});
const isLocal = (host: string | undefined) => /^(?:localhost|127\.0\.0\.1):\d+$/.test(host ?? "");

const scenarios = [
  "server-initialize",
  "ping",
  "tools-list",
  "resources-list",
  "prompts-list",
  "dns-rebinding-protection",
];
const run = (scenario: string) =>
  promisify(execFile)(process.execPath, [CLI, "server", "--url", url, "--scenario", scenario, "--verbose"], {
    cwd: folder,
  }).catch((error: { stdout: string; stderr: string }) => ({ stdout: `FAILED ${error.stdout} ${error.stderr}` }));

test("every scenario that applies succeeds", async () => {
  const results = await Promise.all(scenarios.map(run));
  for (const [at, { stdout }] of results.entries()) {
    expect(stdout, scenarios[at]).not.toMatch(/FAILED|"status": "(?:FAILURE|WARNING)"/);
    expect(stdout, scenarios[at]).toContain('"status": "SUCCESS"');
  }
});
