// What the sources of the examples promise. examples.slow.test.ts runs them.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { expect, test } from "vitest";

const here = import.meta.dirname;

test("examples/ide is at most 100 lines", () => {
  expect(readFileSync(join(here, "ide/ide.ts"), "utf8").trimEnd().split("\n").length).toBeLessThanOrEqual(100);
});

test("the YAML of examples/github-action is whole, gives the script what it reads, and puts nothing that others wrote into a script", () => {
  // Of a package of ours, which is enough for a test.
  const { parse } = createRequire(join(here, "../node_modules/knip/package.json"))("yaml");
  const action = parse(readFileSync(join(here, "github-action/action.yml"), "utf8"));
  const steps = action.runs.steps as { run?: string; env?: Record<string, string>; uses?: string }[];
  expect(Object.keys(steps.at(-1)?.env ?? {})).toEqual(
    expect.arrayContaining(["SVC_URL", "SVC_TOKEN", "BRANCH", "TITLE", "LINK", "MERGED"]),
  );
  for (const { run = "" } of steps) expect(run).not.toContain("${{");
  const { jobs } = parse(readFileSync(join(here, "github-action/workflow.yml"), "utf8"));
  const step = jobs.tell.steps.at(-1);
  expect(step.uses).toBe("./examples/github-action");
  expect(Object.keys(step.with)).toEqual(Object.keys(action.inputs));
});
