// Statuses: workflow order, names, who adds and reads them, how many; and what a change makes of the Tasks in one. What
// they share with project states is in workflow/step-operations.test.ts and step-archive.test.ts.
import { expect, test } from "vitest";
import { definitionRevision, moveStep, newStep, patchStep, statuses, stepsOf } from "../../../test/steps.ts";
import { eventsOf, joinProject, newProject, newProjectStatus, newTask, pages } from "../../../test/work.ts";
import { type Person, service, type World, world } from "../../../test/world.ts";

const running = service();
const pathOf = (home: World) => `/workspaces/${home.workspaceId}/statuses`;
const add = (home: World, body: object, person: Person = home.owner) => person.call("POST", pathOf(home), { body });
const names = async (person: Person, path: string, limit = 50) =>
  (await pages(person, path, limit)).items.map(({ name }) => name);
const standard = ["Backlog", "Todo", "In Progress", "In Review", "Done", "Cancelled"];

test("a Workspace starts with the default workflow, in workflow order", async () => {
  const home = await world(running);
  expect(await names(home.owner, pathOf(home))).toEqual(standard);
  expect(await names(home.owner, pathOf(home), 1)).toEqual(standard);
});

test("a new Status stands last in its category", async () => {
  const home = await world(running);
  const added = await add(home, { name: "Blocked", category: "started", color: "red" });
  expect(added.body).toMatchObject({ project_id: null, name: "Blocked", category: "started", color: "red" });
  await add(home, { name: "Idea", category: "backlog" });
  const order = ["Backlog", "Idea", "Todo", "In Progress", "In Review", "Blocked", "Done", "Cancelled"];
  expect(await names(home.owner, pathOf(home), 3)).toEqual(order);
});

test("a name is taken once in a Workspace, whatever its case", async () => {
  const home = await world(running);
  const taken = await add(home, { name: "tODO", category: "started" });
  expect(taken.body).toMatchObject({ code: "name_taken", errors: [{ pointer: "/body/name" }] });
  const answers = await Promise.all(Array.from({ length: 6 }, () => add(home, { name: "Once", category: "started" })));
  expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(5).fill(409)]);
});

test("adding one needs workspace:manage", async () => {
  const home = await world(running);
  const body = { name: "Blocked", category: "started" };
  for (const role of ["member", "viewer"] as const)
    expect((await add(home, body, await home.member(role))).status).toBe(403);
  expect((await add(home, body, (await world(running)).owner)).status).toBe(404);
  expect((await add(home, body, await home.member("admin"))).status).toBe(201);
});

test("a name has 1 to 60 characters, and a category is one of five", async () => {
  const home = await world(running);
  expect((await add(home, { name: "x".repeat(60), category: "backlog" })).status).toBe(201);
  for (const name of ["x".repeat(61), "", " "])
    expect((await add(home, { name, category: "backlog" })).body.errors[0].pointer).toBe("/body/name");
  expect((await add(home, { name: "x", category: "paused" })).body.errors[0].pointer).toBe("/body/category");
});

test("there is room for 500, also when several want the last place", async () => {
  const home = await world(running);
  const fill = `insert into statuses (workspace_id, id, name, category, position, stage_id)
    select $1, gen_random_uuid(), 'Filler ' || n, 'started', 100000 + n, stage_id
    from generate_series(1, $2::int) n, statuses
    where workspace_id = $1 and name = 'In Progress'`;
  await running.sql(fill, [home.workspaceId, 500 - standard.length - 1], home.workspaceId);
  const wanted = Array.from({ length: 5 }, (_, index) => add(home, { name: `Last ${index}`, category: "started" }));
  const answers = await Promise.all(wanted);
  expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(4).fill(409)]);
  expect(answers.find(({ status }) => status === 409)?.body.code).toBe("limit_reached");
  await running.sql("update statuses set archived_at = now() where name = 'Filler 1'", [], home.workspaceId);
  expect((await add(home, { name: "Room again", category: "started" })).status).toBe(201);
});

