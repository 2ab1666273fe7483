// What every write says of itself: the command under which a receipt is found.
import { expect, test } from "vitest";
import { newProject } from "../../../test/work.ts";
import { newKey, service, world } from "../../../test/world.ts";

const running = service();

test("a write answers with the id of its command, which its audit row and its events have, and a replay with the same", async () => {
  const home = await world(running);
  const project = await newProject(home);
  const [path, key, body] = [`/projects/${project.id}/tasks`, newKey(), { title: "Task" }];
  const first = await home.owner.call("POST", path, { body, key });
  const again = await home.owner.call("POST", path, { body, key });
  const id = first.headers.get("x-svc-command-id");
  expect(again.headers.get("x-svc-command-id")).toBe(id);
  const find = `select a.operation, e.type from audit_log a join domain_events e on e.workspace_id = a.workspace_id and e.command_id = a.id where a.id = $1`;
  expect(await running.sql(find, [id], home.workspaceId)).toEqual([{ operation: "createTask", type: "task.created" }]);
  expect((await home.owner.call("GET", path)).headers.get("x-svc-command-id")).toBeNull();
});

test("an operation that works outside its transactions answers with the one that decided", async () => {
  const { owner, workspaceId } = await world(running);
  const body = { email: "somebody@example.com", role: "member" };
  const answer = await owner.call("POST", `/workspaces/${workspaceId}/invitations`, { body, key: newKey() });
  const [row] = await running.sql<{ operation: string }>(
    "select operation from audit_log where id = $1",
    [answer.headers.get("x-svc-command-id")],
    workspaceId,
  );
  expect(row?.operation).toBe("createInvitation");
});
