// Moving a Task between Projects, and making it once more.
import { expect, test } from "vitest";
import {
  eventsOf,
  joinProject,
  newComment,
  newMilestone,
  newProject,
  newProjectStatus,
  newTask,
} from "../../../test/work.ts";
import { newKey, type Person, service, type World, world } from "../../../test/world.ts";
import { newId } from "../../platform/wire/ids.ts";

const running = service();

async function workshop() {
  const home = await world(running);
  const [from, to] = [await newProject(home), await newProject(home)];
  const { items } = (await home.owner.call("GET", `/projects/${from.id}/statuses`)).body;
  const status = (name: string) => items.find((each: { name: string }) => each.name === name)?.id as string;
  return { home, owner: home.owner, workspaceId: home.workspaceId, from, to, status };
}
type Id = { id: string };
const move = (person: Person, { id }: Id, body: object, ifMatch = "1") =>
  person.call("POST", `/tasks/${id}/move`, { body, ifMatch });
const duplicate = (person: Person, { id }: Id, key = newKey()) =>
  person.call("POST", `/tasks/${id}/duplicate`, { key });
const byCode = ({ workspaceId }: World, person: Person, code: string) =>
  person.call("GET", `/workspaces/${workspaceId}/tasks/${code}`);

test("a moved Task gets the next number there, leaves its Milestone, and is found by every code that it had", async () => {
  const { home, owner, from, to } = await workshop();
  const milestone = await newMilestone(owner, from.id);
  const given = { milestone_id: milestone.id, assignee_actor_id: owner.actorId, due_date: "2027-01-01" };
  const task = await newTask(owner, from.id, given);
  await newComment(owner, task.id);
  await newTask(owner, to.id);
  const moved = await move(owner, task, { project_id: to.id });
  expect(moved.status).toBe(200);
  expect(moved.trips).toBeLessThanOrEqual(5);
  expect(moved.body).toEqual({
    ...task,
    project_id: to.id,
    number: 2,
    code: `${to.key}-2`,
    milestone_id: null,
    position: moved.body.position,
    revision: "2",
    updated_at: moved.body.updated_at,
  });
  for (const code of [task.code, task.code.toLowerCase(), moved.body.code]) {
    const found = await byCode(home, owner, code);
    expect([found.status, found.trips]).toEqual([200, 1]);
    expect(found.body).toEqual(moved.body);
  }
  const back = await move(owner, task, { project_id: from.id }, "2");
  expect(back.body.code).toBe(`${from.key}-2`);
  for (const code of [task.code, moved.body.code, back.body.code])
    expect((await byCode(home, owner, code)).body.code).toBe(back.body.code);
  expect([(await newTask(owner, from.id)).number, (await newTask(owner, to.id)).number]).toEqual([3, 3]);
  expect((await owner.call("GET", `/tasks/${task.id}/comments`)).body.items).toHaveLength(1);
  const [, , event] = await eventsOf(running, home, task.id);
  expect(event).toMatchObject({
    type: "task.moved",
    payload: {
      from: { project_id: to.id, code: moved.body.code, status_id: task.status_id },
      to: { project_id: from.id, code: back.body.code },
    },
  });
});

test("old codes lead to a Task through every move and after its old Project is deleted, and nowhere once it is deleted itself", async () => {
  const { home, owner, from, to } = await workshop();
  const last = await newProject(home);
  const task = await newTask(owner, from.id);
  await move(owner, task, { project_id: to.id });
  const { body } = await move(owner, task, { project_id: last.id }, "2");
  expect((await owner.call("DELETE", `/projects/${from.id}`, { ifMatch: from.revision })).status).toBe(204);
  const codes = [task.code, `${to.key}-1`, body.code];
  const token = await home.token();
  for (const code of codes) expect((await byCode(home, owner, code)).body.code).toBe(body.code);
  const start = `/cli/tasks/${task.code.toLowerCase()}/start`;
  const started = await owner.bearer(token, "POST", start, { key: newKey(), ifMatch: "3" });
  expect([started.status, started.body.code, started.body.revision]).toEqual([200, body.code, "4"]);
  await owner.call("POST", `/tasks/${task.id}/trash`, { ifMatch: "4" });
  expect((await byCode(home, owner, task.code)).body.trashed_at).not.toBeNull();
  expect((await owner.call("DELETE", `/tasks/${task.id}`, { ifMatch: "5" })).status).toBe(204);
  for (const code of codes) expect((await byCode(home, owner, code)).status).toBe(404);
  expect([(await newTask(owner, to.id)).number, (await newTask(owner, last.id)).number]).toEqual([2, 2]);
});

