// A Task that is made with labels, a parent, relations, files and followers in one call: the rules of the single
// operations, one command, one undo.
import { describe, expect, test } from "vitest";
import type { Answer } from "../../../test/answer.ts";
import { newAttachment } from "../../../test/attachments.ts";
import { commandOf, redo, undo } from "../../../test/commands.ts";
import { eventsOf, joinProject, newProject, newTask, refusalOf, relationsOf, trashTask } from "../../../test/work.ts";
import { newKey, type Person, service, world } from "../../../test/world.ts";
import { newId } from "../../platform/wire/ids.ts";

const running = service();

async function workshop() {
  const home = await world(running);
  const project = await newProject(home);
  const label = async (name: string, body: object = {}, at = `/workspaces/${home.workspaceId}`): Promise<string> =>
    (await home.owner.call("POST", `${at}/label-definitions`, { body: { name, ...body } })).body.id;
  return { ...home, home, project, label };
}
const create = (person: Person, project: { id: string }, body: object): Promise<Answer> =>
  person.call("POST", `/projects/${project.id}/tasks`, { body: { title: "Cut the gears", ...body }, key: newKey() });
const followersOf = async (person: Person, id: string): Promise<Record<string, string[]>> => {
  const { items } = (await person.call("GET", `/tasks/${id}/subscribers`)).body;
  return Object.fromEntries(
    items.map((each: { actor_id: string; reasons: string[] }) => [each.actor_id, each.reasons]),
  );
};
const filesOf = async (person: Person, id: string): Promise<string[]> =>
  (await person.call("GET", `/tasks/${id}/attachments`)).body.items.map((item: { id: string }) => item.id);
const numbers = async (person: Person, project: { id: string }): Promise<number[]> =>
  (await person.call("GET", `/projects/${project.id}/tasks`)).body.items.map((item: { number: number }) => item.number);

async function everything() {
  const shop = await workshop();
  const { home, owner, project, label } = shop;
  const member = await home.member("member");
  const [parent, blocker, like] = [
    await newTask(owner, project.id),
    await newTask(owner, project.id),
    await newTask(owner, (await newProject(home)).id),
  ];
  const [bug, brass] = [await label("Bug"), await label("Brass", {}, `/projects/${project.id}`)];
  const files = [(await newAttachment(owner)).id, (await newAttachment(owner)).id] as string[];
  const body = {
    label_ids: [brass, bug],
    parent_id: parent.id.toUpperCase(),
    relations: [
      { type: "blocked_by", related_task_id: blocker.id },
      { type: "relates_to", related_task_id: like.id.toUpperCase() },
    ],
    attachment_ids: files,
    follower_actor_ids: [member.actorId],
  };
  return { ...shop, member, parent, blocker, like, bug, brass, files, body };
}

