// One change to many Tasks: each is judged for itself, and what is refused does not stop the others.
import { expect, test } from "vitest";
import { overlapping } from "../../../test/overlap.ts";
import {
  eventsOf,
  joinProject,
  newMilestone,
  newProject,
  newProjectStatus,
  newTask,
  type RecordedEvent,
} from "../../../test/work.ts";
import { newKey, type Person, service, world } from "../../../test/world.ts";
import { newId } from "../../platform/wire/ids.ts";

const running = service();

async function workshop() {
  const home = await world(running);
  const project = await newProject(home);
  const { items } = (await home.owner.call("GET", `/projects/${project.id}/statuses`)).body;
  const status = (name: string) => items.find((each: { name: string }) => each.name === name)?.id as string;
  const bulk = (person: Person, body: object, key?: string) =>
    person.call("POST", `/workspaces/${home.workspaceId}/tasks/bulk`, { body, key });
  return { home, owner: home.owner, workspaceId: home.workspaceId, project, status, bulk };
}
type Id = { id: string };
const idsOf = (tasks: Id[]) => tasks.map(({ id }) => id);
const read = async (person: Person, { id }: Id) => (await person.call("GET", `/tasks/${id}`)).body;
const updated = (task_id: string, revision = "2") => ({ task_id, outcome: "updated", code: null, revision });

test("every field is changed on every Task as a change of it alone would, with its events and assignments", async () => {
  const { home, owner, project, status, bulk, workspaceId } = await workshop();
  const milestone = await newMilestone(owner, project.id);
  const tasks = [
    await newTask(owner, project.id, { assignee_actor_id: owner.actorId }),
    await newTask(owner, project.id),
  ];
  const alone = await newTask(owner, project.id, { assignee_actor_id: owner.actorId });
  const ada = await home.member("member");
  const changes = {
    status_id: status("Done"),
    assignee_actor_id: ada.actorId,
    priority: "low",
    milestone_id: milestone.id,
    start_date: "2027-01-01",
    due_date: "2027-01-02",
  };
  const answer = await bulk(owner, { task_ids: idsOf(tasks), changes });
  expect(answer.body.items).toEqual(tasks.map(({ id }) => updated(id)));
  await owner.call("PATCH", `/tasks/${alone.id}`, { body: changes, ifMatch: "1" });
  const [first] = tasks as [Id];
  for (const task of tasks) {
    const now = await read(owner, task);
    expect(now).toMatchObject({ ...changes, revision: "2" });
    expect([now.started_at, now.completed_at]).toEqual([now.updated_at, now.updated_at]);
  }
  // But for the place that each has left.
  const byType = (events: RecordedEvent[]) =>
    events
      .map(({ payload: { position: _, ...payload }, ...event }) => ({ ...event, payload }))
      .sort((a, b) => a.type.localeCompare(b.type));
  expect(byType(await eventsOf(running, home, first.id))).toEqual(byType(await eventsOf(running, home, alone.id)));
  const history = await running.sql(
    `select actor_id, assigned_by_actor_id, closed_at is null as open from task_assignments where task_id = $1
      order by closed_at nulls last`,
    [first.id],
    workspaceId,
  );
  expect(history).toEqual([
    { actor_id: owner.actorId, assigned_by_actor_id: owner.actorId, open: false },
    { actor_id: ada.actorId, assigned_by_actor_id: owner.actorId, open: true },
  ]);
  const cleared = { assignee_actor_id: null, milestone_id: null, start_date: null, due_date: null };
  await bulk(owner, { task_ids: idsOf(tasks), changes: cleared });
  for (const task of tasks)
    expect(await read(owner, task)).toMatchObject({ ...cleared, status_id: status("Done"), revision: "3" });
});

test("what has all the values already stays as it is, and nothing is recorded of it", async () => {
  const { home, owner, project, bulk } = await workshop();
  const task = await newTask(owner, project.id, { priority: "high" });
  const { body } = await bulk(owner, { task_ids: [task.id], changes: { priority: "high", trashed: false } });
  expect(body.items).toEqual([{ task_id: task.id, outcome: "unchanged", code: null, revision: "1" }]);
  expect(await read(owner, task)).toEqual(task);
  expect(await eventsOf(running, home, task.id)).toHaveLength(1);
});

