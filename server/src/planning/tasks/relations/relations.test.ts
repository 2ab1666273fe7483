// How Tasks stand to each other: seen from both ends, by those who see both.
import { expect, test } from "vitest";
import { overlapping } from "../../../../test/overlap.ts";
import { eventsOf, joinProject, newProject, newTask, pages, trashTask } from "../../../../test/work.ts";
import { newKey, type Person, service, world } from "../../../../test/world.ts";
import { newId } from "../../../platform/wire/ids.ts";

const running = service();

async function workshop(tasks = 2) {
  const home = await world(running);
  const project = await newProject(home);
  const made: { id: string; code: string }[] = [];
  for (let n = 0; n < tasks; n++) made.push(await newTask(home.owner, project.id, { title: `Task ${n}` }));
  const [a, b, c] = made as [(typeof made)[0], (typeof made)[0], (typeof made)[0]];
  return { home, owner: home.owner, project, a, b, c };
}
const relate = (person: Person, from: { id: string }, type: string, to: { id: string }) =>
  person.call("POST", `/tasks/${from.id}/relations`, { body: { type, related_task_id: to.id } });
const turn = (person: Person, id: string, body: object, ifMatch = "1") =>
  person.call("PATCH", `/task-relations/${id}`, { body, ifMatch });
const seenFrom = async (person: Person, { id }: { id: string }) =>
  (await person.call("GET", `/tasks/${id}/relations`)).body.items.map(
    (item: { type: string; related_task: { id: string } }) => [item.type, item.related_task.id],
  );

const inverses = [
  ["blocks", "blocked_by"],
  ["blocked_by", "blocks"],
  ["relates_to", "relates_to"],
  ["duplicates", "duplicated_by"],
  ["duplicated_by", "duplicates"],
  ["parent_of", "child_of"],
  ["child_of", "parent_of"],
] as const;

test.for(inverses)("%s is seen as %s from the other end, and recorded in both Tasks", async ([type, inverse]) => {
  const { home, owner, project, a, b } = await workshop();
  const { status, body, trips } = await relate(owner, a, type, b);
  expect([status, trips <= 5]).toEqual([201, true]);
  expect(body).toMatchObject({
    task_id: a.id,
    type,
    related_task: {
      id: b.id,
      code: b.code,
      project_id: project.id,
      title: "Task 1",
      category: "unstarted",
      trashed_at: null,
    },
    created_by_actor_id: owner.actorId,
    revision: "1",
    capabilities: ["relation:update", "relation:delete"],
  });
  expect(await seenFrom(owner, a)).toEqual([[type, b.id]]);
  expect(await seenFrom(owner, b)).toEqual([[inverse, a.id]]);
  const activity = type.startsWith("block") ? "blocking_dependency" : null;
  for (const [here, there, seen] of [
    [a, b, type],
    [b, a, inverse],
  ] as const) {
    const recorded = (await eventsOf(running, home, here.id)).slice(1);
    const payload = { relation_id: body.id, related_task_id: there.id, type: seen };
    expect(recorded).toEqual([{ type: "task.relation_added", activity, payload }]);
  }
});

test("a list is read in one round-trip, oldest first, in pages", async () => {
  const { owner, project, a, b } = await workshop();
  const others = [b, await newTask(owner, project.id), await newTask(owner, project.id)];
  for (const other of others) await relate(owner, a, "relates_to", other);
  const { items } = await pages(owner, `/tasks/${a.id}/relations`, 2);
  expect(items.map((item) => (item.related_task as { id: string }).id)).toEqual(others.map(({ id }) => id));
  expect((await owner.call("GET", `/tasks/${a.id}/relations`)).trips).toBe(1);
});

test("two Tasks are related once by each type, from whichever end", async () => {
  const { owner, a, b } = await workshop();
  const codes = async (...calls: [string, boolean][]) => {
    const found: string[] = [];
    for (const [type, back] of calls) {
      const answer = await relate(owner, back ? b : a, type, back ? a : b);
      found.push(answer.body.code ?? answer.status);
    }
    return found;
  };
  expect(await codes(["relates_to", false], ["relates_to", false], ["relates_to", true])).toEqual([
    201,
    "relation_exists",
    "relation_exists",
  ]);
  // Both duplicates of each other says nothing.
  expect(await codes(["duplicates", false], ["duplicated_by", true], ["duplicates", true])).toEqual([
    201,
    "relation_exists",
    "relation_exists",
  ]);
  expect(await codes(["blocks", false], ["blocked_by", true], ["blocks", true])).toEqual([
    201,
    "relation_exists",
    "relation_cycle",
  ]);
  expect(await codes(["parent_of", false], ["child_of", true], ["parent_of", true])).toEqual([
    201,
    "relation_exists",
    "relation_cycle",
  ]);
  expect((await seenFrom(owner, a)).length).toBe(4);
});

test("of many who relate the same two Tasks at once, one does", async () => {
  const { owner, a, b } = await workshop();
  const answers = await Promise.all(
    Array.from({ length: 8 }, (_, n) =>
      n % 2 ? relate(owner, a, "relates_to", b) : relate(owner, b, "relates_to", a),
    ),
  );
  expect(answers.filter(({ status }) => status === 201).length).toBe(1);
  expect(new Set(answers.map(({ body }) => body.code))).toEqual(new Set([undefined, "relation_exists"]));
});

