// Tasks: numbers, references, times, dates, history, roles.
import { expect, test } from "vitest";
import { eventsOf, joinProject, newProject, newProjectStatus, newTask, trashTask } from "../../../test/work.ts";
import { newKey, type Person, service, type World, world } from "../../../test/world.ts";
import { newId } from "../../platform/wire/ids.ts";

const running = service();

async function workshop() {
  const home = await world(running);
  const project = await newProject(home);
  const { items } = (await home.owner.call("GET", `/projects/${project.id}/statuses`)).body;
  const status = (name: string): string => items.find((item: { name: string }) => item.name === name).id;
  return { ...home, home, project, status, path: `/projects/${project.id}/tasks` };
}
const create = (person: Person, path: string, body: object) => person.call("POST", path, { body, key: newKey() });
const change = (person: Person, task: { id: string }, body: object, ifMatch = "1") =>
  person.call("PATCH", `/tasks/${task.id}`, { body, ifMatch });
const types = async (home: World, id: string) => (await eventsOf(running, home, id)).map((event) => event.type);
const unusable = (...fields: string[]) => ({
  code: "invalid_reference",
  errors: fields.map((field) => ({ pointer: `/body/${field}` })),
});

test("an id in a body may be spelled in capitals: it is the same one, and no change", async () => {
  const home = await world(running);
  const project = await newProject(home);
  const task = await newTask(home.owner, project.id);
  const body = { status_id: task.status_id.toUpperCase() };
  const answer = await home.owner.call("PATCH", `/tasks/${task.id}`, { body, ifMatch: "1" });
  expect(answer.body.status_id).toBe(task.status_id);
  expect(answer.body.revision).toBe("1");
  expect((await eventsOf(running, home, task.id)).map(({ type }) => type)).toEqual(["task.created"]);
});

test("a created Task gets the next number of its Project and starts in the first unstarted Status", async () => {
  const { owner, home, status, path } = await workshop();
  const other = await newProject(home, { key: "OTHER" });
  const first = await create(owner, path, { title: "One" });
  expect(first.body).toMatchObject({
    number: 1,
    title: "One",
    description_markdown: "",
    priority: "none",
    status_id: status("Todo"),
    assignee_actor_id: null,
    label_ids: [],
    created_by_actor_id: owner.actorId,
    started_at: null,
    completed_at: null,
    trashed_at: null,
    revision: "1",
    capabilities: ["work:read", "work:write", "work:manage"],
  });
  expect(first.trips).toBeLessThanOrEqual(5);
  expect((await create(owner, path, { title: "Two" })).body.number).toBe(2);
  expect((await newTask(owner, other.id)).code).toBe("OTHER-1");
  expect(await eventsOf(running, home, first.body.id)).toMatchObject([{ type: "task.created", activity: "progress" }]);
});

test("numbers are unique when 20 create at once, and one that was refused is given to nobody again", async () => {
  const { owner, path } = await workshop();
  const bodies = Array.from({ length: 25 }, (_, index) =>
    index % 5 === 0 ? { title: "Refused", status_id: newId() } : { title: `Task ${index}` },
  );
  const answers = await Promise.all(bodies.map((body) => create(owner, path, body)));
  const numbers = answers.filter(({ status }) => status === 201).map(({ body }) => body.number);
  expect(new Set(numbers).size).toBe(20);
  // Whoever was refused was tried twice, and left a gap each time.
  const { number } = (await create(owner, path, { title: "Next" })).body;
  expect(number).toBeGreaterThan(Math.max(...numbers));
  expect(number).toBeLessThanOrEqual(20 + 2 * 5 + 1);
});

test("without an unstarted Status a Task starts in the next best, and without any it cannot start", async () => {
  const { owner, path, status, workspaceId } = await workshop();
  const archive = (category: string) =>
    running.sql("update statuses set archived_at = now() where category = $1", [category], workspaceId);
  await archive("unstarted");
  expect((await create(owner, path, { title: "x" })).body.status_id).toBe(status("Backlog"));
  for (const category of ["backlog", "started"]) await archive(category);
  expect((await create(owner, path, { title: "x" })).body).toMatchObject(unusable("status_id"));
});

