// The packed client, as somebody gets it: installed in an empty strict project, checked there against its own types,
// and run against a service.
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { newProject } from "../../server/test/work.ts";
import { service, world } from "../../server/test/world.ts";
import { packClient } from "./pack.ts";

const running = service();
const root = resolve(import.meta.dirname, "../..");
const dir = mkdtempSync(join(tmpdir(), "svc-client-"));
afterAll(() => rmSync(dir, { recursive: true, force: true }));
const run = async (program: string, args: string[], env: NodeJS.ProcessEnv = {}) =>
  (await promisify(execFile)(program, args, { cwd: dir, env: { ...process.env, ...env } })).stdout;
const check = (name: string) =>
  run(process.execPath, [join(root, "node_modules/typescript/bin/tsc"), "-p", name, "--singleThreaded"]).catch(
    ({ stdout }) => stdout,
  );

const USE = `
import { createClient, Problem } from "@svc/client";
const svc = createClient({ url: process.env.SVC_URL ?? "", token: process.env.SVC_TOKEN ?? "" });
const project_id = process.env.PROJECT ?? "";
const task = await svc.createTask({ project_id, title: "From the package" });
const changed = await svc.updateTask({ task_id: task.id, priority: "high" }, { at: task });
const titles: string[] = [];
for await (const { title } of svc.listProjectTasks({ project_id })) titles.push(title);
const stale = await svc.updateTask({ task_id: task.id, title: "x" }, { at: task }).catch((error: unknown) => error);
console.log(JSON.stringify([changed.priority, titles, stale instanceof Problem && stale.code]));
const live = svc.realtime({ onState: (state) => console.log(state) });
const followed = live.follow({ scope: "workspace" }, { baseline: async () => "", changed: ([change]) => console.log(change?.kind) });
followed.close();
live.close();
// @ts-expect-error: a Task has a title.
svc.createTask({ project_id });
// @ts-expect-error: there is no such field.
svc.createTask({ project_id, title: "x", colour: "red" });
// @ts-expect-error: nor such a priority.
svc.updateTask({ task_id: task.id, priority: "very high" });
`;

beforeAll(async () => {
  const packed = await packClient(dir);
  writeFileSync(join(dir, "package.json"), '{ "type": "module" }');
  await run(process.platform === "win32" ? "npm.cmd" : "npm", [
    "install",
    "--offline",
    "--no-audit",
    "--no-fund",
    packed,
  ]);
  const strict = { strict: true, noUncheckedIndexedAccess: true, exactOptionalPropertyTypes: true, noEmit: true };
  const compilerOptions = { ...strict, target: "es2022", module: "nodenext", types: [] };
  // What a strict project may be without: the types of Node.
  writeFileSync(join(dir, "node.d.ts"), "declare const process: { env: Record<string, string | undefined> };");
  writeFileSync(join(dir, "use.ts"), USE);
  writeFileSync(join(dir, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["use.ts", "node.d.ts"] }));
});

test("compiles in a strict project that has nothing else, and finds what is wrong there", async () => {
  expect(await check("tsconfig.json")).toBe("");
});

test("runs", async () => {
  const home = await world(running);
  const { id } = await newProject(home);
  const source = USE.slice(0, USE.indexOf("const live"));
  writeFileSync(join(dir, "use.mjs"), source.replaceAll(/: (string\[\]|unknown)\b/g, "").replace(": string[]", ""));
  const env = { SVC_URL: running.url, SVC_TOKEN: await home.token(), PROJECT: id };
  expect(JSON.parse(await run(process.execPath, ["use.mjs"], env))).toEqual([
    "high",
    ["From the package"],
    "revision_conflict",
  ]);
});

test("has the types that the contract has", async () => {
  const equal = `
    import type { Operations as Written } from "@svc/client";
    import type { Operations as Derived } from "${join(root, "client/src/types.ts").replaceAll("\\\\", "/")}";
    export const derived = (written: Written): Derived => written;
    export const names = (name: keyof Written): keyof Derived => name;`;
  writeFileSync(join(dir, "equal.ts"), equal);
  // A list of words that the contract's types know as texts only is known exactly here, so that what is taken may
  // differ in either direction.
  const compilerOptions = { types: [], lib: ["es2024", "dom", "dom.iterable", "esnext"], strictFunctionTypes: false };
  const base = { extends: join(root, "tsconfig.json"), compilerOptions };
  writeFileSync(join(dir, "equal.json"), JSON.stringify({ ...base, include: [], files: ["equal.ts"] }));
  expect(await check("equal.json")).toBe("");
});
