// Tasks: numbers, references, times, history.
import { expect, test } from "vitest";
import { newKey, service, world } from "../../test/world.ts";

const running = service();

test("a created Task gets the next number of its Project and starts in the first unstarted Status", async () => {
  const { owner, workspaceId } = await world(running);
  const project = (await owner.call("POST", `/workspaces/${workspaceId}/projects`, { body: { key: "eng", name: "Engine" } })).body;
  const first = await owner.call("POST", `/projects/${project.id}/tasks`, { body: { title: "One" }, key: newKey() });
  const second = await owner.call("POST", `/projects/${project.id}/tasks`, { body: { title: "Two" }, key: newKey() });
  expect([first.body.code, second.body.code]).toEqual(["ENG-1", "ENG-2"]);
  const statuses = (await owner.call("GET", `/projects/${project.id}/statuses`)).body.items;
  expect(statuses.find((status: { id: string }) => status.id === first.body.status_id).name).toBe("Todo");
});
