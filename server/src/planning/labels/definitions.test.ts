// Label definitions: scopes, names, purposes, roles, limits, and what becomes of what bore a label that is deleted.
import pg from "pg";
import { expect, test } from "vitest";
import { nativeTokens } from "../../../test/native.ts";
import { eventsOf, joinProject, newProject, newTask, pages } from "../../../test/work.ts";
import { type Person, service, type World, world } from "../../../test/world.ts";
import { newId } from "../../platform/wire/ids.ts";
import { labelJobs } from "./jobs.ts";

const running = service({});

const ofWorkspace = ({ workspaceId }: World) => `/workspaces/${workspaceId}/label-definitions`;
const ofProject = ({ id }: { id: string }) => `/projects/${id}/label-definitions`;
const create = (person: Person, path: string, body: object) => person.call("POST", path, { body });
async function made(person: Person, path: string, body: object) {
  const answer = await create(person, path, body);
  expect(answer.status, answer.text).toBe(201);
  return answer.body;
}
const put = (person: Person, kind: string, id: string, label_ids: string[]) =>
  person.call("PUT", `/${kind}/${id}/labels`, { body: { label_ids }, headers: { "if-match": "*" } });
const names = async (person: Person, path: string) =>
  (await person.call("GET", path)).body.items.map(({ name }: { name: string }) => name);
/** What the background does. */
function stripped({ workspaceId }: World, labelId: string) {
  const job = labelJobs(running.database).strip_label as (payload: unknown) => Promise<void>;
  const author = { actorId: null, userId: null, source: null, commandId: newId() };
  return job({ workspace_id: workspaceId, label_id: labelId, author });
}
/** Fills a scope by SQL. */
const fill = ({ workspaceId, owner }: World, projectId: string | null, count: number) =>
  running.sql(
    `insert into label_definitions (workspace_id, id, project_id, name, color, purpose, created_by_actor_id)
     select $1, gen_random_uuid(), $2, 'Filled ' || n, 'gray', 'task', $3 from generate_series(1, $4::int) n`,
    [workspaceId, projectId, owner.actorId, count],
    workspaceId,
  );

test("a label is of the Workspace or of one Project, for Tasks and gray unless it is said otherwise", async () => {
  const home = await world(running);
  const project = await newProject(home);
  const wide = await made(home.owner, ofWorkspace(home), { name: "Bug" });
  expect(wide).toMatchObject({
    workspace_id: home.workspaceId,
    project_id: null,
    name: "Bug",
    color: "gray",
    description: null,
    purpose: "task",
    created_by_actor_id: home.owner.actorId,
    revision: "1",
    capabilities: ["label:update", "label:delete"],
  });
  const own = { name: "Brass", color: "#b5a642", description: "Of brass", purpose: "general" };
  expect(await made(home.owner, ofProject(project), own)).toMatchObject({ ...own, project_id: project.id });
  expect((await home.owner.call("GET", `/label-definitions/${wide.id}`)).body).toEqual(wide);
  expect((await eventsOf(running, home, wide.id)).map(({ type, activity }) => [type, activity])).toEqual([
    ["label.created", null],
  ]);
});

test("a name is kept without the space around it, here as everywhere, and so it is taken once", async () => {
  const home = await world(running);
  const project = await newProject(home, { name: "  Clock tower " });
  expect([project.name, (await newTask(home.owner, project.id, { title: " Cut the  gears\u00a0" })).title]).toEqual([
    "Clock tower",
    "Cut the  gears",
  ]);
  expect((await made(home.owner, ofWorkspace(home), { name: "  Bug " })).name).toBe("Bug");
  expect((await create(home.owner, ofWorkspace(home), { name: "bug\u2003" })).body.code).toBe("name_taken");
  // Nobody would see it.
  for (const name of ["\u200b", " \u2060\ufeff", "\u3164", "\u{e0041}"])
    expect((await create(home.owner, ofWorkspace(home), { name })).body.errors[0].pointer).toBe("/body/name");
  expect((await made(home.owner, ofWorkspace(home), { name: "\u2764\ufe0f" })).name).toBe("\u2764\ufe0f");
});

