// Webhooks in a journal whose transaction numbers are new, as after a restore: what was committed and not queued yet is
// queued, once, and nothing from before.
import pg from "pg";
import { expect, onTestFinished, test } from "vitest";
import { eventually } from "../../../test/eventually.ts";
import { newTask, workshopOn } from "../../../test/work.ts";
import { service } from "../../../test/world.ts";
import { followEvents } from "./enqueue-events.ts";

const running = service({});

/** How a restore numbers the events of a Workspace. */
const restores = {
  "a backup, which numbers all of them with its own transaction":
    "update domain_events set tx = pg_current_xact_id() where workspace_id = $1",
  "a dump of a cluster whose numbers are higher":
    "update domain_events set tx = (tx::text::bigint + 1000000000)::text::xid8 where workspace_id = $1",
  "a cluster that counts on, such as one that was upgraded":
    "select from domain_events where workspace_id = $1 limit 0",
};

test.each(
  Object.entries(restores).flatMap(([name, renumber]) => [
    { name, renumber, isHeld: false },
    { name: `${name}, while an open transaction holds the journal back`, renumber, isHeld: true },
  ]),
)("restored from $name", async ({ renumber, isHeld }) => {
  const { home, owner, project, workspaceId } = await workshopOn(running);
  const body = { name: "Reports", url: "https://hooks.example.com/", actions: ["task.created"] };
  await newTask(owner, project.id, { title: "Long ago" });
  await running.asOwner("update domain_events set occurred_at = now() - interval '60 days' where workspace_id = $1", [
    workspaceId,
  ]);
  expect((await owner.call("POST", `/workspaces/${workspaceId}/webhook-endpoints`, { body })).status).toBe(201);
  const queued = async () =>
    (
      await running.sql<{ id: string }>(
        `select e.task_id as id from webhook_deliveries d
          join domain_events e on e.workspace_id = d.workspace_id and e.id = d.event_id order by e.occurred_at`,
        [],
        workspaceId,
      )
    ).map(({ id }) => id);
  const expectQueued = (ids: string[]) =>
    eventually(async () => {
      await followEvents(running.database);
      expect(await queued()).toEqual(ids);
    });
  const first = await newTask(owner, project.id, { title: "Queued" });
  await expectQueued([first.id]);
  const second = await newTask(owner, project.id, { title: "Not queued yet" });
  const holder = new pg.Client(running.databaseUrl);
  onTestFinished(() => holder.end());
  await holder.connect();
  if (isHeld) await holder.query("begin; select pg_current_xact_id()");
  await running.asOwner(renumber, [workspaceId]);
  // The log of what was queued long ago is swept; it is not sent anew.
  await running.asOwner(
    "update webhook_endpoints set enabled_at = now() - interval '90 days' where workspace_id = $1",
    [workspaceId],
  );
  await running.asOwner("update journal set epoch = gen_random_uuid()");
  for (let run = 0; run < 3; run++) await followEvents(running.database);
  if (isHeld) await holder.query("rollback");
  await expectQueued([first.id, second.id]);
  const third = await newTask(home.owner, project.id, { title: "Afterwards" });
  await expectQueued([first.id, second.id, third.id]);
});

const TIMES = { domain_events: "occurred_at", webhook_positions: "moved_at", webhook_endpoints: "enabled_at" };

test("restored after an open transaction held events back for hours: they are queued, because a held journal moves no position", async () => {
  const { owner, project, workspaceId } = await workshopOn(running);
  const body = { name: "Reports", url: "https://hooks.example.com/", actions: ["task.created"] };
  expect((await owner.call("POST", `/workspaces/${workspaceId}/webhook-endpoints`, { body })).status).toBe(201);
  await eventually(async () => expect(await followEvents(running.database)).toBe(false));
  const client = new pg.Client(running.databaseUrl);
  await client.connect();
  try {
    await client.query("begin");
    await client.query("select pg_current_xact_id()");
    const task = await newTask(owner, project.id, { title: "Held back" });
    for (let run = 0; run < 3; run++) expect(await followEvents(running.database)).toBe(true);
    // Three hours pass.
    for (const [table, column] of Object.entries(TIMES))
      await running.asOwner(`update ${table} set ${column} = ${column} - interval '3 hours' where workspace_id = $1`, [
        workspaceId,
      ]);
    expect(await followEvents(running.database)).toBe(true);
    await client.query("rollback");
    await running.asOwner("update journal set epoch = gen_random_uuid()");
    const QUEUED = `select e.task_id as id from webhook_deliveries d
      join domain_events e on e.workspace_id = d.workspace_id and e.id = d.event_id where d.workspace_id = $1`;
    await eventually(async () => {
      await followEvents(running.database);
      expect(await running.asOwner(QUEUED, [workspaceId])).toEqual([{ id: task.id }]);
    });
  } finally {
    await client.end();
  }
});