test("a Status of another Project, an archived one and one that never was are refused", async () => {
  const { owner, home, path, workspaceId, project, status } = await workshop();
  const other = await newProject(home);
  const foreign = await newProjectStatus(running, home, other.id, "Theirs");
  const own = await newProjectStatus(running, home, project.id, "Ours");
  await running.sql("update statuses set archived_at = now() where id = $1", [status("Done")], workspaceId);
  const task = await newTask(owner, project.id, { status_id: own });
  for (const status_id of [foreign, status("Done"), newId()]) {
    expect((await create(owner, path, { title: "x", status_id })).body).toMatchObject(unusable("status_id"));
    const refused = await change(owner, task, { status_id });
    expect([refused.status, refused.body.errors.length]).toEqual([422, 1]);
    expect(refused.body).toMatchObject(unusable("status_id"));
  }
});

test("an assignee is an active member; a foreign, suspended or unknown Actor is refused", async () => {
  const { owner, home, path, workspaceId, project } = await workshop();
  const suspended = await home.member("member");
  await running.sql("update memberships set state = 'suspended' where workspace_id = $1 and actor_id = $2", [
    workspaceId,
    suspended.actorId,
  ]);
  const task = await newTask(owner, project.id);
  for (const assignee_actor_id of [suspended.actorId, (await world(running)).owner.actorId, newId()]) {
    const refused = unusable("assignee_actor_id");
    expect((await create(owner, path, { title: "x", assignee_actor_id })).body).toMatchObject(refused);
    expect((await change(owner, task, { assignee_actor_id })).body).toMatchObject(refused);
  }
});

test("in a private Project only who sees it is assigned to anything; who has lost sight of it may be sent back", async () => {
  const { owner, home, workspaceId } = await workshop();
  const [lead, outside, admin] = [await home.member("member"), await home.member("member"), await home.member("admin")];
  const { id } = await newProject(home, { visibility: "private" });
  const path = `/projects/${id}/tasks`;
  await joinProject(home, id, lead, "lead");
  const assign = ({ actorId }: Person) => ({ title: "x", assignee_actor_id: actorId });
  const refused = unusable("assignee_actor_id");
  expect((await create(owner, path, assign(outside))).body).toMatchObject(refused);
  expect((await create(owner, path, assign(admin))).status).toBe(201);
  const task = (await create(owner, path, assign(lead))).body;
  expect((await change(owner, task, { assignee_actor_id: outside.actorId })).body).toMatchObject(refused);
  const elsewhere = await newTask(owner, (await newProject(home)).id);
  const bulk = async ({ actorId }: Person, priority: string) => {
    const body = { task_ids: [task.id, elsewhere.id], changes: { assignee_actor_id: actorId, priority } };
    const { items } = (await owner.call("POST", `/workspaces/${workspaceId}/tasks/bulk`, { body })).body;
    return items.map(({ outcome, code }: { outcome: string; code: string | null }) => code ?? outcome);
  };
  expect(await bulk(outside, "low")).toEqual(["invalid_reference", "updated"]);
  expect((await owner.call("DELETE", `/projects/${id}/members/${lead.actorId}`)).status).toBe(204);
  const kept = { assignee_actor_id: lead.actorId, priority: "high" };
  expect((await change(owner, task, kept)).body).toMatchObject(kept);
  expect(await bulk(lead, "urgent")).toEqual(["updated", "updated"]);
});

test("owners and admins are assigned to Tasks of private Projects that they are not members of", async () => {
  const { owner, home } = await workshop();
  const admin = await home.member("admin");
  const ofAdmin = await newProject(home, { visibility: "private" }, admin);
  const ofOwner = await newProject(home, { visibility: "private" });
  const assign = ({ actorId }: Person) => ({ title: "x", assignee_actor_id: actorId });
  expect((await create(admin, `/projects/${ofAdmin.id}/tasks`, assign(owner))).status).toBe(201);
  expect((await create(owner, `/projects/${ofOwner.id}/tasks`, assign(admin))).status).toBe(201);
});

