// Members of Projects: who adds whom, what the role gives, and what losing it takes at once.
import { expect, test } from "vitest";
import { eventsOf, newComment, newProject, newTask, pages } from "../../../test/work.ts";
import { type Person, service, type World, world } from "../../../test/world.ts";
import { newId } from "../../platform/wire/ids.ts";

const running = service();
const pathOf = (projectId: string, actorId = "") => `/projects/${projectId}/members${actorId && `/${actorId}`}`;
const add = (person: Person, projectId: string, actor_id: string, role = "member") =>
  person.call("POST", pathOf(projectId), { body: { actor_id, role } });
const change = (person: Person, projectId: string, actorId: string, role: string, ifMatch = "1") =>
  person.call("PATCH", pathOf(projectId, actorId), { body: { role }, ifMatch });
const remove = (person: Person, projectId: string, actorId: string) =>
  person.call("DELETE", pathOf(projectId, actorId));
const setState = (home: World, person: Person, state: string) =>
  running.sql("update memberships set state = $1 where workspace_id = $2 and user_id = $3", [
    state,
    home.workspaceId,
    person.userId,
  ]);

test("a member is added with a role, listed, changed and removed", async () => {
  const home = await world(running);
  const project = await newProject(home);
  const person = await home.member("member");
  const added = await add(home.owner, project.id, person.actorId, "viewer");
  expect(added.status).toBe(201);
  expect(added.body).toMatchObject({
    id: person.actorId,
    actor_id: person.actorId,
    user_id: person.userId,
    project_id: project.id,
    role: "viewer",
    state: "active",
    username: person.userId,
    revision: "1",
  });
  const { items } = await pages(home.owner, pathOf(project.id), 1);
  expect(items.map(({ actor_id, role }) => [actor_id, role])).toEqual([
    [home.owner.actorId, "lead"],
    [person.actorId, "viewer"],
  ]);
  const changed = await change(home.owner, project.id, person.actorId, "lead");
  expect(changed.body).toMatchObject({ role: "lead", revision: "2" });
  expect((await change(home.owner, project.id, person.actorId, "member")).body).toMatchObject({
    code: "revision_conflict",
    current_revision: "2",
  });
  expect((await remove(home.owner, project.id, person.actorId)).status).toBe(204);
  expect((await pages(home.owner, pathOf(project.id), 5)).items).toHaveLength(1);
  const events = await eventsOf(running, home, person.actorId);
  expect(events.map(({ type, activity }) => [type, activity])).toEqual([
    ["project.member_added", null],
    ["project.member_changed", null],
    ["project.member_removed", null],
  ]);
});

test("removing somebody again is no fault; somebody of another Workspace is not there", async () => {
  const home = await world(running);
  const project = await newProject(home);
  const person = await home.member("member");
  expect((await remove(home.owner, project.id, person.actorId)).status).toBe(204);
  expect((await change(home.owner, project.id, person.actorId, "lead")).status).toBe(404);
  for (const actorId of [newId(), (await world(running)).owner.actorId])
    expect((await remove(home.owner, project.id, actorId)).status).toBe(404);
});

test("only an active member of the Workspace is added, and only once", async () => {
  const home = await world(running);
  const project = await newProject(home);
  const [suspended, removed] = [await home.member("member"), await home.member("member")];
  await setState(home, suspended, "suspended");
  await setState(home, removed, "removed");
  const foreign = (await world(running)).owner;
  for (const actorId of [suspended.actorId, removed.actorId, foreign.actorId, foreign.userId, newId()]) {
    const refused = await add(home.owner, project.id, actorId);
    expect(refused.body).toMatchObject({ code: "invalid_reference", errors: [{ pointer: "/body/actor_id" }] });
  }
  const person = await home.member("member");
  const wanted = await Promise.all(Array.from({ length: 6 }, () => add(home.owner, project.id, person.actorId)));
  expect(wanted.map(({ status }) => status).sort()).toEqual([201, ...Array(5).fill(409)]);
  expect(wanted.find(({ status }) => status === 409)?.body).toMatchObject({
    code: "already_member",
    errors: [{ pointer: "/body/actor_id" }],
  });
  expect((await add(home.owner, project.id, person.actorId, "owner")).body.errors[0].pointer).toBe("/body/role");
});

