import { expect, test } from "vitest";
import { newStep, statuses, statusNamed } from "../../../test/steps.ts";
import { eventsOf, joinProject, newProject, newTask, trashTask } from "../../../test/work.ts";
import { newKey, type Person, service, type World, world } from "../../../test/world.ts";
import { newId } from "../../platform/wire/ids.ts";

const running = service();

type Name = "start" | "done" | "reopen";
interface Code {
  code: string;
}
/** Somebody with a personal API token. */
async function caller(home: World, person: Person = home.owner) {
  const token = await home.token(undefined, person);
  return (name: Name, { code }: Code, ifMatch = "1", query = "") =>
    person.bearer(token, "POST", `/cli/tasks/${code}/${name}${query}`, { ifMatch, key: newKey() });
}
const policy = ({ owner }: World, projectId: string, body: object) =>
  owner.call("PUT", `/projects/${projectId}/completion-policy`, { body, headers: { "if-match": "*" } });
const taskIn = async (home: World, projectId: string, status: string, more: object = {}) =>
  newTask(home.owner, projectId, { status_id: await statusNamed(home, status), ...more });
const secondDone = (home: World) => newStep(home, statuses, { name: "Shipped", category: "completed" });

test("start: the Task goes to the active Status and to the bearer's Actor, and a change of hands is told", async () => {
  const home = await world(running);
  const member = await home.member("member");
  const task = await newTask(home.owner, (await newProject(home)).id, { assignee_actor_id: home.owner.actorId });
  const act = await caller(home, member);
  const { status, body, headers, trips } = await act("start", { code: task.code.toLowerCase() });
  expect([status, headers.get("etag"), body.code, body.reassigned]).toEqual([200, '"2"', task.code, true]);
  expect(body.status).toEqual({ name: "In Progress", category: "started" });
  expect(body.assignee.username).toBe(member.userId);
  expect(trips).toBeLessThanOrEqual(5);
  expect((await home.owner.call("GET", `/tasks/${task.id}`)).body).toMatchObject({
    revision: "2",
    assignee_actor_id: member.actorId,
    started_at: body.started_at,
  });
  const again = await act("start", task, "2");
  expect([again.status, again.body.revision, again.body.reassigned]).toEqual([200, "2", false]);
});

test("done, review required and Task active: it enters the review Status, whoever calls", async () => {
  const home = await world(running);
  const [project, member] = [await newProject(home), await home.member("member")];
  await policy(home, project.id, { review_required: true });
  for (const person of [home.owner, member]) {
    const task = await taskIn(home, project.id, "In Progress");
    const { status, body, trips } = await (await caller(home, person))("done", task);
    expect([status, body.status.name, body.completed_at, body.revision]).toEqual([200, "In Review", null, "2"]);
    expect(trips).toBeLessThanOrEqual(5);
    const events = (await eventsOf(running, home, task.id)).map(({ type }) => type);
    expect(events).toEqual(["task.created", "task.status_changed"]);
  }
});

test("done, review required: nothing goes past the review, from wherever it comes and whatever is asked for", async () => {
  const home = await world(running);
  const project = await newProject(home);
  await policy(home, project.id, { review_required: true });
  const act = await caller(home);
  const target = `?target_status_id=${await statusNamed(home, "Done")}`;
  for (const name of ["Backlog", "Todo", "Cancelled"]) {
    const { body } = await act("done", await taskIn(home, project.id, name), "1", target);
    expect([name, body.status.name]).toEqual([name, "In Review"]);
  }
  const refused = await act("done", await taskIn(home, project.id, "Todo"), "1", `?target_status_id=${newId()}`);
  expect([refused.status, refused.body.code]).toEqual([422, "completion_target_invalid"]);
});

