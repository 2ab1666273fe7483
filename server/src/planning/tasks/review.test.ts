// Review: where a Project requires it, a Task is completed out of a review and by somebody who reviews, whichever way
// it comes to a Status.
import { expect, test } from "vitest";
import { commandOf, redo, undo } from "../../../test/commands.ts";
import { newStep, statuses, statusNamed } from "../../../test/steps.ts";
import { eventsOf, joinProject, newProject, newTask } from "../../../test/work.ts";
import { newKey, type Person, service, world } from "../../../test/world.ts";

const running = service();

interface Task {
  id: string;
  revision: string;
}
const change = (person: Person, { id, revision }: Task, body: object) =>
  person.call("PATCH", `/tasks/${id}`, { body, ifMatch: revision });
const move = (person: Person, { id, revision }: Task, body: object) =>
  person.call("POST", `/tasks/${id}/move`, { body, ifMatch: revision });
const read = async (person: Person, { id }: Task) => (await person.call("GET", `/tasks/${id}`)).body;
const required = [409, "review_required"];
const told = ({ status, body }: { status: number; body: { code?: string } }) => [status, body.code];

async function workshop() {
  const home = await world(running);
  const { owner } = home;
  const [reviewed, free] = [await newProject(home), await newProject(home)];
  const [member, lead] = [await home.member("member"), await home.member("member")];
  await joinProject(home, reviewed.id, lead, "lead");
  const policy = (project: { id: string }, review_required: boolean) =>
    owner.call("PUT", `/projects/${project.id}/completion-policy`, {
      body: { review_required },
      headers: { "if-match": "*" },
    });
  await policy(reviewed, true);
  const names = ["Todo", "In Progress", "In Review", "Done", "Cancelled"] as const;
  const ids = await Promise.all(names.map((name) => statusNamed(home, name)));
  const status = Object.fromEntries(names.map((name, at) => [name, ids[at]])) as Record<(typeof names)[number], string>;
  const taskIn = (project: { id: string }, name: (typeof names)[number]) =>
    newTask(owner, project.id, { status_id: status[name] });
  /** One that was reviewed and completed. */
  const done = async () =>
    (await change(owner, await taskIn(reviewed, "In Review"), { status_id: status.Done })).body as Task;
  return { home, owner, member, lead, reviewed, free, policy, status, taskIn, done };
}

test("a change to a completing Status past the review is refused, whoever asks, and changes nothing", async () => {
  const { home, owner, member, lead, reviewed, status, taskIn } = await workshop();
  for (const person of [owner, lead, member]) {
    const task = await taskIn(reviewed, "In Progress");
    expect(told(await change(person, task, { status_id: status.Done, priority: "high" }))).toEqual(required);
    expect(await read(owner, task)).toEqual(task);
    expect((await eventsOf(running, home, task.id)).length).toBe(1);
  }
});

test("out of a review whoever manages the work completes it, and nobody else", async () => {
  const { owner, member, lead, reviewed, status, taskIn } = await workshop();
  const refused = await change(member, await taskIn(reviewed, "In Review"), { status_id: status.Done });
  expect(told(refused)).toEqual([403, "forbidden"]);
  for (const person of [owner, lead]) {
    const { body } = await change(person, await taskIn(reviewed, "In Review"), { status_id: status.Done });
    expect([body.status_id, body.completed_at]).toEqual([status.Done, body.updated_at]);
  }
});

test("review stops nothing else: into review, back out of it, cancelled, and from one completing Status to another", async () => {
  const { home, member, reviewed, status, taskIn, done } = await workshop();
  const task = await taskIn(reviewed, "Todo");
  for (const name of ["In Review", "In Progress", "Cancelled", "In Review"] as const) {
    const { status: answered, body } = await change(member, await read(member, task), { status_id: status[name] });
    expect([answered, body.status_id]).toEqual([200, status[name]]);
  }
  const shipped = await newStep(home, statuses, { name: "Shipped", category: "completed" });
  expect((await change(member, await done(), { status_id: shipped.id })).body.status_id).toBe(shipped.id);
  expect((await change(member, await done(), { title: "Said better" })).status).toBe(200);
});

test("a policy decides from the change after it on: what is completed stays so, and without it nobody is asked", async () => {
  const { owner, member, free, policy, status, taskIn } = await workshop();
  const [early, late] = [await taskIn(free, "In Progress"), await taskIn(free, "In Progress")];
  expect((await change(member, early, { status_id: status.Done })).status).toBe(200);
  await policy(free, true);
  expect((await read(owner, early)).status_id).toBe(status.Done);
  expect(told(await change(member, late, { status_id: status.Done }))).toEqual(required);
  await policy(free, false);
  expect((await change(member, late, { status_id: status.Done })).status).toBe(200);
});

test("nothing is created as completed, by nobody; in review it may be", async () => {
  const { owner, lead, reviewed, free, status } = await workshop();
  const create = (person: Person, project: { id: string }, status_id: string) =>
    person.call("POST", `/projects/${project.id}/tasks`, { body: { title: "Gears", status_id }, key: newKey() });
  for (const person of [owner, lead]) expect(told(await create(person, reviewed, status.Done))).toEqual(required);
  expect((await create(owner, reviewed, status["In Review"])).status).toBe(201);
  expect((await create(owner, free, status.Done)).status).toBe(201);
  expect((await owner.call("GET", `/projects/${reviewed.id}/tasks`)).body.items.length).toBe(1);
});

