// Reading a migration job and running a failed one again.
import { expect, test } from "vitest";
import { apply, fillTasks, lifecycleOf, migrationPath, previewed } from "../../../test/lifecycle.ts";
import { newProject } from "../../../test/work.ts";
import { newKey, service, world } from "../../../test/world.ts";
import { newId } from "../../platform/wire/ids.ts";

const running = service();
async function pending() {
  const home = await world(running);
  const [project, tasks] = [await newProject(home), await lifecycleOf(running, home, "task")];
  const [source, destination] = [tasks.ids.Todo as string, tasks.ids.Done as string];
  await fillTasks(running, home, project.id, source, 1_001);
  const { body } = await apply(home, tasks, await previewed(home, tasks, { [source]: destination }));
  const become = (state: string) =>
    running.sql(
      "update lifecycle_migrations set state = $2, revision = revision + 1 where id = $1",
      [body.id, state],
      home.workspaceId,
    );
  return {
    home,
    tasks,
    source,
    destination,
    id: body.id as string,
    become,
    retry: `${migrationPath(home, body.id)}/retry`,
  };
}

test("only a failed job can be retried: any other answers 404, as one that does not exist", async () => {
  const { home, become, retry } = await pending();
  for (const state of ["pending", "processing", "retry", "completed"]) {
    await become(state);
    const { status, body } = await home.owner.call("POST", retry);
    expect([state, status, body.code]).toEqual([state, 404, "not_found"]);
  }
  expect((await home.owner.call("POST", `${migrationPath(home, newId())}/retry`)).status).toBe(404);
  await become("failed");
  const { status, body } = await home.owner.call("POST", retry);
  expect([status, body.state, body.error_code]).toEqual([202, "pending", null]);
  expect((await home.owner.call("POST", retry)).status).toBe(404);
});

test("members and viewers read a job and do not retry it", async () => {
  const { home, id, become, retry } = await pending();
  await become("failed");
  for (const role of ["member", "viewer"] as const) {
    const person = await home.member(role);
    expect((await person.call("GET", migrationPath(home, id))).status).toBe(200);
    expect((await person.call("POST", retry)).status).toBe(403);
  }
  const admin = await home.member("admin");
  expect((await admin.call("POST", retry)).status).toBe(202);
  const stranger = await world(running);
  expect((await stranger.owner.call("GET", migrationPath(home, id))).status).toBe(404);
  expect((await stranger.owner.call("GET", migrationPath(stranger, id))).status).toBe(404);
});

test("a failed job is not retried while another one applies, and of many retries one counts", async () => {
  const { home, tasks, source, destination, become, retry } = await pending();
  await become("failed");
  const other = await apply(home, tasks, await previewed(home, tasks, { [source]: destination }));
  expect(other.status).toBe(202);
  const refused = await home.owner.call("POST", retry);
  expect([refused.status, refused.body.code]).toEqual([409, "lifecycle_migration_pending"]);
  await running.sql(
    "update lifecycle_migrations set state = 'completed' where id = $1",
    [other.body.id],
    home.workspaceId,
  );
  const told = await Promise.all(Array.from({ length: 10 }, () => home.owner.call("POST", retry)));
  expect(told.map(({ status }) => status).sort()).toEqual([202, ...Array(9).fill(404)]);
});

test("a retry honours its key and the revision that it names", async () => {
  const { home, id, become, retry } = await pending();
  await become("failed");
  const stale = await home.owner.call("POST", retry, { ifMatch: "1" });
  expect([stale.status, stale.body.code]).toEqual([409, "revision_conflict"]);
  const { revision } = (await home.owner.call("GET", migrationPath(home, id))).body;
  const key = newKey();
  const [first, second] = [
    await home.owner.call("POST", retry, { key, ifMatch: revision }),
    await home.owner.call("POST", retry, { key, ifMatch: revision }),
  ];
  expect([first.status, second.status, second.text]).toEqual([202, 202, first.text]);
});
