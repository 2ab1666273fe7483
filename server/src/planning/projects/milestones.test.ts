// Milestones: codes, stages, progress, roles, deletion.
import pg from "pg";
import { expect, test } from "vitest";
import { eventsOf, joinProject, newMilestone, newProject, newTask, pages, trashTask } from "../../../test/work.ts";
import { newKey, type Person, service, type World, world } from "../../../test/world.ts";
import { newId } from "../../platform/wire/ids.ts";
import { projectJobs } from "./deletion/jobs.ts";

const running = service();

async function workshop() {
  const home = await world(running);
  const project = await newProject(home);
  const { items } = (await home.owner.call("GET", `/projects/${project.id}/statuses`)).body;
  const { stages } = (await home.owner.call("GET", `/workspaces/${home.workspaceId}/milestone-lifecycle`)).body;
  const named = (list: { id: string; name: string }[]) => (name: string) =>
    list.find((each) => each.name === name)?.id as string;
  return {
    ...home,
    home,
    project,
    path: `/projects/${project.id}/milestones`,
    status: named(items),
    stage: named(stages),
  };
}
type Workshop = Awaited<ReturnType<typeof workshop>>;
/** What the background does. */
function emptied(workspaceId: string, { id }: { id: string }) {
  const job = projectJobs(running.database).empty_milestone as (payload: unknown) => Promise<void>;
  const author = { actorId: null, userId: null, source: null, commandId: newId() };
  return job({ workspace_id: workspaceId, milestone_id: id, author });
}
const create = (person: Person, path: string, body: object) => person.call("POST", path, { body });
const change = (person: Person, { id }: { id: string }, body: object, ifMatch = "1") =>
  person.call("PATCH", `/milestones/${id}`, { body, ifMatch });
const types = async (home: World, id: string) => (await eventsOf(running, home, id)).map(({ type }) => type);
const nothing = { total: 0, completed: 0, active: 0, awaiting_review: 0, cancelled: 0, percent: 0, capped: false };

test("a created Milestone gets the next code of its Project and starts in the first stage that accepts new work", async () => {
  const { owner, home, path, stage, project } = await workshop();
  const { key } = project;
  const other = await newProject(home);
  const first = await create(owner, path, { name: "One", target_date: "2027-01-01" });
  expect(first.body).toMatchObject({
    number: 1,
    code: `${key}-M1`,
    name: "One",
    description_markdown: "",
    stage_id: stage("Planned"),
    start_date: null,
    target_date: "2027-01-01",
    created_by_actor_id: owner.actorId,
    lifecycle: {
      stage_id: stage("Planned"),
      stage_name: "Planned",
      stage_revision: "1",
      behaviors: { accepts_new_work: true, counts_as_active: false, counts_as_completed: false },
    },
    progress: nothing,
    revision: "1",
    capabilities: ["milestone:update", "milestone:delete"],
  });
  expect([first.status, first.headers.get("etag"), first.trips <= 5]).toEqual([201, '"1"', true]);
  expect((await create(owner, path, { name: "Two" })).body.code).toBe(`${key}-M2`);
  expect((await newMilestone(owner, other.id)).code).toBe(`${other.key}-M1`);
  const read = await owner.call("GET", `/milestones/${first.body.id}`);
  expect([read.body, read.trips]).toEqual([first.body, 1]);
  for (const code of ["1", first.body.code, first.body.code.toLowerCase()])
    expect((await owner.call("GET", `${path}/by-code/${code}`)).body).toEqual(first.body);
  const token = await home.token();
  const named = await owner.bearer(token, "GET", `/cli/milestones/${first.body.code}`);
  expect(named.body.code, "the command line has the same code").toBe(first.body.code);
  expect(await eventsOf(running, home, first.body.id)).toMatchObject([
    { type: "milestone.created", activity: "milestone" },
  ]);
});

