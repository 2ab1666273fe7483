// The program that npm start runs is built of the sources and finds the files beside them. built.slow.test.ts starts
// it.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { expect, test } from "vitest";
import { buildServer } from "../../scripts/build-server.mjs";

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
