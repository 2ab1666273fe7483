// Labels and the parent as fields of a change: the rules of the single operations, under the Task's revision, one
// command and one undo.
import { describe, expect, test } from "vitest";
import type { Answer } from "../../../test/answer.ts";
import { commandOf, redo, thereAndBack, undo } from "../../../test/commands.ts";
import { overlapping } from "../../../test/overlap.ts";
import { eventsOf, newProject, newTask, refusalOf, relationsOf, trashTask, workshopOn } from "../../../test/work.ts";
import { type Person, service } from "../../../test/world.ts";
import { newId } from "../../platform/wire/ids.ts";

const running = service();

async function workshop() {
  const shop = await workshopOn(running);
  const { owner, workspaceId, project } = shop;
  const label = async (name: string, body: object = {}, at = `/workspaces/${workspaceId}`): Promise<string> =>
    (await owner.call("POST", `${at}/label-definitions`, { body: { name, ...body } })).body.id;
  const task = () => newTask(owner, project.id);
  return { ...shop, label, task };
}
const change = (person: Person, { id }: { id: string }, body: object, ifMatch = "1"): Promise<Answer> =>
  person.call("PATCH", `/tasks/${id}`, { body, ifMatch });
const read = async (person: Person, { id }: { id: string }) => (await person.call("GET", `/tasks/${id}`)).body;

describe("labels", () => {
  test("are replaced as a whole with the other fields, at one revision, in three round-trips", async () => {
    const { home, owner, label, task } = await workshop();
    const [one, two] = [await label("One"), await label("Two")];
    const { id } = await task();
    const first = await change(owner, { id }, { label_ids: [two, one], priority: "high" });
    expect([first.status, first.body.revision, first.trips], first.text).toEqual([200, "2", 3]);
    expect(first.body).toMatchObject({ label_ids: [two, one], priority: "high" });
    expect(await read(owner, { id })).toEqual(first.body);
    expect((await owner.call("GET", `/task/${id}/labels`)).body.label_ids).toEqual([two, one]);
    const facts = await eventsOf(running, home, id);
    expect(facts.map(({ type }) => type)).toEqual(["task.created", "task.priority_changed", "task.labels_changed"]);
    expect(facts[2]?.payload).toEqual({ from: [], to: [two, one] });
    expect((await change(owner, { id }, { label_ids: [] }, "2")).body.label_ids).toEqual([]);
  });

  test("that it has already are no change, in whatever spelling, and another order is one", async () => {
    const { owner, label, task } = await workshop();
    const [one, two] = [await label("One"), await label("Two")];
    const made = await task();
    await change(owner, made, { label_ids: [one, two] });
    const same = await change(owner, made, { label_ids: [one.toUpperCase(), two] }, "2");
    expect([same.status, same.body.revision]).toEqual([200, "2"]);
    const turned = await change(owner, made, { label_ids: [two, one, two.toUpperCase()] }, "2");
    expect([turned.body.revision, turned.body.label_ids]).toEqual(["3", [two, one]]);
  });

  test("that cannot be used are refused with their pointers, and nothing else is changed", async () => {
    const { home, owner, label, task } = await workshop();
    const [good, other] = [await label("Good"), await newProject(home)];
    const theirs = await label("Theirs", {}, `/projects/${other.id}`);
    const made = await task();
    const body = { label_ids: [theirs, good, newId()], title: "Changed" };
    expect(refusalOf(await change(owner, made, body))).toEqual([
      422,
      "invalid_reference",
      "/body/label_ids/0",
      "/body/label_ids/2",
    ]);
    const many = Array.from({ length: 51 }, newId);
    expect(refusalOf(await change(owner, made, { label_ids: many })).slice(0, 2)).toEqual([400, "invalid_request"]);
    expect(refusalOf(await change(owner, made, { label_ids: [good] }, "7")).slice(0, 2)).toEqual([
      409,
      "revision_conflict",
    ]);
    expect(await read(owner, made)).toMatchObject({ revision: "1", label_ids: [], title: made.title });
  });

  test("come back with the other fields by one undo, without those that were deleted since", async () => {
    const { owner, label, task } = await workshop();
    const [one, two, three] = [await label("One"), await label("Two"), await label("Three")];
    const made = await task();
    await change(owner, made, { label_ids: [one, two] });
    await thereAndBack(
      owner,
      () => read(owner, made),
      () => change(owner, made, { label_ids: [three], title: "Changed", priority: "low" }, "2"),
    );
    const { revision } = await read(owner, made);
    const id = commandOf(await change(owner, made, { label_ids: [three], title: "Again" }, revision));
    await owner.call("DELETE", `/label-definitions/${one}`);
    expect((await undo(owner, id)).status).toBe(200);
    expect(await read(owner, made)).toMatchObject({ label_ids: [two], title: made.title });
  });

  test("that somebody has replaced since are in the way of the undo, and nothing is put back", async () => {
    const { owner, label, task } = await workshop();
    const [one, two] = [await label("One"), await label("Two")];
    const made = await task();
    const id = commandOf(await change(owner, made, { label_ids: [one], title: "Changed" }));
    await change(owner, made, { label_ids: [two] }, "2");
    const refused = await undo(owner, id);
    expect(refusalOf(refused)).toEqual([409, "undo_conflict", "/effects/0/label_ids"]);
    expect(await read(owner, made)).toMatchObject({ label_ids: [two], title: "Changed" });
  });
});

