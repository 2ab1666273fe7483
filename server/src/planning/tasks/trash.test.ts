// The trash: what goes in keeps everything and takes nothing, what comes out is as it was, and what is deleted from it
// is gone for ever.
import { expect, test } from "vitest";
import { newStep, statuses } from "../../../test/steps.ts";
import {
  eventsOf,
  joinProject,
  newComment,
  newMilestone,
  newProject,
  newTask,
  workshopOn,
} from "../../../test/work.ts";
import { type Person, service, world } from "../../../test/world.ts";

const running = service();

const workshop = () => workshopOn(running);
type Id = { id: string };
const trash = (person: Person, { id }: Id, ifMatch = "1") => person.call("POST", `/tasks/${id}/trash`, { ifMatch });
const restore = (person: Person, { id }: Id, ifMatch = "2") => person.call("POST", `/tasks/${id}/restore`, { ifMatch });
const remove = (person: Person, { id }: Id, options = {}) => person.call("DELETE", `/tasks/${id}`, options);

test("a Task in the trash keeps what it has, is in no list and takes nothing; it comes back as it was", async () => {
  const { home, owner, project } = await workshop();
  const task = await newTask(owner, project.id, { priority: "high", assignee_actor_id: owner.actorId });
  const comment = await newComment(owner, task.id);
  const trashed = await trash(owner, task);
  expect([trashed.status, trashed.headers.get("etag")]).toEqual([200, '"2"']);
  expect(trashed.trips).toBeLessThanOrEqual(5);
  expect(trashed.body).toEqual({
    ...task,
    revision: "2",
    trashed_at: trashed.body.trashed_at,
    updated_at: trashed.body.updated_at,
    capabilities: ["work:read", "task:restore", "task:delete"],
  });
  expect(trashed.body.trashed_at).not.toBeNull();
  expect((await owner.call("GET", `/tasks/${task.id}`)).body).toEqual(trashed.body);
  expect((await owner.call("GET", `/projects/${project.id}/tasks`)).body.items).toEqual([]);
  const refusals = [
    await owner.call("PATCH", `/tasks/${task.id}`, { body: { title: "x" }, ifMatch: "2" }),
    await owner.call("POST", `/tasks/${task.id}/duplicate`, { key: "0123456789abcdef" }),
    await owner.call("POST", `/tasks/${task.id}/move`, { body: { project_id: project.id }, ifMatch: "2" }),
    await owner.call("PATCH", `/comments/${comment.id}`, { body: { markdown: "x" }, ifMatch: "1" }),
  ];
  expect(refusals.map(({ body }) => body.code)).toEqual(Array(4).fill("task_trashed"));
  const restored = await restore(owner, task);
  expect(restored.body).toEqual({ ...task, revision: "3", updated_at: restored.body.updated_at });
  expect((await owner.call("GET", `/tasks/${task.id}/comments`)).body.items).toHaveLength(1);
  const events = (await eventsOf(running, home, task.id)).slice(1);
  expect(events).toEqual([
    { type: "task.trashed", activity: "progress", payload: { from: null, to: trashed.body.trashed_at } },
    { type: "task.restored", activity: "progress", payload: { from: trashed.body.trashed_at, to: null } },
  ]);
});

test("done twice it is as done once, and nothing more is recorded", async () => {
  const { home, owner, project } = await workshop();
  const task = await newTask(owner, project.id);
  expect((await restore(owner, task, "1")).body).toEqual(task);
  const first = await trash(owner, task);
  expect((await trash(owner, task, "2")).body).toEqual(first.body);
  expect(await eventsOf(running, home, task.id)).toHaveLength(2);
});

test("the trash needs the current revision, and a member to be put into or taken out of", async () => {
  const { home, owner, project } = await workshop();
  const task = await newTask(owner, project.id);
  expect((await owner.call("POST", `/tasks/${task.id}/trash`)).body.code).toBe("if_match_required");
  expect((await trash(owner, task, "2")).body).toMatchObject({ code: "revision_conflict", current_revision: "1" });
  const [member, viewer, projectViewer] = [
    await home.member("member"),
    await home.member("viewer"),
    await home.member("member"),
  ];
  await joinProject(home, project.id, projectViewer, "viewer");
  for (const person of [viewer, projectViewer]) expect((await trash(person, task)).status).toBe(403);
  expect((await trash((await world(running)).owner, task)).status).toBe(404);
  expect((await trash(member, task)).status).toBe(200);
  for (const person of [viewer, projectViewer]) expect((await restore(person, task)).status).toBe(403);
  expect((await restore(owner, task, "1")).body.code).toBe("revision_conflict");
  expect((await restore(member, task)).status).toBe(200);
});

