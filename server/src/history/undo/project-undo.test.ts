// Undoing and redoing what was done to Projects, Milestones, labels, the workflow and who is in a Project: there and
// back again, what is in the way, and what says beforehand that it cannot be undone.
import { beforeAll, describe, expect, test } from "vitest";
import type { Answer } from "../../../test/answer.ts";
import { commandOf, redo, thereAndBack, undo } from "../../../test/commands.ts";
import { joinProject, newMilestone, newProject, newTask } from "../../../test/work.ts";
import { newKey, type Person, service, type World, world } from "../../../test/world.ts";

const running = service();
let home: World;
let owner: Person;
let base: string;
beforeAll(async () => {
  home = await world(running);
  owner = home.owner;
  base = `/workspaces/${home.workspaceId}`;
});

const any = { headers: { "if-match": "*" } };
const send = (method: string, path: string, body?: object, person = owner) =>
  person.call(method, path, { body, key: newKey(), ...any });
async function sent(method: string, path: string, body?: object, person = owner): Promise<Answer> {
  const answer = await send(method, path, body, person);
  expect(answer.status, `${method} ${path} ${answer.text}`).toBeLessThan(300);
  return answer;
}
/** What is there, or that nothing is. */
const reading = (path: string) => async () => {
  const { status, body } = await owner.call("GET", path);
  return status === 404 ? null : body;
};
const listing = (path: string) => async () => (await owner.call("GET", `${path}?limit=100`)).body.items;
/** Without the revision of their definition, which counts every change of them. */
const steps = async (path: string) =>
  (await listing(path)()).map(({ lifecycle, ...step }: { id: string; lifecycle: { stage_id: string } }) => ({
    ...step,
    stage_id: lifecycle.stage_id,
  }));
const receipt = async (id: string, person = owner) =>
  (await person.call("GET", `${base}/operation-receipts/${id}`)).body;

interface Blocked {
  reason?: string;
  codes?: string[];
}
/** The receipt says beforehand what undoing is refused with. */
async function expectRefused(
  id: string,
  { reason = "undo_conflict", codes = [] }: Blocked,
  person = owner,
  way = undo,
) {
  const told = (await receipt(id, person))[way === undo ? "undo" : "redo"];
  expect([told.possible, told.reason, told.errors.map(({ code }: { code: string }) => code)]).toEqual([
    false,
    reason,
    codes,
  ]);
  const { body } = await way(person, id);
  expect([body.code, body.errors ?? []]).toEqual([told.reason, told.errors]);
}

