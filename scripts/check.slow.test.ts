// npm run check as a whole, on an operation to which every check but one applies.
import { execFile } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";

/** Resolves to output and status; the worker answers the test runner meanwhile. */
const run = (program: string) =>
  new Promise<{ status: number; stdout: string }>((resolve) => {
    const command = [join(import.meta.dirname, program), "updateLabel"];
    const child = execFile(process.execPath, command, (_, stdout) => resolve({ status: child.exitCode ?? -1, stdout }));
  });

test("every check of an operation passes, and those that do not apply say why", async () => {
  const { status, stdout } = await run("check.ts");
  const lines = stdout.split("\n").filter((line) => /^(?:passed|failed|does not apply) {2}/.test(line));
  const outcomes = Object.fromEntries(lines.map((line) => [line.slice(16, 32).trim(), line.slice(0, 16).trim()]));
  expect(outcomes, stdout).toEqual({
    declaration: "passed",
    implementation: "passed",
    fixture: "passed",
    contract: "passed",
    "role-matrix": "passed",
    hidden: "passed",
    archived: "does not apply",
    undoable: "passed",
    capabilities: "passed",
    explain: "passed",
    "own tests": "passed",
  });
  expect(status, stdout).toBe(0);
});
