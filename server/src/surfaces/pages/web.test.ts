// How the pages are served: as narrow as can be, cached where the address names the content, and nothing that was not
// built.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { asksFirst, paths } from "../../../../web/src/paths.ts";
import { service, testConfig } from "../../../test/world.ts";
import { createLog } from "../../platform/wire/log.ts";
import { serve } from "../../server.ts";
import { asked, pages } from "./web.ts";

const running = service({ passkeys: false });
const get = (path: string, headers: Record<string, string> = {}, method = "GET") =>
  fetch(running.url + path, { method, headers, redirect: "manual" });
const assets = async () =>
  [...(await (await get("/login")).text()).matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(
    ([, path]) => path as string,
  );

test("the service and the application know the same pages", () => {
  expect([...paths].sort()).toEqual([...pages].sort());
});

test("every page is one document that nobody keeps, frames or loads anything else into", async () => {
  for (const path of pages) {
    const answer = await get(path);
    expect(answer.status, path).toBe(200);
    expect(answer.headers.get("content-type"), path).toBe("text/html; charset=utf-8");
    expect(answer.headers.get("cache-control"), path).toBe("no-store");
    expect(answer.headers.get("referrer-policy"), path).toBe("no-referrer");
    expect(answer.headers.get("x-content-type-options"), path).toBe("nosniff");
    const policy = answer.headers.get("content-security-policy") as string;
    expect(policy).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self';/);
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toMatch(/unsafe|https?:|\*|data:/);
  }
});

test("the document has no code of its own, and names only files of this host", async () => {
  const text = await (await get("/")).text();
  expect(text).not.toMatch(/<style|\son\w+=|style="|https?:\/\//);
  expect([...text.matchAll(/<script(?! type="application\/json")[^>]*>([^<]*)/g)].map(([, code]) => code)).toEqual([
    "",
  ]);
  expect((await assets()).map((path) => path.replace(/.*\./, ""))).toEqual(
    expect.arrayContaining(["js", "css", "svg"]),
  );
});

test("it leads to the reference, the document and the errors also without scripts", async () => {
  const text = await (await get("/")).text();
  for (const path of ["/docs", "/api/v1/openapi.json", "/problems"]) {
    expect(text).toContain(`href="${path}"`);
    expect((await get(path)).status).toBe(200);
  }
});

test("what the service offers stands in the document", async () => {
  const [, offers] = /id="offers">([^<]*)</.exec(await (await get("/login")).text()) as unknown as [string, string];
  expect(JSON.parse(offers)).toEqual({ providers: [], passkeys: false, outbox: true });
});

test("files are kept for ever, typed, and sent in the form that the browser takes", async () => {
  for (const path of await assets()) {
    const plain = await get(path, { "accept-encoding": "identity" });
    expect(plain.status, path).toBe(200);
    expect(plain.headers.get("content-encoding")).toBeNull();
    expect(plain.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
    expect(plain.headers.get("content-type")).toMatch(/^(?:text\/(?:javascript|css); charset=utf-8|image\/svg\+xml)$/);
    expect(plain.headers.get("vary")).toBe("Accept-Encoding");
    const text = await plain.text();
    for (const [accepted, encoding] of [
      ["gzip, deflate, br", "br"],
      ["gzip", "gzip"],
      ["gzip, br;q=0", "gzip"],
    ] as const) {
      const answer = await get(path, { "accept-encoding": accepted });
      expect(answer.headers.get("content-encoding"), `${path} for ${accepted}`).toBe(encoding);
      expect(await answer.text()).toBe(text);
    }
    const head = await get(path, {}, "HEAD");
    expect([head.status, await head.text()]).toEqual([200, ""]);
  }
});

test("what was never built is not found, whatever its name tries", async () => {
  for (const path of [
    ...[
      "/assets/none.js",
      "/assets/",
      "/assets",
      "/assets/index.html",
      "/assets/..%2findex.html",
      "/assets/..%2f..%2fpackage.json",
    ],
    ...[
      "/assets/%2e%2e/sources",
      "/assets/__proto__",
      "/index.html",
      "/sources",
      "/nowhere",
      "/login/",
      "/src/main.tsx",
    ],
  ]) {
    const answer = await get(path);
    expect(answer.status, path).toBe(404);
    expect(await answer.json(), path).toMatchObject({ code: "not_found" });
  }
  const [script] = (await assets()).filter((path) => path.endsWith(".js"));
  for (const path of [`${script}.br`, `${script}.gz`]) expect((await get(path)).status, path).toBe(404);
});

test("an address that is nobody's is a page for a browser, and a problem document for a program", async () => {
  const browser = { accept: "text/html,application/xhtml+xml,*/*;q=0.8" };
  for (const path of ["/nowhere", "/login/", "/nowhere/at/all?x=1"]) {
    const answer = await get(path, browser);
    expect([answer.status, answer.headers.get("content-type")], path).toEqual([404, "text/html; charset=utf-8"]);
    expect(answer.headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
    expect(await (await get(path, { accept: "application/json" })).json(), path).toMatchObject({ code: "not_found" });
  }
  for (const path of [
    "/api/v1/nowhere",
    "/api",
    "/oauth/nowhere",
    "/.well-known/nowhere",
    "/assets/none.js",
    "/mcp/x",
  ]) {
    const answer = await get(path, browser);
    expect([answer.status, answer.headers.get("content-type")], path).toEqual([
      404,
      "application/problem+json; charset=utf-8",
    ]);
  }
});

test("what makes the application installable has names that stay, is asked for anew, and loads nothing from elsewhere", async () => {
  for (const [path, type] of [
    ["/worker.js", "text/javascript; charset=utf-8"],
    ["/manifest.webmanifest", "application/manifest+json"],
    ["/icon.svg", "image/svg+xml"],
  ] as const) {
    const answer = await get(path);
    expect([answer.status, answer.headers.get("content-type"), answer.headers.get("cache-control")], path).toEqual([
      ...[200, type, "no-cache"],
    ]);
    expect(answer.headers.get("content-security-policy")).toBe(
      "default-src 'none'; connect-src 'self'; frame-ancestors 'none'",
    );
  }
  const manifest = (await (await get("/manifest.webmanifest")).json()) as { icons: { src: string }[] };
  expect(manifest).toMatchObject({ start_url: "/", display: "standalone" });
  for (const { src } of manifest.icons) expect((await get(src)).status, src).toBe(200);
  // A worker that imports would ask for more than its policy allows.
  expect(await (await get("/worker.js")).text()).not.toMatch(/^\s*import|importScripts/m);
});

test("the address of a Workspace is a page, whoever asks: what is shown there the page asks itself", async () => {
  for (const path of ["/workspaces/acme", "/workspaces/acme/projects/ENG"]) expect((await get(path)).status).toBe(200);
});

test("a browser is told with the document what comes next: scripts, and for whoever is signed in the first answers of a Workspace", async () => {
  expect(asked).toEqual(asksFirst);
  const told = async (path: string, cookie = "") =>
    ((await get(path, { cookie })).headers.get("link") ?? "").split(", ");
  const answers = asked.map((path) => `<${path}>; rel=preload; as=fetch; crossorigin`);
  const scripts = await told("/workspaces/acme");
  expect(scripts).toEqual(
    ["pages", "app"].map((name) =>
      expect.stringMatching(`^</assets/${name}-[\\w-]+\\.js>; rel=modulepreload; crossorigin$`),
    ),
  );
  for (const script of scripts) expect((await get(script.slice(1, script.indexOf(">")))).status, script).toBe(200);
  expect(await told("/workspaces/acme/projects/ENG", "a=b; __Host-svc_csrf=x")).toEqual([...scripts, ...answers]);
  for (const path of ["/", "/workspaces/new", "/security"])
    expect(await told(path, "__Host-svc_csrf=x"), path).toEqual(scripts.slice(0, 1));
});

test("where files are kept at another host, pages may send files there and show them from there, and nothing else", async () => {
  const dataDir = mkdtempSync(join(tmpdir(), "svc-elsewhere-"));
  const storageUrl = "s3://key:secret@files.example.com/bucket";
  const elsewhere = await serve({ ...testConfig, dataDir, storageUrl }, running.databaseUrl, {
    log: createLog("error"),
  });
  try {
    const { headers } = await fetch(elsewhere.url.replace("localhost", "127.0.0.1"));
    const policy = (headers.get("content-security-policy") as string).split("; ");
    expect(policy.filter((line) => line.includes("files.example.com"))).toEqual([
      "img-src 'self' https://files.example.com",
      "connect-src 'self' https://files.example.com",
    ]);
    expect(policy.join()).not.toContain("secret");
  } finally {
    await elsewhere.close();
    rmSync(dataDir, { recursive: true, force: true });
  }
});
