// A provider is asked at its own origin with its own credential; whatever a network can do to that is one of few
// faults, and none of them says what was sent.
import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { afterAll, describe, expect, test } from "vitest";
import { egress, egressTo } from "../../../platform/outside/egress.ts";
import { newId } from "../../../platform/wire/ids.ts";
import { asking, type FaultCode, ProviderFault } from "./provider-http.ts";

const servers: Server[] = [];
afterAll(() => {
  for (const server of servers) server.closeAllConnections();
  return Promise.all(servers.map((server) => server.close()));
});
async function plain(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const CREDENTIAL = { authorization: "Bearer a-secret-of-the-test" };
const faultOf = (work: Promise<unknown>): Promise<ProviderFault> =>
  work.then(
    () => expect.fail("nothing failed"),
    (error) => (error instanceof ProviderFault ? error : Promise.reject(error)),
  );
const askAt = (origin: string, more: Partial<Parameters<typeof asking>[0]> = {}) =>
  asking({ egress: egressTo({ allow: [origin] }), api: `${origin}/api/v3`, credential: CREDENTIAL, ...more });

const bodyOf = async (request: IncomingMessage) => {
  let text = "";
  for await (const piece of request) text += piece;
  return text;
};

describe("a call", () => {
  test("goes below the API with the credential, and with JSON or the fields of a form", async () => {
    const origin = await plain(async (request, response) => {
      const { authorization, "content-type": type, accept, "x-more": more } = request.headers;
      const seen = [request.method, request.url, authorization, type, accept, more, await bodyOf(request)];
      response.setHeader("x-page", "2").end(JSON.stringify(seen));
    });
    const ask = askAt(origin);
    const json = await ask("POST", "/repos/a/issues?x=1", { json: { title: "ä" }, headers: { "x-more": "1" } });
    const { authorization } = CREDENTIAL;
    const accept = "application/json";
    expect([json.status, json.headers.get("x-page"), json.body]).toEqual([
      ...[200, "2"],
      ["POST", "/api/v3/repos/a/issues?x=1", authorization, accept, accept, "1", '{"title":"ä"}'],
    ]);
    const form = await ask("PUT", "token", { form: { code: "a&b" } });
    const type = "application/x-www-form-urlencoded";
    expect(form.body).toEqual(["PUT", "/api/v3/token", authorization, type, accept, null, "code=a%26b"]);
    expect((await ask("GET", `${origin}/api/v3/next?page=2`)).body).toContain("/api/v3/next?page=2");
  });

  test("leaves neither the API by its path nor the origin by a whole address, and the pages of the provider never see the credential", async () => {
    const seen: unknown[] = [];
    const listener: RequestListener = (request, response) => {
      seen.push([request.url, request.headers.authorization]);
      response.end("{}");
    };
    const [api, pages, other] = [await plain(listener), await plain(listener), await plain(listener)];
    const ask = askAt(api, { egress: egressTo({ allow: [api, pages, other] }), base: pages });
    const wrong = ["../admin", "/a/../../../admin", "%2e%2e/%2e%2e/x", `${other}/x`, "https://[", "http:x"];
    for (const path of [...wrong, `http://a:b@${api.slice(7)}/x`])
      expect((await faultOf(ask("GET", path))).code, path).toBe("address_refused");
    for (const path of ["//other.example/x", "@other.example/x", "\\\\other.example", "?a=../b"])
      await ask("GET", path);
    expect(seen.every((each) => String((each as string[])[0]).startsWith("/api/v3/"))).toBe(true);
    seen.length = 0;
    await ask("POST", `${pages}/login/oauth/access_token`, { form: { code: "c" } });
    expect(seen).toEqual([["/login/oauth/access_token", undefined]]);
  });

  test("of an address inside is refused, in every way that it can be written", async () => {
    for (const host of ["127.0.0.1", "169.254.169.254", "[::1]", "[::ffff:10.0.0.1]", "2130706433", "0x7f.1", "0"]) {
      const ask = asking({ egress, api: `https://${host}/`, credential: CREDENTIAL });
      expect((await faultOf(ask("POST", "x"))).code, host).toBe("address_refused");
    }
    const plainly = asking({ egress, api: "http://example.com", credential: {} });
    expect((await faultOf(plainly("GET", "x"))).code).toBe("address_refused");
    const named = asking({ egress: egressTo({ resolve: async () => [] }), api: "https://a.example", credential: {} });
    expect((await faultOf(named("POST", "x"))).code).toBe("unreachable");
  });
});

describe("what fails", () => {
  const reset = (response: ServerResponse) => (response.socket as Socket).resetAndDestroy();
  const waysToFail: Record<string, [(response: ServerResponse) => unknown, FaultCode, FaultCode]> = {
    "a hang": [() => {}, "unreachable", "unknown"],
    "a reset": [reset, "unreachable", "unknown"],
    "a cut body": [
      (to) => to.writeHead(200, { "content-length": "9" }).write('{"a"', () => to.destroy()),
      "unreachable",
      "unknown",
    ],
    "cut JSON": [(to) => to.end('{"id":'), "unreachable", "unknown"],
    "a page of HTML": [(to) => to.end("<html>"), "unreachable", "unknown"],
    "too much": [(to) => to.end(`"${"x".repeat(2000)}"`), "answer_too_large", "answer_too_large"],
    "a redirect": [(to) => to.writeHead(302, { location: "http://127.0.0.1/" }).end(), "refused", "refused"],
    "400": [(to) => to.writeHead(400).end("{}"), "refused", "refused"],
    "401": [(to) => to.writeHead(401).end("{}"), "credential_refused", "credential_refused"],
    "403": [(to) => to.writeHead(403).end("{}"), "refused", "refused"],
    "404": [(to) => to.writeHead(404).end("{}"), "resource_missing", "resource_missing"],
    "410": [(to) => to.writeHead(410).end("{}"), "resource_missing", "resource_missing"],
    "422": [(to) => to.writeHead(422).end("{}"), "refused", "refused"],
    "429": [(to) => to.writeHead(429).end("{}"), "rate_limited", "rate_limited"],
    "500": [(to) => to.writeHead(500).end("{}"), "unreachable", "unknown"],
    "503": [(to) => to.writeHead(503).end("{}"), "unreachable", "unknown"],
  };
  test.each(Object.entries(waysToFail))("%s", async (name, [fail, reading, writing]) => {
    const origin = await plain((request, response) => void request.resume().on("end", () => fail(response)));
    const ask = askAt(origin, name === "a hang" ? { ms: 50 } : {});
    expect((await faultOf(ask("GET", "x", { bytes: 1000 }))).code).toBe(reading);
    const fault = await faultOf(ask("POST", "x", { json: { a: "said" }, bytes: 1000 }));
    expect(fault.code).toBe(writing);
    expect([fault.stack, JSON.stringify(fault)].join()).not.toMatch(/a-secret|said/);
  });

  test("an answer of 40 MB is cut off at the bound, whether its length is declared or not", async () => {
    for (const declared of [true, false]) {
      let sent = 0;
      const closed = Promise.withResolvers<void>();
      const origin = await plain((_request, response) => {
        if (declared) response.setHeader("content-length", 40_000_000);
        const piece = Buffer.alloc(64 * 1024, "x");
        const more = () => {
          while (sent < 40_000_000 && !response.destroyed) {
            sent += piece.length;
            if (!response.write(piece)) return void response.once("drain", more);
          }
          response.end();
        };
        response.on("error", () => {}).on("close", closed.resolve);
        more();
      });
      expect((await faultOf(askAt(origin)("GET", "x"))).code).toBe("answer_too_large");
      await closed.promise;
      expect(sent, `declared: ${declared}`).toBeLessThan(20_000_000);
    }
  });

  test("a connection that is refused has had no effect", async () => {
    const origin = await plain(() => {});
    const ask = askAt(origin);
    const server = servers.at(-1) as Server;
    await new Promise((resolve) => server.close(resolve));
    expect((await faultOf(ask("POST", "x"))).code).toBe("unreachable");
  });

  test("an answer without a body is none that is wrong", async () => {
    const origin = await plain((_request, response) => void response.writeHead(204).end());
    expect(await askAt(origin)("DELETE", "x")).toMatchObject({ status: 204, body: null });
  });
});

describe("the pace", () => {
  const NOW = Date.parse("2026-11-17T12:00:00Z");
  const soon = String(NOW / 1000 + 90);

  test.each<[string, number, Record<string, string>, number]>([
    ["Retry-After in seconds", 429, { "retry-after": "7" }, 7],
    ["Retry-After as a date", 429, { "retry-after": "Tue, 17 Nov 2026 12:02:00 GMT" }, 120],
    ["Retry-After of nonsense", 429, { "retry-after": "soon" }, 60],
    ["Retry-After of a year", 429, { "retry-after": "31536000" }, 3600],
    ["Retry-After of the past", 429, { "retry-after": "Tue, 17 Nov 2026 11:00:00 GMT" }, 1],
    ["nothing said", 429, {}, 60],
    ["none remaining until a time", 403, { "x-ratelimit-remaining": "0", "x-ratelimit-reset": soon }, 90],
    ["none remaining for seconds", 403, { "ratelimit-remaining": "0", "ratelimit-reset": "30" }, 30],
    ["a second limit", 403, { "retry-after": "5", "x-ratelimit-remaining": "100" }, 5],
    ["a pause for repairs", 503, { "retry-after": "20" }, 20],
  ])("%s", async (_name, status, headers, seconds) => {
    const origin = await plain((_request, response) => void response.writeHead(status, headers).end("{}"));
    const fault = await faultOf(askAt(origin, { now: () => NOW })("POST", "x"));
    expect([fault.code, fault.seconds]).toEqual(["rate_limited", seconds]);
  });

  test("is kept: nothing is sent before the provider wants to be asked again, also where it still answered well", async () => {
    let [calls, now] = [0, NOW];
    const origin = await plain((_request, response) => {
      calls++;
      const limit = calls === 1 ? { "x-ratelimit-remaining": "0", "x-ratelimit-reset": soon } : {};
      response.writeHead(200, limit).end("{}");
    });
    const ask = askAt(origin, { now: () => now, pace: { of: newId(), perMinute: 100 } });
    await ask("GET", "x");
    now += 80_000;
    expect(await faultOf(ask("GET", "x"))).toMatchObject({ code: "rate_limited", seconds: 10 });
    now += 10_000;
    await ask("GET", "x");
    expect(calls).toBe(2);
  });

  test("is bounded for each installation, at the bound and one past it", async () => {
    let [calls, now] = [0, NOW];
    const origin = await plain((_request, response) => {
      calls++;
      response.end("{}");
    });
    const [one, other] = [newId(), newId()].map((of) => askAt(origin, { now: () => now, pace: { of, perMinute: 3 } }));
    for (let at = 0; at < 3; at++) await one?.("GET", "x");
    now += 20_000;
    expect(await faultOf(one?.("POST", "x") as Promise<unknown>)).toMatchObject({ code: "rate_limited", seconds: 40 });
    await other?.("GET", "x");
    now += 40_000;
    await one?.("GET", "x");
    expect(calls).toBe(5);
  });
});

test("an answer that must be signed and is not may have had its effect", async () => {
  const origin = await plain((request, response) => {
    response.setHeader("x-answer", `${request.headers["x-signed"]}`).end("{}");
  });
  const signing = {
    sign: (body: Buffer) => ({ "x-signed": `signed ${body.length}` }),
    isAnswer: (sent: Record<string, string>, headers: Headers) =>
      headers.get("x-answer") === sent["x-signed"] && sent["x-signed"] === "signed 2",
  };
  const ask = askAt(origin, { signing });
  expect((await ask("POST", "x", { json: {} })).status).toBe(200);
  expect((await faultOf(ask("POST", "x", { json: { a: 1 } }))).code).toBe("unknown");
  expect((await faultOf(ask("GET", "x"))).code).toBe("unreachable");
});
