// What somebody works on now and what they may be working on: each is theirs alone.
import { MOST_CANDIDATES } from "@svc/contract/planning/tasks/own-work/current-work.ts";
import { expect, test } from "vitest";
import { joinProject, newComment, newProject, newTask, sessionIn, trashTask } from "../../../../test/work.ts";
import { newKey, type Person, service, type World, world } from "../../../../test/world.ts";
import { newId } from "../../../platform/wire/ids.ts";

const running = service();

async function workshop() {
  const home = await world(running);
  const project = await newProject(home);
  const { items } = (await home.owner.call("GET", `/projects/${project.id}/statuses`)).body;
  const status = (name: string) => items.find((each: { name: string }) => each.name === name).id as string;
  return { home, owner: home.owner, project, status, workspaceId: home.workspaceId };
}
type Id = { id: string };
const name = (person: Person, { id }: Id, options = {}) =>
  person.call("PUT", "/me/current-work", { body: { task_id: id }, ...options });
const read = async (person: Person) => (await person.call("GET", "/me/current-work")).body;
const clear = (person: Person, options = {}) => person.call("DELETE", "/me/current-work", options);
const patch = (person: Person, { id }: Id, body: object) =>
  person.call("PATCH", `/tasks/${id}`, { body, headers: { "if-match": "*" } });
const eventsFor = ({ workspaceId }: World, { actorId }: Person) =>
  running.sql<{ payload: object; activity: string | null }>(
    `select payload, activity from domain_events where type = 'current_work.changed' and actor_id = $1
      order by occurred_at`,
    [actorId],
    workspaceId,
  );

test("somebody names the Task that they work on, another one, and none; done twice it is as done once", async () => {
  const { home, owner, project } = await workshop();
  const viewer = await home.member("viewer");
  const nothing = { task: null, since: null, revision: "0", updated_at: null };
  const empty = await viewer.call("GET", "/me/current-work");
  expect([empty.body, empty.trips]).toEqual([nothing, 1]);
  const [one, two] = [await newTask(owner, project.id, { due_date: "2026-05-04" }), await newTask(owner, project.id)];
  const named = await name(viewer, { id: one.id.toUpperCase() }, { ifMatch: "0" });
  expect([named.status, named.trips <= 3, named.headers.get("cache-control")]).toEqual([200, true, "no-store"]);
  expect(named.body).toMatchObject({
    task: { id: one.id, code: one.code, title: one.title, due_date: "2026-05-04", status: { category: "unstarted" } },
    revision: "1",
  });
  expect(named.body.since).toBe(named.body.updated_at);
  expect(await read(viewer)).toEqual(named.body);
  expect((await name(viewer, one)).body).toEqual(named.body);
  expect(await read(owner)).toEqual(nothing);
  const other = (await name(viewer, two, { ifMatch: "1" })).body;
  expect(other).toMatchObject({ task: { id: two.id }, revision: "2" });
  expect((await name(viewer, one, { ifMatch: "1" })).body).toMatchObject({
    code: "revision_conflict",
    current_revision: "2",
  });
  expect((await clear(viewer, { ifMatch: "1" })).body.code).toBe("revision_conflict");
  for (const options of [{ ifMatch: "2" }, {}]) expect((await clear(viewer, options)).status).toBe(204);
  expect(await read(viewer)).toMatchObject({ task: null, since: null, revision: "3" });
  const told = await eventsFor(home, viewer);
  expect(told.map(({ payload }) => payload)).toEqual([
    { from: null, to: one.id },
    { from: one.id, to: two.id },
    { from: two.id, to: null },
  ]);
  expect(told.every(({ activity }) => activity === null)).toBe(true);
  expect((await owner.call("GET", `/tasks/${one.id}`)).body).toMatchObject({ revision: "1", assignee_actor_id: null });
});

test("of many who name something at once each counts, and a repeated key is answered as the first was", async () => {
  const { home, owner, project } = await workshop();
  const tasks = await Promise.all(Array.from({ length: 6 }, () => newTask(owner, project.id)));
  const answers = await Promise.all(tasks.map((task) => name(owner, task)));
  expect(answers.map(({ body }) => body.revision).sort()).toEqual(["1", "2", "3", "4", "5", "6"]);
  const [key, task] = [newKey(), tasks[0] as Id];
  await clear(owner);
  const [first, again] = [await name(owner, task, { key }), await name(owner, task, { key })];
  expect([again.body, again.headers.get("idempotent-replayed")]).toEqual([first.body, "true"]);
  expect((await eventsFor(home, owner)).length).toBe(8);
});

