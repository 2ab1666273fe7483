// The first call of an operation, made from its fixture: of a read, of a write, and of an operation whose path names
// nothing.
import type { AnyOperation } from "@svc/contract/kit.ts";
import { operations } from "@svc/contract/operations.ts";
import { expect, onTestFinished, test } from "vitest";
import { firstCall } from "./first-call.ts";
import type { Fixture } from "./fixtures/fixture.ts";
import { fixtures } from "./fixtures.ts";
import { attempt, ready, stageOn } from "./stage.ts";
import { service } from "./world.ts";

const running = service();

test("a valid call succeeds, and the same call by a stranger is refused", async () => {
  const statuses = async (id: string) => {
    const { answer, refusal } = await firstCall(running, id);
    return [answer.status, refusal.status];
  };
  expect(await statuses("getLabel")).toEqual([200, 404]);
  expect(await statuses("deleteLabel")).toEqual([204, 404]);
  expect(await statuses("listWorkspaces")).toEqual([200, 401]);
  await expect(firstCall(running, "getLabl")).rejects.toThrow("declares no operation getLabl");
});

test("a fixture takes over from another what makes its call valid, unless it has its own", async () => {
  const deleteTask = operations.get("deleteTask") as AnyOperation;
  const stage = await stageOn(running, [...operations.values()], fixtures);
  onTestFinished(() => stage.admin.end());
  const statusWith = async (fixture: Fixture) => {
    const here = { ...stage, fixtures: { ...fixtures, deleteTask: fixture } };
    return (await attempt(here, deleteTask, await ready(here, deleteTask, true))).status;
  };
  // Only a Task in the trash is deleted for ever.
  expect(await statusWith({ like: "restoreTask" })).toBe(204);
  expect(await statusWith({ like: "restoreTask", make: {} })).toBe(409);
});