test("a bulk change tells of each Task whether its Project wants a review", async () => {
  const { home, owner, lead, member, reviewed, free, status, taskIn, done } = await workshop();
  const tasks = [
    await taskIn(reviewed, "In Progress"),
    await taskIn(reviewed, "In Review"),
    await taskIn(free, "In Progress"),
    await done(),
  ];
  const bulk = async (person: Person) => {
    const body = { task_ids: tasks.map(({ id }) => id), changes: { status_id: status.Done } };
    const answer = await person.call("POST", `/workspaces/${home.workspaceId}/tasks/bulk`, { body });
    return answer.body.items.map(({ outcome, code }: { outcome: string; code: string }) => [outcome, code]);
  };
  const first = ["conflict", "review_required"];
  expect(await bulk(member)).toEqual([first, ["forbidden", "forbidden"], ["updated", null], ["unchanged", null]]);
  expect(await bulk(lead)).toEqual([first, ["updated", null], ["unchanged", null], ["unchanged", null]]);
  expect((await read(owner, tasks[0])).status_id).toBe(status["In Progress"]);
});

test("what was completed elsewhere comes as completed only with somebody who reviews there", async () => {
  const { owner, member, lead, reviewed, free, status, taskIn } = await workshop();
  const into = { project_id: reviewed.id };
  const task = await taskIn(free, "Done");
  const refused = await move(member, task, into);
  expect([...told(refused), refused.body.errors[0].pointer]).toEqual([...required, "/body/status_id"]);
  expect(await read(owner, task)).toEqual(task);
  const active = await taskIn(free, "In Progress");
  for (const person of [member, lead, owner])
    expect(told(await move(person, active, { ...into, status_id: status.Done }))).toEqual(required);
  expect((await move(member, task, { ...into, status_id: status["In Review"] })).status).toBe(200);
  expect((await move(lead, await taskIn(free, "Done"), into)).body.status_id).toBe(status.Done);
  const waiting = await taskIn(free, "In Review");
  expect((await move(owner, waiting, { ...into, status_id: status.Done })).body.status_id).toBe(status.Done);
});

test("a way round over another Project ends at the review", async () => {
  const { owner, member, reviewed, free, status, taskIn } = await workshop();
  const task = await taskIn(reviewed, "In Progress");
  const out = await move(member, task, { project_id: free.id });
  const completed = await change(member, out.body, { status_id: status.Done });
  expect(completed.status).toBe(200);
  expect(told(await move(member, completed.body, { project_id: reviewed.id }))).toEqual(required);
  const undone = await undo(member, commandOf(out));
  expect(undone.body.errors[0]).toMatchObject({ code: "review_required", pointer: "/effects/0/status_id" });
  expect((await read(owner, task)).project_id).toBe(free.id);
});

test("a move is undone to the Status in which the Task left, completed or not", async () => {
  const { owner, member, reviewed, free, status, done } = await workshop();
  const task = await done();
  const out = await move(member, task, { project_id: free.id });
  expect((await undo(member, commandOf(out))).status).toBe(200);
  expect(await read(owner, task)).toMatchObject({ project_id: reviewed.id, status_id: status.Done });
});

test("undo and redo complete nothing past the review: whoever reviews puts back what was completed", async () => {
  const { owner, member, free, policy, status, taskIn, done } = await workshop();
  for (const [person, possible] of [
    [member, false],
    [owner, true],
  ] as const) {
    const task = await done();
    const reopened = await change(person, task, { status_id: status["In Progress"] });
    const back = await undo(person, commandOf(reopened));
    if (possible) expect(back.status).toBe(200);
    else expect([back.body.code, back.body.errors[0].code]).toEqual(["undo_conflict", "review_required"]);
    expect((await read(owner, task)).status_id).toBe(possible ? status.Done : status["In Progress"]);
  }
  const task = await taskIn(free, "In Progress");
  const command = commandOf(await change(member, task, { status_id: status.Done }));
  await undo(member, command);
  await policy(free, true);
  expect((await redo(member, command)).body.errors[0].code).toBe("review_required");
  expect((await read(owner, task)).status_id).toBe(status["In Progress"]);
});

test("a completed Task comes out of the trash as it was; a duplicate starts where new Tasks start", async () => {
  const { owner, member, status, done } = await workshop();
  const task = await done();
  const headers = { "if-match": "*" };
  await member.call("POST", `/tasks/${task.id}/trash`, { headers });
  expect((await member.call("POST", `/tasks/${task.id}/restore`, { headers })).body.status_id).toBe(status.Done);
  const copy = await member.call("POST", `/tasks/${task.id}/duplicate`, { key: newKey() });
  expect((await read(owner, copy.body)).completed_at).toBeNull();
});

test("a Status that is archived takes its Tasks along: rearranging a workflow completes nothing", async () => {
  const { home, owner, reviewed, status, taskIn } = await workshop();
  const task = await taskIn(reviewed, "In Progress");
  const body = { replacement_id: status.Done, acknowledged: true };
  const step = (await owner.call("GET", `/statuses/${status["In Progress"]}`)).body;
  const path = `/statuses/${step.id}/archive-and-replace`;
  expect((await owner.call("POST", path, { body, ifMatch: step.revision })).status).toBe(200);
  expect((await read(owner, task)).status_id).toBe(status.Done);
  expect((await eventsOf(running, home, task.id)).at(-1)).toMatchObject({
    type: "task.status_changed",
    activity: null,
  });
});

test("a Task that leaves the review while somebody completes it stays uncompleted", async () => {
  const { owner, lead, reviewed, status, taskIn } = await workshop();
  const task = await taskIn(reviewed, "In Review");
  const answers = await Promise.all([
    change(lead, task, { status_id: status.Done }),
    change(owner, task, { status_id: status["In Progress"] }),
  ]);
  expect(answers.map((answer) => answer.status).sort()).toEqual([200, 409]);
  const winner = answers.find((answer) => answer.status === 200)?.body;
  expect(await read(owner, task)).toMatchObject({ status_id: winner.status_id, revision: "2" });
});