test("a name is taken once in its scope, whatever its case, and is free again when the label is deleted", async () => {
  const home = await world(running);
  const [one, other] = [await newProject(home), await newProject(home)];
  const wide = await made(home.owner, ofWorkspace(home), { name: "Bug" });
  const refused = await create(home.owner, ofWorkspace(home), { name: "bUG" });
  expect([refused.status, refused.body.code, refused.body.errors[0].pointer]).toEqual([
    409,
    "name_taken",
    "/body/name",
  ]);
  await made(home.owner, ofProject(one), { name: "bug" });
  await made(home.owner, ofProject(other), { name: "Bug" });
  expect((await create(home.owner, ofProject(one), { name: "BUG" })).body.code).toBe("name_taken");
  const feature = await made(home.owner, ofWorkspace(home), { name: "Feature" });
  const path = `/label-definitions/${feature.id}`;
  const renamed = await home.owner.call("PATCH", path, { body: { name: "BUG" }, ifMatch: "1" });
  expect(renamed.body.code).toBe("name_taken");
  expect((await home.owner.call("PATCH", path, { body: { name: "FEATURE" }, ifMatch: "1" })).body.name).toBe("FEATURE");
  expect((await home.owner.call("DELETE", `/label-definitions/${wide.id}`)).status).toBe(204);
  await made(home.owner, ofWorkspace(home), { name: "BUG" });
});

test("of many who create the same name at once, one does", async () => {
  const home = await world(running);
  const answers = await Promise.all(
    Array.from({ length: 10 }, () => create(home.owner, ofWorkspace(home), { name: "Bug" })),
  );
  expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(9).fill(409)]);
});

test("the name, the color and the description change under the revision; the purpose and the scope never do", async () => {
  const home = await world(running);
  const { id } = await made(home.owner, ofWorkspace(home), { name: "Bug", description: "Broken" });
  const path = `/label-definitions/${id}`;
  const body = { name: "Defect", color: "rose-600", description: null };
  const changed = await home.owner.call("PATCH", path, { body, ifMatch: "1" });
  expect(changed.body).toMatchObject({ ...body, revision: "2" });
  const stale = await home.owner.call("PATCH", path, { body, ifMatch: "1" });
  expect([stale.body.code, stale.body.current_revision]).toEqual(["revision_conflict", "2"]);
  for (const other of [
    { purpose: "project" },
    { project_id: newId() },
    { color: "brown" },
    { name: "" },
    { name: null },
    {},
  ])
    expect((await home.owner.call("PATCH", path, { body: other, ifMatch: "2" })).status).toBe(400);
  const [, event] = await eventsOf(running, home, id);
  expect(event).toMatchObject({
    type: "label.updated",
    payload: { from: { name: "Bug", color: "gray", description: "Broken" }, to: body },
  });
});

test("a name of 80 characters and a description of 500 are taken; one more of either is not", async () => {
  const home = await world(running);
  await made(home.owner, ofWorkspace(home), { name: "n".repeat(80), description: "d".repeat(500) });
  for (const body of [{ name: "n".repeat(81) }, { name: "x", description: "d".repeat(501) }])
    expect((await create(home.owner, ofWorkspace(home), body)).status).toBe(400);
});

test("a Workspace and a Project each have at most 500 labels of their own, however many are added at once", async () => {
  const home = await world(running);
  const project = await newProject(home);
  for (const [path, projectId] of [
    [ofWorkspace(home), null],
    [ofProject(project), project.id],
  ]) {
    await fill(home, projectId as string | null, 497);
    const adding = Array.from({ length: 8 }, (_, n) => create(home.owner, path as string, { name: `New ${n}` }));
    const answers = await Promise.all(adding);
    expect(answers.filter(({ status }) => status === 201).length).toBe(3);
    expect(answers.filter(({ body }) => body.code === "limit_reached").length).toBe(5);
    const { items } = await pages(home.owner, path as string, 100);
    const own = items.filter(({ project_id }) => project_id === projectId);
    expect(own.length).toBe(500);
    await home.owner.call("DELETE", `/label-definitions/${own[0]?.id}`);
    await made(home.owner, path as string, { name: "In its place" });
  }
});