describe("a Project", () => {
  test("its fields, state, looks and archive are put back and set again, all that one command changed", async () => {
    const project = await newProject(home, { description_markdown: "Brass", target_date: "2026-05-05" });
    const path = `/projects/${project.id}`;
    const states = await listing(`${base}/project-states`)();
    const state_id = states.find(({ id }: { id: string }) => id !== project.state_id).id;
    const body = { name: "Other", description_markdown: "Steel", start_date: "2026-01-01", target_date: "2026-02-01" };
    const act = () => sent("PATCH", path, { ...body, state_id, icon: "gear", color: "red", visibility: "private" });
    await thereAndBack(owner, reading(path), act);
    await thereAndBack(owner, reading(path), () => sent("PATCH", path, { archived: true }));
    await sent("PATCH", path, { archived: true });
    await thereAndBack(owner, reading(path), () => sent("PATCH", path, { archived: false }));
  });

  test("its creation is undone by deleting it, and its deletion by bringing it back with all that is in it", async () => {
    const made = await sent("POST", `${base}/projects`, { key: "UNDO", name: "Engine" });
    const path = `/projects/${made.body.id}`;
    const read = reading(path);
    const id = commandOf(made);
    for (const [way, there] of [
      [undo, false],
      [redo, true],
      [undo, false],
      [redo, true],
    ] as const) {
      const back = await way(owner, id);
      expect([back.status, back.body.undo?.possible], back.text).toEqual([200, true]);
      expect((await read()) !== null).toBe(there);
    }
    const task = await newTask(owner, made.body.id);
    await expectRefused(id, { codes: ["moved_on"] });
    const gone = await sent("DELETE", path);
    expect(await reading(`/tasks/${task.id}`)()).toBeNull();
    expect((await undo(owner, commandOf(gone))).status).toBe(200);
    expect(await reading(`/tasks/${task.id}`)()).toMatchObject({ id: task.id, code: task.code });
    expect((await redo(owner, commandOf(gone))).status).toBe(200);
    expect(await read()).toBeNull();
  });

  test("a deleted one comes back until its last day, and to nobody who could not delete it", async () => {
    const [project, lead] = [await newProject(home), await home.member("member")];
    await joinProject(home, project.id, lead, "lead");
    const id = commandOf(await sent("DELETE", `/projects/${project.id}`, undefined, lead));
    expect((await receipt(id, lead)).undo.possible).toBe(true);
    await running.sql("delete from project_members where actor_id = $1", [lead.actorId], home.workspaceId);
    await expectRefused(id, { codes: ["not_found"] }, lead);
    const other = await newProject(home);
    const own = commandOf(await sent("DELETE", `/projects/${other.id}`));
    const age = (days: number) =>
      running.sql(
        "update projects set deleted_at = now() - make_interval(days => $2) where id = $1",
        [other.id, days],
        home.workspaceId,
      );
    await age(28);
    expect((await receipt(own)).undo.possible).toBe(true);
    await age(29);
    await expectRefused(own, { codes: ["not_found"] });
  });

  test("its place in the order is put back, while it still stands where it was put", async () => {
    const [one, two, three] = [await newProject(home), await newProject(home), await newProject(home)];
    const order = async () => (await listing(`${base}/projects`)()).map(({ id }: { id: string }) => id);
    const move = (id: string, after_id: string | null) => sent("POST", `/projects/${id}/move`, { after_id });
    await thereAndBack(owner, order, () => move(three.id, one.id));
    await thereAndBack(owner, order, () => move(three.id, null));
    const id = commandOf(await move(three.id, one.id));
    await move(two.id, one.id);
    await expectRefused(id, { codes: ["moved_on"] });
    // Where two has stood, no number is left between one and three.
    const before = await order();
    const [first, second, third] = [one.id, two.id, three.id];
    const away = commandOf(await move(second, null));
    const between =
      "update projects set position = case id when $1 then 1e6 else 1e6 + 1.2e-10 end where id in ($1, $2)";
    await running.sql(between, [first, third], home.workspaceId);
    expect((await undo(owner, away)).status).toBe(200);
    expect(await order()).toEqual(before);
  });

  test("what somebody else has changed since is in the way, each field by its name; another field is not", async () => {
    const project = await newProject(home);
    const path = `/projects/${project.id}`;
    const id = commandOf(await sent("PATCH", path, { name: "Mine", color: "red" }));
    await sent("PATCH", path, { icon: "gear" });
    expect((await receipt(id)).undo.possible).toBe(true);
    await sent("PATCH", path, { name: "Theirs" });
    await expectRefused(id, { codes: ["moved_on"] });
    expect((await receipt(id)).undo.errors[0].pointer).toBe("/effects/0/name");
    const dates = commandOf(await sent("PATCH", path, { target_date: "2026-03-03", start_date: "2026-01-01" }));
    await sent("PATCH", path, { target_date: "2025-01-01", start_date: null });
    await expectRefused(dates, { codes: ["moved_on", "moved_on"] });
  });

  test("dates that would not fit, and a state that is archived, are in the way", async () => {
    const project = await newProject(home, { target_date: "2026-05-05" });
    const path = `/projects/${project.id}`;
    const dated = commandOf(await sent("PATCH", path, { target_date: "2026-09-09" }));
    await sent("PATCH", path, { start_date: "2026-08-08" });
    await expectRefused(dated, { codes: ["invalid_dates"] });
    const name = newKey().slice(-12);
    const state = (await sent("POST", `${base}/project-states`, { name, category: "started" })).body;
    await sent("PATCH", path, { state_id: state.id });
    const id = commandOf(await sent("PATCH", path, { state_id: project.state_id }));
    const body = { replacement_id: project.state_id, acknowledged: true };
    const archived = commandOf(await sent("POST", `/project-states/${state.id}/archive-and-replace`, body));
    await expectRefused(id, { codes: ["invalid_reference"] });
    await expectRefused(archived, { reason: "not_undoable" });
  });

  test("publishing is undone; a public name that was taken back does not come back, and the receipt says so", async () => {
    const project = await newProject(home);
    const path = `/projects/${project.id}`;
    const published = await sent("PATCH", path, { published: true });
    const { public_id } = published.body;
    expect((await undo(owner, commandOf(published))).body.undo).toMatchObject({
      possible: false,
      reason: "not_undoable",
    });
    expect((await owner.call("GET", `/public/projects/${public_id}`)).status).toBe(404);
    expect((await reading(path)()).public_id).toBeNull();
    await sent("PATCH", path, { published: true });
    await expectRefused(commandOf(await sent("PATCH", path, { visibility: "private" })), { reason: "not_undoable" });
  });

  test("whoever manages it no more is told so", async () => {
    const [project, lead] = [await newProject(home), await home.member("member")];
    await joinProject(home, project.id, lead, "lead");
    const id = commandOf(await sent("PATCH", `/projects/${project.id}`, { name: "Mine" }, lead));
    await sent("PATCH", `/projects/${project.id}/members/${lead.actorId}`, { role: "member" });
    await expectRefused(id, { reason: "forbidden" }, lead);
    expect((await undo(owner, id)).status).toBe(404);
  });
});

