// A process that is killed between the commit of a tool call and its answer: the same call, made again at another
// process, has no second effect and says so, and its receipt tells what had become of it.
import { request } from "node:http";
import { afterEach, expect, test } from "vitest";
import { type Another, anotherProcess } from "../../../test/another-process.ts";
import { reviewed } from "../../../test/changes.ts";
import { until } from "../../../test/editing.ts";
import { taskByCode, toolWorkshop } from "../../../test/mcp.ts";
import { service } from "../../../test/world.ts";

const running = service({});
let another: Another | undefined;
afterEach(() => another?.kill());

type Called = [tool: string, args: object];
/** Calls tools at another process, kills that once all are committed, and ends before any answer was read. */
async function killedAfter(token: string, userId: string, calls: readonly Called[], committed: () => Promise<boolean>) {
  another = await anotherProcess(running);
  const { host } = another;
  const aim = (resource: string) =>
    running.sql("update oauth_grants set resource = $2 where user_id = $1", [userId, resource]);
  await aim(`http://localhost:${host.split(":").at(-1)}/mcp`);
  const headers = {
    authorization: `Bearer ${token}`,
    "content-type": "application/json",
    accept: "application/json, text/event-stream",
  };
  for (const [name, args] of calls) {
    const sent = request(`http://${host}/mcp`, { method: "POST", headers });
    sent.on("error", () => {});
    sent.end(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args } }));
  }
  await until("all is committed", committed);
  await another.kill();
  await aim(`${running.url}/mcp`);
}

test("a small write has one effect: the same call says that it is a repetition, with a key or without, and the receipt is that of the first", async () => {
  const { place, project, task, token, use } = await toolWorkshop(running);
  const key = "a-key-that-outlives-it";
  const created = { project: project.key, title: "Once", key };
  const changed = { code: task.code, revision: "1", priority: "high" };
  const made = async () => (await place.owner.call("GET", `/projects/${project.id}/tasks?text=Once`)).body.items;
  const calls: Called[] = [
    ["create_task", created],
    ["update_task", changed],
  ];
  await killedAfter(
    token,
    place.owner.userId,
    calls,
    async () => (await made()).length > 0 && (await taskByCode(place, task.code)).priority === "high",
  );
  const receipt = await use("get_receipt", { id: key });
  expect(receipt).toMatchObject({ state: "committed", operation: "createTask", can_undo: true });
  expect(await use("create_task", created)).toMatchObject({ repeated: true, command: receipt.command });
  expect(await made()).toHaveLength(1);
  expect(await use("update_task", changed)).toMatchObject({ repeated: true, revision: "2" });
  expect((await taskByCode(place, task.code)).revision).toBe("2");
});

test("an approved ChangeSet is applied once: the same call answers with what was done, and one undo takes it back", async () => {
  const { place, project, task, token, use } = await toolWorkshop(running);
  const changes = [
    { action: "trash", code: task.code, revision: "1" },
    { action: "create", project: project.key, set: { title: "Instead" } },
  ];
  const proposed = await use("propose_changes", { title: "Instead", changes });
  await reviewed(place.owner, place, proposed);
  const { id, version, digest } = proposed;
  const trashed = async () => (await taskByCode(place, task.code)).trashed_at !== null;
  await killedAfter(token, place.owner.userId, [["apply_change_set", { id, version, digest }]], trashed);
  const again = await use("apply_change_set", { id, version, digest });
  expect(again).toMatchObject({ state: "applied", repeated: true, command: expect.any(String) });
  const receipt = await use("get_receipt", { id: again.command });
  expect([receipt.operation, receipt.state]).toEqual(["applyChangeSet", "committed"]);
  const live = async () => (await place.owner.call("GET", `/projects/${project.id}/tasks`)).body.items;
  expect((await live()).map(({ title }: { title: string }) => title)).toEqual(["Instead"]);
  await use("undo", { command: again.command });
  expect((await live()).map(({ title }: { title: string }) => title)).toEqual(["Cut the gears"]);
});