test("the same key relates once", async () => {
  const { owner, a, b } = await workshop();
  const send = (key: string) =>
    owner.call("POST", `/tasks/${a.id}/relations`, { body: { type: "blocks", related_task_id: b.id }, key });
  const key = newKey();
  const [first, again] = [await send(key), await send(key)];
  expect([first.status, again.status, again.headers.get("idempotent-replayed")]).toEqual([201, 201, "true"]);
  expect(again.body).toEqual(first.body);
});

test("what cannot be related is one answer: itself is another, and hidden, foreign, trashed and missing are the same", async () => {
  const { home, owner, a, b } = await workshop();
  const stranger = await home.member("member");
  const hidden = await newTask(owner, (await newProject(home, { visibility: "private" })).id);
  const foreign = (await workshop()).a;
  await trashTask(running, home, b.id);
  const texts = new Set<string>();
  for (const id of [hidden.id, foreign.id, b.id, newId()]) {
    const body = { type: "blocks", related_task_id: id };
    const headers = { "x-correlation-id": "one-and-the-same" };
    const answer = await stranger.call("POST", `/tasks/${a.id}/relations`, { body, headers });
    expect([answer.status, answer.body.code]).toEqual([422, "invalid_reference"]);
    expect(answer.body.errors[0].pointer).toBe("/body/related_task_id");
    texts.add(answer.text);
  }
  expect(texts.size).toBe(1);
  expect((await relate(owner, a, "relates_to", { id: a.id.toUpperCase() })).body.code).toBe("invalid_reference");
  expect((await relate(owner, b, "relates_to", a)).body.code).toBe("task_trashed");
  expect((await relate(stranger, hidden, "relates_to", a)).status).toBe(404);
});

test("a relation into a private Project is there for those who see both ends, and for nobody else", async () => {
  const { home, owner, a, b } = await workshop();
  const [insider, outsider] = [await home.member("member"), await home.member("member")];
  const project = await newProject(home, { visibility: "private" });
  await joinProject(home, project.id, insider, "viewer");
  const secret = await newTask(owner, project.id);
  const { id } = (await relate(owner, secret, "blocks", a)).body;
  await relate(owner, a, "relates_to", b);
  expect((await seenFrom(insider, a)).length).toBe(2);
  expect(await seenFrom(outsider, a)).toEqual([["relates_to", b.id]]);
  const first = await outsider.call("GET", `/tasks/${a.id}/relations?limit=1`);
  expect([first.body.items.length, first.body.has_more]).toEqual([1, false]);
  for (const path of [`/task-relations/${id}`, `/task-relations/${newId()}`]) {
    expect((await outsider.call("DELETE", path)).status).toBe(404);
    expect(
      (await outsider.call("PATCH", path, { body: { type: "relates_to", task_id: a.id }, ifMatch: "1" })).status,
    ).toBe(404);
  }
  // A viewer of the one end who may change the other may change the relation.
  const changed = await turn(insider, id, { type: "relates_to", task_id: a.id });
  expect([changed.status, changed.body.capabilities]).toEqual([200, ["relation:update", "relation:delete"]]);
  expect((await insider.call("DELETE", `/task-relations/${id}`)).status).toBe(204);
});

test("who may only read changes no relation, and who does not belong here finds none", async () => {
  const { home, owner, a, b } = await workshop();
  const { id } = (await relate(owner, a, "blocks", b)).body;
  const viewer = await home.member("viewer");
  expect((await seenFrom(viewer, b)).length).toBe(1);
  expect((await relate(viewer, a, "relates_to", b)).status).toBe(403);
  expect((await turn(viewer, id, { type: "relates_to", task_id: a.id })).status).toBe(403);
  expect((await viewer.call("DELETE", `/task-relations/${id}`)).status).toBe(403);
  const foreigner = (await world(running)).owner;
  expect((await turn(foreigner, id, { type: "relates_to", task_id: a.id })).status).toBe(404);
  expect((await foreigner.call("GET", `/tasks/${a.id}/relations`)).status).toBe(404);
  const removed = await home.member("member");
  await running.sql("update memberships set state = 'removed' where user_id = $1", [removed.userId]);
  expect((await removed.call("DELETE", `/task-relations/${id}`)).status).toBe(404);
});

