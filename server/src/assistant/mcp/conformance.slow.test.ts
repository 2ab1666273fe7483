// The published conformance suite: what it asks of every server is asked of ours, and what needs its own tools,
// resources and prompts of an offer that has them, on the same transport. It knows no credentials, so that a proxy in
// front of each service adds one.
import { execFile } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { request as ask, createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { conformanceOffer } from "../../../test/conformance-offer.ts";
import { mcpToken } from "../../../test/mcp.ts";
import { service, type TestService, world } from "../../../test/world.ts";

const running = service();
const wanted = service({}, { mcp: conformanceOffer });
const CLI = join(import.meta.dirname, "../../../../node_modules/@modelcontextprotocol/conformance/dist/index.js");
const folder = mkdtempSync(join(tmpdir(), "svc-conformance-"));
const proxies: Server[] = [];
const isLocal = (host: string | undefined) => /^(?:localhost|127\.0\.0\.1):\d+$/.test(host ?? "");

/** The address of a proxy that adds a credential. */
async function withCredential(service: TestService): Promise<string> {
  const token = await mcpToken(service, await world(service));
  const { hostname, port, origin: own } = new URL(service.url);
  const proxy = createServer((incoming, outgoing) => {
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
  proxies.push(proxy);
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  return `http://localhost:${(proxy.address() as AddressInfo).port}/mcp`;
}
const urls = { ours: "", theirs: "" };
beforeAll(async () => {
  urls.ours = await withCredential(running);
  urls.theirs = await withCredential(wanted);
});
afterAll(() => {
  for (const proxy of proxies) proxy.close();
  rmSync(folder, { recursive: true, force: true });
});

const suite = async (...args: string[]) =>
  (await promisify(execFile)(process.execPath, [CLI, ...args], { cwd: folder })).stdout;
/** What became of each scenario, in one run of all of them: starting the program takes longer than most. */
async function runAll(url: string, name: string): Promise<Map<string, Set<string>>> {
  const results = join(folder, name);
  // It ends with 1 where one has failed, those that do not apply, too.
  await suite("server", "--url", url, "--suite", "all", "--output-dir", results).catch(() => {});
  const statuses = (run: string) => {
    const checks: { status: string }[] = JSON.parse(readFileSync(join(results, run, "checks.json"), "utf8"));
    return new Set(checks.map(({ status }) => status));
  };
  return new Map(readdirSync(results).map((run) => [run.replace(/^server-|-\d{4}-\d\d-\d\dT.*$/g, ""), statuses(run)]));
}
async function expectSuccess(url: string, name: string, scenarios: readonly string[]) {
  const found = await runAll(url, name);
  for (const scenario of scenarios) {
    const told = found.get(scenario) ?? new Set(["not run"]);
    expect([scenario, ...told].filter((status) => status !== "INFO")).toEqual([scenario, "SUCCESS"]);
  }
}

const ours = [
  ...["server-initialize", "ping", "tools-list", "resources-list", "prompts-list"],
  "dns-rebinding-protection",
];
const theirs = [
  ...["tools-call-simple-text", "tools-call-image", "tools-call-audio", "tools-call-embedded-resource"],
  ...["tools-call-mixed-content", "tools-call-with-logging", "tools-call-error", "tools-call-with-progress"],
  ...["resources-read-text", "resources-read-binary", "resources-templates-read", "json-schema-2020-12"],
  ...["prompts-get-simple", "prompts-get-with-args", "prompts-get-embedded-resource", "prompts-get-with-image"],
  ...["logging-set-level", "completion-complete"],
];
/** What does not apply, and why. */
const STATELESS = "the server asks its client something, which needs a session to be answered in; there is none";
const STREAM =
  "a stream of a session is left and taken up again; there is no session, and closing a stream cancels its call";
const UNCHANGING = "nothing is offered that changes by itself, so that there is nothing to subscribe to";
const without: Record<string, string> = {
  "tools-call-sampling": STATELESS,
  "tools-call-elicitation": STATELESS,
  "elicitation-sep1034-defaults": STATELESS,
  "elicitation-sep1330-enums": STATELESS,
  "server-sse-polling": STREAM,
  "server-sse-multiple-streams": STREAM,
  "resources-subscribe": UNCHANGING,
  "resources-unsubscribe": UNCHANGING,
};

describe("the published suite", () => {
  test("is run as far as it applies: each of its scenarios for servers is here, or is said not to apply", async () => {
    const [servers = "", clients = ""] = (await suite("list")).split("Client scenarios");
    const listed = [...servers.matchAll(/^ {2}- (\S+)/gm)].map(([, name]) => name as string);
    expect([...ours, ...theirs, ...Object.keys(without)].sort()).toEqual(listed.sort());
    // Those about authorisation are for clients: what they expect of a server is in mcp.test.ts and oauth.
    expect(clients).toContain("auth/");
    expect(servers).not.toContain("auth/");
  });

  test("succeeds with what is ours", () => expectSuccess(urls.ours, "ours", ours));

  test("succeeds with the tools, resources and prompts that it wants, on our transport", () =>
    expectSuccess(urls.theirs, "theirs", theirs));
});
