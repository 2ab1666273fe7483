// Projects: keys, visibility, roles, dates.
import { expect, test } from "vitest";
import { eventsOf, joinProject, newProject, newProjectKey, newTask } from "../../../test/work.ts";
import { insertCredential, newKey, type Person, service, type World, world } from "../../../test/world.ts";
import { newId, newSecret } from "../../platform/wire/ids.ts";

const running = service();
const create = (home: World, body: object, person: Person = home.owner) =>
  person.call("POST", `/workspaces/${home.workspaceId}/projects`, { body });
const change = (person: Person, project: { id: string }, body: object, ifMatch = "1") =>
  person.call("PATCH", `/projects/${project.id}`, { body, ifMatch });

test("a created Project has what was sent, defaults for the rest, and a creator who leads it", async () => {
  const home = await world(running);
  const member = await home.member("member");
  const created = await create(home, { key: "eng", name: "Engine" }, member);
  expect(created.status).toBe(201);
  expect(created.body).toMatchObject({
    workspace_id: home.workspaceId,
    key: "ENG",
    name: "Engine",
    description_markdown: "",
    visibility: "workspace",
    revision: "1",
    archived_at: null,
    start_date: null,
    capabilities: ["work:read", "work:write", "work:manage", "project:update", "project:delete"],
  });
  expect(created.trips).toBeLessThanOrEqual(5);
  const read = await member.call("GET", `/projects/${created.body.id}`);
  expect(read.body).toEqual(created.body);
  expect(read.trips).toBe(1);
  expect(await eventsOf(running, home, created.body.id)).toMatchObject([{ type: "project.created" }]);
});

test("a key is taken once in a Workspace, whatever its case, and is free in another", async () => {
  const home = await world(running);
  await newProject(home, { key: "OPS" });
  const taken = await create(home, { key: "ops", name: "Again" });
  expect(taken.body).toMatchObject({ code: "project_key_taken", errors: [{ pointer: "/body/key" }] });
  expect((await create(await world(running), { key: "ops", name: "Elsewhere" })).status).toBe(201);
});

test("of many who want a key at once one gets it", async () => {
  const home = await world(running);
  const answers = await Promise.all(Array.from({ length: 10 }, () => create(home, { key: "RACE", name: "Race" })));
  expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(9).fill(409)]);
});

test("a key never changes", async () => {
  const home = await world(running);
  const refused = await change(home.owner, await newProject(home), { key: "NEW" });
  expect(refused.body).toMatchObject({
    code: "invalid_request",
    errors: [{ pointer: "/body/key", code: "unknown_field" }],
  });
});

test("a key has 2 to 10 letters and digits, a letter first; a name 1 to 200 characters", async () => {
  const home = await world(running);
  for (const key of ["AB", "A234567890"]) expect((await create(home, { key, name: "x" })).status).toBe(201);
  for (const key of ["A", "A2345678901", "1A", "A-B", "Ä1", "A B", ""]) {
    const refused = await create(home, { key, name: "x" });
    expect(refused.body.errors[0].pointer, key).toBe("/body/key");
  }
  expect((await create(home, { key: newProjectKey(), name: "x".repeat(200) })).status).toBe(201);
  for (const name of ["x".repeat(201), "", "  ", "two\nlines"]) {
    const refused = await create(home, { key: newProjectKey(), name });
    expect(refused.body.errors[0].pointer, name).toBe("/body/name");
  }
});

test("a description has at most 262144 characters", async () => {
  const home = await world(running);
  const long = (length: number) => ({ key: newProjectKey(), name: "x", description_markdown: "x".repeat(length) });
  expect((await create(home, long(262144))).status).toBe(201);
  expect((await create(home, long(262145))).body.errors[0].pointer).toBe("/body/description_markdown");
});

test("colours are families, shades and hex; anything else is refused", async () => {
  const home = await world(running);
  for (const color of ["blue", "blue-700", "#1d4ed8", null])
    expect((await create(home, { key: newProjectKey(), name: "x", color })).body.color).toBe(color);
  for (const color of ["bluish", "blue-750", "#1d4ed", "red; x"])
    expect((await create(home, { key: newProjectKey(), name: "x", color })).status).toBe(400);
});

test("the start is not after the target, whichever of the two is sent", async () => {
  const home = await world(running);
  const pointers = [{ pointer: "/body/start_date" }, { pointer: "/body/target_date" }];
  const dates = { start_date: "2027-02-01", target_date: "2027-01-31" };
  const refused = await create(home, { key: newProjectKey(), name: "x", ...dates });
  expect(refused.body).toMatchObject({ code: "invalid_dates", errors: pointers });
  const project = await newProject(home, { start_date: "2027-02-01", target_date: "2027-02-01" });
  expect((await change(home.owner, project, { target_date: "2027-01-31" })).body.code).toBe("invalid_dates");
  expect((await change(home.owner, project, { start_date: "2027-02-02" })).body.code).toBe("invalid_dates");
  const cleared = await change(home.owner, project, { start_date: null });
  expect(cleared.body).toMatchObject({ start_date: null, target_date: "2027-02-01", revision: "2" });
  expect((await change(home.owner, project, { target_date: "2026-01-01" }, "2")).status).toBe(200);
});

