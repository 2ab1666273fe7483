// Reference pages of the service: complete, cached, and loaded from no other host.
import { errors } from "@svc/contract/errors.ts";
import type { AnyOperation } from "@svc/contract/kit.ts";
import { openApi } from "@svc/contract/openapi.ts";
import { operations } from "@svc/contract/operations.ts";
import { expect, test } from "vitest";
import { service } from "../../../test/world.ts";
import { defaultRates } from "../../platform/wire/limits/rate-limit.ts";
import { mailPage, problemPage } from "./pages.ts";

const running = service();
const limited = service({ rateLimits: { ...defaultRates, read: { requests: 4, seconds: 3600 } } });
const get = (path: string, headers: Record<string, string> = {}) => fetch(running.url + path, { headers });

test("the OpenAPI document is that of the contract", async () => {
  const answer = await get("/api/v1/openapi.json");
  expect(answer.headers.get("content-type")).toContain("application/json");
  expect(await answer.json()).toEqual(openApi(operations.values()));
});

test("a caller that has the current document is not sent it again", async () => {
  const etag = (await get("/api/v1/openapi.json")).headers.get("etag") as string;
  const again = await get("/api/v1/openapi.json", { "if-none-match": `W/"other", ${etag}` });
  expect(again.status).toBe(304);
  expect(await again.text()).toBe("");
});

test("a caller that takes no gzip gets the document as it is", async () => {
  const answer = await get("/api/v1/openapi.json", { "accept-encoding": "identity" });
  expect(answer.headers.get("content-encoding")).toBeNull();
  expect(answer.headers.get("vary")).toBe("Accept-Encoding");
  expect(await answer.json()).toMatchObject({ openapi: "3.1.0" });
});

test("every error code has the page that its problems point to", async () => {
  const index = await (await get("/problems")).text();
  for (const [code, { title }] of Object.entries(errors)) {
    expect(index).toContain(`href="/problems/${code}"`);
    const answer = await get(`/problems/${code}`);
    expect(answer.status, code).toBe(200);
    expect(await answer.text(), code).toContain(`<h1>${title}</h1>`);
  }
});

test("a code that does not exist has no page", async () => {
  for (const code of ["nonsense", "constructor", "__proto__", "%3Cscript%3E"]) {
    const answer = await get(`/problems/${code}`);
    expect(answer.status, code).toBe(404);
    expect(await answer.json(), code).toMatchObject({ code: "not_found" });
  }
});

test("pages for people run no script and load nothing", async () => {
  for (const path of ["/problems", "/problems/not_found"]) {
    const answer = await get(path);
    const policy = answer.headers.get("content-security-policy") as string;
    expect(policy, path).toMatch(/^default-src 'none'; style-src 'sha256-[^']+'; img-src data:;/);
    expect(policy, path).toContain("frame-ancestors 'none'");
    expect(answer.headers.get("x-content-type-options"), path).toBe("nosniff");
    expect(await answer.text(), path).not.toContain("<script");
  }
});

test("the mail page lists its letters, the newest one open, and says so if there are none", () => {
  const letter = (id: string) => ({ id, at: new Date(0), letter: { to: "ada@example.com", subject: id, text: "" } });
  const page = mailPage([letter("newest"), letter("older")]);
  expect(page.match(/<details( open)?>\n<summary><b>\w+/g)).toEqual([
    "<details open>\n<summary><b>newest",
    "<details>\n<summary><b>older",
  ]);
  expect(page).not.toContain("No letters yet.");
  expect(mailPage([])).toContain("No letters yet.");
});

test("the interactive reference is served from this host alone, scripts included", async () => {
  const answer = await get("/docs");
  const policy = answer.headers.get("content-security-policy") as string;
  expect(policy).toContain("script-src 'self';");
  expect(policy).toContain("connect-src 'self';");
  expect(policy).not.toMatch(/https?:|\*/);
  const scripts = [...(await answer.text()).matchAll(/<script src="([^"]+)">/g)].map((match) => match[1] as string);
  expect(scripts).toHaveLength(2);
  for (const address of scripts) {
    expect(address).toMatch(/^\/docs\/[\w.-]+\.js$/);
    const script = await get(address);
    expect(script.status, address).toBe(200);
    expect(script.headers.get("content-type")).toContain("text/javascript");
    expect(script.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
    expect(await script.text()).toContain("createApiReference");
  }
  expect((await get("/docs/scalar-0.0.0.js")).status).toBe(404);
});

test("public documents count against the limit of reads of an address", async () => {
  const paths = [
    "/api/v1/openapi.json",
    "/api/v1/asyncapi.json",
    "/problems",
    "/.well-known/oauth-authorization-server",
  ];
  for (const path of paths) {
    const answer = await fetch(limited.url + path, { method: "HEAD" });
    expect([path, answer.status, answer.headers.get("ratelimit-policy")]).toEqual([
      path,
      200,
      `"read";q=${paths.length};w=3600`,
    ]);
  }
  for (const path of paths) {
    const answer = await fetch(limited.url + path);
    expect([path, answer.status, ((await answer.json()) as { code: string }).code]).toEqual([
      path,
      429,
      "rate_limited",
    ]);
    expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(0);
  }
  expect((await fetch(`${limited.url}/healthz`)).status, "probes have no limit").toBe(200);
});

test("health routes carry the security headers, and answer HEAD", async () => {
  for (const path of ["/healthz", "/livez", "/readyz", "/readyz?verbose", "/readyz?role=none"])
    for (const method of ["GET", "HEAD"]) {
      const answer = await fetch(running.url + path, { method });
      expect(answer.status, path).toBe(path.endsWith("none") ? 400 : 200);
      expect((await answer.text()) === "", `${method} ${path}`).toBe(method === "HEAD");
      expect(answer.headers.get("content-security-policy")).toBe("default-src 'none'; frame-ancestors 'none'");
      expect(answer.headers.get("x-content-type-options")).toBe("nosniff");
      expect(answer.headers.get("referrer-policy")).toBe("no-referrer");
      expect(answer.headers.get("cache-control")).toBe("no-store");
    }
});

test("the page of a code lists the operations that answer with it, if there are any", () => {
  const getTask = operations.get("getTask") as AnyOperation;
  expect(problemPage("not_found", [getTask])).toContain("Answered by");
  expect(problemPage("not_found", [])).not.toContain("Answered by");
});