test("a Project has the Workspace's Statuses and its own, in one order, and no other Project's", async () => {
  const home = await world(running);
  const [project, other] = [await newProject(home), await newProject(home)];
  await newProjectStatus(running, home, project.id, "Own");
  await newProjectStatus(running, home, other.id, "Foreign");
  const order = ["Backlog", "Todo", "Own", "In Progress", "In Review", "Done", "Cancelled"];
  for (const limit of [1, 2, 100])
    expect(await names(home.owner, `/projects/${project.id}/statuses`, limit)).toEqual(order);
  expect(await names(home.owner, pathOf(home))).toEqual(standard);
  expect((await home.owner.call("GET", `/projects/${project.id}/statuses`)).trips).toBe(1);
});

test("an archived Status is listed nowhere and gives its name back", async () => {
  const home = await world(running);
  const project = await newProject(home);
  await running.sql("update statuses set archived_at = now() where name = 'In Review'", [], home.workspaceId);
  const left = standard.filter((name) => name !== "In Review");
  expect(await names(home.owner, pathOf(home))).toEqual(left);
  expect(await names(home.owner, `/projects/${project.id}/statuses`)).toEqual(left);
  expect((await add(home, { name: "in review", category: "started" })).status).toBe(201);
});

test("a new one is bound to the first stage of its category that awaits no review, or to the one it names", async () => {
  const home = await world(running);
  const all = await stepsOf(home, statuses);
  const stageOf = (name: string) => all[name]?.lifecycle.stage_id;
  const before = await definitionRevision(home, statuses);
  const plain = await newStep(home, statuses, { category: "started" });
  expect(plain.lifecycle).toMatchObject({ stage_id: stageOf("In Progress"), definition_revision: String(before + 1) });
  const review = await newStep(home, statuses, { category: "started", stage_id: stageOf("In Review") });
  expect([review.lifecycle.stage_id, review.lifecycle.behaviors.awaits_review]).toEqual([stageOf("In Review"), true]);
  const foreign = (await stepsOf(await world(running), statuses)).Done?.lifecycle.stage_id;
  for (const stage_id of [stageOf("Done"), foreign, home.workspaceId])
    expect((await add(home, { name: "Wrong", category: "started", stage_id })).body).toMatchObject({
      code: "invalid_reference",
      errors: [{ pointer: "/body/stage_id" }],
    });
});

const ownPath = (projectId: string) => `/projects/${projectId}/statuses`;

test("a Project's own Status is for who manages the Project, applies there alone and stands last there", async () => {
  const home = await world(running);
  const [project, other] = [await newProject(home), await newProject(home)];
  const body = { name: "Own", category: "started" };
  const people = {
    lead: await home.member("member"),
    member: await home.member("member"),
    viewer: await home.member("viewer"),
  };
  for (const role of ["lead", "member"] as const) await joinProject(home, project.id, people[role], role);
  for (const person of [people.member, people.viewer])
    expect((await person.call("POST", ownPath(project.id), { body })).status).toBe(403);
  expect((await people.lead.call("POST", ownPath(other.id), { body })).status).toBe(403);
  expect((await (await world(running)).owner.call("POST", ownPath(project.id), { body })).status).toBe(404);
  const { status, body: own } = await people.lead.call("POST", ownPath(project.id), { body });
  expect([status, own.project_id, own.capabilities]).toEqual([
    201,
    project.id,
    ["status:update", "status:archive", "status:delete"],
  ]);
  const order = ["Backlog", "Todo", "In Progress", "In Review", "Own", "Done", "Cancelled"];
  expect(await names(home.owner, ownPath(project.id))).toEqual(order);
  expect(await names(home.owner, ownPath(other.id))).toEqual(standard);
  await newTask(home.owner, project.id, { status_id: own.id });
  const wrong = { title: "Elsewhere", status_id: own.id };
  const refused = await home.owner.call("POST", `/projects/${other.id}/tasks`, { body: wrong, key: "k".repeat(16) });
  expect(refused.body.code).toBe("invalid_reference");
});

