import { expect, test } from "vitest";
import { statusNamed } from "../../../test/steps.ts";
import { eventsOf, joinProject, newProject, newProjectStatus, newTask, trashTask } from "../../../test/work.ts";
import { newKey, type Person, service, type World, world } from "../../../test/world.ts";
import { newId } from "../../platform/wire/ids.ts";

const running = service();

const start = (person: Person, id: string, ifMatch = "1", key = newKey()) =>
  person.call("POST", `/tasks/${id}/start`, { ifMatch, key });
const assignments = ({ workspaceId }: World, taskId: string) =>
  running.sql<{ actor_id: string; closed: boolean }>(
    `select actor_id, closed_at is not null as closed from task_assignments where task_id = $1
      order by assigned_at, id`,
    [taskId],
    workspaceId,
  );

test("a started Task goes to the Project's active Status and to whoever starts it", async () => {
  const home = await world(running);
  const task = await newTask(home.owner, (await newProject(home)).id);
  const { status, body, headers, trips } = await start(home.owner, task.id);
  expect([status, headers.get("etag"), body.reassigned]).toEqual([200, '"2"', false]);
  expect(body.status_id).toBe(await statusNamed(home, "In Progress"));
  expect(body.assignee_actor_id).toBe(home.owner.actorId);
  expect(body.started_at).toBe(body.updated_at);
  expect(trips).toBeLessThanOrEqual(5);
  const { reassigned, ...answered } = body;
  expect((await home.owner.call("GET", `/tasks/${task.id}`)).body).toEqual(answered);
  expect(await assignments(home, task.id)).toEqual([{ actor_id: home.owner.actorId, closed: false }]);
  const events = (await eventsOf(running, home, task.id)).map(({ type }) => type);
  expect(events.sort()).toEqual(["task.assigned", "task.created", "task.status_changed"]);
});

test("whose it was is told, and that assignment is closed and not erased", async () => {
  const home = await world(running);
  const [project, member] = [await newProject(home), await home.member("member")];
  const task = await newTask(home.owner, project.id, { assignee_actor_id: home.owner.actorId });
  const { body } = await start(member, task.id);
  expect([body.reassigned, body.assignee_actor_id]).toEqual([true, member.actorId]);
  expect(await assignments(home, task.id)).toEqual([
    { actor_id: home.owner.actorId, closed: true },
    { actor_id: member.actorId, closed: false },
  ]);
});

test("what is active and one's own already stays as it is", async () => {
  const home = await world(running);
  const task = await newTask(home.owner, (await newProject(home)).id);
  await start(home.owner, task.id);
  const { status, body } = await start(home.owner, task.id, "2");
  expect([status, body.revision, body.reassigned]).toEqual([200, "2", false]);
  expect(await assignments(home, task.id)).toHaveLength(1);
});

test("the Status that the completion policy names is the active one, for the Task of somebody else too", async () => {
  const home = await world(running);
  const [project, member] = [await newProject(home), await home.member("member")];
  const own = await newProjectStatus(running, home, project.id, "Building");
  await home.owner.call("PUT", `/projects/${project.id}/completion-policy`, {
    body: { review_required: false, active_status_id: own },
    ifMatch: "0",
  });
  const active = await statusNamed(home, "In Progress");
  const task = await newTask(home.owner, project.id, { status_id: active, assignee_actor_id: member.actorId });
  const mine = await start(member, task.id);
  expect([mine.body.status_id, mine.body.revision]).toEqual([active, "1"]);
  const { body } = await start(home.owner, task.id);
  expect([body.status_id, body.reassigned]).toEqual([own, true]);
});

test("what waits for review, is done or is cancelled goes back to the active Status", async () => {
  const home = await world(running);
  const project = await newProject(home);
  const active = await statusNamed(home, "In Progress");
  for (const name of ["Backlog", "In Review", "Done", "Cancelled"]) {
    const task = await newTask(home.owner, project.id, { status_id: await statusNamed(home, name) });
    const { body } = await start(home.owner, task.id);
    expect([name, body.status_id, body.completed_at]).toEqual([name, active, null]);
  }
});

test("without a Status that counts as active there is nothing to start into", async () => {
  const home = await world(running);
  const task = await newTask(home.owner, (await newProject(home)).id);
  const archive = "update statuses set archived_at = now() where workspace_id = $1 and category = 'started'";
  await running.sql(archive, [home.workspaceId], home.workspaceId);
  const { status, body } = await start(home.owner, task.id);
  expect([status, body.code]).toEqual([422, "workflow_status_unavailable"]);
});

test("what lies in the trash is not started", async () => {
  const home = await world(running);
  const task = await newTask(home.owner, (await newProject(home)).id);
  await trashTask(running, home, task.id);
  const { status, body } = await start(home.owner, task.id);
  expect([status, body.code]).toEqual([409, "task_trashed"]);
});

test("whoever only reads starts nothing, and who does not see the Task finds none", async () => {
  const home = await world(running);
  const [viewer, member, outsider] = [await home.member("viewer"), await home.member("member"), await world(running)];
  const open = await newProject(home);
  await joinProject(home, open.id, member, "viewer");
  const hidden = await newProject(home, { visibility: "private" });
  const [task, secret] = [await newTask(home.owner, open.id), await newTask(home.owner, hidden.id)];
  expect((await start(viewer, task.id)).status).toBe(403);
  expect((await start(member, task.id)).status).toBe(403);
  const answers = [await start(member, secret.id), await start(member, newId()), await start(outsider.owner, task.id)];
  expect(answers.map(({ status, body }) => [status, body.code])).toEqual(answers.map(() => [404, "not_found"]));
});

test("of many who start one Task at the same revision one has it, and the others are told", async () => {
  const home = await world(running);
  const people = [home.owner, await home.member("member"), await home.member("member"), await home.member("admin")];
  const task = await newTask(home.owner, (await newProject(home)).id);
  const answers = await Promise.all(people.map((person) => start(person, task.id)));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409]);
  const open = (await assignments(home, task.id)).filter(({ closed }) => !closed);
  expect(open).toEqual([
    { actor_id: people[answers.findIndex(({ status }) => status === 200)]?.actorId, closed: false },
  ]);
});
