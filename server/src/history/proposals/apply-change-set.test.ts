// An approved ChangeSet happens once and whole, as its operations do it, or not at all; and one undo takes all of it
// back.
import { actions } from "@svc/contract/history/proposals/actions.ts";
import { describe, expect, test } from "vitest";
import { adminOf, applied, approve, type ChangeFields, codes, propose, read, reviewed } from "../../../test/changes.ts";
import { commandOf, undo } from "../../../test/commands.ts";
import { joinProject, newComment, newMilestone, newProject, newTask, workshopOn } from "../../../test/work.ts";
import { newKey, type Person, service } from "../../../test/world.ts";
import { tellEvents } from "../inbox/fill-inboxes.ts";

const running = service();
const admin = adminOf(running);
const workshop = () => workshopOn(running);
const taskOf = async (person: Person, id: string) => (await person.call("GET", `/tasks/${id}`)).body;

/** Everything that an action can be, on things of its own. */
async function everything() {
  const { home, owner, project } = await workshop();
  const other = await newProject(home);
  const task = (body: object = {}) => newTask(owner, project.id, body);
  const [updated, assigned, moved, trashed, thrown, related, ended] = [
    await task(),
    await task(),
    await task(),
    await task(),
    await task(),
    await task(),
    await task(),
  ];
  await owner.call("POST", `/tasks/${thrown.id}/trash`, { ifMatch: "1" });
  const label = (
    await owner.call("POST", `/workspaces/${home.workspaceId}/label-definitions`, {
      body: { name: "Brass", color: "gray", purpose: "task" },
    })
  ).body.id;
  const relate = async (from: string, to: string) =>
    (await owner.call("POST", `/tasks/${from}/relations`, { body: { type: "blocks", related_task_id: to } })).body.id;
  const [turned, cut] = [await relate(related.id, ended.id), await relate(updated.id, ended.id)];
  const comment = await newComment(owner, updated.id, "Before");
  const [milestone, gone] = [await newMilestone(owner, project.id), await newMilestone(owner, project.id)];
  const entry = async () =>
    (
      await owner.call("POST", `/tasks/${updated.id}/time-entries`, {
        body: { duration: "1h", work_date: "2027-01-01" },
        key: newKey(),
      })
    ).body.id;
  const [corrected, voided] = [await entry(), await entry()];
  const at = { revision: "1" };
  const changes = [
    { action: "task.create", project_id: project.id, set: { title: "New", relations: [] } },
    { action: "task.update", task_id: updated.id, ...at, set: { description_markdown: "Said" } },
    { action: "task.assign", task_id: assigned.id, ...at, set: { assignee_actor_id: owner.actorId } },
    { action: "task.label", task_id: related.id, ...at, set: { label_ids: [label] } },
    { action: "task.move", task_id: moved.id, ...at, set: { project_id: other.id } },
    { action: "task.trash", task_id: trashed.id, ...at },
    { action: "task.restore", task_id: thrown.id, revision: "2" },
    { action: "relation.create", task_id: assigned.id, set: { type: "relates_to", related_task_id: ended.id } },
    { action: "relation.update", relation_id: turned, ...at, set: { type: "relates_to", task_id: related.id } },
    { action: "relation.delete", relation_id: cut, ...at },
    { action: "comment.create", task_id: updated.id, set: { markdown: "Hello" } },
    { action: "comment.update", comment_id: comment.id, ...at, set: { markdown: "After" } },
    { action: "milestone.create", project_id: project.id, set: { name: "Third turn" } },
    { action: "milestone.update", milestone_id: milestone.id, ...at, set: { name: "Second turn" } },
    { action: "milestone.delete", milestone_id: gone.id, ...at },
    { action: "time_entry.create", task_id: assigned.id, set: { duration: "30m", work_date: "2027-01-02" } },
    { action: "time_entry.update", entry_id: corrected, ...at, set: { duration: "2h" } },
    { action: "time_entry.delete", entry_id: voided, ...at },
  ];
  const get = async (path: string) => (await owner.call("GET", path)).body;
  const state = async () => ({
    tasks: await Promise.all(
      [updated, assigned, moved, trashed, thrown, related].map(async ({ id }) => {
        const { revision: _, updated_at: __, position: ___, started_at: ____, ...fields } = await get(`/tasks/${id}`);
        return fields;
      }),
    ),
    relations: (await get(`/tasks/${ended.id}/relations`)).items.map(({ kind, related_task }: ChangeFields) => [
      kind,
      related_task.id,
    ]),
    comments: (await get(`/tasks/${updated.id}/comments`)).items
      .map(({ markdown }: ChangeFields) => markdown)
      .filter(Boolean),
    milestones: (await get(`/projects/${project.id}/milestones`)).items.map(({ name }: ChangeFields) => name).sort(),
    time: (await get(`/tasks/${updated.id}/time-entries`)).items.map(({ seconds }: ChangeFields) => seconds).sort(),
    other: (await get(`/tasks/${assigned.id}/time-entries`)).items.map(({ seconds }: ChangeFields) => seconds),
    count: (await get(`/projects/${project.id}/tasks`)).items.length,
  });
  return { home, owner, changes, state };
}

