// The packed program, as somebody gets it: installed into an empty folder with npm, and run with every Node from 20 on
// that this machine has.
import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { newProject } from "../../server/test/work.ts";
import { service, world } from "../../server/test/world.ts";
import { packCli } from "./pack.ts";

const running = service();
const dir = mkdtempSync(join(tmpdir(), "svc-packed-"));
afterAll(() => rmSync(dir, { recursive: true, force: true }));
const run = promisify(execFile);
const installed = join(dir, "lib/node_modules/@svc/cli");

beforeAll(async () => {
  const packed = await packCli(dir);
  const npm = `npm install --global --prefix ${dir} --offline --no-audit --no-fund ${packed}`;
  await run(npm, { shell: true });
});

/** This one, those on the path, and those that NODES names. */
async function nodes(): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  const folders = [...(process.env.PATH ?? "").split(delimiter), "/usr/bin"].map((folder) => join(folder, "node"));
  for (const program of [...folders, ...(process.env.NODES ?? "").split(delimiter).filter(Boolean)]) {
    if (!existsSync(program)) continue;
    const { stdout } = await run(program, ["--version"]);
    if (Number(/^v(\d+)/.exec(stdout)?.[1]) >= 20) found.set(stdout.trim(), program);
  }
  return found.set(process.version, process.execPath);
}

test("brings all that it needs: no package beside it, and a file of its own for what a command needs", () => {
  expect(existsSync(join(installed, "node_modules"))).toBe(false);
  expect(existsSync(join(installed, "man/svc.1"))).toBe(true);
  expect(readdirSync(installed).filter((name) => name.endsWith(".js")).length).toBeGreaterThan(10);
});

test.skipIf(process.platform === "win32")("npm puts it on the path as svc", async () => {
  expect((await run(join(dir, "bin/svc"), ["--version"])).stdout).toMatch(/^svc \d/);
});

test("reads, writes and opens a Document's chunk with each Node that is here", async () => {
  const place = await world(running);
  const { key } = await newProject(place);
  const env = {
    PATH: process.env.PATH,
    SVC_TOKEN: await place.token(),
    SVC_URL: running.url,
    SVC_WORKSPACE: place.workspaceId,
  };
  for (const [version, program] of await nodes()) {
    const svc = async (...args: string[]) => (await run(program, [join(installed, "svc.js"), ...args], { env })).stdout;
    const code = (await svc("task", "create", key, `With ${version}`)).trim();
    expect(await svc("task", "view", code, "--jq", ".title"), version).toBe(`With ${version}\n`);
    const missing = await svc("doc", "edit", "nowhere", "--body", "x").catch((error) => error.code);
    expect(missing, version).toBe(8);
  }
});
