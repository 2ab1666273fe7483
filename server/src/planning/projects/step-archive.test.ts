// archive-and-replace of Statuses and project states: everything moves, whatever else happens at the same time. Holds
// for both, save where it says Tasks.
import { describe, expect, test } from "vitest";
import { overlapping, waitingIn } from "../../../test/overlap.ts";
import {
  archiveStep,
  definitionRevision,
  moveStep,
  namesOf,
  newStep,
  patchStep,
  type Step,
  states,
  statuses,
  stepsOf,
} from "../../../test/steps.ts";
import { eventsOf, newProject, newTask, trashTask } from "../../../test/work.ts";
import { newKey, service, world } from "../../../test/world.ts";

const running = service();
const at = (steps: Record<string, Step>, name: string) => steps[name] ?? expect.fail(`no step ${name}`);

describe.each([statuses, states])("of $table", (steps) => {
  test("what is in it moves to the replacement with an event each; it is listed no more and gives its name back", async () => {
    const home = await world(running);
    const [old, next] = [await newStep(home, steps, { name: "Old" }), await newStep(home, steps)];
    const entities = [await steps.fill(running, home, old.id), await steps.fill(running, home, old.id)];
    const before = await definitionRevision(home, steps);
    const { status, body, trips } = await archiveStep(home.owner, steps, old, { replacement_id: next.id });
    expect([status, body.id, body.revision, body.name]).toEqual([200, old.id, "2", "Old"]);
    expect(body.archived_at).not.toBeNull();
    expect(trips).toBeLessThanOrEqual(4);
    expect(body.lifecycle.definition_revision).toBe(String(before + 1));
    for (const id of entities) {
      expect(await steps.whereIs(home, id)).toEqual({ step: next.id, revision: "2" });
      const type = steps === statuses ? "task.status_changed" : "project.updated";
      expect((await eventsOf(running, home, id)).at(-1)).toMatchObject({ type });
    }
    const payload = { replacement_id: next.id, moved: 2 };
    expect((await eventsOf(running, home, old.id)).at(-1)).toMatchObject({ type: `${steps.noun}.archived`, payload });
    expect(await namesOf(home, steps)).not.toContain("Old");
    expect((await newStep(home, steps, { name: "old" })).id).not.toBe(old.id);
  });

  test("an archived one is only read, and can be deleted", async () => {
    const home = await world(running);
    const [old, next] = [await newStep(home, steps), await newStep(home, steps)];
    const archived = (await archiveStep(home.owner, steps, old, { replacement_id: next.id })).body;
    const refused = [
      await patchStep(home.owner, steps, archived, { name: "Renamed" }),
      await moveStep(home.owner, steps, old, null),
      await archiveStep(home.owner, steps, old, { replacement_id: next.id }),
    ];
    expect(refused.map(({ body }) => body.code)).toEqual(Array(3).fill("status_archived"));
    const wrong = await archiveStep(home.owner, steps, next, { replacement_id: old.id });
    expect(wrong.body).toMatchObject({ code: "invalid_reference", errors: [{ pointer: "/body/replacement_id" }] });
    expect((await home.owner.call("DELETE", steps.one(old.id))).status).toBe(204);
  });

  test("the replacement is another one of this Workspace and kind", async () => {
    const home = await world(running);
    const step = await newStep(home, steps);
    const foreign = await stepsOf(await world(running), steps);
    const elsewhere = await stepsOf(home, steps === statuses ? states : statuses);
    for (const id of [step.id, at(foreign, "Backlog").id, at(elsewhere, "Backlog").id, home.workspaceId])
      expect((await archiveStep(home.owner, steps, step, { replacement_id: id })).body).toMatchObject({
        code: "invalid_reference",
        errors: [{ pointer: "/body/replacement_id" }],
      });
  });

  test("where what moves would behave differently, that must be acknowledged; an empty one needs nothing", async () => {
    const home = await world(running);
    const done = at(await stepsOf(home, steps), steps === statuses ? "Done" : "Completed").id;
    const [full, empty] = [await newStep(home, steps), await newStep(home, steps)];
    const id = await steps.fill(running, home, full.id);
    const refused = await archiveStep(home.owner, steps, full, { replacement_id: done });
    expect(refused.body.code).toBe("lifecycle_acknowledgement_required");
    expect((await steps.whereIs(home, id)).step).toBe(full.id);
    expect((await archiveStep(home.owner, steps, full, { replacement_id: done, acknowledged: true })).status).toBe(200);
    expect((await steps.whereIs(home, id)).step).toBe(done);
    expect((await archiveStep(home.owner, steps, empty, { replacement_id: done })).status).toBe(200);
  });

  test("1,000 move at once, one more is left to a migration, and then nothing has moved", async () => {
    const home = await world(running);
    const [old, next] = [await newStep(home, steps), await newStep(home, steps)];
    await steps.fillMany(running, home, old.id, 1_000);
    const id = await steps.fill(running, home, old.id);
    const refused = await archiveStep(home.owner, steps, old, { replacement_id: next.id });
    expect([refused.status, refused.body.code]).toEqual([422, "lifecycle_migration_too_large"]);
    expect(refused.body.detail).toContain("mapping-applications");
    const [table, column] = steps === statuses ? ["tasks", "status_id"] : ["projects", "state_id"];
    await running.sql(`update ${table} set ${column} = $2 where id = $1`, [id, next.id], home.workspaceId);
    expect((await archiveStep(home.owner, steps, old, { replacement_id: next.id })).status).toBe(200);
    const [left] = await running.sql<{ old: number; next: number }>(
      `select count(*) filter (where ${column} = $1)::int as old, count(*) filter (where ${column} = $2)::int as next
        from ${table}`,
      [old.id, next.id],
      home.workspaceId,
    );
    expect(left).toEqual({ old: 0, next: 1_001 });
  });

  test("two that are replaced by each other at once: one of them wins, and nothing is in an archived one", async () => {
    const home = await world(running);
    const [one, other] = [await newStep(home, steps), await newStep(home, steps)];
    const entities = [await steps.fill(running, home, one.id), await steps.fill(running, home, other.id)];
    const answers = await Promise.all([
      archiveStep(home.owner, steps, one, { replacement_id: other.id }),
      archiveStep(home.owner, steps, other, { replacement_id: one.id }),
    ]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 422]);
    const kept = answers[0]?.status === 200 ? other.id : one.id;
    for (const id of entities) expect((await steps.whereIs(home, id)).step).toBe(kept);
  });

  test("a repeated call with its key gets the first answer", async () => {
    const home = await world(running);
    const [old, next] = [await newStep(home, steps), await newStep(home, steps)];
    const call = { body: { replacement_id: next.id }, key: newKey() };
    const send = () => home.owner.call("POST", `${steps.one(old.id)}/archive-and-replace`, call);
    const answers = await Promise.all(Array.from({ length: 5 }, send));
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect((await eventsOf(running, home, old.id)).filter(({ type }) => type.endsWith("archived"))).toHaveLength(1);
  });
});