test("who is in the Workspace no more is still listed, with the state that keeps them out", async () => {
  const home = await world(running);
  const project = await newProject(home);
  const person = await home.member("member");
  await add(home.owner, project.id, person.actorId);
  await setState(home, person, "removed");
  const { items } = await pages(home.owner, pathOf(project.id), 5);
  expect(items.map(({ state }) => state)).toEqual(["active", "removed"]);
  expect((await remove(home.owner, project.id, person.actorId)).status).toBe(204);
});

test("managers and leads change who is in; members, viewers and strangers do not", async () => {
  const home = await world(running);
  const project = await newProject(home, { visibility: "private" });
  const [lead, member, viewer, stranger, guest] = [
    await home.member("member"),
    await home.member("member"),
    await home.member("member"),
    await home.member("member"),
    await home.member("viewer"),
  ];
  const roles = [
    [lead, "lead"],
    [member, "member"],
    [viewer, "viewer"],
    [guest, "lead"],
  ] as const;
  for (const [person, role] of roles)
    expect((await add(home.owner, project.id, person.actorId, role)).status).toBe(201);
  const other = (await home.member("member")).actorId;
  for (const [person, status] of [
    [member, 403],
    [viewer, 403],
    [guest, 403],
    [stranger, 404],
  ] as const) {
    expect((await add(person, project.id, other)).status).toBe(status);
    expect((await change(person, project.id, lead.actorId, "viewer")).status).toBe(status);
    expect((await remove(person, project.id, lead.actorId)).status).toBe(status);
    expect((await person.call("GET", pathOf(project.id))).status).toBe(status === 403 ? 200 : 404);
  }
  expect((await add(lead, project.id, other)).status).toBe(201);
  expect((await add(await home.member("admin"), project.id, stranger.actorId)).status).toBe(201);
  const stepped = await change(lead, project.id, lead.actorId, "member");
  expect(stepped.body.capabilities).toEqual([]);
  expect((await remove(lead, project.id, other)).status).toBe(403);
});

test("the role in a Project gives a Workspace's viewer nothing, and takes from a member what it does not give", async () => {
  const home = await world(running);
  const project = await newProject(home);
  const [guest, reader] = [await home.member("viewer"), await home.member("member")];
  await add(home.owner, project.id, guest.actorId, "lead");
  await add(home.owner, project.id, reader.actorId, "viewer");
  for (const person of [guest, reader])
    expect((await person.call("GET", `/projects/${project.id}`)).body.capabilities).toEqual(["work:read"]);
});

test("leaving a private Project takes all of it at once: lists, Tasks, comments, feeds", async () => {
  const home = await world(running);
  const project = await newProject(home, { visibility: "private" });
  const person = await home.member("member");
  await add(home.owner, project.id, person.actorId);
  const task = await newTask(person, project.id);
  const comment = await newComment(person, task.id);
  const seen = async () => [
    (await person.call("GET", `/projects/${project.id}`)).status,
    (await person.call("GET", `/projects/${project.id}/tasks`)).status,
    (await person.call("GET", pathOf(project.id))).status,
    (await person.call("GET", `/tasks/${task.id}`)).status,
    (await person.call("GET", `/comments/${comment.id}`)).status,
    (await person.call("GET", `/workspaces/${home.workspaceId}/projects`)).body.items.length,
    (await person.call("GET", `/workspaces/${home.workspaceId}/activity`)).body.items.length > 0,
  ];
  expect(await seen()).toEqual([200, 200, 200, 200, 200, 1, true]);
  await remove(home.owner, project.id, person.actorId);
  expect(await seen()).toEqual([404, 404, 404, 404, 404, 0, false]);
  await add(home.owner, project.id, person.actorId);
  expect(await seen()).toEqual([200, 200, 200, 200, 200, 1, true]);
});
