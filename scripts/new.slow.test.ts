// npm run new in a copy of the repository: what it writes is formatted, type-checks and is registered, and npm run check says what is left to write.
import { execFile } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { root } from "./operation-files-of.ts";

const copy = mkdtempSync(join(tmpdir(), "svc-new-"));
afterAll(() => rmSync(copy, { recursive: true, force: true }));
const LEFT_OUT = new Set(["node_modules", "dist", "data", ".git"]);
cpSync(root, copy, { recursive: true, filter: (path) => !LEFT_OUT.has(basename(path)) });
/** Links the packages; those of the repository itself are the copies. */
const link = (target: string, path: string) => symlinkSync(target, path, "junction");
mkdirSync(join(copy, "node_modules/@svc"), { recursive: true });
for (const entry of readdirSync(join(root, "node_modules"), { withFileTypes: true }))
  if (entry.isDirectory() && !/^(?:@svc|\..*)$/.test(entry.name))
    link(join(root, "node_modules", entry.name), join(copy, "node_modules", entry.name));
for (const name of readdirSync(join(root, "node_modules/@svc")))
  link(join(copy, name), join(copy, "node_modules/@svc", name));
if (existsSync(join(root, "server/node_modules")))
  link(join(root, "server/node_modules"), join(copy, "server/node_modules"));

const program = (name: string, bin: string) => join(dirname(join(root, "node_modules", name, "package.json")), bin);
/** In the copy, with both outputs; the worker answers the test runner meanwhile. */
const run = (...command: string[]) =>
  new Promise<{ status: number | null; output: string }>((resolve) => {
    const child = execFile(process.execPath, command, { cwd: copy }, (_, stdout, stderr) =>
      resolve({ status: child.exitCode, output: stdout + stderr }),
    );
  });
const PATH = "/tasks/{task_id}/gadgets";
const contract = "contract/src/tasks/gadgets.ts";
const passes = { status: 0, output: expect.any(String) };

test("what it writes is formatted, type-checks and is registered", async () => {
  expect(await run("scripts/new.ts", "createTaskGadget", "--path", PATH, "--file", "gadgets")).toEqual(passes);
  expect(readFileSync(join(copy, "contract/src/operation-files.ts"), "utf8")).toContain("./tasks/gadgets.ts");
  expect(await run("scripts/docs.ts", "--check")).toEqual(passes);
  const checks = [
    run(program("typescript", "bin/tsc"), "-p", ".", "--singleThreaded"),
    run(program("@biomejs/biome", "bin/biome"), "ci", "--error-on-warnings", "contract", "server"),
  ];
  for (const result of await Promise.all(checks)) expect(result).toEqual(passes);
});

test("then npm run check says what is left, and in which file", async () => {
  const { status, output } = await run("scripts/check.ts", "createTaskGadget");
  expect(output).toMatch(
    /^failed +declaration +createTaskGadget: POST .* is not named: say why in `unnamed` of contract\//m,
  );
  expect(output).toMatch(/^passed +fixture +server\/test\/fixtures\/tasks\.ts$/m);
  expect(status).toBe(1);
});

test("with a reason, the tests say what is left, and in which file", async () => {
  const text = readFileSync(join(copy, contract), "utf8");
  writeFileSync(join(copy, contract), text.replace('unnamed: ""', 'unnamed: "planted"'));
  const { status, output } = await run("scripts/check.ts", "createTaskGadget");
  const server = "server/src/tasks/gadgets.ts";
  expect(output).toContain(`edit ${contract} (declaration) or ${server} (handler)`);
  expect(output).toContain("a success has the declared status and shape");
  expect(output).toMatch(/^ *- +"owner": "\?",$/m);
  expect(output).toContain(`edit the row in server/test/role-matrix*.ts, or the access rule in ${server}`);
  expect(output).toContain("edit server/src/tasks/gadgets.test.ts");
  expect(output).toContain("Write the rules of createTaskGadget as tests instead of this one.");
  expect(status).toBe(1);
});
