// The activity in one Project: its own and nobody else's, under the reader's access now.
import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { joinProject, newComment, newMilestone, newProject, newTask, pages } from "../../../test/work.ts";
import { type Person, service, world } from "../../../test/world.ts";

const running = service();
let admin: pg.Client;
beforeAll(async () => {
  admin = new pg.Client(running.databaseUrl);
  await admin.connect();
});
afterAll(() => admin.end());
const feedOf = async (person: Person, projectId: string, query = "") =>
  person.call("GET", `/projects/${projectId}/activity${query}`);
const seen = async (person: Person, projectId: string) =>
  (await feedOf(person, projectId)).body.items.map((item: { action: string }) => item.action);

test("it shows what happened in the Project, to its Tasks, comments and Milestones, and nothing of another", async () => {
  const home = await world(running);
  const { owner } = home;
  const [project, other] = [await newProject(home), await newProject(home)];
  const task = await newTask(owner, project.id);
  await newTask(owner, other.id);
  await newComment(owner, task.id);
  const milestone = await newMilestone(owner, project.id, { name: "Crank" });
  await owner.call("PATCH", `/tasks/${task.id}`, { body: { milestone_id: milestone.id }, ifMatch: "1" });
  const answer = await feedOf(owner, project.id);
  expect([answer.status, answer.trips]).toEqual([200, 1]);
  expect(answer.body.items).toMatchObject([
    { action: "activity.task.milestone_changed", type: "milestone", affected: [{ kind: "task", code: task.code }] },
    {
      action: "activity.milestone.created",
      type: "milestone",
      affected: [{ kind: "milestone", id: milestone.id, code: milestone.code, title: "Crank" }],
    },
    { action: "activity.task.comment.created", affected: [{ kind: "comment", code: task.code }] },
    { action: "activity.task.created", affected: [{ kind: "task", id: task.id }] },
    { action: "activity.project.created", affected: [{ kind: "project", id: project.id, code: project.key }] },
  ]);
  expect(await seen(owner, other.id)).toEqual(["activity.task.created", "activity.project.created"]);
});

test("a deleted Milestone is still called by its name, and its changes by one person are one item", async () => {
  const home = await world(running);
  const project = await newProject(home);
  const milestone = await newMilestone(home.owner, project.id);
  for (const [index, name] of ["Two", "Three"].entries())
    await home.owner.call("PATCH", `/milestones/${milestone.id}`, { body: { name }, ifMatch: String(index + 1) });
  await home.owner.call("DELETE", `/milestones/${milestone.id}`);
  expect((await feedOf(home.owner, project.id)).body.items.slice(0, 2)).toMatchObject([
    { action: "activity.milestone.deleted", affected: [{ title: "Three" }] },
    { action: "activity.milestone.updated", count: 2, affected: [{ id: milestone.id }] },
  ]);
});

test("of a Task that is in another Project now nothing is shown here", async () => {
  const home = await world(running);
  const [project, other] = [await newProject(home), await newProject(home)];
  const task = await newTask(home.owner, project.id);
  await newComment(home.owner, task.id);
  await running.sql("update tasks set project_id = $1 where id = $2", [other.id, task.id], home.workspaceId);
  expect(await seen(home.owner, project.id)).toEqual(["activity.project.created"]);
});

test("a private Project has no activity for those who are not in it, and all of it for those who are", async () => {
  const home = await world(running);
  const project = await newProject(home, { visibility: "private" });
  await newTask(home.owner, project.id);
  const [inside, outside, { owner: foreign }] = [
    await home.member("viewer"),
    await home.member("member"),
    await world(running),
  ];
  await joinProject(home, project.id, inside, "viewer");
  expect((await seen(inside, project.id)).length).toBe(2);
  for (const person of [outside, foreign]) expect((await feedOf(person, project.id)).status).toBe(404);
  await running.sql("delete from project_members where actor_id = $1", [inside.actorId], home.workspaceId);
  expect((await feedOf(inside, project.id)).status).toBe(404);
});

test("pages of one event hold everything once, a civil day is narrowed to, and 90 days are kept", async () => {
  const home = await world(running);
  const { owner } = home;
  const project = await newProject(home);
  for (let made = 0; made < 4; made++) await newTask(owner, project.id);
  const found = await pages(owner, `/projects/${project.id}/activity`, 1);
  expect([found.items.length, found.pages]).toEqual([5, 5]);
  const affected = (item: unknown) => (item as { affected: { id: string }[] }).affected[0]?.id;
  const [old, older] = found.items.slice(-2).map(affected);
  const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);
  const moved = "update domain_events set occurred_at = $1 where resource_id = $2";
  await admin.query(moved, [`${daysAgo(2)}T12:00:00Z`, old]);
  await admin.query(moved, [`${daysAgo(91)}T12:00:00Z`, older]);
  expect((await feedOf(owner, project.id)).body.items.length).toBe(4);
  const day = await feedOf(owner, project.id, `?day=${daysAgo(2)}&time_zone=Europe/Berlin`);
  expect(day.body.items.map(affected)).toEqual([old]);
  expect((await feedOf(owner, project.id, `?day=${daysAgo(2)}`)).body.code).toBe("invalid_request");
});
