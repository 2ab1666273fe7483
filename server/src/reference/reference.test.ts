// What the service shows about itself: complete, cached, and from no other host.
import { errors } from "@svc/contract/errors.ts";
import { openApi } from "@svc/contract/openapi.ts";
import { operations } from "@svc/contract/operations.ts";
import { expect, test } from "vitest";
import { service } from "../../test/world.ts";

const running = service();
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