test("codes are unique and without gaps when 20 create at once, and a deleted one is never used again", async () => {
  const { owner, path } = await workshop();
  const bodies = Array.from({ length: 25 }, (_, index) => ({
    name: `M${index}`,
    ...(index % 5 === 0 ? { stage_id: newId() } : {}),
  }));
  const answers = await Promise.all(bodies.map((body) => create(owner, path, body)));
  const made = answers.filter(({ status }) => status === 201).map(({ body }) => body);
  expect(made.map(({ number }) => number).sort((a, b) => a - b)).toEqual(
    Array.from({ length: 20 }, (_, index) => index + 1),
  );
  const last = made.find(({ number }) => number === 20);
  expect((await owner.call("DELETE", `/milestones/${last.id}`)).status).toBe(204);
  expect((await create(owner, path, { name: "After" })).body.number).toBe(21);
  expect((await owner.call("GET", `${path}/by-code/20`)).status).toBe(404);
});

test("a code is a positive 64-bit number without signs, spaces and leading zeros", async () => {
  const { owner, path } = await workshop();
  const status = async (code: string) => (await owner.call("GET", `${path}/by-code/${code}`)).status;
  for (const code of ["0", "01", "-1", "+1", "1%20", "1.0", "x", "9223372036854775808", "1".repeat(29), "1".repeat(30)])
    expect([code, await status(code)]).toEqual([code, 400]);
  for (const code of ["1", "9223372036854775807"]) expect([code, await status(code)]).toEqual([code, 404]);
});

test("a stage of another kind or Workspace, and one that never was, are refused alike", async () => {
  const { owner, path, project, workspaceId, stage } = await workshop();
  const elsewhere = await workshop();
  const [task] = await running.sql<{ id: string }>(
    `select g.id from lifecycle_stages g join lifecycle_definitions d on d.id = g.definition_id where d.kind = 'task'
      limit 1`,
    [],
    workspaceId,
  );
  const milestone = await newMilestone(owner, project.id);
  const refused = { code: "invalid_reference", errors: [{ pointer: "/body/stage_id" }] };
  for (const stage_id of [task?.id, elsewhere.stage("Active"), newId()]) {
    expect((await create(owner, path, { name: "x", stage_id })).body).toMatchObject(refused);
    expect((await change(owner, milestone, { stage_id })).body).toMatchObject(refused);
  }
  expect((await create(owner, path, { name: "x", stage_id: stage("Completed") })).status).toBe(201);
});

test("dates in the wrong order are refused when a Milestone is made and when it is changed", async () => {
  const { owner, path, project } = await workshop();
  const wrong = { start_date: "2027-02-02", target_date: "2027-02-01" };
  expect((await create(owner, path, { name: "x", ...wrong })).body.code).toBe("invalid_dates");
  const milestone = await newMilestone(owner, project.id, { target_date: "2027-02-01" });
  expect((await change(owner, milestone, { start_date: "2027-02-02" })).body.code).toBe("invalid_dates");
  expect((await change(owner, milestone, { start_date: "2027-02-01" })).body.start_date).toBe("2027-02-01");
});

test("an archived Project and one in a stage that takes no new work get no new Milestone", async () => {
  const { owner, path, project, workspaceId } = await workshop();
  const closed = async (sql: string) => {
    await running.sql(sql, [project.id], workspaceId);
    return (await create(owner, path, { name: "x" })).body.code;
  };
  expect(await closed("update projects set archived_at = now() where id = $1")).toBe("project_archived");
  const state = (name: string) =>
    `update projects set archived_at = null, state_id = (select id from project_states where name = '${name}')
      where id = $1`;
  expect(await closed(state("Completed"))).toBe("project_closed");
  expect(await closed(state("In Progress"))).toBe(`${project.key}-M1`);
  expect(await closed("update projects set state_id = null where id = $1")).toBe(`${project.key}-M2`);
});

