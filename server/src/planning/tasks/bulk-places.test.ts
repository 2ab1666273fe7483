// One change to the labels, the Milestone and the Project of many Tasks: by the rules of labelling and moving each of
// them, in one command with one undo.
import { describe, expect, test } from "vitest";
import type { Answer } from "../../../test/answer.ts";
import { commandOf, thereAndBack, undo } from "../../../test/commands.ts";
import {
  eventsOf,
  joinProject,
  newMilestone,
  newProject,
  newProjectStatus,
  newTask,
  workshopOn,
} from "../../../test/work.ts";
import { type Person, service } from "../../../test/world.ts";
import { newId } from "../../platform/wire/ids.ts";

const running = service();

async function workshop() {
  const shop = await workshopOn(running);
  const { home, owner, workspaceId, project } = shop;
  const other = await newProject(home);
  const label = async (name: string, at = `/workspaces/${workspaceId}`): Promise<string> =>
    (await owner.call("POST", `${at}/label-definitions`, { body: { name } })).body.id;
  const bulk = (person: Person, tasks: readonly { id: string }[], changes: object): Promise<Answer> =>
    person.call("POST", `/workspaces/${workspaceId}/tasks/bulk`, {
      body: { task_ids: tasks.map(({ id }) => id), changes },
    });
  const { items } = (await owner.call("GET", `/workspaces/${workspaceId}/statuses`)).body;
  const status = (wanted: string): string => items.find(({ name }: { name: string }) => name === wanted).id;
  return { ...shop, other, label, bulk, status, task: (at = project, body = {}) => newTask(owner, at.id, body) };
}
type Row = { code: string | null; outcome: string };
const outcomes = ({ body, text }: Answer) => {
  expect(body.items, text).toBeDefined();
  return body.items.map(({ code, outcome }: Row) => code ?? outcome);
};
const read = async (person: Person, { id }: { id: string }) => (await person.call("GET", `/tasks/${id}`)).body;
const types = async (home: Parameters<typeof eventsOf>[1], { id }: { id: string }) =>
  (await eventsOf(running, home, id)).map(({ type }) => type);

describe("labels of many Tasks", () => {
  test("are set, added and removed, each Task at one revision more, and what has them already is unchanged", async () => {
    const { home, owner, label, bulk, task } = await workshop();
    const [one, two, three] = [await label("One"), await label("Two"), await label("Three")];
    const tasks = [await task(), await task()];
    const set = await bulk(owner, tasks, { label_ids: [two, one] });
    expect([outcomes(set), set.trips]).toEqual([["updated", "updated"], 3]);
    for (const each of tasks) expect(await read(owner, each)).toMatchObject({ label_ids: [two, one], revision: "2" });
    const changes = { add_label_ids: [three, one], remove_label_ids: [two, newId()] };
    expect(outcomes(await bulk(owner, tasks, changes))).toEqual(["updated", "updated"]);
    for (const each of tasks) expect((await read(owner, each)).label_ids).toEqual([one, three]);
    expect(outcomes(await bulk(owner, tasks, changes))).toEqual(["unchanged", "unchanged"]);
    expect((await owner.call("GET", `/task/${tasks[0].id}/labels`)).body.label_ids).toEqual([one, three]);
    expect(await types(home, tasks[1])).toEqual(["task.created", "task.labels_changed", "task.labels_changed"]);
  });

  test("are judged for each: one of another Project, an unknown one, and more than 50", async () => {
    const { owner, other, label, bulk, task, workspaceId } = await workshop();
    const theirs = await label("Theirs", `/projects/${other.id}`);
    const [here, there] = [await task(), await task(other)];
    expect(outcomes(await bulk(owner, [here, there], { add_label_ids: [theirs] }))).toEqual([
      "invalid_reference",
      "updated",
    ]);
    expect(outcomes(await bulk(owner, [here, there], { label_ids: [newId()] }))).toEqual([
      "invalid_reference",
      "invalid_reference",
    ]);
    await running.sql(
      `insert into label_definitions (workspace_id, id, name, color, purpose, created_by_actor_id)
       select $1, gen_random_uuid(), 'Many ' || n, 'gray', 'task', $2 from generate_series(1, 50) n`,
      [workspaceId, owner.actorId],
      workspaceId,
    );
    const many = await running.sql<{ id: string }>(
      "select id from label_definitions where name like 'Many %'",
      [],
      workspaceId,
    );
    const add_label_ids = many.map(({ id }) => id);
    expect(outcomes(await bulk(owner, [here, there], { add_label_ids }))).toEqual(["updated", "limit_reached"]);
    expect((await read(owner, here)).label_ids).toHaveLength(50);
    expect((await read(owner, there)).label_ids).toEqual([theirs]);
  });

  test("come back by one undo, with the other fields", async () => {
    const { owner, label, bulk, task } = await workshop();
    const [one, two] = [await label("One"), await label("Two")];
    const tasks = [await task(), await task()];
    await bulk(owner, [tasks[0]], { label_ids: [one] });
    await thereAndBack(
      owner,
      async () => [await read(owner, tasks[0]), await read(owner, tasks[1])],
      () => bulk(owner, tasks, { add_label_ids: [two], priority: "high" }),
    );
  });

  test("are not set and added at once", async () => {
    const { owner, label, bulk, task } = await workshop();
    const [one, made] = [await label("One"), await task()];
    for (const field of ["add_label_ids", "remove_label_ids"]) {
      const refused = await bulk(owner, [made], { label_ids: [one], [field]: [one] });
      expect([refused.status, refused.body.errors[0].pointer]).toEqual([400, `/body/changes/${field}`]);
    }
  });
});