describe("a Task that is made with everything", () => {
  test("has it all at once, at revision 1, in four round-trips, and answers it as it is read", async () => {
    const { owner, project, member, parent, blocker, like, files, body } = await everything();
    const made = await create(owner, project, body);
    expect(made.status, made.text).toBe(201);
    expect(made.trips).toBe(4);
    expect(made.body).toMatchObject({ revision: "1", label_ids: body.label_ids, parent_id: parent.id });
    const { id } = made.body;
    expect((await owner.call("GET", `/tasks/${id}`)).body).toEqual(made.body);
    expect(await relationsOf(owner, { id })).toEqual([
      `child_of ${parent.id}`,
      `blocked_by ${blocker.id}`,
      `relates_to ${like.id}`,
    ]);
    expect(await relationsOf(owner, parent)).toEqual([`parent_of ${id}`]);
    expect((await filesOf(owner, id)).sort()).toEqual(files.sort());
    expect(await followersOf(owner, id)).toEqual({ [owner.actorId]: ["creator"], [member.actorId]: ["explicit"] });
  });

  test("without any of it a creation takes no more round-trips than before; with labels alone neither", async () => {
    const { owner, project, label } = await workshop();
    const plain = await create(owner, project, {});
    const empty = { label_ids: [], parent_id: null, relations: [], attachment_ids: [], follower_actor_ids: [] };
    expect([plain.trips, (await create(owner, project, empty)).trips]).toEqual([3, 3]);
    const labelled = await create(owner, project, { label_ids: [await label("Bug")] });
    expect([labelled.status, labelled.trips]).toEqual([201, 3]);
  });

  test("is one item of activity, and its receipt names every effect", async () => {
    const { owner, home, project, files, body } = await everything();
    const made = await create(owner, project, body);
    const { items } = (await owner.call("GET", `/workspaces/${home.workspaceId}/activity`)).body;
    expect(items[0]).toMatchObject({ action: "activity.task.created", type: "progress" });
    expect(items[1].action).not.toBe("activity.task.relation_added");
    const receipt = (await owner.call("GET", `/workspaces/${home.workspaceId}/operation-receipts/${commandOf(made)}`))
      .body;
    const effects = receipt.effects.map(({ type }: { type: string }) => type);
    expect(effects.toSorted()).toEqual(
      [
        "task.created",
        "task.labels_changed",
        ...files.map(() => "attachment.attached"),
        "task.subscription_changed",
        ...Array.from({ length: 6 }, () => "task.relation_added"),
      ].toSorted(),
    );
    expect(effects[0]).toBe("task.created");
    expect(receipt.undo).toEqual({ possible: true, reason: null, errors: [] });
  });

  test("goes with one undo: into the trash with what is its own, and its relations end; redone, all of it is back", async () => {
    const { owner, project, parent, blocker, member, files, body } = await everything();
    const made = await create(owner, project, body);
    const id = commandOf(made);
    const back = await undo(owner, id);
    expect([back.status, back.trips <= 5], back.text).toEqual([200, true]);
    expect(back.body.undo).toEqual({ possible: true, reason: null, errors: [] });
    expect((await owner.call("GET", `/tasks/${made.body.id}`)).body).toMatchObject({
      trashed_at: expect.any(String),
      parent_id: null,
    });
    for (const other of [parent, blocker]) expect(await relationsOf(owner, other)).toEqual([]);
    const again = await redo(owner, id);
    expect([again.status, again.trips <= 5], again.text).toEqual([200, true]);
    const { revision: _, updated_at: __, ...was } = made.body;
    expect((await owner.call("GET", `/tasks/${made.body.id}`)).body).toMatchObject(was);
    expect(await relationsOf(owner, parent)).toEqual([`parent_of ${made.body.id}`]);
    expect(await relationsOf(owner, blocker)).toEqual([`blocks ${made.body.id}`]);
    expect(await filesOf(owner, made.body.id)).toHaveLength(files.length);
    expect(await followersOf(owner, made.body.id)).toMatchObject({ [member.actorId]: ["explicit"] });
    expect((await undo(owner, id)).status).toBe(200);
  });

  test("is not redone while what it was related to lies in the trash, and nothing of it comes back", async () => {
    const { owner, home, project, parent, body } = await everything();
    const made = await create(owner, project, body);
    await undo(owner, commandOf(made));
    await trashTask(running, home, parent.id);
    const refused = await redo(owner, commandOf(made));
    expect([refused.status, refused.body.code]).toEqual([409, "undo_conflict"]);
    expect((await owner.call("GET", `/tasks/${made.body.id}`)).body.trashed_at).not.toBeNull();
  });

  test("is made once by a key that is sent twice", async () => {
    const { owner, project, body } = await everything();
    const sent = { body: { title: "Once", ...body }, key: newKey() };
    const [first, second] = [
      await owner.call("POST", `/projects/${project.id}/tasks`, sent),
      await owner.call("POST", `/projects/${project.id}/tasks`, sent),
    ];
    expect([first.status, second.status, second.body.id]).toEqual([201, 201, first.body.id]);
    expect(await relationsOf(owner, first.body)).toHaveLength(3);
  });

  test("is made by every credential that makes Tasks", async () => {
    const { owner, home, project, label } = await workshop();
    const parent = await newTask(owner, project.id);
    const body = { title: "By a script", parent_id: parent.id, label_ids: [await label("Bug")] };
    const made = await owner.bearer(await home.token(), "POST", `/projects/${project.id}/tasks`, {
      body,
      key: newKey(),
    });
    expect([made.status, made.body.parent_id], made.text).toEqual([201, parent.id]);
  });
});