test("each Task that cannot be changed says why, and the others are changed", async () => {
  const { home, owner, project, bulk } = await workshop();
  const hidden = await newProject(home, { visibility: "private" });
  const watched = await newProject(home);
  const member = await home.member("member");
  await joinProject(home, watched.id, member, "viewer");
  const [good, stale, late, unseen, readable, trashed] = [
    await newTask(owner, project.id),
    await newTask(owner, project.id),
    await newTask(owner, project.id, { start_date: "2027-05-05" }),
    await newTask(owner, hidden.id),
    await newTask(owner, watched.id),
    await newTask(owner, project.id),
  ];
  const elsewhere = await world(running);
  const foreign = await newTask(elsewhere.owner, (await newProject(elsewhere)).id);
  await owner.call("POST", `/tasks/${trashed.id}/trash`, { ifMatch: "1" });
  const missing = newId();
  const task_ids = [missing, ...idsOf([good, stale, late, unseen, readable, trashed, foreign])];
  const revisions = { [stale.id]: "7", [good.id.toUpperCase()]: "1" };
  const { status, body } = await bulk(member, { task_ids, changes: { due_date: "2027-01-01" }, revisions });
  expect(status).toBe(200);
  expect(body.items).toEqual([
    { task_id: missing, outcome: "not_found", code: "not_found", revision: null },
    updated(good.id),
    { task_id: stale.id, outcome: "conflict", code: "revision_conflict", revision: "1" },
    { task_id: late.id, outcome: "invalid", code: "invalid_dates", revision: "1" },
    { task_id: unseen.id, outcome: "not_found", code: "not_found", revision: null },
    { task_id: readable.id, outcome: "forbidden", code: "forbidden", revision: "1" },
    { task_id: trashed.id, outcome: "conflict", code: "task_trashed", revision: "2" },
    { task_id: foreign.id, outcome: "not_found", code: "not_found", revision: null },
  ]);
  expect((await read(owner, stale)).due_date).toBeNull();
});

test("what the change names must be usable for each Task: its Project's Status and Milestone, an active member", async () => {
  const { home, owner, project, bulk } = await workshop();
  const other = await newProject(home);
  const tasks = [await newTask(owner, project.id), await newTask(owner, other.id)];
  const task_ids = idsOf(tasks);
  const outcomes = async (changes: object) =>
    (await bulk(owner, { task_ids, changes })).body.items.map((item: { code: string | null }) => item.code);
  const own = await newProjectStatus(running, home, project.id, "Milling");
  expect(await outcomes({ status_id: own })).toEqual([null, "invalid_reference"]);
  const milestone = await newMilestone(owner, other.id);
  expect(await outcomes({ milestone_id: milestone.id })).toEqual(["invalid_reference", null]);
  await owner.call("DELETE", `/milestones/${milestone.id}`);
  const suspended = await home.member("member");
  await running.sql("update memberships set state = 'suspended' where user_id = $1", [suspended.userId]);
  for (const changes of [
    { milestone_id: milestone.id },
    { milestone_id: newId() },
    { status_id: newId() },
    { assignee_actor_id: suspended.actorId },
    { assignee_actor_id: newId() },
  ])
    expect(await outcomes({ ...changes, priority: "high" })).toEqual(["invalid_reference", "invalid_reference"]);
  expect((await read(owner, tasks[0] as Id)).priority).toBe("none");
});

test("many go into the trash and come out of it, changed on the way if that is asked for", async () => {
  const { home, owner, project, bulk } = await workshop();
  const tasks = [await newTask(owner, project.id), await newTask(owner, project.id)];
  const task_ids = idsOf(tasks);
  await bulk(owner, { task_ids, changes: { trashed: true, priority: "low" } });
  for (const task of tasks) expect((await read(owner, task)).trashed_at).not.toBeNull();
  const again = await bulk(owner, { task_ids, changes: { trashed: true } });
  expect(again.body.items.map((item: { outcome: string }) => item.outcome)).toEqual(["unchanged", "unchanged"]);
  expect((await bulk(owner, { task_ids, changes: { trashed: true, priority: "high" } })).body.items[0].code).toBe(
    "task_trashed",
  );
  await bulk(owner, { task_ids, changes: { trashed: false, priority: "high" } });
  for (const task of tasks)
    expect(await read(owner, task)).toMatchObject({ trashed_at: null, priority: "high", revision: "3" });
  const types = (await eventsOf(running, home, task_ids[0] as string)).map(({ type }) => type);
  expect(types.filter((type) => /trashed|restored/.test(type))).toEqual(["task.trashed", "task.restored"]);
});