test("a Project's own Status is changed and deleted by who manages the Project, and not by those who work in it", async () => {
  const home = await world(running);
  const project = await newProject(home);
  const [lead, member] = [await home.member("member"), await home.member("member")];
  await joinProject(home, project.id, lead, "lead");
  await joinProject(home, project.id, member, "member");
  const own = await newStep(home, statuses, {}, ownPath(project.id));
  expect((await patchStep(member, statuses, own, { name: "Theirs" })).status).toBe(403);
  expect((await member.call("DELETE", statuses.one(own.id), { ifMatch: own.revision })).status).toBe(403);
  const changed = await patchStep(lead, statuses, own, { name: "Ours" });
  expect([changed.status, changed.body.name]).toEqual([200, "Ours"]);
});

test("a name is taken once among the Workspace's and once among each Project's own", async () => {
  const home = await world(running);
  const [project, other] = [await newProject(home), await newProject(home)];
  for (const path of [ownPath(project.id), ownPath(other.id)]) await newStep(home, statuses, { name: "todo" }, path);
  const again = await home.owner.call("POST", ownPath(project.id), { body: { name: "TODO", category: "backlog" } });
  expect(again.body).toMatchObject({ code: "name_taken", errors: [{ pointer: "/body/name" }] });
});

test("there is room for 500 of a Project's own, also when several want the last place", async () => {
  const home = await world(running);
  const [project, other] = [await newProject(home), await newProject(home)];
  await running.sql(
    `insert into statuses (workspace_id, id, project_id, name, category, position, stage_id)
     select $1, gen_random_uuid(), $2, 'Own ' || n, 'started', n, stage_id from generate_series(1, 499) n, statuses
     where workspace_id = $1 and name = 'In Progress'`,
    [home.workspaceId, project.id],
    home.workspaceId,
  );
  const wanted = [0, 1, 2].map((n) =>
    home.owner.call("POST", ownPath(project.id), { body: { name: `${n}`, category: "started" } }),
  );
  const answers = await Promise.all(wanted);
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
  expect(answers.find(({ status }) => status === 409)?.body.code).toBe("limit_reached");
  await newStep(home, statuses, {}, ownPath(other.id));
  await newStep(home, statuses);
});

test("every member reads a Workspace-wide Status; a private Project's own only who sees the Project", async () => {
  const home = await world(running);
  const project = await newProject(home, { visibility: "private" });
  const [wide, own] = [await newStep(home, statuses), await newStep(home, statuses, {}, ownPath(project.id))];
  const [viewer, inside] = [await home.member("viewer"), await home.member("member")];
  await joinProject(home, project.id, inside, "viewer");
  const read = async (person: Person, id: string) => (await person.call("GET", `/statuses/${id}`)).status;
  expect([await read(viewer, wide.id), await read(inside, wide.id)]).toEqual([200, 200]);
  expect([await read(viewer, own.id), await read(inside, own.id)]).toEqual([404, 200]);
  expect(await read((await world(running)).owner, wide.id)).toBe(404);
  const { body, trips } = await home.owner.call("GET", `/statuses/${own.id}`);
  expect([body, trips]).toEqual([own, 1]);
  expect((await patchStep(inside, statuses, own, { name: "x" })).status).toBe(403);
  expect((await patchStep(viewer, statuses, own, { name: "x" })).status).toBe(404);
  await running.sql("update projects set deleted_at = now() where id = $1", [project.id], home.workspaceId);
  expect(await read(home.owner, own.id)).toBe(404);
});