describe("the parent", () => {
  test("is given, replaced and taken away, both ends are told, and the revision advances", async () => {
    const { home, owner, task } = await workshop();
    const [child, one, two] = [await task(), await task(), await task()];
    const given = await change(owner, child, { parent_id: one.id.toUpperCase() });
    expect([given.status, given.trips, given.body.revision, given.body.parent_id], given.text).toEqual([
      200,
      3,
      "2",
      one.id,
    ]);
    expect(await read(owner, child)).toEqual(given.body);
    const replaced = await change(owner, child, { parent_id: two.id, title: "Changed" }, "2");
    expect([replaced.body.parent_id, replaced.body.revision]).toEqual([two.id, "3"]);
    expect([await relationsOf(owner, one), await relationsOf(owner, two)]).toEqual([[], [`parent_of ${child.id}`]]);
    const taken = await change(owner, child, { parent_id: null }, "3");
    expect([taken.body.parent_id, await relationsOf(owner, child)]).toEqual([null, []]);
    const facts = (await eventsOf(running, home, child.id)).map(({ type }) => type);
    expect(facts).toEqual([
      "task.created",
      "task.relation_added",
      "task.updated",
      "task.relation_removed",
      "task.relation_added",
      "task.relation_removed",
    ]);
    expect((await eventsOf(running, home, one.id)).map(({ type }) => type)).toEqual([
      "task.created",
      "task.relation_added",
      "task.relation_removed",
    ]);
  });

  test("that it has already is no change", async () => {
    const { owner, task } = await workshop();
    const [child, parent] = [await task(), await task()];
    await change(owner, child, { parent_id: parent.id });
    expect((await change(owner, child, { parent_id: parent.id }, "2")).body.revision).toBe("2");
    expect((await change(owner, parent, { parent_id: null })).body.revision).toBe("1");
  });

  test("is refused where it is the Task itself, below it, hidden, in the trash or nowhere, and what it had stays", async () => {
    const { home, owner, task } = await workshop();
    const member = await home.member("member");
    const [whole, part, trashed] = [await task(), await task(), await task()];
    const hidden = await newTask(owner, (await newProject(home, { visibility: "private" })).id);
    await trashTask(running, home, trashed.id);
    await change(owner, part, { parent_id: whole.id });
    expect(refusalOf(await change(owner, whole, { parent_id: part.id }))).toEqual([
      409,
      "relation_cycle",
      "/body/parent_id",
    ]);
    const told = new Set<string>();
    for (const id of [hidden.id, trashed.id, newId()]) {
      const refused = await change(member, part, { parent_id: id, title: "Changed" }, "2");
      expect(refusalOf(refused)).toEqual([422, "invalid_reference", "/body/parent_id"]);
      told.add(JSON.stringify(refused.body.errors));
    }
    expect(told.size).toBe(1);
    expect(refusalOf(await change(owner, part, { parent_id: part.id }, "2"))).toEqual([
      422,
      "invalid_reference",
      "/body/parent_id",
    ]);
    expect(await read(owner, part)).toMatchObject({ parent_id: whole.id, title: part.title, revision: "2" });
  });

  test("that the caller does not see is not replaced by it", async () => {
    const { home, owner, task } = await workshop();
    const member = await home.member("member");
    const hidden = await newTask(owner, (await newProject(home, { visibility: "private" })).id);
    const [child, other] = [await task(), await task()];
    await change(owner, child, { parent_id: hidden.id });
    expect((await read(member, child)).parent_id).toBeNull();
    expect(refusalOf(await change(member, child, { parent_id: other.id }, "2"))).toEqual([
      409,
      "parent_exists",
      "/body/parent_id",
    ]);
    expect((await read(owner, child)).parent_id).toBe(hidden.id);
  });

  test("comes back with labels and fields by one undo, and again by redoing", async () => {
    const { owner, label, task } = await workshop();
    const [child, one, two, bug] = [await task(), await task(), await task(), await label("Bug")];
    await change(owner, child, { parent_id: one.id });
    const all = async () => [await read(owner, child), await relationsOf(owner, one), await relationsOf(owner, two)];
    await thereAndBack(owner, all, () =>
      change(owner, child, { parent_id: two.id, label_ids: [bug], priority: "high" }, "2"),
    );
  });

  test("that was taken since by somebody else is in the way of the undo", async () => {
    const { owner, task } = await workshop();
    const [child, one, two] = [await task(), await task(), await task()];
    const id = commandOf(await change(owner, child, { parent_id: one.id, title: "Changed" }));
    await change(owner, child, { parent_id: two.id }, "2");
    expect(refusalOf(await undo(owner, id)).slice(0, 2)).toEqual([409, "undo_conflict"]);
    expect(refusalOf(await redo(owner, id)).slice(0, 2)).toEqual([409, "not_undone"]);
    expect(await read(owner, child)).toMatchObject({ parent_id: two.id, title: "Changed" });
  });

  test("is one of two that are given at once: the other finds it there", async () => {
    const { owner, workspaceId, task } = await workshop();
    const [child, one, two] = [await task(), await task(), await task()];
    const hold: [string, string] = ["select from workspaces where id = $1 for update", workspaceId];
    const answers = await overlapping(running, hold, 2, () =>
      Promise.all([one, two].map(({ id }) => change(owner, child, { parent_id: id }))),
    );
    expect(answers.map(({ status, body }) => (status === 200 ? status : body.code)).sort()).toEqual([
      200,
      "parent_exists",
    ]);
    expect(await relationsOf(owner, child)).toHaveLength(1);
  });
});

test("a viewer changes neither, and what lies in the trash takes neither", async () => {
  const { home, owner, label, task } = await workshop();
  const [made, bug, viewer] = [await task(), await label("Bug"), await home.member("viewer")];
  expect(refusalOf(await change(viewer, made, { label_ids: [bug] }))).toEqual([403, "forbidden"]);
  await trashTask(running, home, made.id);
  for (const body of [{ label_ids: [bug] }, { parent_id: (await task()).id }])
    expect(refusalOf(await change(owner, made, body))).toEqual([409, "task_trashed"]);
});