describe("many Tasks are moved to a Project", () => {
  test("as each alone would be: next numbers, old codes, mapped Status and labels, no Milestone; one that is there stays", async () => {
    const { home, owner, project, other, label, bulk, task, workspaceId } = await workshop();
    const [wide, own, namesake] = [
      await label("Wide"),
      await label("Brass", `/projects/${project.id}`),
      await label("Brass", `/projects/${other.id}`),
    ];
    const lost = await label("Lost", `/projects/${project.id}`);
    const ours = await newProjectStatus(running, home, project.id, "In Progress here");
    const milestone = await newMilestone(owner, project.id);
    const first = await task(other);
    const body = { label_ids: [lost, own, wide], status_id: ours, milestone_id: milestone.id };
    const [one, two] = [await task(project, body), await task()];
    const alone = await task(project, body);
    const moved = await bulk(owner, [two, first, one], { project_id: other.id });
    expect([outcomes(moved), moved.trips <= 5]).toEqual([["updated", "unchanged", "updated"], true]);
    const [after, lone] = [
      await read(owner, one),
      (await owner.call("POST", `/tasks/${alone.id}/move`, { body: { project_id: other.id }, ifMatch: "1" })).body,
    ];
    const { label_ids, status_id, started_at, milestone_id } = lone;
    expect(after).toMatchObject({
      project_id: other.id,
      label_ids: [namesake, wide],
      milestone_id: null,
      revision: "2",
    });
    expect(after).toMatchObject({ label_ids, status_id, milestone_id });
    expect(after.started_at === null).toBe(started_at === null);
    const numbers = [after.number, (await read(owner, two)).number];
    expect(new Set([...numbers, first.number, lone.number]).size).toBe(4);
    expect(after.code).toBe(`${other.key}-${after.number}`);
    expect((await owner.call("GET", `/workspaces/${workspaceId}/tasks/${one.code}`)).body.id).toBe(one.id);
    expect(await types(home, one)).toEqual(["task.created", "task.labels_changed", "task.moved"]);
    expect(await types(home, first)).toEqual(["task.created"]);
  });

  test("with a Status, a Milestone, labels and an assignee of that Project at once, and back by one undo", async () => {
    const { home, owner, other, label, bulk, task, status } = await workshop();
    const member = await home.member("member");
    const theirs = await label("Theirs", `/projects/${other.id}`);
    const milestone = await newMilestone(owner, other.id);
    const tasks = [await task(), await task()];
    const changes = {
      project_id: other.id,
      status_id: status("In Progress"),
      milestone_id: milestone.id,
      add_label_ids: [theirs],
      assignee_actor_id: member.actorId,
      priority: "urgent",
      due_date: "2027-05-05",
    };
    await thereAndBack(
      owner,
      async () => [await read(owner, tasks[0]), await read(owner, tasks[1])].map(({ position: _, ...rest }) => rest),
      () => bulk(owner, tasks, changes),
    );
    const { project_id: _, add_label_ids: __, ...fields } = changes;
    await bulk(owner, [tasks[0]], changes);
    expect(await read(owner, tasks[0])).toMatchObject({ ...fields, project_id: other.id, label_ids: [theirs] });
    const facts = await types(home, tasks[0]);
    expect(facts.slice(-4).sort()).toEqual([
      "task.assigned",
      "task.dates_changed",
      "task.moved",
      "task.priority_changed",
    ]);
  });

  test("where the caller may: not into one that is hidden, only read, archived or closed, nor with what is of another", async () => {
    const { home, owner, project, other, bulk, task, workspaceId } = await workshop();
    const member = await home.member("member");
    const hidden = await newProject(home, { visibility: "private" });
    const watched = await newProject(home);
    await joinProject(home, watched.id, member, "viewer");
    const archived = await newProject(home);
    await running.sql("update projects set archived_at = now() where id = $1", [archived.id], workspaceId);
    const made = await task();
    const cases: [object, string][] = [
      [{ project_id: hidden.id }, "invalid_reference"],
      [{ project_id: newId() }, "invalid_reference"],
      [{ project_id: watched.id }, "forbidden"],
      [{ project_id: archived.id }, "project_archived"],
      [{ project_id: other.id, milestone_id: (await newMilestone(owner, project.id)).id }, "invalid_reference"],
      [
        { project_id: other.id, status_id: await newProjectStatus(running, home, project.id, "Ours") },
        "invalid_reference",
      ],
    ];
    for (const [changes, code] of cases) expect(outcomes(await bulk(member, [made], changes)), code).toEqual([code]);
    expect(await read(owner, made)).toEqual(made);
    const refused = await bulk(owner, [made], { project_id: other.id, trashed: true });
    expect([refused.status, refused.body.errors[0].pointer]).toEqual([400, "/body/changes/trashed"]);
  });

  test("an assignee has to see the Project that they come to", async () => {
    const { home, owner, bulk, task } = await workshop();
    const outside = await home.member("member");
    const hidden = await newProject(home, { visibility: "private" });
    const made = await task();
    const changes = { project_id: hidden.id, assignee_actor_id: outside.actorId };
    expect(outcomes(await bulk(owner, [made], changes))).toEqual(["invalid_reference"]);
  });

  test("what lies in the trash is moved only with being taken out of it, and what is done by who reviews", async () => {
    const { owner, other, bulk, task, status } = await workshop();
    const [trashed, done] = [await task(), await task(undefined, { status_id: status("Done") })];
    await bulk(owner, [trashed], { trashed: true });
    expect(outcomes(await bulk(owner, [trashed], { project_id: other.id }))).toEqual(["task_trashed"]);
    expect(outcomes(await bulk(owner, [trashed], { project_id: other.id, trashed: false }))).toEqual(["updated"]);
    expect(await read(owner, trashed)).toMatchObject({ project_id: other.id, trashed_at: null });
    const policy = { body: { review_required: true }, headers: { "if-match": "*" } };
    await owner.call("PUT", `/projects/${other.id}/completion-policy`, policy);
    const unreviewed = await bulk(owner, [await task()], { project_id: other.id, status_id: status("Done") });
    expect(outcomes(unreviewed)).toEqual(["review_required"]);
    expect(outcomes(await bulk(owner, [done], { project_id: other.id }))).toEqual(["updated"]);
  });

  test("and undoing is refused as a whole where one of them has moved on", async () => {
    const { owner, project, other, bulk, task } = await workshop();
    const tasks = [await task(), await task()];
    const id = commandOf(await bulk(owner, tasks, { project_id: other.id, priority: "low" }));
    await owner.call("POST", `/tasks/${tasks[1].id}/move`, { body: { project_id: project.id }, ifMatch: "2" });
    const refused = await undo(owner, id);
    expect([refused.status, refused.body.code]).toEqual([409, "undo_conflict"]);
    expect((await read(owner, tasks[0])).project_id).toBe(other.id);
  });
});
