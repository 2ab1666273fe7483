// Events that an open transaction holds back are queued once it has ended, and reported as held until then.
import pg from "pg";
import { expect, test } from "vitest";
import { eventually } from "../../../test/eventually.ts";
import { newTask, workshopOn } from "../../../test/work.ts";
import { service } from "../../../test/world.ts";
import { followEvents } from "./enqueue-events.ts";

const running = service({});

test("an open transaction that holds back the second of two events is reported, although the first was queued", async () => {
  const { owner, project, workspaceId } = await workshopOn(running);
  const body = { name: "Reports", url: "https://hooks.example.com/", actions: ["task.created"] };
  expect((await owner.call("POST", `/workspaces/${workspaceId}/webhook-endpoints`, { body })).status).toBe(201);
  await eventually(async () => expect(await followEvents(running.database)).toBe(false));
  const first = await newTask(owner, project.id, { title: "First" });
  const holder = new pg.Client(running.databaseUrl);
  await holder.connect();
  try {
    await holder.query("begin; select pg_current_xact_id()");
    const second = await newTask(owner, project.id, { title: "Second" });
    expect(await followEvents(running.database)).toBe(true);
    await holder.query("commit");
    const queued = `select e.task_id as id from webhook_deliveries d join domain_events e
      on e.workspace_id = d.workspace_id and e.id = d.event_id where d.workspace_id = $1 order by e.tx, e.id`;
    await eventually(async () => {
      await followEvents(running.database);
      expect(await running.asOwner(queued, [workspaceId])).toEqual([{ id: first.id }, { id: second.id }]);
    });
  } finally {
    await holder.end();
  }
});
