// The program that npm start runs is built of the sources: it finds what stands beside them, and its threads and parts are there.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { buildServer } from "../../scripts/build-server.mjs";
import { anotherProcess } from "./another-process.ts";
import { newDocument } from "./documents.ts";
import { newKey, service, sessionHeaders, world } from "./world.ts";

const running = service();
const folder = dirname(buildServer());
const parts = readdirSync(folder).filter((name) => name.endsWith(".js"));
const texts = parts.map((name) => readFileSync(join(folder, name), "utf8"));

test("whatever a source finds by its own address is looked for beside that source", () => {
  const own = texts.flatMap((text) => [...text.matchAll(/.{0,80}import\.meta\.url/g)].map(([found]) => found));
  expect(own.length).toBeGreaterThan(10);
  for (const found of own) {
    const [, path = expect.fail(`not beside a source: ${found}`)] =
      /new URL\("([^"]+)", import\.meta\.url$/.exec(found) ?? [];
    expect(existsSync(resolve(folder, path)), path).toBe(true);
  }
});

test("packages are not in it but typebox, and what is loaded with its first use is not loaded at the start", () => {
  const atStart = new Set<string>(["./main.js"]);
  for (const name of atStart) {
    const text = texts[parts.indexOf(name.slice(2))] ?? "";
    for (const [, imported = ""] of text.matchAll(/^import (?:.*from )?"([^"]+)";$/gm)) atStart.add(imported);
  }
  expect(atStart).toContain("fastify");
  expect(
    [...atStart].filter((name) => /typebox|sharp|nodemailer|web-push|simplewebauthn|openid-client/.test(name)),
  ).toEqual([]);
});

test("it serves pages and documents of the interface, reads files beside its sources, and starts its threads", async () => {
  const home = await world(running);
  const document = await newDocument(home);
  const built = await anotherProcess(running);
  onTestFinished(() => built.kill());
  const ask = (path: string, how?: RequestInit) => fetch(`http://${built.host}${path}`, how);
  for (const path of ["/login", "/docs", "/problems", "/api/v1/openapi.json", "/api/v1/asyncapi.json"])
    expect((await ask(path)).status, path).toBe(200);
  const write = async (method: string, path: string, body: object, headers = {}) => {
    const all = { "content-type": "application/json", "idempotency-key": newKey(), ...headers };
    return (await ask(`/api/v1${path}`, { method, headers: all, body: JSON.stringify(body) })).json();
  };
  const stolen = { email: `${home.workspaceId}@example.com`, password: "123qweasdzxc", display_name: "Ada" };
  expect(await write("POST", "/auth/register", stolen)).toMatchObject({ code: "password_breached" });
  const headers = { ...sessionHeaders(home.owner.session), "if-match": "*" };
  expect(await write("PUT", `/documents/${document.id}/markdown`, { markdown: "# Gears" }, headers)).toMatchObject({
    markdown: expect.stringContaining("# Gears"),
  });
});