test("an archived Status is read by its id", async () => {
  const home = await world(running);
  const step = await newStep(home, statuses);
  await running.sql("update statuses set archived_at = now() where id = $1", [step.id], home.workspaceId);
  const { status, body } = await home.owner.call("GET", `/statuses/${step.id}`);
  expect([status, typeof body.archived_at]).toEqual([200, "string"]);
});

test("a Project's own moves among the Project's own, and stays behind the Workspace's", async () => {
  const home = await world(running);
  const project = await newProject(home);
  const [a, b] = [
    await newStep(home, statuses, { name: "A" }, ownPath(project.id)),
    await newStep(home, statuses, { name: "B" }, ownPath(project.id)),
  ];
  const wide = (await stepsOf(home, statuses))["In Progress"];
  expect((await moveStep(home.owner, statuses, b, wide?.id ?? "")).body.code).toBe("invalid_reference");
  expect((await moveStep(home.owner, statuses, b, null)).status).toBe(200);
  const order = ["Backlog", "Todo", "In Progress", "In Review", "B", "A", "Done", "Cancelled"];
  expect(await names(home.owner, ownPath(project.id))).toEqual(order);
  expect((await moveStep(home.owner, statuses, b, a.id)).status).toBe(200);
  expect(await names(home.owner, ownPath(project.id))).toEqual(order.with(4, "A").with(5, "B"));
});

test("Tasks in a Status count as started and completed by its new category, the trash included", async () => {
  const home = await world(running);
  const project = await newProject(home);
  const step = await newStep(home, statuses, { category: "backlog" });
  const task = await newTask(home.owner, project.id, { status_id: step.id });
  const read = async () => (await home.owner.call("GET", `/tasks/${task.id}`)).body;
  const times = async () => {
    const { started_at, completed_at, revision } = await read();
    return [started_at !== null, completed_at !== null, revision];
  };
  const change = async (category: string) => {
    const { body } = await home.owner.call("GET", `/statuses/${step.id}`);
    const answer = await patchStep(home.owner, statuses, body, { category, acknowledged: true });
    expect([answer.status, answer.trips <= 4]).toEqual([200, true]);
  };
  expect(await times()).toEqual([false, false, "1"]);
  await change("unstarted");
  expect(await times()).toEqual([false, false, "1"]);
  await change("started");
  expect(await times()).toEqual([true, false, "2"]);
  await running.sql("update tasks set trashed_at = now() where id = $1", [task.id], home.workspaceId);
  await change("completed");
  expect(await times()).toEqual([true, true, "3"]);
  await change("cancelled");
  expect(await times()).toEqual([true, false, "4"]);
  await change("backlog");
  expect(await times()).toEqual([false, false, "5"]);
  const events = await eventsOf(running, home, task.id);
  expect(events.map(({ type, activity }) => [type, activity])).toEqual([
    ["task.created", "progress"],
    ...Array(4).fill(["task.updated", null]),
  ]);
});

test("at most 1,000 Tasks change with the category of their Status; a stage of the same category changes none", async () => {
  const home = await world(running);
  const all = await stepsOf(home, statuses);
  const step = await newStep(home, statuses);
  await statuses.fillMany(running, home, step.id, 1_001);
  const body = { category: "completed", acknowledged: true };
  const refused = await patchStep(home.owner, statuses, step, body);
  expect([refused.status, refused.body.code]).toEqual([422, "lifecycle_migration_too_large"]);
  const preview = async (query: string) =>
    (await home.owner.call("GET", `/statuses/${step.id}/lifecycle-preview?${query}`)).body;
  expect(await preview("category=completed")).toMatchObject({
    affected: 1_001,
    affected_capped: false,
    too_large: true,
  });
  const review = { stage_id: all["In Review"]?.lifecycle.stage_id, acknowledged: true };
  expect(await preview(`stage_id=${review.stage_id}`)).toMatchObject({ too_large: false });
  const reviewed = await patchStep(home.owner, statuses, step, review);
  expect(reviewed.status).toBe(200);
  await running.sql("delete from tasks where status_id = $1 and number = 1", [step.id], home.workspaceId);
  expect((await patchStep(home.owner, statuses, reviewed.body, body)).status).toBe(200);
  const [left] = await running.sql<{ count: number }>(
    "select count(*)::int as count from tasks where status_id = $1 and completed_at is not null and revision = 2",
    [step.id],
    home.workspaceId,
  );
  expect(left?.count).toBe(1_000);
});