test("a Task that is moved to another Project meanwhile is changed there", async () => {
  const { home, owner, project, bulk, workspaceId } = await workshop();
  const [moved, other] = [await newTask(owner, project.id), await newTask(owner, project.id)];
  const place = (await newProject(home)).id;
  const { body, trips } = await overlapping(
    running,
    ["update tasks set project_id = $2, revision = revision + 1 where id = $1", moved.id, place],
    1,
    () => bulk(owner, { task_ids: [other.id, moved.id], changes: { priority: "low" } }),
    workspaceId,
  );
  expect([body.items, trips <= 5]).toEqual([[updated(other.id), updated(moved.id, "3")], true]);
  expect(await read(owner, moved)).toMatchObject({ project_id: place, priority: "low" });
});

test("1 to 100 Tasks take the same few round-trips; 101, none, a repeated one and an empty change are refused", async () => {
  const { owner, project, bulk, workspaceId } = await workshop();
  const task_ids = Array.from({ length: 100 }, newId);
  const { status_id } = await newTask(owner, project.id);
  await running.sql(
    `insert into tasks (workspace_id, id, project_id, number, title, status_id, position, created_by_actor_id)
     select $1, made.id, $2, n + 1, 'Task', $4, n, $5 from unnest($3::uuid[]) with ordinality made(id, n)`,
    [workspaceId, project.id, task_ids, status_id, owner.actorId],
    workspaceId,
  );
  const changes = { priority: "high", assignee_actor_id: owner.actorId };
  const all = await bulk(owner, { task_ids, changes });
  expect(all.body.items).toEqual(task_ids.map((id) => updated(id)));
  expect(all.trips).toBeLessThanOrEqual(3);
  const { items } = (
    await owner.call("GET", `/projects/${project.id}/tasks?limit=100&assignee_actor_id=${owner.actorId}`)
  ).body;
  expect(items).toHaveLength(100);
  for (const [body, pointer] of [
    [{ task_ids: [...task_ids, newId()], changes }, "/body/task_ids"],
    [{ task_ids: [], changes }, "/body/task_ids"],
    [{ task_ids: [task_ids[0], task_ids[0]], changes }, "/body/task_ids"],
    [{ task_ids, changes: {} }, "/body/changes"],
    [{ task_ids, changes: { title: "x" } }, "/body/changes/title"],
    [
      { task_ids: task_ids.slice(1), changes, revisions: { [task_ids[0] as string]: "1" } },
      `/body/revisions/${task_ids[0]}`,
    ],
  ] as const) {
    const refused = await bulk(owner, body);
    expect([refused.status, refused.body.errors[0].pointer]).toEqual([400, pointer]);
  }
});

test("a viewer changes none; a key is answered once", async () => {
  const { home, owner, project, bulk } = await workshop();
  const task = await newTask(owner, project.id);
  const body = { task_ids: [task.id], changes: { priority: "high" } };
  expect((await bulk(await home.member("viewer"), body)).status).toBe(403);
  expect((await bulk((await world(running)).owner, body)).status).toBe(404);
  const key = newKey();
  const first = await bulk(owner, body, key);
  const replayed = await bulk(owner, body, key);
  expect([replayed.text, replayed.headers.get("idempotent-replayed")]).toEqual([first.text, "true"]);
  expect((await read(owner, task)).revision).toBe("2");
});

test("many at once on the same Tasks in other orders all succeed, and no change is lost", async () => {
  const { owner, project, bulk } = await workshop();
  const tasks = await Promise.all(Array.from({ length: 10 }, () => newTask(owner, project.id)));
  const answers = await Promise.all(
    Array.from({ length: 12 }, (_, index) => {
      const task_ids = index % 2 ? idsOf(tasks) : idsOf(tasks).reverse();
      return bulk(owner, { task_ids, changes: { due_date: `2027-01-${10 + index}` } });
    }),
  );
  for (const { status, body } of answers) {
    expect(status).toBe(200);
    for (const { outcome } of body.items) expect(outcome).toBe("updated");
  }
  for (const task of tasks) expect((await read(owner, task)).revision).toBe("13");
});