test("Tasks in the trash move too, and those of every Project, seen or not", async () => {
  const home = await world(running);
  const [old, next] = [await newStep(home, statuses), await newStep(home, statuses)];
  const admin = await home.member("admin");
  const hidden = await newProject(home, { visibility: "private" });
  const trashed = await newTask(home.owner, hidden.id, { status_id: old.id });
  await trashTask(running, home, trashed.id);
  expect((await archiveStep(admin, statuses, old, { replacement_id: next.id })).status).toBe(200);
  expect((await home.owner.call("GET", `/tasks/${trashed.id}`)).body.status_id).toBe(next.id);
});

test("Tasks count as started and completed by the replacement's category", async () => {
  const home = await world(running);
  const own = await stepsOf(home, statuses);
  const project = await newProject(home);
  const old = await newStep(home, statuses);
  const task = await newTask(home.owner, project.id, { status_id: old.id });
  expect(task.started_at).not.toBeNull();
  await archiveStep(home.owner, statuses, old, { replacement_id: at(own, "Done").id, acknowledged: true });
  const done = (await home.owner.call("GET", `/tasks/${task.id}`)).body;
  expect([done.started_at, done.completed_at === null]).toEqual([task.started_at, false]);
});

test("a Workspace-wide Status is replaced by no Project's own; a Project's own by any that applies there", async () => {
  const home = await world(running);
  const [project, other] = [await newProject(home), await newProject(home)];
  const own = (id: string) => newStep(home, statuses, {}, `/projects/${id}/statuses`);
  const [mine, alsoMine, foreign, wide] = [
    await own(project.id),
    await own(project.id),
    await own(other.id),
    await newStep(home, statuses),
  ];
  expect((await archiveStep(home.owner, statuses, wide, { replacement_id: mine.id })).status).toBe(422);
  expect((await archiveStep(home.owner, statuses, mine, { replacement_id: foreign.id })).status).toBe(422);
  const task = await newTask(home.owner, project.id, { status_id: mine.id });
  expect((await archiveStep(home.owner, statuses, mine, { replacement_id: alsoMine.id })).status).toBe(200);
  expect((await archiveStep(home.owner, statuses, alsoMine, { replacement_id: wide.id })).status).toBe(200);
  expect((await home.owner.call("GET", `/tasks/${task.id}`)).body.status_id).toBe(wide.id);
});

