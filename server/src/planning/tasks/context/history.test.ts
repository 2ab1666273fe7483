// What was: who a Task was assigned to, which texts it had, who took part.
import { expect, test } from "vitest";
import { eventsOf, newComment, newProject, newTask, pages, workshopOn } from "../../../../test/work.ts";
import { type Person, service, world } from "../../../../test/world.ts";
import { newId } from "../../../platform/wire/ids.ts";

const running = service();

const workshop = () => workshopOn(running);
type Id = { id: string };
const change = (person: Person, { id }: Id, body: object) =>
  person.call("PATCH", `/tasks/${id}`, { body, headers: { "if-match": "*" } });
const list = (person: Person, { id }: Id, part: string) => person.call("GET", `/tasks/${id}/${part}`);

test("assignments come newest first; the one that lasts is not closed", async () => {
  const { home, owner, project } = await workshop();
  const [ada, bob] = [await home.member("member"), await home.member("member")];
  const task = await newTask(owner, project.id, { assignee_actor_id: ada.actorId });
  for (const actor of [bob.actorId, null, ada.actorId]) await change(bob, task, { assignee_actor_id: actor });
  const { body, trips } = await list(owner, task, "assignments");
  expect(trips).toBe(1);
  const seen = body.items.map((item: Record<string, string>) => [
    item.actor_id,
    item.assigned_by_actor_id,
    item.closed_at === null,
  ]);
  expect(seen).toEqual([
    [ada.actorId, bob.actorId, true],
    [bob.actorId, bob.actorId, false],
    [ada.actorId, owner.actorId, false],
  ]);
  expect(body.items[0]).toMatchObject({ task_id: task.id, closed_at: null });
  const paged = await pages(owner, `/tasks/${task.id}/assignments`, 1);
  expect([paged.items, paged.pages]).toEqual([body.items, 3]);
});

test("every text that the description had is listed with who replaced it, newest first", async () => {
  const { home, owner, project } = await workshop();
  const member = await home.member("member");
  const task = await newTask(owner, project.id, { description_markdown: "one" });
  await change(member, task, { description_markdown: "two" });
  await change(owner, task, { title: "x" });
  await change(owner, task, { description_markdown: "three" });
  const { body, trips } = await list(owner, task, "description-revisions");
  expect(trips).toBe(1);
  expect(body.items).toEqual([
    {
      task_id: task.id,
      revision: "3",
      description_markdown: "two",
      replaced_by_actor_id: owner.actorId,
      replaced_at: body.items[0].replaced_at,
    },
    {
      task_id: task.id,
      revision: "1",
      description_markdown: "one",
      replaced_by_actor_id: member.actorId,
      replaced_at: body.items[1].replaced_at,
    },
  ]);
  const paged = await pages(owner, `/tasks/${task.id}/description-revisions`, 1);
  expect([paged.items, paged.pages]).toEqual([body.items, 2]);
});

test("a page of texts ends at a mebibyte, and the rest follows", async () => {
  const { home, owner, project, workspaceId } = await workshop();
  const task = await newTask(owner, project.id);
  await running.sql(
    `insert into task_description_revisions (workspace_id, task_id, revision, description_markdown,
     replaced_by_actor_id)
     select $1, $2, n, repeat('x', 262144), $3 from generate_series(1, 10) n`,
    [workspaceId, task.id, home.owner.actorId],
    workspaceId,
  );
  const first = await list(owner, task, "description-revisions");
  expect([first.body.items.length, first.body.has_more]).toEqual([4, true]);
  const { items } = await pages(owner, `/tasks/${task.id}/description-revisions`, 100);
  expect(items.map(({ revision }) => Number(revision))).toEqual([10, 9, 8, 7, 6, 5, 4, 3, 2, 1]);
});

const restore = (person: Person, { id }: Id, revision: string, ifMatch = "2") =>
  person.call("POST", `/tasks/${id}/description-revisions/${revision}/restore`, { ifMatch });