test("whom a Task is assigned to may have left since, and may be sent back as it is", async () => {
  const { owner, home, workspaceId, project } = await workshop();
  const { actorId } = await home.member("member");
  const task = await newTask(owner, project.id, { assignee_actor_id: actorId });
  await running.sql("update memberships set state = 'removed' where workspace_id = $1 and actor_id = $2", [
    workspaceId,
    actorId,
  ]);
  const changes = { assignee_actor_id: actorId, priority: "low" };
  expect((await change(owner, task, changes)).body).toMatchObject(changes);
  const body = { task_ids: [task.id], changes: { ...changes, priority: "high" } };
  const { items } = (await owner.call("POST", `/workspaces/${workspaceId}/tasks/bulk`, { body })).body;
  expect(items).toMatchObject([{ outcome: "updated", revision: "3" }]);
  const kept = (await owner.call("GET", `/tasks/${task.id}/assignments`)).body.items;
  expect(kept).toMatchObject([{ actor_id: actorId, closed_at: null }]);
});

test("a refusal points to every reference that is wrong and to no other", async () => {
  const { owner, path, project, status } = await workshop();
  const task = await newTask(owner, project.id);
  const both = { status_id: newId(), assignee_actor_id: newId() };
  const one = { status_id: status("Todo"), assignee_actor_id: newId() };
  for (const answer of [await create(owner, path, { title: "x", ...both }), await change(owner, task, both)])
    expect(answer.body).toMatchObject(unusable("status_id", "assignee_actor_id"));
  for (const answer of [await create(owner, path, { title: "x", ...one }), await change(owner, task, one)])
    expect(answer.body).toMatchObject(unusable("assignee_actor_id"));
});

test("started_at and completed_at follow the Status's category, both ways", async () => {
  const { owner, project, status } = await workshop();
  const task = await newTask(owner, project.id);
  let revision = 1;
  const moved = async (name: string) => {
    const { body } = await change(owner, task, { status_id: status(name) }, `${revision++}`);
    return [body.started_at, body.completed_at];
  };
  const [started, none] = await moved("In Progress");
  expect([typeof started, none]).toEqual(["string", null]);
  expect(await moved("In Review")).toEqual([started, null]);
  const [still, completed] = await moved("Done");
  expect([still, typeof completed]).toEqual([started, "string"]);
  expect(await moved("In Progress")).toEqual([started, null]);
  expect(await moved("Cancelled")).toEqual([started, null]);
  expect(await moved("Backlog")).toEqual([null, null]);
  const [again, done] = await moved("Done");
  expect(again).toBe(done);
});

test("a Task created in a started or completed Status has its times at once", async () => {
  const { owner, project, status } = await workshop();
  const started = await newTask(owner, project.id, { status_id: status("In Progress") });
  expect([started.started_at, started.completed_at]).toEqual([started.created_at, null]);
  const done = await newTask(owner, project.id, { status_id: status("Done") });
  expect([done.started_at, done.completed_at]).toEqual([done.created_at, done.created_at]);
});

test("an assignment is closed and not erased when another takes its place", async () => {
  const { owner, home, project, workspaceId } = await workshop();
  const [ada, bob] = [await home.member("member"), await home.member("member")];
  const task = await newTask(owner, project.id, { assignee_actor_id: ada.actorId });
  expect((await change(owner, task, { assignee_actor_id: bob.actorId })).body.assignee_actor_id).toBe(bob.actorId);
  expect((await change(ada, task, { assignee_actor_id: bob.actorId }, "2")).status).toBe(200);
  expect((await change(bob, task, { assignee_actor_id: null }, "2")).body.assignee_actor_id).toBeNull();
  expect((await change(bob, task, { assignee_actor_id: ada.actorId }, "3")).status).toBe(200);
  const history = await running.sql(
    `select actor_id, assigned_by_actor_id, closed_at is null as open from task_assignments where task_id = $1
      order by assigned_at`,
    [task.id],
    workspaceId,
  );
  expect(history).toEqual([
    { actor_id: ada.actorId, assigned_by_actor_id: owner.actorId, open: false },
    { actor_id: bob.actorId, assigned_by_actor_id: owner.actorId, open: false },
    { actor_id: ada.actorId, assigned_by_actor_id: bob.actorId, open: true },
  ]);
  const assigned = (await types(home, task.id)).filter((type) => type === "task.assigned");
  expect(assigned).toHaveLength(3);
});

