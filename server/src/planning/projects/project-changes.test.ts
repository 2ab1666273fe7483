// What a Project goes through: states, archiving, closing to new work.
import { expect, test } from "vitest";
import { eventsOf, newProject, newProjectKey, newTask } from "../../../test/work.ts";
import { newKey, type Person, service, type World, world } from "../../../test/world.ts";
import { newId } from "../../platform/wire/ids.ts";

const running = service();
const change = (person: Person, project: { id: string }, body: object, ifMatch = "1") =>
  person.call("PATCH", `/projects/${project.id}`, { body, ifMatch });
const state = async ({ workspaceId }: World, name: string) =>
  (await running.sql<{ id: string }>("select id from project_states where name = $1", [name], workspaceId))[0]
    ?.id as string;
const newTaskIn = (person: Person, project: { id: string }) =>
  person.call("POST", `/projects/${project.id}/tasks`, { body: { title: "x" }, key: newKey() });

test("a Project starts in the Workspace's default state, or in the one that it is given", async () => {
  const home = await world(running);
  const [planned, active] = [await state(home, "Planned"), await state(home, "In Progress")];
  expect((await newProject(home)).state_id).toBe(planned);
  const project = await newProject(home, { state_id: active });
  expect(project).toMatchObject({ state_id: active, lifecycle: { stage_name: "Active" } });
});

test("a state that is unknown, foreign or archived is no place for a Project", async () => {
  const home = await world(running);
  const project = await newProject(home);
  const archived = await state(home, "Backlog");
  await running.sql("update project_states set archived_at = now() where id = $1", [archived], home.workspaceId);
  for (const state_id of [newId(), await state(await world(running), "Planned"), archived]) {
    const refusal = { code: "invalid_reference", errors: [{ pointer: "/body/state_id" }] };
    expect((await change(home.owner, project, { state_id })).body).toMatchObject(refusal);
    const body = { key: newProjectKey(), name: "x", state_id };
    const created = await home.owner.call("POST", `/workspaces/${home.workspaceId}/projects`, { body });
    expect(created.body).toMatchObject(refusal);
  }
  expect((await change(home.owner, project, { state_id: null })).body.errors[0].pointer).toBe("/body/state_id");
});

test("what people read about appears in the feed, configuration does not", async () => {
  const home = await world(running);
  const project = await newProject(home);
  const bodies = [
    { state_id: await state(home, "In Progress") },
    { name: "New" },
    { archived: true },
    { icon: "gear" },
    { published: true },
    { visibility: "private" },
  ];
  for (const [index, body] of bodies.entries())
    expect((await change(home.owner, project, body, String(index + 1))).status).toBe(200);
  const [, ...events] = await eventsOf(running, home, project.id);
  expect(events.map(({ activity }) => activity)).toEqual(["project", "project", "project", null, null, null]);
});

test("archiving keeps its first moment, and restoring clears it", async () => {
  const home = await world(running);
  const project = await newProject(home);
  const first = await change(home.owner, project, { archived: true });
  expect(first.body.archived_at).toMatch(/^\d{4}-/);
  const again = await change(home.owner, project, { archived: true }, "2");
  expect(again.body.archived_at).toBe(first.body.archived_at);
  const read = (await home.owner.call("GET", `/projects/${project.id}`)).body;
  expect(read.archived_at).toBe(first.body.archived_at);
  expect(read.revision).toBe("2");
  expect((await change(home.owner, project, { archived: false }, "2")).body.archived_at).toBeNull();
});

test("a Project that is archived, or in a state that accepts no new work, takes no new Task", async () => {
  const home = await world(running);
  const project = await newProject(home);
  const task = await newTask(home.owner, project.id);
  await change(home.owner, project, { archived: true });
  expect((await newTaskIn(home.owner, project)).body.code).toBe("project_archived");
  await change(home.owner, project, { archived: false, state_id: await state(home, "Completed") }, "2");
  const refused = await newTaskIn(home.owner, project);
  expect(refused.body.code).toBe("project_closed");
  const edited = await home.owner.call("PATCH", `/tasks/${task.id}`, { body: { title: "Still" }, ifMatch: "1" });
  expect(edited.status).toBe(200);
  await change(home.owner, project, { state_id: await state(home, "Planned") }, "3");
  const made = await newTaskIn(home.owner, project);
  expect([made.status, made.trips]).toEqual([201, 3]);
});

test("who may not write learns that, and not that the Project is closed", async () => {
  const home = await world(running);
  const project = await newProject(home);
  await change(home.owner, project, { archived: true });
  expect((await newTaskIn(await home.member("viewer"), project)).body.code).toBe("forbidden");
});

test("a new Project is as visible as the Workspace's settings say, unless it says itself", async () => {
  const home = await world(running);
  await running.sql(
    "insert into workspace_settings (workspace_id, default_project_visibility) values ($1, 'private')",
    [home.workspaceId],
    home.workspaceId,
  );
  expect((await newProject(home)).visibility).toBe("private");
  expect((await newProject(home, { visibility: "workspace" })).visibility).toBe("workspace");
});

test("50 changes on one revision have one winner", async () => {
  const home = await world(running);
  const project = await newProject(home);
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, index) => change(home.owner, project, { name: `Name ${index}` })),
  );
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
});
