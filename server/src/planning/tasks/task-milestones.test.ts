// Which Milestone a Task is in: what it may be put into, what that records, and how it is listed.
import { expect, test } from "vitest";
import { eventsOf, newMilestone, newProject, newTask, pages } from "../../../test/work.ts";
import { newKey, type Person, service, world } from "../../../test/world.ts";
import { newId } from "../../platform/wire/ids.ts";

const running = service();

async function workshop() {
  const home = await world(running);
  const project = await newProject(home);
  const milestone = await newMilestone(home.owner, project.id);
  const { items } = (await home.owner.call("GET", `/projects/${project.id}/statuses`)).body;
  const { stages } = (await home.owner.call("GET", `/workspaces/${home.workspaceId}/milestone-lifecycle`)).body;
  const named = (list: { id: string; name: string }[]) => (name: string) =>
    list.find((each) => each.name === name)?.id as string;
  const path = `/projects/${project.id}/tasks`;
  return { home, owner: home.owner, project, milestone, path, status: named(items), stage: named(stages) };
}
const create = (person: Person, path: string, body: object) => person.call("POST", path, { body, key: newKey() });
const change = (person: Person, { id }: { id: string }, body: object, ifMatch = "1") =>
  person.call("PATCH", `/tasks/${id}`, { body, ifMatch });

test("a Task is created in a Milestone, with every combination of Status and assignee", async () => {
  const { owner, milestone, path, status } = await workshop();
  for (const status_id of [undefined, status("Done")])
    for (const assignee_actor_id of [undefined, owner.actorId]) {
      const body = { title: "x", milestone_id: milestone.id, status_id, assignee_actor_id };
      const { body: task, trips } = await create(owner, path, body);
      expect([task.milestone_id, task.assignee_actor_id]).toEqual([milestone.id, assignee_actor_id ?? null]);
      expect(task.status_id).toBe(status_id ?? status("Todo"));
      expect(trips).toBeLessThanOrEqual(3);
    }
  expect((await create(owner, path, { title: "x", milestone_id: null })).body.milestone_id).toBe(null);
});

test("a Task is put into a Milestone, into another and into none, and each is a fact; into the same one again is none", async () => {
  const { home, owner, project, milestone } = await workshop();
  const other = await newMilestone(owner, project.id);
  const task = await newTask(owner, project.id);
  const steps = [milestone.id, other.id, other.id, null];
  let revision = "1";
  for (const milestone_id of steps) {
    const { body, trips } = await change(owner, task, { milestone_id }, revision);
    revision = body.revision;
    expect([body.milestone_id, trips <= 3]).toEqual([milestone_id, true]);
    expect((await owner.call("GET", `/tasks/${task.id}`)).body).toEqual(body);
  }
  const changed = (from: string | null, to: string | null) => ({
    type: "task.milestone_changed",
    activity: "milestone",
    payload: { from, to },
  });
  expect((await eventsOf(running, home, task.id)).slice(1)).toEqual([
    changed(null, milestone.id),
    changed(milestone.id, other.id),
    changed(other.id, null),
  ]);
  expect(revision).toBe("4");
});

test("a Milestone of another Project or Workspace, a deleted one, one that is closed and one that never was are refused alike", async () => {
  const { home, owner, project, path, stage, status } = await workshop();
  const other = await newMilestone(owner, (await newProject(home)).id);
  const { milestone: foreign } = await workshop();
  const closed = await newMilestone(owner, project.id, { stage_id: stage("Completed") });
  const deleted = await newMilestone(owner, project.id);
  await owner.call("DELETE", `/milestones/${deleted.id}`);
  const task = await newTask(owner, project.id);
  const refused = { code: "invalid_reference", errors: [{ pointer: "/body/milestone_id" }] };
  const texts = new Set<string>();
  for (const { id: milestone_id } of [other, foreign, closed, deleted, { id: newId() }]) {
    for (const { body } of [
      await create(owner, path, { title: "x", milestone_id }),
      await create(owner, path, {
        title: "x",
        milestone_id,
        status_id: status("Done"),
        assignee_actor_id: owner.actorId,
      }),
      await change(owner, task, { milestone_id }),
    ]) {
      expect(body).toMatchObject(refused);
      texts.add(JSON.stringify({ ...body, correlation_id: "" }));
    }
  }
  expect(texts.size).toBe(1);
  const both = await create(owner, path, { title: "x", milestone_id: other.id, status_id: newId() });
  expect(both.body.errors.map(({ pointer }: { pointer: string }) => pointer)).toEqual([
    "/body/status_id",
    "/body/milestone_id",
  ]);
});

test("a Task stays in a Milestone that was closed, and may be sent back as it is", async () => {
  const { owner, project, milestone, stage } = await workshop();
  const task = await newTask(owner, project.id, { milestone_id: milestone.id });
  const closed = { body: { stage_id: stage("Completed") }, ifMatch: "1" };
  expect((await owner.call("PATCH", `/milestones/${milestone.id}`, closed)).status).toBe(200);
  const changed = await change(owner, task, { milestone_id: milestone.id, title: "Renamed" });
  expect(changed.body).toMatchObject({ milestone_id: milestone.id, title: "Renamed" });
  expect((await change(owner, task, { milestone_id: null }, "2")).status).toBe(200);
  expect((await change(owner, task, { milestone_id: milestone.id }, "3")).status).toBe(422);
});

test("the Tasks of a Milestone are listed, narrowed by Status and assignee, newest first and in pages", async () => {
  const { owner, milestone, project, path, status } = await workshop();
  const places = [milestone.id, null].flatMap((milestone_id) =>
    ["Todo", "Done"].flatMap((name) =>
      [owner.actorId, null].map((assignee_actor_id) => ({ milestone_id, status_id: status(name), assignee_actor_id })),
    ),
  );
  for (const place of places) await newTask(owner, project.id, place);
  const numbers = async (...filters: string[]) =>
    (await pages(owner, `${path}?${filters.join("&")}`, 1)).items.map(({ number }) => number);
  const [inside, done, mine] = [
    `milestone_id=${milestone.id}`,
    `status_id=${status("Done")}`,
    `assignee_actor_id=${owner.actorId}`,
  ];
  expect(await numbers(inside)).toEqual([4, 3, 2, 1]);
  expect(await numbers(inside, done)).toEqual([4, 3]);
  expect(await numbers(inside, mine)).toEqual([3, 1]);
  expect(await numbers(inside, done, mine)).toEqual([3]);
  expect(await numbers(done, mine)).toEqual([7, 3]);
  expect(await numbers(`milestone_id=${newId()}`)).toEqual([]);
});
