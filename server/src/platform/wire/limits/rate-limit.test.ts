// Rate limits: the bound and one past it, the time that gives requests back, and the headers that tell of it.
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { bytesTo } from "../../../../test/socket.ts";
import { service, world } from "../../../../test/world.ts";
import { newSecret, sha256 } from "../ids.ts";
import { defaultRates, parseRates, rateHeaders, rateLimiter } from "./rate-limit.ts";

const few = {
  ...defaultRates,
  read: { requests: 3, seconds: 60 },
  write: { requests: 2, seconds: 10 },
  refused: { requests: 2, seconds: 60 },
};

/** The same, and nothing comes back while a test lasts. */
const anHour = Object.fromEntries(
  Object.entries(few).map(([name, rate]) => [name, { ...rate, seconds: 3600 }]),
) as typeof few;

describe("the limiter", () => {
  test("lets as many through as the limit says, and tells the next one how long to wait", () => {
    let now = 0;
    const limiter = rateLimiter(few, () => now);
    const taken = Array.from({ length: 4 }, () => limiter.take("read", "me"));
    expect(taken.map(({ allowed }) => allowed)).toEqual([true, true, true, false]);
    expect(taken.map(({ remaining }) => remaining)).toEqual([2, 1, 0, 0]);
    expect(taken.map(({ retryAfter }) => retryAfter)).toEqual([0, 0, 0, 20]);
    now = 19_999;
    expect(limiter.take("read", "me")).toMatchObject({ allowed: false, retryAfter: 1 });
    now = 20_000;
    expect(limiter.take("read", "me").allowed).toBe(true);
    expect(limiter.take("read", "me").allowed).toBe(false);
    now = 200_000;
    expect(limiter.take("read", "me")).toMatchObject({ allowed: true, remaining: 2, reset: 20 });
  });

  test("counts callers and classes apart, and takes nothing where it only asks", () => {
    const limiter = rateLimiter(few, () => 0);
    for (let times = 0; times < 3; times++) limiter.take("read", "me");
    expect(limiter.take("read", "you").allowed).toBe(true);
    expect(limiter.take("write", "me").allowed).toBe(true);
    for (let times = 0; times < 9; times++) expect(limiter.peek("write", "me").allowed).toBe(true);
    limiter.take("write", "me");
    expect(limiter.peek("write", "me").allowed).toBe(false);
  });

  test("tells policy, rest and reset in the headers of both spellings", () => {
    expect(rateHeaders(rateLimiter(few, () => 0).take("read", "me"))).toEqual({
      "ratelimit-policy": '"read";q=3;w=60',
      ratelimit: '"read";r=2;t=20',
      "x-ratelimit-limit": "3",
      "x-ratelimit-remaining": "2",
      "x-ratelimit-reset": "20",
    });
  });
});

describe("the service", () => {
  const running = service({ rateLimits: anHour });

  test("answers the one past the limit with 429, Retry-After and the headers, and others as before", async () => {
    const [one, other] = [await world(running), await world(running)];
    const read = () => one.owner.call("GET", `/workspaces/${one.workspaceId}/projects`);
    for (const remaining of ["2", "1", "0"]) {
      const { status, headers } = await read();
      expect([status, headers.get("x-ratelimit-remaining"), headers.get("x-ratelimit-limit")]).toEqual([
        200,
        remaining,
        "3",
      ]);
    }
    const { status, body, headers } = await read();
    expect([status, body.code]).toEqual([429, "rate_limited"]);
    expect(Number(headers.get("retry-after"))).toBeGreaterThan(0);
    expect(body.retry_after).toBe(Number(headers.get("retry-after")));
    expect(headers.get("ratelimit-policy")).toBe('"read";q=3;w=3600');
    expect((await other.owner.call("GET", `/workspaces/${other.workspaceId}/projects`)).status).toBe(200);
    const write = await one.owner.call("POST", `/workspaces/${one.workspaceId}/projects`, {
      body: { key: "ONE", name: "One" },
    });
    expect([write.status, write.headers.get("x-ratelimit-limit")]).toEqual([201, "2"]);
  });
});