test("a Status that is replaced and a Milestone that is deleted meanwhile are not what it comes back to", async () => {
  const { home, owner, project } = await workshop();
  const [old, next] = [await newStep(home, statuses), await newStep(home, statuses)];
  const milestone = await newMilestone(owner, project.id);
  const task = await newTask(owner, project.id, { status_id: old.id, milestone_id: milestone.id });
  await trash(owner, task);
  await owner.call("POST", `/statuses/${old.id}/archive-and-replace`, {
    body: { replacement_id: next.id, acknowledged: true },
  });
  await owner.call("DELETE", `/milestones/${milestone.id}`);
  const { revision } = (await owner.call("GET", `/tasks/${task.id}`)).body;
  expect((await restore(owner, task, revision)).body).toMatchObject({ status_id: next.id, milestone_id: null });
});

test("only from the trash, and only by who manages the Project, is a Task deleted", async () => {
  const { home, owner, project } = await workshop();
  const [first, second] = [await newTask(owner, project.id), await newTask(owner, project.id)];
  const [member, lead] = [await home.member("member"), await home.member("member")];
  await joinProject(home, project.id, lead, "lead");
  expect((await remove(owner, first)).body.code).toBe("task_not_trashed");
  for (const task of [first, second]) await trash(owner, task);
  expect((await remove(member, first)).status).toBe(403);
  expect((await remove((await world(running)).owner, first)).status).toBe(404);
  expect((await remove(owner, first, { ifMatch: "1" })).body.code).toBe("revision_conflict");
  expect((await remove(owner, first, { ifMatch: "2" })).status).toBe(204);
  expect((await remove(lead, second)).status).toBe(204);
  expect((await remove(owner, first)).status).toBe(404);
  expect((await newTask(owner, project.id)).number).toBe(3);
});

test("a Task that is deleted takes everything that hangs on it along, and feeds tell no name of it any more", async () => {
  const { home, owner, project, workspaceId } = await workshop();
  const other = await newProject(home);
  const task = await newTask(owner, other.id, { description_markdown: "one", assignee_actor_id: owner.actorId });
  await owner.call("PATCH", `/tasks/${task.id}`, { body: { description_markdown: "two" }, ifMatch: "1" });
  const comment = await newComment(owner, task.id);
  await owner.call("PATCH", `/comments/${comment.id}`, { body: { markdown: "Edited" }, ifMatch: "1" });
  await owner.call("PUT", `/comments/${comment.id}/reactions/heart`);
  await owner.call("POST", `/tasks/${task.id}/move`, { body: { project_id: project.id }, ifMatch: "2" });
  await trash(owner, task, "3");
  const deleted = await remove(owner, task);
  expect([deleted.status, deleted.trips <= 3]).toEqual([204, true]);
  for (const path of [`/tasks/${task.id}`, `/comments/${comment.id}`, `/workspaces/${workspaceId}/tasks/${task.code}`])
    expect((await owner.call("GET", path)).status).toBe(404);
  for (const table of ["task_assignments", "task_description_revisions", "task_codes", "comments"])
    expect(await running.sql(`select from ${table} where task_id = $1`, [task.id], workspaceId)).toEqual([]);
  for (const table of ["comment_revisions", "comment_reactions"])
    expect(await running.sql(`select from ${table} where comment_id = $1`, [comment.id], workspaceId)).toEqual([]);
  const events = await eventsOf(running, home, task.id);
  expect(events.at(-1)).toMatchObject({ type: "task.deleted", payload: { code: `${project.key}-1` } });
  for (const { payload } of events.slice(0, -1)) expect(payload).toEqual({});
  const { items } = (await owner.call("GET", `/workspaces/${workspaceId}/activity`)).body;
  expect(items[0]).toMatchObject({
    action: "activity.task.deleted",
    affected: [{ kind: "task", code: null, title: null }],
  });
  expect(JSON.stringify(items)).not.toContain(task.title);
});

test("whoever comments on a Task while it is deleted finds that it is gone, or goes with it", async () => {
  const { owner, project, workspaceId } = await workshop();
  const task = await newTask(owner, project.id);
  await trash(owner, task);
  await restore(owner, task);
  const comments = Array.from({ length: 10 }, () =>
    owner.call("POST", `/tasks/${task.id}/comments`, {
      body: { markdown: "Hm." },
      key: `key-${Math.random()}-${task.id}`,
    }),
  );
  const gone = trash(owner, task, "3").then(() => remove(owner, task));
  const answers = await Promise.all(comments);
  expect((await gone).status).toBe(204);
  for (const { status } of answers) expect([201, 404, 409]).toContain(status);
  expect(await running.sql("select from comments where task_id = $1", [task.id], workspaceId)).toEqual([]);
});