test("every text that a description had is kept under the revision that had it", async () => {
  const { owner, project, workspaceId } = await workshop();
  const task = await newTask(owner, project.id, { description_markdown: "one" });
  await change(owner, task, { description_markdown: "two" });
  await change(owner, task, { description_markdown: "two", title: "Other" }, "2");
  await change(owner, task, { description_markdown: "" }, "3");
  const kept = await running.sql(
    `select revision::text, description_markdown as text from task_description_revisions where task_id = $1
      order by revision`,
    [task.id],
    workspaceId,
  );
  expect(kept).toEqual([
    { revision: "1", text: "one" },
    { revision: "3", text: "two" },
  ]);
});

test("the start is not after the due date, whichever of the two is sent", async () => {
  const { owner, path, project } = await workshop();
  const pointers = [{ pointer: "/body/start_date" }, { pointer: "/body/due_date" }];
  const wrong = await create(owner, path, { title: "x", start_date: "2027-02-02", due_date: "2027-02-01" });
  expect(wrong.body).toMatchObject({ code: "invalid_dates", errors: pointers });
  expect(wrong.status).toBe(422);
  const task = await newTask(owner, project.id, { start_date: "2027-02-01", due_date: "2027-02-01" });
  expect((await change(owner, task, { due_date: "2027-01-31" })).body.code).toBe("invalid_dates");
  expect((await change(owner, task, { start_date: "2027-02-02" })).body.code).toBe("invalid_dates");
  expect((await change(owner, task, { due_date: null })).body).toMatchObject({ due_date: null, revision: "2" });
  expect((await change(owner, task, { start_date: "2028-02-29" }, "2")).body.start_date).toBe("2028-02-29");
  for (const start_date of ["2027-02-29", "2027-2-1", "20270201", "0999-01-01", "9999-01-01", 5])
    expect((await change(owner, task, { start_date }, "3")).body.errors[0].pointer).toBe("/body/start_date");
});

test("a PATCH records one fact for each kind of change, and none for what stays as it was", async () => {
  const { owner, home, project, status } = await workshop();
  const task = await newTask(owner, project.id, { priority: "high", due_date: "2027-01-01" });
  await change(owner, task, { priority: "high", due_date: "2027-01-01", status_id: status("Todo") });
  expect(await types(home, task.id)).toEqual(["task.created"]);
  const body = { status_id: status("Done"), priority: "low", due_date: null, description_markdown: "x", title: "y" };
  await change(owner, task, { ...body, assignee_actor_id: owner.actorId }, "1");
  expect((await types(home, task.id)).slice(1).sort()).toEqual([
    "task.assigned",
    "task.dates_changed",
    "task.description_changed",
    "task.priority_changed",
    "task.status_changed",
    "task.updated",
  ]);
});

test("a change needs the current revision and costs at most five round-trips", async () => {
  const { owner, project, status } = await workshop();
  const task = await newTask(owner, project.id);
  const blind = await owner.call("PATCH", `/tasks/${task.id}`, { body: { title: "x" } });
  expect(blind.body.code).toBe("if_match_required");
  const body = { title: "x", status_id: status("Done"), assignee_actor_id: owner.actorId, description_markdown: "x" };
  const changed = await change(owner, task, body);
  expect(changed.body).toMatchObject({ ...body, revision: "2" });
  expect(changed.trips).toBeLessThanOrEqual(5);
  const stale = await change(owner, task, { title: "y" });
  expect(stale.body).toMatchObject({ code: "revision_conflict", current_revision: "2" });
  const read = await owner.call("GET", `/tasks/${task.id}`);
  expect(read.body).toEqual(changed.body);
  expect(read.trips).toBe(1);
});

test("what the caller does not own cannot be set", async () => {
  const { owner, project } = await workshop();
  const task = await newTask(owner, project.id);
  for (const field of ["number", "code", "project_id", "created_by_actor_id", "completed_at", "revision"]) {
    const refused = await change(owner, task, { [field]: "1" });
    expect(refused.body.errors[0]).toMatchObject({ pointer: `/body/${field}`, code: "unknown_field" });
  }
});