test("an old code shows no more than the Project that the Task is in now does", async () => {
  const { home, owner, from } = await workshop();
  const hidden = await newProject(home, { visibility: "private" });
  const member = await home.member("member");
  const task = await newTask(owner, from.id);
  await move(owner, task, { project_id: hidden.id });
  expect((await byCode(home, owner, task.code)).status).toBe(200);
  expect((await byCode(home, member, task.code)).status).toBe(404);
  expect((await byCode(await world(running), member, task.code)).status).toBe(404);
});

test("it keeps a Status of the Workspace; one of its old Project becomes its namesake or the first of the same category; one asked for is taken", async () => {
  const { home, owner, from, to, status } = await workshop();
  const own = await newProjectStatus(running, home, from.id, "Milling");
  const there = await newProjectStatus(running, home, to.id, "Turning");
  const [plain, special, asked] = [
    await newTask(owner, from.id, { status_id: status("Done") }),
    await newTask(owner, from.id, { status_id: own }),
    await newTask(owner, from.id, { status_id: own }),
  ];
  const kept = (await move(owner, plain, { project_id: to.id })).body;
  expect([kept.status_id, kept.completed_at]).toEqual([status("Done"), plain.completed_at]);
  const mapped = (await move(owner, special, { project_id: to.id })).body;
  expect([status("In Progress"), there]).toContain(mapped.status_id);
  expect(mapped.started_at).toBe(special.started_at);
  const elsewhere = await newProject(home);
  const namesake = await newProjectStatus(running, home, elsewhere.id, "MILLING");
  const milled = await newTask(owner, from.id, { status_id: own });
  expect((await move(owner, milled, { project_id: elsewhere.id })).body.status_id).toBe(namesake);
  const [a, b] = [await move(owner, asked, { project_id: to.id, status_id: own }), newId()];
  expect([a.body.code, a.body.errors[0].pointer]).toEqual(["invalid_reference", "/body/status_id"]);
  expect((await move(owner, asked, { project_id: to.id, status_id: b })).body.code).toBe("invalid_reference");
  const taken = (await move(owner, asked, { project_id: to.id, status_id: status("Done") })).body;
  expect([taken.status_id, taken.completed_at]).toEqual([status("Done"), taken.updated_at]);
});

test("where no Status of its category applies, it goes to where new Tasks start", async () => {
  const { home, owner, from, to, status } = await workshop();
  const own = await newProjectStatus(running, home, from.id, "Milling");
  const started = ["In Progress", "In Review"].map(status);
  await running.sql("update statuses set archived_at = now() where id = any($1)", [started], home.workspaceId);
  const task = await newTask(owner, from.id, { status_id: own });
  const moved = (await move(owner, task, { project_id: to.id })).body;
  expect([moved.status_id, moved.started_at]).toEqual([status("Todo"), null]);
});

test("who moves a Task must be able to write in both Projects, and the other must be open", async () => {
  const { home, owner, from, to } = await workshop();
  const hidden = await newProject(home, { visibility: "private" });
  const member = await home.member("member");
  const task = await newTask(owner, from.id);
  const foreign = await newProject(await world(running));
  for (const project_id of [hidden.id, foreign.id, newId()]) {
    const { status, body } = await move(member, task, { project_id });
    expect([status, body.code, body.errors[0].pointer]).toEqual([422, "invalid_reference", "/body/project_id"]);
  }
  await joinProject(home, to.id, member, "viewer");
  expect((await move(member, task, { project_id: to.id })).status).toBe(403);
  await joinProject(home, from.id, await home.member("member"), "viewer");
  expect((await move(await home.member("viewer"), task, { project_id: to.id })).status).toBe(403);
  await owner.call("PATCH", `/projects/${to.id}`, { body: { archived: true }, ifMatch: to.revision });
  expect((await move(owner, task, { project_id: to.id })).body.code).toBe("project_archived");
  expect((await move(owner, task, { project_id: hidden.id }, "2")).body.code).toBe("revision_conflict");
  expect((await owner.call("POST", `/tasks/${task.id}/move`, { body: { project_id: hidden.id } })).status).toBe(400);
});

test("many moved at once into one Project have numbers of their own", async () => {
  const { owner, from, to } = await workshop();
  const tasks = await Promise.all(Array.from({ length: 10 }, () => newTask(owner, from.id)));
  const answers = await Promise.all(tasks.map((task) => move(owner, task, { project_id: to.id })));
  expect(answers.map(({ body }) => body.number).sort((a, b) => a - b)).toEqual(tasks.map((_, index) => index + 1));
});