test("a change says what it changed, and one that changes nothing records nothing", async () => {
  const { owner, home, project, stage } = await workshop();
  const milestone = await newMilestone(owner, project.id);
  const moved = await change(owner, milestone, { stage_id: stage("Active"), name: "Renamed" });
  expect(moved.body).toMatchObject({ revision: "2", stage_id: stage("Active"), lifecycle: { stage_name: "Active" } });
  expect(moved.trips).toBeLessThanOrEqual(5);
  expect((await owner.call("GET", `/milestones/${milestone.id}`)).body).toEqual(moved.body);
  expect((await change(owner, milestone, { name: "Renamed" }, "2")).body).toEqual(moved.body);
  expect((await eventsOf(running, home, milestone.id)).slice(1)).toEqual([
    {
      type: "milestone.stage_changed",
      activity: "milestone",
      payload: { from: stage("Planned"), to: stage("Active") },
    },
    {
      type: "milestone.updated",
      activity: "milestone",
      payload: { from: { name: milestone.name }, to: { name: "Renamed" } },
    },
  ]);
});

test("of 10 who change one revision one wins", async () => {
  const { owner, project } = await workshop();
  const milestone = await newMilestone(owner, project.id);
  const answers = await Promise.all(
    Array.from({ length: 10 }, (_, index) => change(owner, milestone, { name: `M${index}` })),
  );
  expect(answers.filter(({ status }) => status === 200).length).toBe(1);
  expect(answers.filter(({ body }) => body.code === "revision_conflict").length).toBe(9);
});

test("members create and change, leads and managers delete, viewers read, and nobody else sees it", async () => {
  const { owner, home, path, project } = await workshop();
  const [member, lead, projectViewer, viewer, admin, outsider] = [
    await home.member("member"),
    await home.member("member"),
    await home.member("member"),
    await home.member("viewer"),
    await home.member("admin"),
    (await world(running)).owner,
  ];
  await joinProject(home, project.id, lead, "lead");
  await joinProject(home, project.id, projectViewer, "viewer");
  const expected = [
    [owner, 201, 200, 204],
    [admin, 201, 200, 204],
    [lead, 201, 200, 204],
    [member, 201, 200, 403],
    [projectViewer, 403, 403, 403],
    [viewer, 403, 403, 403],
    [outsider, 404, 404, 404],
  ] as const;
  for (const [person, ...statuses] of expected) {
    const milestone = await newMilestone(owner, project.id);
    const made = await create(person, path, { name: "x" });
    const changed = await change(person, milestone, { name: "y" });
    const deleted = await person.call("DELETE", `/milestones/${milestone.id}`);
    expect([made.status, changed.status, deleted.status]).toEqual(statuses);
    expect((await person.call("GET", path)).status).toBe(person === outsider ? 404 : 200);
  }
});

test("the Milestones of a private Project exist for its members and for managers only", async () => {
  const { home, owner } = await workshop();
  const hidden = await newProject(home, { visibility: "private" });
  const milestone = await newMilestone(owner, hidden.id);
  const [inside, outside] = [await home.member("viewer"), await home.member("member")];
  await joinProject(home, hidden.id, inside, "viewer");
  const paths = [`/milestones/${milestone.id}`, `/projects/${hidden.id}/milestones/by-code/1`];
  for (const path of [...paths, `/projects/${hidden.id}/milestones`]) {
    expect((await inside.call("GET", path)).status).toBe(200);
    const [refused, missing] = [await outside.call("GET", path), await outside.call("GET", `/milestones/${newId()}`)];
    expect({ ...refused.body, correlation_id: "" }).toEqual({ ...missing.body, correlation_id: "" });
  }
  expect((await change(outside, milestone, { name: "x" })).status).toBe(404);
  const elsewhere = await newProject(home);
  expect((await owner.call("GET", `/projects/${elsewhere.id}/milestones/by-code/1`)).status).toBe(404);
});