test("a type is read from the end that is named, whichever it was made on, and none is guessed", async () => {
  const { home, owner, a, b, c } = await workshop(3);
  const { id } = (await relate(owner, a, "blocked_by", b)).body;
  const bare = await turn(owner, id, { type: "blocks" });
  expect([bare.body.code, bare.body.errors[0].pointer]).toEqual(["invalid_request", "/body/task_id"]);
  const turned = await turn(owner, id, { type: "blocks", task_id: a.id });
  expect(turned.body).toMatchObject({ task_id: a.id, type: "blocks", related_task: { id: b.id }, revision: "2" });
  expect(await seenFrom(owner, b)).toEqual([["blocked_by", a.id]]);
  const back = await turn(owner, id, { type: "child_of", task_id: b.id.toUpperCase() }, "2");
  expect(back.body).toMatchObject({ task_id: b.id, type: "child_of", related_task: { id: a.id }, revision: "3" });
  expect(await seenFrom(owner, a)).toEqual([["parent_of", b.id]]);
  const recorded = (await eventsOf(running, home, b.id)).filter(({ type }) => type === "task.relation_changed");
  expect(recorded.map(({ activity, payload: { from, to } }) => [activity, from, to])).toEqual([
    ["blocking_dependency", "blocks", "blocked_by"],
    ["blocking_dependency", "blocked_by", "child_of"],
  ]);
  const elsewhere = await turn(owner, id, { type: "blocks", task_id: c.id }, "3");
  expect([elsewhere.body.code, elsewhere.body.errors[0].pointer]).toEqual(["invalid_reference", "/body/task_id"]);
});

test("a type that it has already changes nothing; a stale or missing revision is refused", async () => {
  const { home, owner, a, b } = await workshop();
  const { id } = (await relate(owner, a, "relates_to", b)).body;
  const same = await turn(owner, id, { type: "relates_to", task_id: b.id });
  expect(same.body).toMatchObject({ revision: "1", task_id: b.id, related_task: { id: a.id } });
  expect((await eventsOf(running, home, a.id)).map(({ type }) => type)).toEqual([
    "task.created",
    "task.relation_added",
  ]);
  await turn(owner, id, { type: "blocks", task_id: a.id });
  expect((await turn(owner, id, { type: "duplicates", task_id: a.id })).body).toMatchObject({
    code: "revision_conflict",
    current_revision: "2",
  });
  const bare = await owner.call("PATCH", `/task-relations/${id}`, { body: { type: "blocks", task_id: a.id } });
  expect(bare.body.code).toBe("if_match_required");
  expect((await owner.call("DELETE", `/task-relations/${id}`, { ifMatch: "1" })).body.code).toBe("revision_conflict");
});

test("a change into a type that the two have already is refused", async () => {
  const { owner, a, b } = await workshop();
  await relate(owner, a, "relates_to", b);
  const { id } = (await relate(owner, a, "duplicates", b)).body;
  const answer = await turn(owner, id, { type: "relates_to", task_id: a.id });
  expect([answer.status, answer.body.code]).toEqual([409, "relation_exists"]);
});

test("removed, it is gone from both ends; a Task that goes for good takes its relations with it", async () => {
  const { home, owner, a, b, c } = await workshop(3);
  const { id } = (await relate(owner, a, "blocks", b)).body;
  expect((await owner.call("DELETE", `/task-relations/${id}`, { ifMatch: "1" })).status).toBe(204);
  expect([await seenFrom(owner, a), await seenFrom(owner, b)]).toEqual([[], []]);
  expect((await owner.call("DELETE", `/task-relations/${id}`)).status).toBe(404);
  const removed = (await eventsOf(running, home, b.id)).at(-1);
  expect(removed).toMatchObject({
    type: "task.relation_removed",
    activity: "blocking_dependency",
    payload: { type: "blocked_by" },
  });
  await relate(owner, a, "blocks", c);
  await relate(owner, c, "relates_to", b);
  await running.sql("delete from tasks where id = $1", [c.id], home.workspaceId);
  expect([await seenFrom(owner, a), await seenFrom(owner, b)]).toEqual([[], []]);
});

test("a Task in the trash is still shown as related; its relations can be removed and not turned", async () => {
  const { home, owner, a, b } = await workshop();
  const { id } = (await relate(owner, a, "blocks", b)).body;
  await trashTask(running, home, b.id);
  const { items } = (await owner.call("GET", `/tasks/${a.id}/relations`)).body;
  expect(items[0].related_task.trashed_at).not.toBeNull();
  expect((await turn(owner, id, { type: "relates_to", task_id: a.id })).body.code).toBe("task_trashed");
  expect((await owner.call("DELETE", `/task-relations/${id}`)).status).toBe(204);
});

test("one that is turned while somebody removes it is recorded in each Task's own Project", async () => {
  const { home, owner, project, a } = await workshop(1);
  const other = await newProject(home, { visibility: "private" });
  const b = await newTask(owner, other.id);
  const { id } = (await relate(owner, a, "blocks", b)).body;
  const turned = `
    update task_relations set from_task_id = to_task_id, to_task_id = from_task_id, revision = revision + 1
    from (select from workspaces where id = $2 for no key update) held where id = $1`;
  const remove = () => owner.call("DELETE", `/task-relations/${id}`);
  expect((await overlapping(running, [turned, id, home.workspaceId], 1, remove, home.workspaceId)).status).toBe(204);
  const told = await running.sql(
    `select task_id, project_id, payload->>'type' as type from domain_events where type = 'task.relation_removed'
      order by task_id`,
    [],
    home.workspaceId,
  );
  expect(told).toEqual([
    { task_id: a.id, project_id: project.id, type: "blocked_by" },
    { task_id: b.id, project_id: other.id, type: "blocks" },
  ]);
});