test("only an open Task that somebody sees can be what they work on, and it stays so for as long as it is one", async () => {
  const { home, owner, project, status, workspaceId } = await workshop();
  const member = await home.member("member");
  const task = await newTask(owner, project.id);
  const hidden = await newTask(owner, (await newProject(home, { visibility: "private" })).id);
  const [done, cancelled, trashed] = [
    await newTask(owner, project.id, { status_id: status("Done") }),
    await newTask(owner, project.id, { status_id: status("Cancelled") }),
    await newTask(owner, project.id),
  ];
  await trashTask(running, home, trashed.id);
  const foreign = await workshop();
  const elsewhere = await newTask(foreign.owner, foreign.project.id);
  const refusals = await Promise.all(
    [hidden, done, cancelled, trashed, elsewhere, { id: newId() }].map((each) => name(member, each)),
  );
  for (const { status, body } of refusals) {
    expect([status, body.code, body.errors]).toEqual([422, "invalid_reference", refusals[0]?.body.errors]);
    expect(body.errors[0].pointer).toBe("/body/task_id");
  }
  expect(await read(member)).toMatchObject({ task: null, revision: "0" });
  await name(member, task);
  const shown = async () => (await read(member)).task?.id ?? null;
  const [gone, back] = [
    [() => patch(owner, task, { status_id: status("Done") }), () => patch(owner, task, { status_id: status("Todo") })],
    [
      () => owner.call("POST", `/tasks/${task.id}/trash`, { headers: { "if-match": "*" } }),
      () => owner.call("POST", `/tasks/${task.id}/restore`, { headers: { "if-match": "*" } }),
    ],
  ];
  const project_ = (body: object) => () =>
    owner.call("PATCH", `/projects/${project.id}`, { body, headers: { "if-match": "*" } });
  const steps = [
    gone,
    back,
    [project_({ visibility: "private" }), project_({ visibility: "workspace" })],
    [project_({ archived: true }), project_({ archived: false })],
  ] as (() => Promise<unknown>)[][];
  for (const [leave, comeBack] of steps) {
    await leave?.();
    expect(await read(member)).toMatchObject({ task: null, since: null, revision: "1" });
    await comeBack?.();
    expect(await shown()).toBe(task.id);
  }
  await running.sql("delete from tasks where id = $1", [task.id], workspaceId);
  expect(await read(member)).toMatchObject({ task: null, since: null, revision: "1" });
});

test("it is of the session's Workspace: without one, and for who is suspended or removed, there is none", async () => {
  const { home, owner, project } = await workshop();
  const task = await newTask(owner, project.id);
  const nowhere = await sessionIn(running, null, owner.userId);
  for (const [method, path, body] of [
    ["GET", "/me/current-work"],
    ["PUT", "/me/current-work", { task_id: task.id }],
    ["DELETE", "/me/current-work"],
    ["GET", "/me/current-work/candidates"],
  ] as const)
    expect((await nowhere.call(method, path, body ? { body } : {})).body.code).toBe("not_found");
  for (const state of ["suspended", "removed"]) {
    const former = await home.member("admin");
    await running.sql("update memberships set state = $1 where user_id = $2", [state, former.userId]);
    expect((await name(former, task)).status).toBe(404);
    expect((await former.call("GET", "/me/current-work/candidates")).status).toBe(404);
  }
});

const candidatesOf = async (person: Person): Promise<[title: string, reasons: string[]][]> => {
  const answer = await person.call("GET", "/me/current-work/candidates");
  expect([answer.status, answer.trips <= 2]).toEqual([200, true]);
  return answer.body.items.map(({ task, reasons }: { task: { title: string }; reasons: string[] }) => [
    task.title,
    reasons,
  ]);
};
const rate = (person: Person, workspaceId: string, { id }: Id, body: object) =>
  person.call("POST", `/workspaces/${workspaceId}/tasks/${id}/suggestion-feedback`, { body });

test("candidates are the Tasks that somebody may be working on, the likeliest first, each with its reasons", async () => {
  const { home, owner, project, status, workspaceId } = await workshop();
  const lead = await home.member("member");
  await joinProject(home, project.id, lead, "lead");
  const mine = { assignee_actor_id: lead.actorId };
  const today = new Date().toISOString().slice(0, 10);
  const task = (title: string, body: object = {}) => newTask(owner, project.id, { title, ...body });
  const made = {
    assigned: await task("assigned", mine),
    urgent: await task("urgent", { ...mine, priority: "urgent" }),
    due: await task("due", { ...mine, due_date: today }),
    started: await task("started", { ...mine, status_id: status("In Progress") }),
    review: await task("review", { status_id: status("In Review") }),
    timed: await task("timed", { assignee_actor_id: owner.actorId }),
    touched: await task("touched"),
    theirs: await task("theirs", { assignee_actor_id: owner.actorId }),
    done: await task("done", { ...mine, status_id: status("Done") }),
  };
  const secret = await newProject(home, { visibility: "private" });
  const hidden = await newTask(owner, secret.id, { title: "hidden" });
  await running.sql("update tasks set assignee_actor_id = $1 where id = $2", [lead.actorId, hidden.id], workspaceId);
  for (const each of [made.touched, made.theirs]) await newComment(lead, each.id);
  const time = { duration: "1h", work_date: today };
  await lead.call("POST", `/tasks/${made.timed.id}/time-entries`, { body: time, key: newKey() });
  const expected: [string, string[]][] = [
    ["started", ["in_progress", "assigned"]],
    ["due", ["due_soon", "assigned"]],
    ["review", ["reviewing"]],
    ["timed", ["time_recorded"]],
    ["touched", ["recently_touched"]],
    ["urgent", ["assigned"]],
    ["assigned", ["assigned"]],
  ];
  expect(await candidatesOf(lead)).toEqual(expected);
  await name(lead, made.started);
  expect((await candidatesOf(lead))[0]?.[0]).toBe("due");
  await rate(lead, workspaceId, made.due, { kind: "current_work", verdict: "dismissed" });
  await rate(lead, workspaceId, made.review, { kind: "current_work", verdict: "not_helpful" });
  const titles = async () => (await candidatesOf(lead)).map(([title]) => title);
  expect(await titles()).toEqual(["timed", "touched", "urgent", "assigned", "review"]);
  await rate(lead, workspaceId, made.due, { kind: "current_work", verdict: "helpful" });
  expect((await titles())[0]).toBe("due");
  // Who leads nothing reviews nothing, and somebody else's verdicts are their own.
  expect((await candidatesOf(await home.member("viewer"))).length).toBe(0);
  await running.sql(
    `insert into tasks (workspace_id, id, project_id, number, title, status_id, assignee_actor_id, position,
     created_by_actor_id)
     select $1, gen_random_uuid(), $2, 1000 + n, 'More', $3, $4, n, $4 from generate_series(1, 30) n`,
    [workspaceId, project.id, status("Todo"), lead.actorId],
    workspaceId,
  );
  expect((await candidatesOf(lead)).length).toBe(MOST_CANDIDATES);
});