test("a title has 1 to 500 characters in one line, a description at most 262144", async () => {
  const { owner, path, project } = await workshop();
  expect((await create(owner, path, { title: "😀".repeat(500) })).status).toBe(201);
  for (const title of ["x".repeat(501), "", " ", "two\nlines", "bell\u0007"])
    expect((await create(owner, path, { title })).body.errors[0].pointer).toBe("/body/title");
  const long = (length: number) => ({ title: "x", description_markdown: "x".repeat(length) });
  expect((await create(owner, path, long(262144))).status).toBe(201);
  expect((await create(owner, path, long(262145))).body.errors[0].pointer).toBe("/body/description_markdown");
  const task = await newTask(owner, project.id);
  expect((await change(owner, task, { title: "x".repeat(501) })).status).toBe(400);
  expect((await change(owner, task, { priority: "asap" })).body.errors[0].pointer).toBe("/body/priority");
  expect((await change(owner, task, { position: 1e16 })).body.errors[0].pointer).toBe("/body/position");
  expect((await change(owner, task, { position: -0.5 })).body.position).toBe(-0.5);
});

test("viewers of the Workspace or the Project read Tasks and write none; members write", async () => {
  const { owner, home, project, path } = await workshop();
  const task = await newTask(owner, project.id);
  const [viewer, projectViewer, member] = [
    await home.member("viewer"),
    await home.member("member"),
    await home.member("member"),
  ];
  await joinProject(home, project.id, projectViewer, "viewer");
  for (const reader of [viewer, projectViewer]) {
    expect((await reader.call("GET", `/tasks/${task.id}`)).body.capabilities).toEqual(["work:read"]);
    expect((await create(reader, path, { title: "x" })).status).toBe(403);
    expect((await change(reader, task, { title: "x" })).status).toBe(403);
  }
  expect((await create(member, path, { title: "x" })).status).toBe(201);
  expect((await change(member, task, { title: "x" })).body.capabilities).toEqual(["work:read", "work:write"]);
});

test("a Task in the trash is read and not changed", async () => {
  const { owner, home, project, path } = await workshop();
  const task = await newTask(owner, project.id);
  await trashTask(running, home, task.id);
  expect((await change(owner, task, { title: "x" })).body.code).toBe("task_trashed");
  expect((await owner.call("GET", `/tasks/${task.id}`)).body.trashed_at).not.toBeNull();
  expect((await owner.call("GET", path)).body.items).toEqual([]);
});

test("a code finds its Task in any case; hidden, foreign and unknown codes are the same 404", async () => {
  const home = await world(running);
  const project = await newProject(home, { key: "GEAR" });
  const hidden = await newProject(home, { key: "HUSH", visibility: "private" });
  const task = await newTask(home.owner, project.id);
  await newTask(home.owner, hidden.id);
  const member = await home.member("member");
  const find = (person: Person, code: string) => person.call("GET", `/workspaces/${home.workspaceId}/tasks/${code}`);
  for (const code of ["GEAR-1", "gear-1", "Gear-1"]) {
    const found = await find(member, code);
    expect([found.body.id, found.trips]).toEqual([task.id, 1]);
  }
  for (const code of ["HUSH-1", "GEAR-2", "NONE-1", "GEAR-99999999999999999"])
    expect((await find(member, code)).body.code, code).toBe("not_found");
  expect((await find(home.owner, "hush-1")).status).toBe(200);
  expect((await find((await world(running)).owner, "GEAR-1")).status).toBe(404);
  for (const code of ["GEAR", "A-1", "GEAR-01", "GEAR-0", "GEAR-999999999999999999", "GEAR--1", "-1234"])
    expect((await find(member, code)).body.code, code).toBe("invalid_request");
});

test("50 writers on one revision have one winner", async () => {
  const { owner, project } = await workshop();
  const task = await newTask(owner, project.id);
  const writers = Array.from({ length: 50 }, (_, index) => change(owner, task, { title: `Writer ${index}` }));
  const answers = await Promise.all(writers);
  const winners = answers.filter(({ status }) => status === 200);
  expect(winners).toHaveLength(1);
  expect(answers.filter(({ body }) => body.code === "revision_conflict")).toHaveLength(49);
  const read = await owner.call("GET", `/tasks/${task.id}`);
  expect(read.body).toMatchObject({ title: winners[0]?.body.title, revision: "2" });
});
