// The README's walk, run as a reader would run it: the lines are taken from the file, only the address is changed.
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { service } from "./world.ts";

const running = service({});
const readme = readFileSync(resolve("README.md"), "utf8");
const walk = /<!-- walk: [^\n]*\n```sh\n([\s\S]*?)```/.exec(readme)?.[1] ?? "";

function shell(script: string): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const cwd = mkdtempSync(join(tmpdir(), "svc-readme-"));
  onTestFinished(() => rmSync(cwd, { recursive: true }));
  const child = spawn("sh", ["-e", "-c", script], { cwd, stdio: ["ignore", "pipe", "pipe"] });
  const output = { stdout: "", stderr: "" };
  for (const stream of ["stdout", "stderr"] as const)
    child[stream].on("data", (chunk) => {
      output[stream] += chunk;
    });
  return new Promise((done) => child.on("close", (code) => done({ code, ...output })));
}

test("the walk in the README leads in six curl commands to a commented Task and its activity", async () => {
  expect(walk.match(/\bcurl /g)).toHaveLength(6);
  const ended = await shell(walk.replaceAll("http://localhost:8080", running.url));
  expect(ended.code, ended.stderr).toBe(0);
  expect(ended.stdout + ended.stderr).not.toContain("/problems/");
  const answers = ended.stdout.replaceAll("}{", "}\n{").split("\n");
  const [account, comment, activity] = answers.map((line) => JSON.parse(line));
  expect(account).toMatchObject({ email: "ada@example.com", display_name: "Ada" });
  expect(comment).toMatchObject({ markdown: "The brass arrives **tomorrow**.", revision: "1" });
  const actions = activity.items.map((item: { action: string }) => item.action);
  expect(actions[0]).toMatch(/comment/);
  expect(actions.length).toBeGreaterThanOrEqual(2);
});