describe("who is in a Project", () => {
  test("somebody is taken out again, gets their role back, and comes back with it", async () => {
    const [project, member] = [await newProject(home), await home.member("member")];
    const path = `/projects/${project.id}/members`;
    const roles = async () =>
      (await listing(path)()).map(({ actor_id, role }: { actor_id: string; role: string }) => [actor_id, role]);
    await thereAndBack(owner, roles, () => sent("POST", path, { actor_id: member.actorId, role: "viewer" }));
    await sent("POST", path, { actor_id: member.actorId, role: "viewer" });
    await thereAndBack(owner, roles, () => sent("PATCH", `${path}/${member.actorId}`, { role: "lead" }));
    await thereAndBack(owner, roles, () => sent("DELETE", `${path}/${member.actorId}`));
  });

  test("another role since, another removal, an archive and a person who has left are in the way", async () => {
    const [project, member] = [await newProject(home), await home.member("member")];
    const path = `/projects/${project.id}/members`;
    const added = commandOf(await sent("POST", path, { actor_id: member.actorId, role: "viewer" }));
    const changed = commandOf(await sent("PATCH", `${path}/${member.actorId}`, { role: "lead" }));
    await expectRefused(added, { codes: ["moved_on"] });
    await sent("PATCH", `/projects/${project.id}`, { archived: true });
    await expectRefused(changed, { codes: ["project_archived"] });
    await sent("PATCH", `/projects/${project.id}`, { archived: false });
    const removed = commandOf(await sent("DELETE", `${path}/${member.actorId}`));
    await expectRefused(changed, { codes: ["moved_on"] });
    await running.sql("update memberships set state = 'suspended' where user_id = $1", [member.userId]);
    await expectRefused(removed, { codes: ["invalid_reference"] });
  });
});

describe("a Milestone", () => {
  test("its fields and stage are put back; its creation and an empty one's deletion are undone", async () => {
    const project = await newProject(home);
    const { stages } = (await owner.call("GET", `${base}/milestone-lifecycle`)).body;
    const milestone = await newMilestone(owner, project.id, { description_markdown: "Brass" });
    const path = `/milestones/${milestone.id}`;
    const stage_id = stages.find(({ id }: { id: string }) => id !== milestone.stage_id).id;
    const body = { name: "Other", description_markdown: "Steel", target_date: "2026-02-01", stage_id };
    await thereAndBack(owner, reading(path), () => sent("PATCH", path, body));
    await thereAndBack(owner, reading(path), () => sent("DELETE", path));
    const list = listing(`/projects/${project.id}/milestones`);
    await thereAndBack(owner, list, () => sent("POST", `/projects/${project.id}/milestones`, { name: "New" }));
  });

  test("one that has Tasks is in the way of its creation's undoing, and its deletion is not undone", async () => {
    const project = await newProject(home);
    const made = await sent("POST", `/projects/${project.id}/milestones`, { name: "New" });
    await newTask(owner, project.id, { milestone_id: made.body.id });
    await expectRefused(commandOf(made), { codes: ["moved_on"] });
    const deleted = commandOf(await sent("DELETE", `/milestones/${made.body.id}`));
    await expectRefused(deleted, { reason: "not_undoable" });
  });

  test("members undo what they made, and are told where they may not any more", async () => {
    const [project, member] = [await newProject(home), await home.member("member")];
    const made = await sent("POST", `/projects/${project.id}/milestones`, { name: "New" }, member);
    expect((await undo(member, commandOf(made))).status).toBe(200);
    expect((await redo(member, commandOf(made))).status).toBe(200);
    await joinProject(home, project.id, member, "viewer");
    await expectRefused(commandOf(made), { reason: "forbidden" }, member);
  });
});