test("labels are listed by name, and by what they can be put on", async () => {
  const home = await world(running);
  const project = await newProject(home);
  await made(home.owner, ofProject(await newProject(home)), { name: "Elsewhere" });
  for (const purpose of ["task", "project", "document", "general"])
    await made(home.owner, ofWorkspace(home), { name: `for ${purpose}`, purpose });
  await made(home.owner, ofWorkspace(home), { name: "Apart" });
  await made(home.owner, ofProject(project), { name: "brass", purpose: "general" });
  const all = ["Apart", "for document", "for general", "for project", "for task"];
  expect(await names(home.owner, ofWorkspace(home))).toEqual(all);
  expect((await pages(home.owner, ofWorkspace(home), 2)).items.map(({ name }) => name)).toEqual(all);
  const both = ["Apart", "brass", ...all.slice(1)];
  expect(await names(home.owner, ofProject(project))).toEqual(both);
  expect((await pages(home.owner, ofProject(project), 2)).items.map(({ name }) => name)).toEqual(both);
  expect(await names(home.owner, `${ofWorkspace(home)}?purpose=project`)).toEqual(["for general", "for project"]);
  expect(await names(home.owner, `${ofProject(project)}?purpose=document`)).toEqual([
    "brass",
    "for document",
    "for general",
  ]);
});

test("a native client names the purpose task for the labels of the Workspace, and is shown those that Tasks can have", async () => {
  const home = await world(running);
  const project = await newProject(home);
  for (const purpose of ["task", "project", "document", "general"])
    await made(home.owner, ofWorkspace(home), { name: `for ${purpose}`, purpose });
  await made(home.owner, ofProject(project), { name: "own of the Project", purpose: "project" });
  await made(home.owner, ofProject(project), { name: "own of Tasks" });
  const { access } = await nativeTokens(running, home.owner.userId);
  const headers = { "x-svc-workspace-id": home.workspaceId };
  const native = {
    ...home.owner,
    call: (method: string, path: string) => home.owner.bearer(access, method, path, { headers }),
  };
  const forTasks = ["for general", "for task"];
  expect(await names(native, `${ofWorkspace(home)}?purpose=task`)).toEqual(forTasks);
  const refused = async (query: string) => {
    const { status, body } = await native.call("GET", ofWorkspace(home) + query);
    return [status, body.code, body.errors?.[0].pointer, body.errors?.[0].code];
  };
  expect(await refused("")).toEqual([400, "invalid_request", "/query/purpose", "required"]);
  for (const purpose of ["project", "document"])
    expect(await refused(`?purpose=${purpose}`)).toEqual([400, "invalid_request", "/query/purpose", "not_allowed"]);
  const elsewhere = `/workspaces/${(await world(running)).workspaceId}/label-definitions`;
  expect((await home.owner.bearer(access, "GET", elsewhere)).status, "404 comes before the fault").toBe(404);
  expect(await names(native, ofProject(project))).toEqual([...forTasks, "own of Tasks"]);
});

test("members add labels; those of the Workspace are changed by its managers, a Project's by its lead too; viewers read", async () => {
  const home = await world(running);
  const project = await newProject(home, { visibility: "private" });
  const [admin, lead, member, viewer, stranger, outsider] = [
    await home.member("admin"),
    await home.member("member"),
    await home.member("member"),
    await home.member("viewer"),
    await home.member("member"),
    (await world(running)).owner,
  ];
  await joinProject(home, project.id, lead, "lead");
  await joinProject(home, project.id, member, "member");
  const wide = await made(home.owner, ofWorkspace(home), { name: "Wide" });
  const own = await made(home.owner, ofProject(project), { name: "Own" });
  const statuses = async (person: Person, name: string) => [
    (await create(person, ofWorkspace(home), { name })).status,
    (await person.call("GET", `/label-definitions/${wide.id}`)).status,
    (
      await person.call("PATCH", `/label-definitions/${wide.id}`, {
        body: { color: "red" },
        headers: { "if-match": "*" },
      })
    ).status,
    (await create(person, ofProject(project), { name })).status,
    (await person.call("GET", `/label-definitions/${own.id}`)).status,
    (
      await person.call("PATCH", `/label-definitions/${own.id}`, {
        body: { color: "red" },
        headers: { "if-match": "*" },
      })
    ).status,
  ];
  expect(await statuses(admin, "Admin")).toEqual([201, 200, 200, 201, 200, 200]);
  expect(await statuses(lead, "Lead")).toEqual([201, 200, 403, 201, 200, 200]);
  expect(await statuses(member, "Member")).toEqual([201, 200, 403, 201, 200, 403]);
  expect(await statuses(viewer, "Viewer")).toEqual([403, 200, 403, 404, 404, 404]);
  expect(await statuses(stranger, "Stranger")).toEqual([201, 200, 403, 404, 404, 404]);
  expect(await statuses(outsider, "Outsider")).toEqual([404, 404, 404, 404, 404, 404]);
  expect((await stranger.call("DELETE", `/label-definitions/${own.id}`)).status).toBe(404);
  expect((await member.call("DELETE", `/label-definitions/${own.id}`)).status).toBe(403);
  expect((await lead.call("DELETE", `/label-definitions/${own.id}`)).status).toBe(204);
});