describe("credentials that fail", () => {
  const running = service({ rateLimits: { ...anHour, read: { requests: 50, seconds: 60 } }, trustProxy: { hops: 1 } });
  const at = (address: string) => ({ headers: { "x-forwarded-for": address } });

  test("hold off those that fail at the same address, and never one that is valid", async () => {
    const { owner, token, workspaceId } = await world(running);
    const good = await token();
    const projects = `/workspaces/${workspaceId}/projects`;
    const ask = (bearer: string, address: string) => owner.bearer(bearer, "GET", projects, at(address));
    for (let times = 0; times < 2; times++) expect((await ask(newSecret("pat"), "203.0.113.1")).status).toBe(401);
    const held = await ask(newSecret("pat"), "203.0.113.1");
    expect([held.status, held.body.code]).toEqual([429, "rate_limited"]);
    expect(held.body.retry_after).toBe(Number(held.headers.get("retry-after")));
    expect(held.headers.get("ratelimit-policy")).toBe('"refused";q=2;w=3600');
    const told = await ask(good, "203.0.113.1");
    expect([told.status, told.trips]).toEqual([200, 2]);
    expect((await owner.call("GET", projects, at("203.0.113.1"))).status).toBe(200);
    const created = await owner.call("POST", projects, { body: { key: "TWO", name: "Two" }, ...at("203.0.113.1") });
    expect(created.status).toBe(201);
    expect((await ask(newSecret("pat"), "203.0.113.2")).status).toBe(401);
  });

  test("never hold off a valid one that comes in the middle of many", async () => {
    const { owner, token, workspaceId } = await world(running);
    const good = await token();
    const ask = (bearer: string) =>
      owner.bearer(bearer, "GET", `/workspaces/${workspaceId}/projects`, at("203.0.113.3"));
    for (let times = 0; times < 2; times++) await ask(newSecret("pat"));
    const asked = Array.from({ length: 120 }, (_, index) => ask(index % 30 === 0 ? good : newSecret("pat")));
    const told = (await Promise.all(asked)).map(({ status }) => status);
    expect(told.filter((_, index) => index % 30 === 0)).toEqual([200, 200, 200, 200]);
    expect(told.filter((_, index) => index % 30 !== 0)).toEqual(Array(116).fill(429));
  });

  test("never make one wait that was good before, however many are made up at its address", async () => {
    const { owner, token, workspaceId } = await world(running);
    const good = await token();
    const path = `/workspaces/${workspaceId}/projects`;
    const ask = () => owner.bearer(good, "GET", path, at("203.0.113.7"));
    for (let times = 0; times < 3; times++) await owner.bearer(newSecret("pat"), "GET", path, at("203.0.113.7"));
    expect((await ask()).status).toBe(200);
    const made = () => owner.bearer(newSecret("pat"), "GET", path, { ...at("203.0.113.7"), once: true });
    const lines = `host: x\r\nx-forwarded-for: 203.0.113.7\r\n`;
    const request = () => `GET /api/v1${path} HTTP/1.1\r\n${lines}authorization: Bearer ${newSecret("pat")}\r\n\r\n`;
    // Nothing is looked up meanwhile, until no more may wait. Sent one behind the other, without waiting for answers.
    const asked = await running.database.writer.use(async (tx) => {
      await tx.begin();
      await tx.rows("lock table credentials in access exclusive mode");
      const flood = Array.from({ length: 8 }, () =>
        bytesTo(running.url, Array.from({ length: 200 }, request).join(""), 200),
      );
      const others: Promise<{ status: number }>[] = [];
      // Wait: a pause between two requests.
      while (!(await Promise.race([...others, sleep(50, null)]))) others.push(made());
      const good = ask();
      // Wait: so that it usually waits with the others; after the commit it is answered in the same way.
      await Promise.race([good, sleep(50)]);
      await tx.commit();
      return { good, first: await Promise.race(others), ended: Promise.all([...flood, ...others]) };
    });
    expect([asked.first.status, (await asked.good).status]).toEqual([503, 200]);
    await asked.ended;
  });

  test("are looked up, held off or not: one that has expired or was revoked gets nothing more than an unknown one", async () => {
    const { owner, token, workspaceId } = await world(running);
    const ended = await token();
    const path = `/workspaces/${workspaceId}/projects`;
    await running.sql("update credentials set revoked_at = now() where secret_hash = $1", [sha256(ended)]);
    for (let times = 0; times < 2; times++)
      expect((await owner.bearer(ended, "GET", path, at("203.0.113.4"))).status).toBe(401);
    expect((await owner.bearer(ended, "GET", path, at("203.0.113.4"))).status).toBe(429);
  });

  test("count for the client and not for the proxy, IPv6 by its /64, and a client cannot choose whom they count for", async () => {
    const { owner, workspaceId } = await world(running);
    const ask = (address: string) =>
      owner.bearer(newSecret("pat"), "GET", `/workspaces/${workspaceId}/projects`, at(address));
    const statuses: number[] = [];
    for (const address of ["2001:db8:5::1", "2001:db8:5::2", "2001:db8:5:0:ffff::3", "2001:db8:5:1::1"])
      statuses.push((await ask(address)).status);
    expect(statuses).toEqual([401, 401, 429, 401]);
    const spoofed: number[] = [];
    for (const claimed of ["1.1.1.1", "1.1.1.2", "1.1.1.3"])
      spoofed.push((await ask(`${claimed}, ::ffff:203.0.113.6`)).status);
    expect(spoofed).toEqual([401, 401, 429]);
  });
});

describe("without TRUST_PROXY", () => {
  const running = service({ rateLimits: anHour });

  test("what a client says of its own address changes nothing", async () => {
    const { owner, workspaceId } = await world(running);
    const statuses: number[] = [];
    for (const address of ["203.0.113.1", "203.0.113.2", "203.0.113.3"]) {
      const headers = { "x-forwarded-for": address, forwarded: `for=${address}` };
      statuses.push(
        (await owner.bearer(newSecret("pat"), "GET", `/workspaces/${workspaceId}/projects`, { headers })).status,
      );
    }
    expect(statuses).toEqual([401, 401, 429]);
  });
});

test("limits are configuration: what is named differs from the default, and nonsense is refused", () => {
  expect(parseRates("read=5/10, sign_in=1/3600")).toEqual({
    ...defaultRates,
    read: { requests: 5, seconds: 10 },
    sign_in: { requests: 1, seconds: 3600 },
  });
  for (const text of ["maybe", "read=0/60", "read=5", "reed=5/60", "read=5/0", "toString=1/1", ""])
    expect(() => parseRates(text), text).toThrow(/is not on, off or a limit/);
});

test("a whole burst passes and the next request does not, at whatever fraction of a millisecond it comes", () => {
  for (let times = 0; times < 2000; times++) {
    const at = Math.random() * 1e7;
    const limiter = rateLimiter(
      { ...defaultRates, sign_in: { requests: 1 + (times % 40), seconds: 1 + (times % 61) } },
      () => at,
    );
    const asked = Array.from({ length: 2 + (times % 40) }, () => limiter.take("sign_in", "x").allowed);
    expect(asked).toEqual([...Array(1 + (times % 40)).fill(true), false]);
  }
});