test("a change needs the current revision, leaves what it does not name, and must change something", async () => {
  const home = await world(running);
  const project = await newProject(home, { icon: "gear", color: "blue" });
  const path = `/projects/${project.id}`;
  expect((await home.owner.call("PATCH", path, { body: { name: "New" } })).body.code).toBe("if_match_required");
  const changed = await change(home.owner, project, { name: "New", icon: null });
  expect(changed.body).toMatchObject({ name: "New", icon: null, color: "blue", revision: "2" });
  const stale = await change(home.owner, project, { name: "Newer" });
  expect(stale.body).toMatchObject({ code: "revision_conflict", current_revision: "2" });
  expect((await change(home.owner, project, {}, "2")).body.errors[0].code).toBe("nothing_to_change");
  expect((await change(home.owner, project, { name: null }, "2")).body.errors[0].pointer).toBe("/body/name");
});

test("a viewer writes nothing; a member creates, and changes only what they lead", async () => {
  const home = await world(running);
  const viewer = await home.member("viewer");
  const member = await home.member("member");
  const project = await newProject(home);
  expect((await create(home, { key: newProjectKey(), name: "x" }, viewer)).status).toBe(403);
  expect((await change(viewer, project, { name: "x" })).status).toBe(403);
  expect((await change(member, project, { name: "x" })).status).toBe(403);
  const capabilities = async (person: Person) =>
    (await person.call("GET", `/projects/${project.id}`)).body.capabilities;
  expect(await capabilities(viewer)).toEqual(["work:read"]);
  expect(await capabilities(member)).toEqual(["work:read", "work:write"]);
  await joinProject(home, project.id, member, "lead");
  await joinProject(home, project.id, viewer, "lead");
  expect(await capabilities(viewer)).toEqual(["work:read"]);
  expect((await change(member, project, { name: "Led" })).status).toBe(200);
  expect((await change(await home.member("admin"), project, { name: "Managed" }, "2")).status).toBe(200);
});

test("a Project viewer reads the Project and writes nothing in it, though a member of the Workspace", async () => {
  const home = await world(running);
  const member = await home.member("member");
  const project = await newProject(home);
  await joinProject(home, project.id, member, "viewer");
  expect((await member.call("GET", `/projects/${project.id}`)).body.capabilities).toEqual(["work:read"]);
  const path = `/projects/${project.id}/tasks`;
  expect((await member.call("POST", path, { body: { title: "x" }, key: newKey() })).status).toBe(403);
});

test("a private Project exists for its members and for who manages the Workspace, and for nobody else", async () => {
  const home = await world(running);
  const [lead, outsider, viewer] = [
    await home.member("member"),
    await home.member("member"),
    await home.member("viewer"),
  ];
  const project = await newProject(home, { visibility: "private" }, lead);
  const task = await newTask(lead, project.id);
  await joinProject(home, project.id, viewer, "member");
  const seen = async (person: Person) => [
    (await person.call("GET", `/projects/${project.id}`)).status,
    (await person.call("GET", `/projects/${project.id}/statuses`)).status,
    (await person.call("GET", `/projects/${project.id}/tasks`)).status,
    (await person.call("GET", `/tasks/${task.id}`)).status,
    (await person.call("GET", `/workspaces/${home.workspaceId}/tasks/${task.code}`)).status,
    (await person.call("GET", `/workspaces/${home.workspaceId}/projects`)).body.items.length,
  ];
  for (const person of [lead, viewer, home.owner, await home.member("admin")])
    expect(await seen(person)).toEqual([200, 200, 200, 200, 200, 1]);
  expect(await seen(outsider)).toEqual([404, 404, 404, 404, 404, 0]);
  expect((await change(outsider, project, { name: "x" })).status).toBe(404);
  const create = { body: { title: "x" }, key: newKey() };
  expect((await outsider.call("POST", `/projects/${project.id}/tasks`, create)).status).toBe(404);
  expect((await outsider.call("PATCH", `/tasks/${task.id}`, { body: { title: "x" }, ifMatch: "1" })).status).toBe(404);
});

test("a hidden Project, a foreign one and one that never was are the same answer", async () => {
  const home = await world(running);
  const hidden = await newProject(home, { visibility: "private" });
  const foreign = await newProject(await world(running));
  const member = await home.member("member");
  const answers = [];
  for (const id of [hidden.id, foreign.id, newId()]) answers.push(await member.call("GET", `/projects/${id}`));
  const parts = answers.map(({ status, body: { correlation_id: _, ...body }, trips }) => ({ status, body, trips }));
  expect(parts[0]?.status).toBe(404);
  expect(parts[1]).toEqual(parts[0]);
  expect(parts[2]).toEqual(parts[0]);
});

test("tokens list and read Projects; only a session or a native client creates, only a session changes", async () => {
  const home = await world(running);
  const project = await newProject(home);
  const path = `/workspaces/${home.workspaceId}/projects`;
  const token = await home.token();
  expect((await home.owner.bearer(token, "GET", path)).status).toBe(200);
  const body = { key: newProjectKey(), name: "x" };
  expect((await home.owner.bearer(token, "POST", path, { body })).body.code).toBe("credential_kind_not_allowed");
  const native = newSecret("nat");
  await insertCredential(running, "native", native, home.owner.userId, home.workspaceId, []);
  expect((await home.owner.bearer(native, "POST", path, { body })).status).toBe(201);
  const patch = { body: { name: "x" }, ifMatch: "1" };
  expect((await home.owner.bearer(native, "PATCH", `/projects/${project.id}`, patch)).body.code).toBe(
    "credential_kind_not_allowed",
  );
});