test("a deleted label is gone and off everything that bore it, in the trash too, with an event for each", async () => {
  const home = await world(running);
  const project = await newProject(home);
  const [bug, kept] = [
    await made(home.owner, ofWorkspace(home), { name: "Bug", purpose: "general" }),
    await made(home.owner, ofWorkspace(home), { name: "Kept" }),
  ];
  const [task, trashed] = [await newTask(home.owner, project.id), await newTask(home.owner, project.id)];
  await put(home.owner, "task", task.id, [bug.id, kept.id]);
  await put(home.owner, "task", trashed.id, [bug.id]);
  await put(home.owner, "project", project.id, [bug.id]);
  await running.sql("update tasks set trashed_at = now() where id = $1", [trashed.id], home.workspaceId);
  const stale = await home.owner.call("DELETE", `/label-definitions/${bug.id}`, { ifMatch: "2" });
  expect(stale.body.code).toBe("revision_conflict");
  const deleted = await home.owner.call("DELETE", `/label-definitions/${bug.id}`, { ifMatch: "1" });
  expect([deleted.status, deleted.trips]).toEqual([204, 3]);
  expect((await home.owner.call("GET", `/tasks/${task.id}`)).body).toMatchObject({
    label_ids: [kept.id],
    revision: "3",
  });
  expect((await home.owner.call("GET", `/tasks/${trashed.id}`)).body).toMatchObject({ label_ids: [], revision: "3" });
  expect((await home.owner.call("GET", `/project/${project.id}/labels`)).body).toMatchObject({
    label_ids: [],
    revision: "3",
  });
  expect((await home.owner.call("GET", `/label-definitions/${bug.id}`)).status).toBe(404);
  expect((await home.owner.call("DELETE", `/label-definitions/${bug.id}`)).status).toBe(404);
  expect(await names(home.owner, ofWorkspace(home))).toEqual(["Kept"]);
  expect((await put(home.owner, "task", task.id, [bug.id])).body.code).toBe("invalid_reference");
  expect((await eventsOf(running, home, task.id)).at(-1)).toEqual({
    type: "task.labels_changed",
    activity: null,
    payload: { from: [bug.id, kept.id], to: [kept.id] },
  });
  expect((await eventsOf(running, home, project.id)).at(-1)?.payload).toEqual({ from: [bug.id], to: [] });
  const jobs = "select count(*)::int as n from graphile_worker.jobs where task_identifier = 'strip_label'";
  const client = new pg.Client(running.databaseUrl);
  await client.connect();
  expect((await client.query(jobs)).rows).toEqual([{ n: 0 }]);
  await client.end();
});

test("off more than 1,000 Tasks a deleted label is taken in pages, each Task once", async () => {
  const home = await world(running);
  const project = await newProject(home);
  const bug = await made(home.owner, ofWorkspace(home), { name: "Bug" });
  const { status_id } = await newTask(home.owner, project.id);
  const values = [home.workspaceId, project.id, status_id, home.owner.actorId, bug.id];
  await running.sql(
    `insert into tasks (workspace_id, id, project_id, number, title, status_id, position, created_by_actor_id,
     label_ids)
     select $1, gen_random_uuid(), $2, 10 + n, 'Task', $3, n, $4, array[$5::uuid] from generate_series(1, 2100) n`,
    values,
    home.workspaceId,
  );
  const count = async (sql: string) => (await running.sql<{ n: number }>(sql, [], home.workspaceId))[0]?.n;
  const bearing = "select count(*)::int as n from tasks where label_ids <> '{}'";
  const assigned = "select count(*)::int as n from label_assignments";
  expect([await count(bearing), await count(assigned)]).toEqual([2100, 2100]);
  expect((await home.owner.call("DELETE", `/label-definitions/${bug.id}`)).status).toBe(204);
  expect([await count(bearing), await count(assigned)]).toEqual([1100, 1100]);
  await stripped(home, bug.id);
  await stripped(home, bug.id);
  expect([await count(bearing), await count(assigned)]).toEqual([0, 0]);
  const events = "select count(*)::int as n from domain_events where type = 'task.labels_changed'";
  expect([await count(events), await count("select sum(revision)::int as n from tasks where number > 10")]).toEqual([
    2100, 4200,
  ]);
});