test("time that was recorded makes a Task a candidate for less than 14 days", async () => {
  const { home, project } = await workshop();
  const member = await home.member("member");
  const task = await newTask(home.owner, project.id, { title: "timed", assignee_actor_id: home.owner.actorId });
  const body = { duration: "1h", work_date: new Date().toISOString().slice(0, 10) };
  const path = `/tasks/${task.id}/time-entries`;
  expect((await member.call("POST", path, { body, key: newKey() })).status).toBe(201);
  await running.asOwner("update domain_events set actor_id = null where task_id = $1", [task.id]);
  const recorded = (days: number) =>
    running.asOwner("update time_entries set work_date = current_date - $2::int where task_id = $1", [task.id, days]);
  await recorded(12);
  expect(await candidatesOf(member)).toEqual([["timed", ["time_recorded"]]]);
  await recorded(14);
  expect(await candidatesOf(member)).toEqual([]);
});

test("of much recorded time the newest makes its Task a candidate", async () => {
  const { home, owner, project, workspaceId } = await workshop();
  const member = await home.member("member");
  const body = { duration: "1h", work_date: new Date().toISOString().slice(0, 10) };
  const [trashed, task] = [await newTask(owner, project.id), await newTask(owner, project.id, { title: "timed" })];
  for (const { id } of [trashed, task])
    expect((await member.call("POST", `/tasks/${id}/time-entries`, { body, key: newKey() })).status).toBe(201);
  await running.sql(
    `insert into time_entries (workspace_id, id, task_id, project_id, actor_id, work_date, recorded_seconds,
     rounding_mode, seconds)
     select workspace_id, gen_random_uuid(), task_id, project_id, actor_id, work_date - 1, recorded_seconds,
       rounding_mode, seconds
     from time_entries cross join generate_series(1, 50) where task_id = $1`,
    [trashed.id],
    workspaceId,
  );
  await trashTask(running, home, trashed.id);
  await running.asOwner("update domain_events set actor_id = null where task_id = $1", [task.id]);
  expect(await candidatesOf(member)).toEqual([["timed", ["time_recorded"]]]);
});

test("what awaits a review is suggested to whoever may review it, however much awaits one elsewhere", async () => {
  const { home, owner, project, status, workspaceId } = await workshop();
  const [lead, viewer] = [await home.member("member"), await home.member("viewer")];
  for (const person of [lead, viewer]) await joinProject(home, project.id, person, "lead");
  await newTask(owner, project.id, { title: "own", status_id: status("In Review") });
  const elsewhere = await newProject(home);
  // Every Project may have Statuses of its own for it.
  await running.sql(
    `insert into statuses (workspace_id, id, project_id, name, category, position, stage_id)
     select workspace_id, gen_random_uuid(), $2, 'Check ' || n, category, 100 + n, stage_id
     from statuses, generate_series(1, 30) n where id = $1`,
    [status("In Review"), elsewhere.id],
    workspaceId,
  );
  await running.sql(
    `insert into tasks (workspace_id, id, project_id, number, title, status_id, position, created_by_actor_id)
     select $1, gen_random_uuid(), $2, n, 'other', $3, n, $4 from generate_series(1, 50) n`,
    [workspaceId, elsewhere.id, status("In Review"), owner.actorId],
    workspaceId,
  );
  expect(await candidatesOf(lead)).toEqual([["own", ["reviewing"]]]);
  expect(await candidatesOf(viewer)).toEqual([]);
  expect((await candidatesOf(await home.member("admin"))).length).toBe(MOST_CANDIDATES);
});