test("Milestones are listed by date, those without one last, in pages and by stage", async () => {
  const { owner, path, project, stage } = await workshop();
  const dates = ["2027-03-01", null, "2027-01-01", "2027-03-01", null, "2026-12-31"];
  for (const [index, target_date] of dates.entries())
    await newMilestone(owner, project.id, { target_date, ...(index < 3 ? { stage_id: stage("Active") } : {}) });
  const gone = await newMilestone(owner, project.id, { target_date: "2026-01-01" });
  await owner.call("DELETE", `/milestones/${gone.id}`);
  const numbers = async (query: string, limit: number) =>
    (await pages(owner, `${path}${query}`, limit)).items.map(({ number }) => number);
  for (const limit of [1, 2, 6]) expect(await numbers("", limit)).toEqual([6, 3, 1, 4, 2, 5]);
  expect(await numbers(`?stage_id=${stage("Active")}`, 2)).toEqual([3, 1, 2]);
  expect(await numbers(`?stage_id=${newId()}`, 2)).toEqual([]);
});

test("progress is counted from the Tasks by what their Statuses' stages say, without those in the trash", async () => {
  const { owner, home, path, project, status } = await workshop();
  const milestone = await newMilestone(owner, project.id);
  const progress = async () => (await owner.call("GET", `/milestones/${milestone.id}`)).body.progress;
  const put = (name: string) => newTask(owner, project.id, { milestone_id: milestone.id, status_id: status(name) });
  await newTask(owner, project.id, { status_id: status("Done") });
  for (const name of ["Cancelled", "Cancelled"]) await put(name);
  expect(await progress()).toEqual({ ...nothing, total: 2, cancelled: 2 });
  for (const name of ["Backlog", "Todo", "In Progress", "In Review", "Done", "Done"]) await put(name);
  const trashed = await put("Done");
  await trashTask(running, home, trashed.id);
  const counted = { total: 8, completed: 2, active: 2, awaiting_review: 1, cancelled: 2, percent: 33, capped: false };
  expect(await progress()).toEqual(counted);
  const { items } = (await owner.call("GET", path)).body;
  expect(items[0].progress).toEqual(counted);
});

/** Tasks in the Milestone, every fourth of them done. */
async function fill(
  { workspaceId, owner, project, status }: Workshop,
  milestone: { id: string },
  from: number,
  to: number,
) {
  const admin = new pg.Client(running.databaseUrl);
  await admin.connect();
  // The rows are right by construction: checking their foreign keys would take most of the time.
  await admin.query("set session_replication_role = replica");
  await admin.query(
    `insert into tasks (workspace_id, id, project_id, number, title, status_id, milestone_id, position,
     created_by_actor_id)
     select $1, gen_random_uuid(), $2, n, 'x', case when n % 4 = 0 then $3::uuid else $4::uuid end, $5, n, $6
     from generate_series($7::int, $8::int) n`,
    [workspaceId, project.id, status("Done"), status("Todo"), milestone.id, owner.actorId, from, to],
  );
  await admin.end();
}

test("at 10,000 Tasks progress is exact, and one more is not counted", async () => {
  const shop = await workshop();
  const { owner, project } = shop;
  const milestone = await newMilestone(owner, project.id);
  const progress = async () => (await owner.call("GET", `/milestones/${milestone.id}`)).body.progress;
  await fill(shop, milestone, 1, 10_000);
  expect(await progress()).toMatchObject({ total: 10_000, completed: 2_500, percent: 25, capped: false });
  await fill(shop, milestone, 10_001, 10_001);
  expect(await progress()).toMatchObject({ total: 10_000, percent: null, capped: true });
});