test("of many who move one Task at once one succeeds, and the others find that it has changed", async () => {
  const { owner, from, to } = await workshop();
  const task = await newTask(owner, from.id);
  const answers = await Promise.all(Array.from({ length: 8 }, () => move(owner, task, { project_id: to.id })));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
  expect(answers.filter(({ body }) => body.code === "revision_conflict")).toHaveLength(7);
});

test("a duplicate has the words and plans of the original and nothing of its life", async () => {
  const { home, owner, from, status } = await workshop();
  const milestone = await newMilestone(owner, from.id);
  const plans = { priority: "urgent", start_date: "2027-01-01", due_date: "2027-02-01", milestone_id: milestone.id };
  const words = { title: "Cut the gears", description_markdown: "Of **brass**." };
  const life = { status_id: status("Done"), assignee_actor_id: owner.actorId };
  const task = await newTask(owner, from.id, { ...words, ...plans, ...life });
  await newComment(owner, task.id);
  const member = await home.member("member");
  const key = newKey();
  const copy = await duplicate(member, task, key);
  expect([copy.status, copy.trips <= 5]).toEqual([201, true]);
  expect(copy.body).toMatchObject({
    ...words,
    ...plans,
    number: 2,
    status_id: status("Todo"),
    assignee_actor_id: null,
    created_by_actor_id: member.actorId,
    completed_at: null,
    revision: "1",
  });
  expect((await owner.call("GET", `/tasks/${copy.body.id}/comments`)).body.items).toEqual([]);
  const again = await duplicate(member, task, key);
  expect([again.body.id, again.headers.get("idempotent-replayed")]).toEqual([copy.body.id, "true"]);
  expect((await member.call("POST", `/tasks/${task.id}/duplicate`)).body.code).toBe("idempotency_key_required");
  const [event] = await eventsOf(running, home, copy.body.id);
  expect(event).toMatchObject({ type: "task.created", payload: { title: words.title, duplicate_of: task.id } });
});

test("a duplicate is in no Milestone that takes no more work, and in no Project that takes none", async () => {
  const { home, owner, from } = await workshop();
  const milestone = await newMilestone(owner, from.id);
  const { stages } = (await owner.call("GET", `/workspaces/${home.workspaceId}/milestone-lifecycle`)).body;
  const task = await newTask(owner, from.id, { milestone_id: milestone.id });
  const closing = stages.find((stage: { name: string }) => stage.name === "Completed").id;
  await owner.call("PATCH", `/milestones/${milestone.id}`, { body: { stage_id: closing }, ifMatch: "1" });
  expect((await duplicate(owner, task)).body.milestone_id).toBeNull();
  expect((await duplicate(await home.member("viewer"), task)).status).toBe(403);
  expect((await duplicate((await world(running)).owner, task)).status).toBe(404);
  await owner.call("PATCH", `/projects/${from.id}`, { body: { archived: true }, ifMatch: from.revision });
  expect((await duplicate(owner, task)).body.code).toBe("project_archived");
});

test("labels of the Workspace come along, those of the Project become those of the same name or stay behind; a duplicate has all", async () => {
  const { home, owner, workspaceId, from, to } = await workshop();
  const label = async (project: { id: string } | null, name: string, purpose = "task") => {
    const id = newId();
    await running.sql(
      `insert into label_definitions (workspace_id, id, project_id, name, color, purpose, created_by_actor_id)
       values ($1, $2, $3, $4, 'red', $5, $6)`,
      [workspaceId, id, project?.id ?? null, name, purpose, owner.actorId],
      workspaceId,
    );
    return id;
  };
  const hidden = await newProject(home, { visibility: "private" });
  const [wide, urgent] = [await label(null, "Wide"), await label(null, "Urgent")];
  const names = ["Own", "Bug", "URGENT", "Wide", "Docs", "Secret"];
  const own = await Promise.all(names.map((name) => label(from, name)));
  const bug = await label(to, "bug");
  await Promise.all([label(to, "Docs", "project"), label(hidden, "Secret"), label(null, "Bug")]);
  const task = await newTask(owner, from.id);
  const before = [...own, wide];
  await running.sql("update tasks set label_ids = $2 where id = $1", [task.id, before], workspaceId);
  expect((await duplicate(owner, task)).body.label_ids).toEqual(before);
  const moved = await move(owner, task, { project_id: to.id });
  // The Project's own before the Workspace's, and each once.
  expect(moved.body.label_ids).toEqual([bug, urgent, wide]);
  expect((await owner.call("GET", `/tasks/${task.id}`)).body).toEqual(moved.body);
});