describe("applying", () => {
  test("does every kind of change as its operation does it, in one command, and one undo takes all of it back", async () => {
    const { home, owner, changes, state } = await everything();
    expect(new Set(changes.map(({ action }) => action)).size).toBe(Object.keys(actions).length - 1);
    const before = await state();
    const set = await approve(owner, home, changes);
    expect(set.changes.map(({ refusal }: ChangeFields) => refusal)).toEqual(changes.map(() => null));
    expect(await state()).toEqual(before);
    const answer = await applied(owner, home, set);
    expect([answer.status, answer.body.state], answer.text).toEqual([200, "applied"]);
    expect(answer.body.receipt_id).toBe(commandOf(answer));
    const after = await state();
    expect(after).not.toEqual(before);
    expect(after.milestones).toEqual(["Second turn", "Third turn"]);
    expect([after.time, after.other, after.comments]).toEqual([[7200], [1800], ["After", "Hello"]]);
    const receipt = await owner.call("GET", `/workspaces/${home.workspaceId}/operation-receipts/${commandOf(answer)}`);
    expect(receipt.body).toMatchObject({ operation: "applyChangeSet", undo: { possible: true } });
    const undone = await undo(owner, commandOf(answer));
    expect(undone.status, undone.text).toBe(200);
    const back = await state();
    expect({ ...back, relations: back.relations.sort(), time: back.time }).toEqual({
      ...before,
      relations: before.relations.sort(),
    });
  });

  test("of many changes takes few round-trips, as proposing them does: none waits for what the one before writes", async () => {
    const { home, owner, project } = await workshop();
    const tasks = [];
    for (let n = 0; n < 30; n++) tasks.push(await newTask(owner, project.id));
    const changes = tasks.map(({ id }) => ({
      action: "task.update",
      task_id: id,
      revision: "1",
      set: { title: `Task ${id}`, priority: "high" },
    }));
    const proposed = await propose(owner, home, changes);
    expect([proposed.body.state, proposed.trips <= 8], `${proposed.trips}`).toEqual(["proposed", true]);
    await reviewed(owner, home, proposed.body);
    const answer = await applied(owner, home, proposed.body);
    expect([answer.body.state, answer.trips <= 8], `${answer.trips}`).toEqual(["applied", true]);
    for (const { id } of tasks) expect(await taskOf(owner, id)).toMatchObject({ title: `Task ${id}`, revision: "2" });
    expect((await undo(owner, commandOf(answer))).status).toBe(200);
  });

  test("does each change on what those before it have left, and each is shown so", async () => {
    const { home, owner, project } = await workshop();
    const milestone = await newMilestone(owner, project.id);
    const [one, two] = [
      await newTask(owner, project.id, { milestone_id: milestone.id }),
      await newTask(owner, project.id, { milestone_id: milestone.id }),
    ];
    const about = (action: string, task_id: string, set: object) => ({ action, task_id, set });
    const set = await approve(owner, home, [
      { ...about("task.update", one.id, { title: "First" }), revision: "1" },
      about("comment.create", one.id, { markdown: "Said" }),
      about("relation.create", one.id, { type: "parent_of", related_task_id: two.id }),
      about("time_entry.create", two.id, { duration: "1h", work_date: "2027-01-01" }),
      { action: "task.create", project_id: project.id, set: { title: "Third", parent_id: one.id } },
      { action: "milestone.delete", milestone_id: milestone.id, revision: "1" },
    ]);
    expect(set.changes.map(({ refusal }: ChangeFields) => refusal)).toEqual(Array(6).fill(null));
    const answer = await applied(owner, home, set);
    expect(answer.body.state, answer.text).toBe("applied");
    expect(await taskOf(owner, one.id)).toMatchObject({ title: "First", milestone_id: null });
    expect(await taskOf(owner, two.id)).toMatchObject({ parent_id: one.id, milestone_id: null });
    expect((await owner.call("GET", `/tasks/${one.id}/relations`)).body.items).toHaveLength(2);
  });

  test("happens once: two at once have one effect and the same answer, also with another key", async () => {
    const { home, owner, project } = await workshop();
    const set = await approve(owner, home, [{ action: "task.create", project_id: project.id, set: { title: "Once" } }]);
    const answers = await Promise.all(Array.from({ length: 6 }, () => applied(owner, home, set)));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200]);
    expect(new Set(answers.map(({ body }) => body.receipt_id)).size).toBe(1);
    expect((await owner.call("GET", `/projects/${project.id}/tasks`)).body.items).toHaveLength(1);
    expect(await read(owner, home, set)).toMatchObject({ state: "applied", receipt_id: answers[0]?.body.receipt_id });
    expect(codes(await reviewed(owner, home, set, "reject"))).toEqual(["change_set_closed", "/state applied"]);
    const next = { change_set_id: set.id, version: 1 };
    const more = [{ action: "task.create", project_id: project.id, set: { title: "More" } }];
    expect(codes(await propose(owner, home, more, next))).toEqual(["change_set_closed", "/state applied"]);
  });

  test("is refused without an approval of the very digest, and of a draft, a rejected, replaced or expired version", async () => {
    const { home, owner, project } = await workshop();
    const task = await newTask(owner, project.id);
    const changes = [{ action: "task.trash", task_id: task.id, revision: "1" }];
    const { body: set } = await propose(owner, home, changes);
    expect(codes(await applied(owner, home, set))).toEqual(["change_set_not_approved"]);
    // Every bit of it counts.
    for (const place of [0, 31, 63]) {
      const flipped = (Number.parseInt(set.digest[place], 16) ^ 1).toString(16);
      const digest = set.digest.slice(0, place) + flipped + set.digest.slice(place + 1);
      expect(codes(await reviewed(owner, home, { ...set, digest }))).toEqual(["digest_mismatch"]);
      expect(codes(await applied(owner, home, { ...set, digest }))).toEqual(["digest_mismatch"]);
    }
    expect((await reviewed(owner, home, set)).body.state).toBe("approved");
    const { body: next } = await propose(owner, home, changes, { change_set_id: set.id, version: 1 });
    expect([next.version, next.state, next.digest === set.digest]).toEqual([2, "proposed", false]);
    expect(codes(await applied(owner, home, set)), "what was approved was replaced").toEqual([
      "change_set_closed",
      "/state stale",
    ]);
    expect(codes(await applied(owner, home, next)), "what replaced it was not approved").toEqual([
      "change_set_not_approved",
    ]);
    expect(await read(owner, home, set)).toMatchObject({ state: "stale", latest_version: 2 });
    await reviewed(owner, home, next);
    expect((await reviewed(owner, home, next, "reject")).body.state, "an approval is taken back").toBe("rejected");
    for (const again of [await applied(owner, home, next), await reviewed(owner, home, next)])
      expect(codes(again)).toEqual(["change_set_closed", "/state rejected"]);
    const third = await approve(owner, home, changes, { change_set_id: set.id, version: 2 });
    await admin("update change_set_versions set expires_at = now() where change_set_id = $1 and version = 3", [set.id]);
    for (const late of [await applied(owner, home, third), await reviewed(owner, home, third, "reject")])
      expect(codes(late)).toEqual(["change_set_closed", "/state expired"]);
    expect((await read(owner, home, third)).state).toBe("expired");
    expect(await taskOf(owner, task.id)).toEqual(task);
  });

  test("of which one part cannot be done does nothing, and says which and why", async () => {
    const { home, owner, project } = await workshop();
    const ada = await home.member("member");
    const [one, two, three] = [
      await newTask(owner, project.id),
      await newTask(owner, project.id),
      await newTask(owner, project.id),
    ];
    const changes = [
      { action: "task.create", project_id: project.id, set: { title: "New" } },
      ...[one, two, three].map(({ id }) => ({
        action: "task.update",
        task_id: id,
        revision: "1",
        set: { priority: "high" },
      })),
    ];
    const set = await approve(ada, home, changes);
    for (const { id } of [one, three])
      await owner.call("PATCH", `/tasks/${id}`, { body: { title: "Other" }, ifMatch: "1" });
    const stale = await applied(ada, home, set);
    expect(codes(stale)).toEqual(["change_set_stale", "/changes/1/revision moved_on", "/changes/3/revision moved_on"]);
    expect(stale.body.errors[0].detail).toBe("is at revision 2 now");
    expect((await read(ada, home, set)).moved.map(({ change }: ChangeFields) => change)).toEqual([1, 3]);
    const refreshed = await approve(
      ada,
      home,
      changes.map((change) =>
        "revision" in change && change.task_id !== two.id ? { ...change, revision: "2" } : change,
      ),
      { change_set_id: set.id, version: 1 },
    );
    await joinProject(home, project.id, ada, "viewer");
    expect(codes(await applied(ada, home, refreshed))).toEqual(["change_set_refused", "/changes/0 forbidden"]);
    await owner.call("PATCH", `/projects/${project.id}`, {
      body: { visibility: "private" },
      headers: { "if-match": "*" },
    });
    await owner.call("DELETE", `/projects/${project.id}/members/${ada.actorId}`);
    expect((await applied(ada, home, refreshed)).body.code).toBe("change_set_stale");
    const hidden = await read(ada, home, refreshed);
    expect(hidden.changes.map(({ before, after }: ChangeFields) => [before, after])).toEqual(
      changes.map(() => [null, null]),
    );
    expect(JSON.stringify(hidden)).not.toContain("Other");
    expect((await owner.call("GET", `/projects/${project.id}/tasks`)).body.items).toHaveLength(3);
    expect((await taskOf(owner, two.id)).revision).toBe("1");
  });

  test("does what was approved and nothing else: where the same change would do something else by now, it is stale", async () => {
    const { home, owner, project, workspaceId } = await workshop();
    const task = await newTask(owner, project.id);
    const set = await approve(owner, home, [
      { action: "time_entry.create", task_id: task.id, set: { duration: "20m", work_date: "2027-01-01" } },
    ]);
    expect(set.changes[0].after.seconds).toBe(1200);
    await owner.call("PATCH", "/workspace/time-tracking", {
      body: { enabled: true, rounding_mode: "ceil_30_minutes" },
      headers: { "if-match": "*" },
      key: newKey(),
    });
    expect(codes(await applied(owner, home, set))).toEqual(["change_set_stale", "/changes/0 outcome_changed"]);
    expect((await owner.call("GET", `/tasks/${task.id}/time-totals`)).body.entries, workspaceId).toBe(0);
  });

  test("by somebody who was suspended does nothing, and goes on once they are back", async () => {
    const { home, owner, project } = await workshop();
    const ada = await home.member("member");
    const set = await approve(ada, home, [{ action: "task.create", project_id: project.id, set: { title: "Hers" } }]);
    const suspend = (state: string) =>
      running.sql("update memberships set state = $2 where actor_id = $1", [ada.actorId, state], home.workspaceId);
    await suspend("suspended");
    const key = newKey();
    expect((await applied(ada, home, set, key)).status).toBe(404);
    expect((await owner.call("GET", `/projects/${project.id}/tasks`)).body.items).toEqual([]);
    await suspend("active");
    expect((await applied(ada, home, set, key)).body.state).toBe("applied");
  });

  test("is told to the others as if each change had been made alone", async () => {
    const { home, owner, project } = await workshop();
    const ada = await home.member("member");
    const task = await newTask(owner, project.id);
    const set = await approve(owner, home, [
      { action: "task.assign", task_id: task.id, revision: "1", set: { assignee_actor_id: ada.actorId } },
    ]);
    await applied(owner, home, set);
    await tellEvents(running.database);
    const { items } = (await ada.call("GET", `/workspaces/${home.workspaceId}/inbox`)).body;
    expect(items.map(({ category }: ChangeFields) => category)).toEqual(["assigned"]);
  });

  test("is refused once its evidence became private, was replaced or thrown away; nothing is changed, and no text is shown", async () => {
    const { home, owner, project } = await workshop();
    const ada = await home.member("member");
    const source = await newProject(home);
    const [fact, task] = [
      await newTask(owner, source.id, { title: "The brass is gone" }),
      await newTask(owner, project.id),
    ];
    const capture = (sources: object[]) =>
      ada.call("POST", `/workspaces/${home.workspaceId}/evidence-collections`, { body: { sources }, key: newKey() });
    const { body: pinned } = await capture([{ kind: "task_title", id: fact.id }]);
    const evidence = [{ id: pinned.id, version: pinned.version }];
    const changes = [{ action: "task.update", task_id: task.id, revision: "1", set: { priority: "high" } }];
    const set = await approve(ada, home, changes, { evidence });
    expect(set.evidence).toEqual([{ ...evidence[0], available: true, state: "current" }]);
    await owner.call("PATCH", `/projects/${source.id}`, {
      body: { visibility: "private" },
      headers: { "if-match": "*" },
    });
    expect(codes(await applied(ada, home, set))).toEqual(["evidence_unavailable", "/evidence/0 unavailable"]);
    expect((await read(ada, home, set)).evidence).toEqual([{ ...evidence[0], available: false, state: "unavailable" }]);
    const again = await propose(ada, home, changes, { evidence });
    expect(codes(again)).toEqual(["evidence_unavailable", "/evidence/0 unavailable"]);
    for (const other of [
      { id: pinned.id, version: 7 },
      { id: fact.id, version: 1 },
    ])
      expect(codes(await propose(ada, home, changes, { evidence: [other] }))).toEqual([
        "not_found",
        "/body/evidence/0 not_found",
      ]);
    expect((await propose(owner, home, changes, { evidence })).status, "somebody else's").toBe(404);
    expect((await taskOf(owner, task.id)).revision).toBe("1");
  });
});
