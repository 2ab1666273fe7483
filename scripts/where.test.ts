// The two commands that answer what is served and where it is. What needs no process of its own is asked within this
// one.
import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { operations } from "@svc/contract/operations.ts";
import { expect, test } from "vitest";
import { linesOf } from "./lines-of.ts";

const script = (name: string) => join(import.meta.dirname, name);
const where = (asked: string) => `${linesOf(asked).join("\n")}\n`;

test("an operation is found by its name and by its address, with or without method, values and query", () => {
  const byName = where("createTaskComment");
  expect(byName).toMatch(/declared\n {2}contract\/src\/planning\/comments\/comments\.ts:\d+/);
  expect(byName).toMatch(/implemented\n {2}server\/src\/planning\/comments\/comments\.ts:\d+/);
  expect(byName).toMatch(/proved\n(?: {2}server\/.*\n)* {2}server\/src\/planning\/comments\/comments\.test\.ts:\d+/);
  expect(where("POST /tasks/{task_id}/comments")).toBe(byName);
  const asked = ["POST", "/api/v1/tasks/01980000-0000-7000-8000-000000000001/comments?x=1"];
  expect(execFileSync(process.execPath, [script("where.ts"), ...asked], { encoding: "utf8" })).toBe(byName);
  expect(where("/workspaces/bootstrap")).toMatch(/^bootstrapWorkspace/);
});

test("the line that it names is the line that declares", () => {
  const [, file, line] = / {2}(\S+):(\d+)/.exec(where("updateTask")) as unknown as [string, string, string];
  const text = readFileSync(join(import.meta.dirname, "..", file), "utf8").split("\n")[Number(line) - 1];
  expect(text).toMatch(/^export const updateTask\b/);
});

test("an error code is found where it is declared, thrown and proved", () => {
  const found = where("revision_conflict");
  expect(found).toMatch(/declared\n {2}contract\/src\/errors\.ts:\d+/);
  expect(found).toMatch(/thrown\n(?: {2}server.*\n)* {2}server\/src\/platform\/kernel\/steps\.ts:\d+/);
  expect(found).toMatch(/proved\n {2}server\//);
});

test("what is nowhere is said to be nowhere", () => {
  const { status, stderr } = spawnSync(process.execPath, [script("where.ts"), "startGadget"], { encoding: "utf8" });
  expect([status, stderr]).toEqual([1, expect.stringContaining("startGadget")]);
});

test("the operations that are served are counted by tag, and the rest are listed", () => {
  const told = execFileSync(process.execPath, [script("operations.ts")], { encoding: "utf8" });
  const named = [...operations.values()].filter(({ unnamed }) => !unnamed).length;
  expect(told).toContain(`${named} of 421 operations are served`);
  expect(told).toMatch(/^Comments: \d+ of \d+$/m);
  expect(told).toContain("Authentication: 35 of 35");
  expect(told.match(/^ {4}\w+ +\//gm) ?? []).toHaveLength(420 - named);
});