test("completion policies that name it name the replacement, where that fits, and none otherwise", async () => {
  const home = await world(running);
  const project = await newProject(home);
  const own = await stepsOf(home, statuses);
  const review = at(own, "In Review").lifecycle.stage_id;
  const [active, reviewing, done, next] = [
    await newStep(home, statuses),
    await newStep(home, statuses, { stage_id: review }),
    await newStep(home, statuses, { category: "completed" }),
    await newStep(home, statuses),
  ];
  const path = `/projects/${project.id}/completion-policy`;
  const policy = { active_status_id: active.id, review_status_id: reviewing.id, done_status_id: done.id };
  const chosen = await home.owner.call("PUT", path, { body: { review_required: true, ...policy }, ifMatch: "0" });
  expect(chosen.status).toBe(200);
  for (const step of [active, reviewing, done])
    expect((await home.owner.call("DELETE", `/statuses/${step.id}`)).body.code).toBe("status_in_use");
  for (const step of [active, reviewing])
    expect((await archiveStep(home.owner, statuses, step, { replacement_id: next.id })).status).toBe(200);
  await archiveStep(home.owner, statuses, done, { replacement_id: at(own, "Done").id });
  const { body } = await home.owner.call("GET", path);
  expect(body).toMatchObject({
    active_status_id: next.id,
    review_status_id: null,
    done_status_id: at(own, "Done").id,
    revision: "4",
  });
});

test("new Projects start in the replacement of the default state, where that takes them, and in none otherwise", async () => {
  const home = await world(running);
  const lifecycle = `/workspaces/${home.workspaceId}/project-lifecycle`;
  const fallback = async () => (await home.owner.call("GET", lifecycle)).body.default_state_id;
  const own = await stepsOf(home, states);
  const [planned, next] = [at(own, "Planned"), await newStep(home, states, { category: "backlog" })];
  expect(await fallback()).toBe(planned.id);
  expect((await home.owner.call("DELETE", `/project-states/${planned.id}`)).body.code).toBe("status_in_use");
  await archiveStep(home.owner, states, planned, { replacement_id: next.id });
  expect([await fallback(), (await newProject(home)).state_id]).toEqual([next.id, next.id]);
  await archiveStep(home.owner, states, next, { replacement_id: at(own, "Cancelled").id, acknowledged: true });
  expect([await fallback(), (await newProject(home)).state_id]).toEqual([null, null]);
});

test("a Task that comes into a Status while that is being archived ends up in the replacement or elsewhere, never in it", async () => {
  const home = await world(running);
  const project = await newProject(home);
  const own = await stepsOf(home, statuses);
  const [old, next] = [await newStep(home, statuses), await newStep(home, statuses)];
  const task = await newTask(home.owner, project.id, { status_id: at(own, "Todo").id });
  // The archive holds the Status and waits for this Task; the others come meanwhile.
  const held = await newTask(home.owner, project.id, { status_id: old.id });
  const hold: [string, ...unknown[]] = ["select from tasks where id = $1 for update", held.id];
  const late = async () => {
    const archive = archiveStep(home.owner, statuses, old, { replacement_id: next.id });
    while ((await waitingIn(running)) === 0);
    const body = { title: "Late", status_id: old.id };
    return Promise.all([
      archive,
      home.owner.call("POST", `/projects/${project.id}/tasks`, { body, key: newKey() }),
      home.owner.call("PATCH", `/tasks/${task.id}`, { body: { status_id: old.id }, ifMatch: "1" }),
    ]);
  };
  const answers = await overlapping(running, hold, 3, late, home.workspaceId);
  expect(answers.map(({ status }) => status)).toEqual([200, 422, 422]);
  const left = await running.sql("select from tasks where status_id = $1", [old.id], home.workspaceId);
  expect(left).toEqual([]);
});