describe("labels", () => {
  const named = () => newKey().slice(-12);
  test("a label's fields, its creation, its deletion while nothing bears it, and how a Project shows it", async () => {
    const project = await newProject(home);
    for (const place of [base, `/projects/${project.id}`]) {
      const { body } = await sent("POST", `${place}/label-definitions`, { name: named() });
      const path = `/label-definitions/${body.id}`;
      await thereAndBack(owner, reading(path), () => sent("PATCH", path, { name: named(), color: "red" }));
      await thereAndBack(owner, reading(path), () => sent("DELETE", path));
      const list = listing(`${place}/label-definitions`);
      await thereAndBack(owner, list, () => sent("POST", `${place}/label-definitions`, { name: named() }));
      if (place !== base) continue;
      const shown = `/projects/${project.id}/label-overrides`;
      const put = () => sent("PUT", `${shown}/${body.id}`, { name: "Here", color: "blue" });
      const overrides = async () =>
        (await owner.call("GET", shown)).body.items.map(({ name }: { name: string }) => name);
      await thereAndBack(owner, overrides, put);
      await put();
      await thereAndBack(owner, overrides, () => sent("DELETE", `${shown}/${body.id}`));
    }
  });

  test("a name that is taken and one that is in use are in the way; one that was taken off something is gone", async () => {
    const [name, project] = [named(), await newProject(home)];
    const made = await sent("POST", `${base}/label-definitions`, { name });
    const path = `/label-definitions/${made.body.id}`;
    const renamed = commandOf(await sent("PATCH", path, { name: named() }));
    const twin = await sent("POST", `${base}/label-definitions`, { name: name.toUpperCase() });
    await expectRefused(renamed, { codes: ["name_taken"] });
    const deleted = commandOf(await sent("DELETE", `/label-definitions/${twin.body.id}`));
    await sent("PATCH", path, { name });
    await expectRefused(deleted, { codes: ["name_taken"] });
    const task = await newTask(owner, project.id);
    await sent("PUT", `/task/${task.id}/labels`, { label_ids: [made.body.id] });
    await expectRefused(commandOf(made), { codes: ["moved_on"] });
    await expectRefused(commandOf(await sent("DELETE", path)), { reason: "not_undoable" });
  });
});

describe.each([
  ["Statuses", "statuses", "statuses"],
  ["project states", "project-states", "project-states"],
])("the workflow: %s", (_name, listed, one) => {
  const named = () => newKey().slice(-12);
  const list = () => steps(`${base}/${listed}`);
  const create = () => sent("POST", `${base}/${listed}`, { name: named(), category: "started" });

  test("name and color, order, creation and deletion are undone and redone", async () => {
    await thereAndBack(owner, list, create);
    const { body } = await create();
    const path = `/${one}/${body.id}`;
    await thereAndBack(owner, list, () => sent("PATCH", path, { name: named(), color: "red" }));
    await thereAndBack(owner, list, () => sent("POST", `${path}/move`, { after_id: null }));
    await thereAndBack(owner, list, () => sent("DELETE", path));
  });

  test("a name that is taken and a place that has changed are in the way", async () => {
    const [one_, two] = [await create(), await create()];
    const path = `/${one}/${one_.body.id}`;
    const renamed = commandOf(await sent("PATCH", path, { name: named() }));
    await sent("PATCH", `/${one}/${two.body.id}`, { name: one_.body.name });
    await expectRefused(renamed, { codes: ["name_taken"] });
    const moved = commandOf(await sent("POST", `${path}/move`, { after_id: null }));
    await sent("POST", `/${one}/${two.body.id}/move`, { after_id: null });
    await expectRefused(moved, { codes: ["moved_on"] });
    await expectRefused(commandOf(one_), { codes: ["moved_on"] });
    const deleted = commandOf(await sent("DELETE", `/${one}/${two.body.id}`));
    await sent("PATCH", path, { name: one_.body.name });
    await expectRefused(deleted, { codes: ["name_taken"] });
  });

  test("another category and an archive with a replacement move work along, and say beforehand that they are not undone", async () => {
    const { body } = await create();
    const path = `/${one}/${body.id}`;
    const restaged = commandOf(await sent("PATCH", path, { category: "completed", acknowledged: true }));
    await expectRefused(restaged, { reason: "not_undoable" });
    const [replacement] = await list();
    const archived = await sent("POST", `${path}/archive-and-replace`, {
      replacement_id: replacement.id,
      acknowledged: true,
    });
    await expectRefused(commandOf(archived), { reason: "not_undoable" });
  });

  test("whoever does not manage the workflow any more is told so", async () => {
    const admin = await home.member("admin");
    const made = await sent("POST", `${base}/${listed}`, { name: named(), category: "started" }, admin);
    await running.sql("update memberships set role = 'member' where user_id = $1", [admin.userId]);
    await expectRefused(commandOf(made), { reason: "forbidden" }, admin);
  });
});

test("a Status of a Project is undone there, and one that a Task is in is in the way", async () => {
  const project = await newProject(home);
  const path = `/projects/${project.id}/statuses`;
  const list = () => steps(path);
  await thereAndBack(owner, list, () => sent("POST", path, { name: "Milling", category: "started" }));
  const made = await sent("POST", path, { name: "Turning", category: "started" });
  await newTask(owner, project.id, { status_id: made.body.id });
  await expectRefused(commandOf(made), { codes: ["status_in_use"] });
});

test("of many who undo one command at the same moment one does", async () => {
  const project = await newProject(home);
  const id = commandOf(await sent("PATCH", `/projects/${project.id}`, { name: "Mine" }));
  const answers = await Promise.all(Array.from({ length: 5 }, () => undo(owner, id)));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409]);
  expect((await reading(`/projects/${project.id}`)()).name).toBe("Engine");
});