test("1,000 Tasks leave a Milestone that is deleted, and the rest in the background, however often that runs", async () => {
  const shop = await workshop();
  const { owner, project, workspaceId } = shop;
  const milestone = await newMilestone(owner, project.id);
  await fill(shop, milestone, 1, 2_002);
  const path = `/projects/${project.id}/tasks?milestone_id=${milestone.id}`;
  const { items } = (await owner.call("GET", `${path}&limit=1`)).body;
  const left = async () => {
    const count = "select count(*)::int as n from tasks where milestone_id = $1";
    return (await running.sql<{ n: number }>(count, [milestone.id], workspaceId))[0]?.n;
  };
  expect((await owner.call("DELETE", `/milestones/${milestone.id}`)).status).toBe(204);
  expect(await left()).toBe(1_002);
  const queued = "select payload from graphile_worker._private_jobs where payload ->> 'milestone_id' = $1";
  const admin = new pg.Client(running.databaseUrl);
  await admin.connect();
  expect((await admin.query(queued, [milestone.id])).rowCount).toBe(1);
  await admin.end();
  await Promise.all([emptied(workspaceId, milestone), emptied(workspaceId, milestone)]);
  await emptied(workspaceId, milestone);
  expect(await left()).toBe(0);
  expect((await owner.call("GET", `/tasks/${items[0].id}`)).body).toMatchObject({ milestone_id: null, revision: "2" });
});

test("a deleted Milestone is gone, its Tasks stay and those in the trash leave it too", async () => {
  const { owner, home, project } = await workshop();
  const milestone = await newMilestone(owner, project.id);
  const tasks = [1, 2].map(() => newTask(owner, project.id, { milestone_id: milestone.id }));
  const [kept, trashed] = await Promise.all(tasks);
  await trashTask(running, home, trashed.id);
  const deleted = await owner.call("DELETE", `/milestones/${milestone.id}`);
  expect([deleted.status, deleted.trips <= 5]).toEqual([204, true]);
  for (const { id } of [kept, trashed])
    expect((await owner.call("GET", `/tasks/${id}`)).body).toMatchObject({ milestone_id: null, revision: "2" });
  for (const [method, body] of [["GET"], ["DELETE"], ["PATCH", { name: "x" }]] as const)
    expect((await owner.call(method, `/milestones/${milestone.id}`, { body, ifMatch: "2" })).status).toBe(404);
  expect(await types(home, milestone.id)).toEqual(["milestone.created", "milestone.deleted"]);
  expect((await eventsOf(running, home, kept.id)).at(-1)).toEqual({
    type: "task.milestone_changed",
    activity: null,
    payload: { from: milestone.id, to: null },
  });
  const refused = await owner.call("POST", `/projects/${project.id}/tasks`, {
    body: { title: "x", milestone_id: milestone.id },
    key: newKey(),
  });
  expect(refused.body.code).toBe("invalid_reference");
});

test("a Task that enters a Milestone while it is deleted is refused or leaves it with the others", async () => {
  const { owner, project, workspaceId } = await workshop();
  for (let round = 0; round < 10; round++) {
    const milestone = await newMilestone(owner, project.id);
    const waiting = await newTask(owner, project.id);
    const body = { title: "x", milestone_id: milestone.id };
    const [deleted, ...entered] = await Promise.all([
      owner.call("DELETE", `/milestones/${milestone.id}`),
      ...[1, 2, 3].map(() => owner.call("POST", `/projects/${project.id}/tasks`, { body, key: newKey() })),
      owner.call("PATCH", `/tasks/${waiting.id}`, { body: { milestone_id: milestone.id }, ifMatch: "1" }),
    ]);
    expect(deleted.status).toBe(204);
    for (const { status } of entered) expect([200, 201, 422]).toContain(status);
    await emptied(workspaceId, milestone);
    const inside = "select id from tasks where milestone_id = $1";
    expect(await running.sql(inside, [milestone.id], workspaceId)).toEqual([]);
  }
});

test("a page ends at a mebibyte of descriptions, and the rest follows", async () => {
  const { owner, path } = await workshop();
  for (let count = 0; count < 5; count++)
    expect((await create(owner, path, { name: `M${count}`, description_markdown: "x".repeat(262_144) })).status).toBe(
      201,
    );
  const first = (await owner.call("GET", `${path}?include=project`)).body;
  expect([first.items.length, first.has_more]).toEqual([4, true]);
  expect((await pages(owner, path, 100)).items.map(({ name }) => name)).toEqual(["M0", "M1", "M2", "M3", "M4"]);
});