test("a text is restored by a new change, which keeps the one that it replaces", async () => {
  const { home, owner, project } = await workshop();
  const task = await newTask(owner, project.id, { description_markdown: "one" });
  await change(owner, task, { description_markdown: "two" });
  const restored = await restore(owner, task, "1");
  expect(restored.body).toMatchObject({ description_markdown: "one", revision: "3" });
  expect(restored.trips).toBeLessThanOrEqual(5);
  expect((await owner.call("GET", `/tasks/${task.id}`)).body).toEqual(restored.body);
  const kept = (await list(owner, task, "description-revisions")).body.items;
  expect(kept.map((item: { description_markdown: string }) => item.description_markdown)).toEqual(["two", "one"]);
  expect((await eventsOf(running, home, task.id)).slice(1)).toEqual([
    { type: "task.description_changed", activity: "description", payload: { from: "1", to: "2" } },
    { type: "task.description_changed", activity: "description", payload: { from: "2", to: "3" } },
  ]);
});

test("a text that never was is not found, whatever else is wrong; a viewer restores none", async () => {
  const { home, owner, project } = await workshop();
  const task = await newTask(owner, project.id, { description_markdown: "one" });
  await change(owner, task, { description_markdown: "two" });
  for (const revision of ["2", "7", "999999999999999999"])
    expect((await restore(owner, task, revision)).body.code).toBe("not_found");
  for (const revision of ["0", "01", "x", "-1", "1.5", "9999999999999999999"])
    expect((await restore(owner, task, revision)).body.code).toBe("invalid_request");
  expect((await restore(owner, task, "1", "1")).body.code).toBe("revision_conflict");
  expect((await owner.call("POST", `/tasks/${task.id}/description-revisions/1/restore`)).body.code).toBe(
    "if_match_required",
  );
  expect((await restore(await home.member("viewer"), task, "1")).status).toBe(403);
  expect((await restore((await world(running)).owner, task, "1")).status).toBe(404);
  await owner.call("POST", `/tasks/${task.id}/trash`, { ifMatch: "2" });
  expect((await restore(owner, task, "1", "3")).body.code).toBe("task_trashed");
});

test("participants are the creator, who is and was assigned, and who commented, each once with what they are", async () => {
  const { home, owner, project } = await workshop();
  const [ada, bob, eve, mute] = [
    await home.member("member"),
    await home.member("member"),
    await home.member("member"),
    await home.member("member"),
  ];
  const task = await newTask(owner, project.id, { assignee_actor_id: ada.actorId });
  await change(owner, task, { assignee_actor_id: bob.actorId });
  for (const person of [owner, ada, eve, eve]) await newComment(person, task.id);
  const { id } = await newComment(mute, task.id);
  await mute.call("DELETE", `/comments/${id}`);
  const { body, trips } = await list(await home.member("viewer"), task, "participants");
  expect(trips).toBe(1);
  const seen = body.items.map((item: { actor_id: string; roles: string[] }) => [item.actor_id, item.roles]);
  expect(seen).toEqual([
    [owner.actorId, ["creator", "commenter"]],
    [bob.actorId, ["assignee"]],
    [ada.actorId, ["former_assignee", "commenter"]],
    [eve.actorId, ["commenter"]],
  ]);
  expect(typeof body.items[0].display_name).toBe("string");
  const paged = await pages(owner, `/tasks/${task.id}/participants`, 1);
  expect([paged.items, paged.pages]).toEqual([body.items, 4]);
});

test("of many who commented each is listed once, whatever the size of a page", async () => {
  const { home, owner, project, workspaceId } = await workshop();
  const task = await newTask(owner, project.id);
  const actors = Array.from({ length: 130 }, () => newId());
  await running.sql(
    "insert into actors (workspace_id, id, kind, name) select $1, unnest($2::uuid[]), 'service', 'Bot'",
    [workspaceId, actors],
    workspaceId,
  );
  await running.sql(
    `insert into comments (workspace_id, id, task_id, author_actor_id, markdown)
     select $1, gen_random_uuid(), $2, a, 'x' from unnest($3::uuid[]) a, generate_series(1, 3)`,
    [workspaceId, task.id, [...actors, home.owner.actorId]],
    workspaceId,
  );
  for (const limit of [7, 100]) {
    const { items } = await pages(owner, `/tasks/${task.id}/participants`, limit);
    expect(items.map(({ actor_id }) => actor_id)).toEqual([owner.actorId, ...actors.sort()]);
  }
});

test("who does not see the Task sees none of it", async () => {
  const { home, owner } = await workshop();
  const hidden = await newProject(home, { visibility: "private" });
  const task = await newTask(owner, hidden.id, { assignee_actor_id: owner.actorId });
  for (const person of [await home.member("member"), (await world(running)).owner])
    for (const part of ["assignments", "description-revisions", "participants", "activity"])
      expect((await list(person, task, part)).status).toBe(404);
});