test("done, by an authorized reviewer: from review to done, by whoever manages the work and by nobody else", async () => {
  const home = await world(running);
  const project = await newProject(home);
  await policy(home, project.id, { review_required: true });
  const [member, lead, admin] = [await home.member("member"), await home.member("member"), await home.member("admin")];
  await joinProject(home, project.id, lead, "lead");
  const refused = await taskIn(home, project.id, "In Review", { assignee_actor_id: member.actorId });
  const answer = await (await caller(home, member))("done", refused);
  expect([answer.status, answer.body.code]).toEqual([403, "forbidden"]);
  for (const person of [lead, admin, home.owner]) {
    const task = await taskIn(home, project.id, "In Review");
    const { status, body } = await (await caller(home, person))("done", task);
    expect([status, body.status.name, body.completed_at]).toEqual([200, "Done", body.updated_at]);
  }
});

test("done, by an authorized reviewer, with several completing Statuses: the default one, or the one asked for", async () => {
  const home = await world(running);
  const project = await newProject(home);
  const shipped = await secondDone(home);
  await policy(home, project.id, { review_required: true });
  const act = await caller(home);
  const usual = await act("done", await taskIn(home, project.id, "In Review"));
  expect([usual.status, usual.body.status.name]).toEqual([200, "Done"]);
  const asked = await act("done", await taskIn(home, project.id, "In Review"), "1", `?target_status_id=${shipped.id}`);
  expect([asked.status, asked.body.status.name]).toEqual([200, "Shipped"]);
});

test("done, review not required: the one completing Status is used directly, also from a Status that awaits review", async () => {
  const home = await world(running);
  const [project, member] = [await newProject(home), await home.member("member")];
  const act = await caller(home, member);
  for (const name of ["Todo", "In Progress", "In Review"]) {
    const { status, body } = await act("done", await taskIn(home, project.id, name));
    expect([status, body.status.name, body.completed_at]).toEqual([200, "Done", body.updated_at]);
  }
});

test("done, several completing Statuses: 409 with the choices until one is named", async () => {
  const home = await world(running);
  const project = await newProject(home);
  const [done, shipped] = [await statusNamed(home, "Done"), await secondDone(home)];
  const act = await caller(home);
  const task = await taskIn(home, project.id, "In Progress");
  const { status, body } = await act("done", task);
  expect([status, body.code]).toEqual([409, "completion_target_required"]);
  expect(body.choices).toEqual([
    { id: done, name: "Done" },
    { id: shipped.id, name: "Shipped" },
  ]);
  for (const wrong of [await statusNamed(home, "In Progress"), await statusNamed(home, "Cancelled"), newId()]) {
    const refused = await act("done", task, "1", `?target_status_id=${wrong}`);
    expect([refused.status, refused.body.code]).toEqual([422, "completion_target_invalid"]);
    expect(refused.body.errors[0].pointer).toBe("/query/target_status_id");
  }
  expect((await act("done", task, "1", "?target_status_id=done")).status).toBe(400);
  const named = await act("done", task, "1", `?target_status_id=${shipped.id.toUpperCase()}`);
  expect([named.status, named.body.status.name]).toEqual([200, "Shipped"]);
});

test("done, several completing Statuses: the one that the policy names needs no choice", async () => {
  const home = await world(running);
  const project = await newProject(home);
  const shipped = await secondDone(home);
  await policy(home, project.id, { review_required: false, done_status_id: shipped.id });
  const { body } = await (await caller(home))("done", await taskIn(home, project.id, "Todo"));
  expect(body.status.name).toBe("Shipped");
});

test("done without a Status that completes is 422; without one for the review likewise", async () => {
  const home = await world(running);
  const [project, reviewed] = [await newProject(home), await newProject(home)];
  await policy(home, reviewed.id, { review_required: true });
  const tasks = [await taskIn(home, project.id, "Todo"), await taskIn(home, reviewed.id, "Todo")] as const;
  const archive = "update statuses set archived_at = now() where workspace_id = $1 and name = any($2)";
  await running.sql(archive, [home.workspaceId, ["Done", "In Review"]], home.workspaceId);
  const act = await caller(home);
  expect((await act("done", tasks[0])).body.code).toBe("completion_target_unavailable");
  const { status, body } = await act("done", tasks[1]);
  expect([status, body.code]).toEqual([422, "workflow_status_unavailable"]);
});

