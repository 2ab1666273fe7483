// A process that is killed while it applies a ChangeSet: before its commit nothing has happened, behind it everything,
// and the retry with the same key says which.
import { request } from "node:http";
import pg from "pg";
import { afterEach, expect, test } from "vitest";
import { type Another, anotherProcess } from "../../../test/another-process.ts";
import { adminOf, applied, approve } from "../../../test/changes.ts";
import { commandOf, undo } from "../../../test/commands.ts";
import { until } from "../../../test/editing.ts";
import { newTask, workshopOn } from "../../../test/work.ts";
import { newKey, service, sessionHeaders } from "../../../test/world.ts";

const running = service({});
let another: Another | undefined;
afterEach(() => another?.kill());

async function prepared() {
  const { home, owner, project, workspaceId } = await workshopOn(running);
  const task = await newTask(owner, project.id);
  const set = await approve(owner, home, [
    { action: "task.create", project_id: project.id, set: { title: "Once" } },
    { action: "task.update", task_id: task.id, revision: "1", set: { priority: "high" } },
  ]);
  another = await anotherProcess(running);
  const { host } = another;
  const key = newKey();
  /**
   * Sends the request to the other process without waiting for the response, and again if a busy process refuses it.
   */
  const send = () => {
    const headers = { ...sessionHeaders(owner.session), "content-type": "application/json", "idempotency-key": key };
    const url = `http://${host}/api/v1/workspaces/${workspaceId}/change-sets/apply`;
    const sent = request(url, { method: "POST", headers }, (response) => {
      response.resume();
      // Wait: a pause before the next request.
      if (response.statusCode === 503) setTimeout(send, 100);
    });
    sent.on("error", () => {});
    sent.end(JSON.stringify({ change_set_id: set.id, version: set.version, digest: set.digest }));
  };
  const tasks = async () => (await owner.call("GET", `/projects/${project.id}/tasks`)).body.items.length;
  const receipt = () => owner.call("GET", `/workspaces/${workspaceId}/operation-receipts/${key}`);
  return { home, owner, task, set, key, send, tasks, receipt };
}

test("between commit and answer: one effect, and the retry with the key has the answer, from which it can be undone", async () => {
  const { home, owner, set, key, send, tasks, receipt } = await prepared();
  send();
  const applications = "select from change_set_applications where change_set_id = $1";
  const isApplied = async () => (await running.sql(applications, [set.id], home.workspaceId)).length > 0;
  await until("it was applied", isApplied);
  await another?.kill();
  const { body } = await receipt();
  expect(body).toMatchObject({ operation: "applyChangeSet", state: "committed" });
  const retried = await applied(owner, home, set, key);
  expect([retried.headers.get("idempotent-replayed"), retried.body.state]).toEqual(["true", "applied"]);
  expect(retried.body.receipt_id).toBe(body.id);
  expect(await tasks()).toBe(2);
  expect((await undo(owner, commandOf(retried))).status).toBe(200);
  expect(await tasks()).toBe(1);
});

test("before the commit: nothing has happened, there is no receipt, and the retry does all of it", async () => {
  const { home, owner, task, set, key, send, tasks, receipt } = await prepared();
  const holder = new pg.Client(running.databaseUrl);
  await holder.connect();
  await holder.query("begin");
  await holder.query("select from tasks where id = $1 for update", [task.id]);
  send();
  const waiting = "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
  await until("it waits for the Task", async () => (await adminOf(running)(waiting, [])).rowCount);
  await another?.kill();
  await holder.query("rollback");
  await holder.end();
  expect([(await receipt()).status, await tasks()]).toEqual([404, 1]);
  expect((await applied(owner, home, set, key)).body.state).toBe("applied");
  expect(await tasks()).toBe(2);
});