test("a preview tells what a change would do, and changes nothing", async () => {
  const home = await world(running);
  const project = await newProject(home);
  const step = await newStep(home, statuses);
  const path = `/statuses/${step.id}/lifecycle-preview`;
  const empty = await home.owner.call("GET", `${path}?category=completed`);
  expect([empty.status, empty.trips]).toEqual([200, 2]);
  expect(empty.body).toMatchObject({
    category: "completed",
    stage_name: "Completed",
    affected: 0,
    affected_capped: false,
    acknowledgement_required: false,
    behavior_changes: [
      { behavior: "counts_as_completed", before: false, after: true },
      { behavior: "counts_as_active", before: true, after: false },
    ],
  });
  await newTask(home.owner, project.id, { status_id: step.id });
  const full = (await home.owner.call("GET", `${path}?category=completed`)).body;
  expect([full.affected, full.acknowledgement_required]).toEqual([1, true]);
  const same = (await home.owner.call("GET", `${path}?category=started`)).body;
  expect([same.stage_id, same.behavior_changes, same.acknowledgement_required]).toEqual([
    step.lifecycle.stage_id,
    [],
    false,
  ]);
  const wrong = await home.owner.call("GET", `${path}?category=completed&stage_id=${step.lifecycle.stage_id}`);
  expect(wrong.body).toMatchObject({ code: "invalid_reference", errors: [{ pointer: "/query/stage_id" }] });
  expect((await home.owner.call("GET", path)).body).toMatchObject({ code: "invalid_request" });
  expect((await home.owner.call("GET", `/statuses/${step.id}`)).body).toEqual(step);
});

test("a preview counts to 10,000", async () => {
  const home = await world(running);
  const step = await newStep(home, statuses);
  const counted = async () => {
    const path = `/statuses/${step.id}/lifecycle-preview?category=completed`;
    const { affected, affected_capped } = (await home.owner.call("GET", path)).body;
    return [affected, affected_capped];
  };
  await statuses.fillMany(running, home, step.id, 10_000);
  expect(await counted()).toEqual([10_000, false]);
  await statuses.fillMany(running, home, step.id, 1);
  expect(await counted()).toEqual([10_000, true]);
});

test("everybody who reads a Status may preview it, and is told of the Tasks that they see", async () => {
  const home = await world(running);
  const [open, hidden] = [await newProject(home), await newProject(home, { visibility: "private" })];
  const wide = await newStep(home, statuses);
  await newTask(home.owner, open.id, { status_id: wide.id });
  for (let n = 0; n < 2; n++) await newTask(home.owner, hidden.id, { status_id: wide.id });
  const [member, viewer, inside] = [
    await home.member("member"),
    await home.member("viewer"),
    await home.member("viewer"),
  ];
  await joinProject(home, hidden.id, inside, "viewer");
  const told = async (person: Person, id = wide.id) => {
    const { status, trips, body } = await person.call("GET", `/statuses/${id}/lifecycle-preview?category=completed`);
    return [status, trips, body.affected, body.acknowledgement_required];
  };
  expect(await told(home.owner)).toEqual([200, 2, 3, true]);
  expect(await told(member)).toEqual([200, 2, 1, true]);
  expect(await told(viewer)).toEqual([200, 2, 1, true]);
  expect(await told(inside)).toEqual([200, 2, 3, true]);
  const own = await newStep(home, statuses, {}, ownPath(hidden.id));
  expect([(await told(inside, own.id))[0], (await told(member, own.id))[0]]).toEqual([200, 404]);
});