test("what is done already stays as it is, unless another completing Status is asked for", async () => {
  const home = await world(running);
  const project = await newProject(home);
  const [done, shipped] = [await statusNamed(home, "Done"), await secondDone(home)];
  const task = await taskIn(home, project.id, "Done");
  const act = await caller(home);
  for (const query of ["", `?target_status_id=${done}`]) {
    const { status, body } = await act("done", task, "1", query);
    expect([status, body.revision, body.completed_at]).toEqual([200, "1", task.completed_at]);
  }
  const moved = await act("done", task, "1", `?target_status_id=${shipped.id}`);
  expect([moved.body.status.name, moved.body.completed_at]).toEqual(["Shipped", task.completed_at]);
});

test("reopen: what is done goes to the active Status and stays with whoever has it", async () => {
  const home = await world(running);
  const [project, member] = [await newProject(home), await home.member("member")];
  const task = await taskIn(home, project.id, "Done", { assignee_actor_id: member.actorId });
  const { status, body } = await (await caller(home))("reopen", task);
  expect([status, body.status.name, body.completed_at]).toEqual([200, "In Progress", null]);
  expect([body.started_at, body.assignee.username]).toEqual([task.started_at, member.userId]);
});

test("reopen: what is not done is refused with 409", async () => {
  const home = await world(running);
  const project = await newProject(home);
  const act = await caller(home);
  for (const name of ["Backlog", "Todo", "In Progress", "In Review", "Cancelled"]) {
    const { status, body } = await act("reopen", await taskIn(home, project.id, name));
    expect([name, status, body.code]).toEqual([name, 409, "task_not_completed"]);
  }
});

test("in the trash nothing is started, done or reopened", async () => {
  const home = await world(running);
  const task = await taskIn(home, (await newProject(home)).id, "Done");
  await trashTask(running, home, task.id);
  const act = await caller(home);
  for (const name of ["start", "done", "reopen"] as const)
    expect((await act(name, task)).body.code).toBe("task_trashed");
});

test("viewers get 403, who does not see the Task gets 404, and a token without svc:write gets 403", async () => {
  const home = await world(running);
  const [viewer, member, admin] = [
    await home.member("viewer"),
    await home.member("member"),
    await home.member("admin"),
  ];
  const [open, hidden] = [await newProject(home), await newProject(home, { visibility: "private" })];
  const [task, secret] = [await newTask(home.owner, open.id), await newTask(home.owner, hidden.id)];
  const outsider = await caller(await world(running));
  const reading = await home.token(["svc:read"]);
  for (const name of ["start", "done", "reopen"] as const) {
    expect((await (await caller(home, viewer))(name, task)).body.code).toBe("forbidden");
    for (const answer of [
      await (await caller(home, member))(name, secret),
      await outsider(name, task),
      await (await caller(home, admin))(name, { code: `${open.key}-999` }),
    ])
      expect([answer.status, answer.body.code]).toEqual([404, "not_found"]);
    const options = { ifMatch: "1", key: newKey() };
    const { body } = await home.owner.bearer(reading, "POST", `/cli/tasks/${task.code}/${name}`, options);
    expect(body.code).toBe("insufficient_scope");
  }
});

test("a repeated call with its key gets the first answer, and many at once do it once", async () => {
  const home = await world(running);
  const task = await newTask(home.owner, (await newProject(home)).id);
  const [token, key] = [await home.token(), newKey()];
  const call = () => home.owner.bearer(token, "POST", `/cli/tasks/${task.code}/done`, { ifMatch: "1", key });
  const answers = await Promise.all(Array.from({ length: 8 }, call));
  expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
  expect((await home.owner.call("GET", `/tasks/${task.id}`)).body.revision).toBe("2");
});
