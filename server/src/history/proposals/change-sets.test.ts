// A ChangeSet shows exactly what it would do, is decided by its initiator alone, and happens once and whole or not at
// all.
import { describe, expect, test } from "vitest";
import { applied, type ChangeFields, propose, read, reviewed } from "../../../test/changes.ts";
import { newMilestone, newProject, newTask, workshopOn } from "../../../test/work.ts";
import { type Person, service } from "../../../test/world.ts";
import { newId } from "../../platform/wire/ids.ts";
import { tellEvents } from "../inbox/fill-inboxes.ts";

const running = service();
const workshop = () => workshopOn(running);
const taskOf = async (person: Person, id: string) => (await person.call("GET", `/tasks/${id}`)).body;
const statusNamed = async (person: Person, projectId: string, name: string): Promise<string> =>
  (await person.call("GET", `/projects/${projectId}/statuses`)).body.items.find(
    (each: { name: string }) => each.name === name,
  ).id;

describe("a proposal", () => {
  test("shows before and after of each change, and changes nothing; no number is used up", async () => {
    const { home, owner, project } = await workshop();
    const task = await newTask(owner, project.id, { title: "Cut the gears", priority: "low" });
    const { status, body, trips } = await propose(owner, home, [
      {
        action: "task.update",
        task_id: task.id,
        revision: "1",
        set: { title: "Cut all gears", priority: "high" },
        reason: "Late",
      },
      { action: "task.create", project_id: project.id, set: { title: "Oil them" } },
      { action: "comment.create", task_id: task.id, set: { markdown: "Changed." } },
    ]);
    expect(status).toBe(200);
    expect(trips).toBeLessThanOrEqual(5 + 2 * 2 + 1);
    expect(body).toMatchObject({
      version: 1,
      latest_version: 1,
      newest_version: 1,
      state: "proposed",
      moved: [],
      receipt_id: null,
    });
    const [update, create, comment] = body.changes;
    expect([update.before, update.after, update.reason]).toEqual([
      { title: "Cut the gears", priority: "low" },
      { title: "Cut all gears", priority: "high" },
      "Late",
    ]);
    expect([create.before, create.after.title, create.after.number]).toEqual([null, "Oil them", undefined]);
    expect(comment.after.markdown).toBe("Changed.");
    expect(body.names[task.id]).toBe(`${task.code} Cut the gears`);
    expect(await taskOf(owner, task.id)).toEqual(task);
    expect((await newTask(owner, project.id)).number).toBe(task.number + 1);
    expect((await owner.call("GET", `/tasks/${task.id}/comments`)).body.items).toEqual([]);
    expect(await read(owner, home, body)).toEqual(body);
  });

  test("tells who would get a message, which Milestone would be complete, and what else is touched; nobody is told", async () => {
    const { home, owner, project } = await workshop();
    const ada = await home.member("member");
    const milestone = await newMilestone(owner, project.id);
    const [task, other] = [
      await newTask(owner, project.id, { milestone_id: milestone.id }),
      await newTask(owner, project.id),
    ];
    const done = await statusNamed(owner, project.id, "Done");
    const { body } = await propose(owner, home, [
      {
        action: "task.update",
        task_id: task.id,
        revision: "1",
        set: { status_id: done, assignee_actor_id: ada.actorId },
      },
      { action: "relation.create", task_id: task.id, set: { type: "blocks", related_task_id: other.id } },
    ]);
    const [first, second] = body.changes;
    expect(first.effects).toEqual([
      { kind: "message", action: "assigned", target_kind: "person", id: ada.actorId },
      { kind: "milestone_completed", action: "milestone.completed", target_kind: "milestone", id: milestone.id },
    ]);
    expect(second.effects).toEqual([
      { kind: "change", action: "task.relation_added", target_kind: "task", id: other.id },
    ]);
    expect(body.names).toMatchObject({ [done]: "Done", [milestone.id]: "First turn" });
    await tellEvents(running.database);
    expect((await ada.call("GET", `/workspaces/${home.workspaceId}/inbox`)).body.items).toEqual([]);
    expect((await owner.call("GET", `/milestones/${milestone.id}`)).body.progress.completed).toBe(0);
  });

  test("says what the caller may not do, and what the operation refuses, and is then a draft", async () => {
    const { home, owner, project } = await workshop();
    const viewer = await home.member("viewer");
    const hidden = await newProject(home, { visibility: "private" });
    const [task, secret] = [await newTask(owner, project.id), await newTask(owner, hidden.id, { title: "Secret" })];
    const ends = { start_date: "2027-02-02", due_date: "2027-01-01" };
    const mine = await propose(owner, home, [
      { action: "task.update", task_id: task.id, revision: "1", set: ends },
      { action: "task.update", task_id: secret.id, revision: "1", set: { milestone_id: newId() } },
      { action: "task.create", project_id: project.id, set: { title: "Fine" } },
    ]);
    expect(mine.body.state).toBe("draft");
    expect(mine.body.changes.map(({ refusal }: ChangeFields) => refusal?.code ?? null)).toEqual([
      "invalid_dates",
      "invalid_reference",
      null,
    ]);
    expect(mine.body.changes[1].refusal.errors[0].pointer).toBe("/set/milestone_id");
    const theirs = await propose(viewer, home, [
      { action: "task.update", task_id: task.id, revision: "1", set: { priority: "low" } },
    ]);
    expect([theirs.body.state, theirs.body.changes[0].refusal.code]).toEqual(["draft", "forbidden"]);
    const unseen = await propose(await home.member("member"), home, [
      { action: "task.trash", task_id: secret.id, revision: "1" },
    ]);
    expect(unseen.body.changes[0]).toMatchObject({ refusal: { code: "not_found" }, before: null, after: null });
    expect(JSON.stringify(unseen.body)).not.toContain("Secret");
    for (const [person, set] of [
      [owner, mine.body],
      [viewer, theirs.body],
    ] as const)
      expect((await reviewed(person, home, set)).body).toMatchObject({ code: "change_set_refused" });
  });

  test("names what can be done with it in each state", async () => {
    const { home, owner, project } = await workshop();
    const task = await newTask(owner, project.id);
    const change = { action: "task.update", task_id: task.id, revision: "1", set: { title: "Other" } };
    const [proposes, reviews, applies] = ["change_set:propose", "change_set:review", "change_set:apply"];
    const first = (await propose(owner, home, [change])).body;
    expect(first.capabilities).toEqual([proposes, reviews]);
    const second = (await propose(owner, home, [change], { change_set_id: first.id, version: 1 })).body;
    expect((await read(owner, home, first)).capabilities).toEqual([]);
    expect((await reviewed(owner, home, second)).body.capabilities).toEqual([proposes, reviews, applies]);
    expect((await applied(owner, home, second)).body.capabilities).toEqual([]);
    const stale = (await propose(owner, home, [change])).body;
    expect(stale.capabilities).toEqual([proposes]);
    const rejected = (await propose(owner, home, [{ ...change, revision: "2" }])).body;
    expect((await reviewed(owner, home, rejected, "reject")).body.capabilities).toEqual([proposes]);
  });

  test("of a revision that has moved is stale, and says which", async () => {
    const { home, owner, project } = await workshop();
    const task = await newTask(owner, project.id);
    await owner.call("PATCH", `/tasks/${task.id}`, { body: { priority: "low" }, ifMatch: "1" });
    const { body } = await propose(owner, home, [{ action: "task.trash", task_id: task.id, revision: "1" }]);
    expect(body).toMatchObject({ state: "stale", moved: [{ change: 0, revision: "1", current_revision: "2" }] });
    expect(await read(owner, home, body)).toMatchObject({ state: "stale", moved: body.moved });
    expect((await reviewed(owner, home, body)).body.code).toBe("change_set_stale");
  });

  test("has 1 to 100 changes, each with what its operation takes, and changes nothing twice", async () => {
    const { home, owner, project } = await workshop();
    const task = await newTask(owner, project.id);
    const creations = Array.from({ length: 101 }, (_, at) => ({
      action: "comment.create",
      task_id: task.id,
      set: { markdown: `No. ${at}` },
    }));
    expect((await propose(owner, home, creations.slice(1))).body.changes).toHaveLength(100);
    for (const wrong of [[], creations]) expect((await propose(owner, home, wrong)).body.code).toBe("invalid_request");
    const faulty = await propose(owner, home, [
      { action: "task.update", task_id: task.id, set: { title: "" } },
      { action: "task.trash", task_id: task.id, revision: "1", set: {} },
      { action: "task.trash", task_id: task.id, revision: "1" },
      { action: "task.assign", task_id: newId(), revision: "1", set: { title: "Not this" } },
      { action: "comment.create", comment_id: task.id, set: { markdown: "x" } },
      { action: "document.patch", patch_id: newId() },
    ]);
    expect(faulty.status).toBe(400);
    expect(faulty.body.errors.map(({ pointer, code }: ChangeFields) => `${pointer} ${code}`)).toEqual([
      "/body/changes/0/revision required",
      "/body/changes/0/set/title too_short",
      "/body/changes/0/set/title wrong_format",
      "/body/changes/1/set unknown_field",
      "/body/changes/1/task_id repeated",
      "/body/changes/2/task_id repeated",
      "/body/changes/3/set/title unknown_field",
      "/body/changes/4/task_id required",
      "/body/changes/4/comment_id unknown_field",
      "/body/changes/5/version required",
    ]);
  });
});
