// npm run check: what it says without a running service. check.slow.test.ts runs it as a whole.
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import type { AnyOperation } from "@svc/contract/kit.ts";
import { operations } from "@svc/contract/operations.ts";
import { expect, test } from "vitest";
import { readSources } from "./check.ts";
import { nearestNames } from "./nearest-names.ts";
import { checksOf } from "./operation-checks.ts";
import { callsOf, declaringFiles, filesOf } from "./operation-files-of.ts";

const operation = operations.get("updateLabel") as AnyOperation;
const contract = "contract/src/planning/labels/definitions.ts";
const files = filesOf(operation, contract);

test("every operation is found in the file that declares it, with a handler, a fixture and a test of its own", () => {
  const declared = declaringFiles();
  expect([...declared.keys()].sort()).toEqual([...operations.keys()].sort());
  const incomplete = [...operations.values()].flatMap((each) => {
    const found = filesOf(each, declared.get(each.id) as string);
    const failed = readSources(each, found).filter(({ state }) => state === "failed");
    return [...failed.map(({ says }) => says), ...(found.tests.length > 0 ? [] : [`${found.ownTest} is missing`])];
  });
  expect(incomplete).toEqual([]);
});

test("a failure names the file to edit", () => {
  const route = "PATCH /tasks/{task_id}/gadgets" as const;
  const planted = { ...operation, id: "updateGadget", route, path: "/tasks/{task_id}/gadgets" };
  const outcomes = readSources(planted, { ...files, isImplemented: false });
  expect(outcomes.map(({ state, name, says }) => `${state} ${name}: ${says}`)).toEqual([
    `failed declaration: updateGadget: ${route} is not named: say why in \`unnamed\` of ${contract}, ` +
      "or add it to contract/operations.json",
    "failed implementation: write `export const updateGadget = implement(contract.updateGadget, " +
      "…)` in server/src/planning/labels/definitions.ts",
    "failed fixture: no line in server/test/fixtures/: add `updateGadget: {},` beside its neighbours",
  ]);
});

test("an operation about the work without a row of roles is told where to write one", () => {
  const route = "POST /tasks/{id}/trash" as const;
  const outcomes = readSources(
    { ...operation, id: "trashTask", method: "POST", route, path: "/tasks/{id}/trash" },
    files,
  );
  expect(outcomes.at(-1)).toMatchObject({ state: "failed", says: `no row of ${route} in server/test/role-matrix*.ts` });
});

test("tests are selected by the name and the route of the operation, and by nothing that begins like them", () => {
  const patterns = new Map(checksOf(operation, files).map(({ name, tests }) => [name, tests]));
  const selects = (name: string, test: string) => patterns.get(name)?.every(({ pattern }) => pattern?.test(test));
  expect(selects("contract", "updateLabel holds to its contract")).toBe(true);
  expect(selects("contract", "updateLabelOverride holds to its contract")).toBe(false);
  expect(selects("role-matrix", "PATCH /label-definitions/{label_id}")).toBe(true);
  expect(selects("role-matrix", "PATCH /label-definitions/{label_id}/more")).toBe(false);
  expect(patterns.get("contract")).toMatchObject([{ file: "server/test/contract.slow.test.ts" }]);
  expect(patterns.get("own tests")).toContainEqual({ file: "server/src/planning/labels/definitions.test.ts" });
});

test("tests call an operation by its name, or at its address with its method", () => {
  const update = callsOf({ id: "updateLabel", method: "PATCH", path: "/label-definitions/{label_id}" });
  const found = [
    'operations.get("updateLabel")',
    'await owner.call("PATCH", "/label-definitions/1", { body })',
    'const path = "/label-definitions/1";',
    'await owner.call("GET", "/label-definitions/1")',
    'await owner.call("PATCH", "/label-definitions/1/move")',
  ];
  expect(found.map((line) => update.test(line))).toEqual([true, true, true, false, false]);
  const login = callsOf({ id: "login", method: "POST", path: "/auth/login" });
  expect(['called("login")', "// After the login."].map((line) => login.test(line))).toEqual([true, false]);
});

test("a name that no operation has is answered with the nearest ones", () => {
  expect(nearestNames("getLabl", operations.keys(), 1)).toEqual(["getLabel"]);
  const { status, stderr } = spawnSync(process.execPath, [join(import.meta.dirname, "check.ts"), "getLabl"], {
    encoding: "utf8",
  });
  expect([status, stderr]).toEqual([
    1,
    expect.stringMatching(/^no operation is called getLabl; the nearest: getLabel, .*\n$/),
  ]);
});