describe("what cannot be used is refused with a pointer, and nothing is made", () => {
  test("labels: unknown, of another Workspace or Project, for something else, deleted, and more than 50", async () => {
    const { owner, home, project, label } = await workshop();
    const other = await newProject(home);
    const foreign = await workshop();
    const deleted = await label("Deleted");
    await owner.call("DELETE", `/label-definitions/${deleted}`);
    const good = await label("Good");
    for (const bad of [
      newId(),
      await foreign.label("Foreign"),
      await label("Theirs", {}, `/projects/${other.id}`),
      await label("For Projects", { purpose: "project" }),
      deleted,
    ])
      expect(refusalOf(await create(owner, project, { label_ids: [good, bad] }))).toEqual([
        422,
        "invalid_reference",
        "/body/label_ids/1",
      ]);
    const many = Array.from({ length: 51 }, newId);
    expect(refusalOf(await create(owner, project, { label_ids: many })).slice(0, 2)).toEqual([400, "invalid_request"]);
    expect((await create(owner, project, { label_ids: [good] })).body.label_ids).toEqual([good]);
    expect(await numbers(owner, project)).toHaveLength(1);
  });

  test("what the caller does not see is what does not exist: parent, related Tasks and those in the trash", async () => {
    const { owner, home, project } = await workshop();
    const member = await home.member("member");
    const hidden = await newTask(owner, (await newProject(home, { visibility: "private" })).id);
    const trashed = await newTask(owner, project.id);
    await trashTask(running, home, trashed.id);
    const foreign = await workshop();
    const theirs = await newTask(foreign.owner, foreign.project.id);
    const seen = await newTask(owner, project.id);
    const told = new Set<string>();
    for (const id of [hidden.id, trashed.id, theirs.id, newId()]) {
      const parent = await create(member, project, { parent_id: id });
      expect(refusalOf(parent)).toEqual([422, "invalid_reference", "/body/parent_id"]);
      const relations = [seen.id, id].map((related_task_id) => ({ type: "blocks", related_task_id }));
      const related = await create(member, project, { relations });
      expect(refusalOf(related)).toEqual([422, "invalid_reference", "/body/relations/1/related_task_id"]);
      told.add(JSON.stringify([parent.body.detail, parent.body.errors, related.body.errors]));
    }
    expect(told.size).toBe(1);
    expect(await relationsOf(owner, seen)).toEqual([]);
    expect(await numbers(owner, project)).toEqual([seen.number]);
  });

  test("followers: unknown, of another Workspace, suspended, or who does not see the Project", async () => {
    const { owner, home, workspaceId } = await workshop();
    const hidden = await newProject(home, { visibility: "private" });
    const [joined, outside, gone] = [
      await home.member("member"),
      await home.member("member"),
      await home.member("admin"),
    ];
    await joinProject(home, hidden.id, joined, "viewer");
    await running.sql("update memberships set state = 'suspended' where workspace_id = $1 and actor_id = $2", [
      workspaceId,
      gone.actorId,
    ]);
    const told = new Set<string>();
    for (const bad of [outside.actorId, gone.actorId, (await world(running)).owner.actorId, newId()]) {
      const refused = await create(owner, hidden, { follower_actor_ids: [joined.actorId, bad] });
      expect(refusalOf(refused)).toEqual([422, "invalid_reference", "/body/follower_actor_ids/1"]);
      told.add(JSON.stringify(refused.body.errors));
    }
    expect(told.size).toBe(1);
    const made = await create(owner, hidden, { follower_actor_ids: [joined.actorId] });
    expect(made.status, made.text).toBe(201);
    expect(await followersOf(owner, made.body.id)).toHaveProperty(joined.actorId, ["explicit"]);
    // They decide for themselves from then on.
    expect((await joined.call("DELETE", `/tasks/${made.body.id}/subscription`)).status).toBe(204);
    expect(await followersOf(owner, made.body.id)).not.toHaveProperty(joined.actorId);
  });

  test("files: unknown, somebody else's, attached already, infected, and not completed", async () => {
    const { owner, home, project } = await workshop();
    const member = await home.member("member");
    const [own, theirs, used] = [await newAttachment(owner), await newAttachment(member), await newAttachment(owner)];
    const task = await newTask(owner, project.id);
    await owner.call("POST", `/tasks/${task.id}/attachments`, { body: { attachment_id: used.id } });
    for (const bad of [newId(), theirs.id, used.id])
      expect(refusalOf(await create(owner, project, { attachment_ids: [own.id, bad] }))).toEqual([
        422,
        "invalid_reference",
        "/body/attachment_ids/1",
      ]);
    const infected = await newAttachment(owner);
    const { workspaceId } = home;
    await running.sql("update attachments set scan_state = 'infected' where id = $1", [infected.id], workspaceId);
    expect(refusalOf(await create(owner, project, { attachment_ids: [own.id, infected.id] }))).toEqual([
      409,
      "attachment_infected",
      "/body/attachment_ids/1",
    ]);
    const many = Array.from({ length: 101 }, newId);
    expect(refusalOf(await create(owner, project, { attachment_ids: many })).slice(0, 2)).toEqual([
      400,
      "invalid_request",
    ]);
    // Nothing was attached by what was refused.
    const made = await create(owner, project, { attachment_ids: [own.id] });
    expect([made.status, await filesOf(owner, made.body.id)]).toEqual([201, [own.id]]);
  });

  test("a wrong reference of the Task itself is told before what it would be made with", async () => {
    const { owner, project, body } = await everything();
    expect(refusalOf(await create(owner, project, { ...body, status_id: newId() }))).toEqual([
      422,
      "invalid_reference",
      "/body/status_id",
    ]);
  });

  test("a viewer makes nothing", async () => {
    const { home, project, body } = await everything();
    const viewer = await home.member("viewer");
    expect(refusalOf(await create(viewer, project, body))).toEqual([403, "forbidden"]);
  });
});

test("whoever is told of an assignment is told of it as before, and following tells nobody", async () => {
  const { owner, home, project, member } = await everything();
  const follower = await home.member("member");
  const made = await create(owner, project, {
    assignee_actor_id: member.actorId,
    follower_actor_ids: [follower.actorId],
  });
  const types = (await eventsOf(running, home, made.body.id)).map(({ type, activity }) => [type, activity]);
  expect(types).toEqual([
    ["task.created", "progress"],
    ["task.subscription_changed", null],
  ]);
});
