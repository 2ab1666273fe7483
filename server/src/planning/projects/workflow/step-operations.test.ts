// Changing Statuses and project states: names, categories, stages, order, deletion, and what keeps the workflow usable
// under any interleaving. Everything here holds for both.
import { describe, expect, test } from "vitest";
import {
  definitionRevision,
  moveStep,
  namesOf,
  newStep,
  patchStep,
  type Step,
  startMigration,
  states,
  statuses,
  stepsOf,
} from "../../../../test/steps.ts";
import { eventsOf } from "../../../../test/work.ts";
import { newKey, service, type World, world } from "../../../../test/world.ts";

const running = service();
const at = (steps: Record<string, Step>, name: string) => steps[name] ?? expect.fail(`no step ${name}`);

describe.each([statuses, states])("of $table", (steps) => {
  test("a name and a color change alone: the revision advances, that of the definition does not", async () => {
    const home = await world(running);
    const step = await newStep(home, steps);
    const before = await definitionRevision(home, steps);
    const { status, body, trips } = await patchStep(home.owner, steps, step, { name: "Renamed", color: "teal-300" });
    expect([status, body.name, body.color, body.revision]).toEqual([200, "Renamed", "teal-300", "2"]);
    expect(body.lifecycle).toEqual(step.lifecycle);
    expect(trips).toBeLessThanOrEqual(4);
    expect(await definitionRevision(home, steps)).toBe(before);
    expect((await patchStep(home.owner, steps, body, { color: null })).body.color).toBeNull();
    expect((await eventsOf(running, home, step.id)).map(({ type }) => type)).toEqual([
      `${steps.noun}.created`,
      `${steps.noun}.updated`,
      `${steps.noun}.updated`,
    ]);
  });

  test("a change needs If-Match, of the current revision, and something to change", async () => {
    const home = await world(running);
    const step = await newStep(home, steps);
    const body = { name: "Renamed" };
    expect((await home.owner.call("PATCH", steps.one(step.id), { body })).body.code).toBe("if_match_required");
    const stale = await patchStep(home.owner, steps, step, body, { ifMatch: "7" });
    expect(stale.body).toMatchObject({ code: "revision_conflict", current_revision: "1" });
    const idle = await patchStep(home.owner, steps, step, { acknowledged: true });
    expect(idle.body).toMatchObject({ code: "invalid_request", errors: [{ pointer: "/body" }] });
    const answers = await Promise.all(
      Array.from({ length: 5 }, (_, n) => patchStep(home.owner, steps, step, { name: `Racer ${n}` })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409]);
  });

  test("a name that another one has is refused, whatever its case; its own in another case is not", async () => {
    const home = await world(running);
    const [one, other] = [await newStep(home, steps), await newStep(home, steps)];
    const taken = await patchStep(home.owner, steps, one, { name: other.name.toUpperCase() });
    expect(taken.body).toMatchObject({ code: "name_taken", errors: [{ pointer: "/body/name" }] });
    expect((await patchStep(home.owner, steps, one, { name: one.name.toUpperCase() })).status).toBe(200);
  });

  test("another category binds it to that category's first stage, puts it last there, and changes the definition", async () => {
    const home = await world(running);
    const step = await newStep(home, steps);
    const before = await definitionRevision(home, steps);
    const { body } = await patchStep(home.owner, steps, step, { category: "backlog" });
    expect(body.category).toBe("backlog");
    expect(body.lifecycle.stage_id).toBe(at(await stepsOf(home, steps), "Backlog").lifecycle.stage_id);
    expect(body.lifecycle.definition_revision).toBe(String(before + 1));
    expect(await definitionRevision(home, steps)).toBe(before + 1);
    expect((await namesOf(home, steps)).slice(0, 2)).toEqual(["Backlog", step.name]);
    const same = await patchStep(home.owner, steps, body, { category: "backlog" });
    expect([same.body.revision, same.body.lifecycle]).toEqual(["2", body.lifecycle]);
  });

  test("a stage brings its category; one of another kind, Workspace or category is refused", async () => {
    const home = await world(running);
    const foreign = await stepsOf(await world(running), steps);
    const elsewhere = await stepsOf(home, steps === statuses ? states : statuses);
    const own = await stepsOf(home, steps);
    const step = await newStep(home, steps);
    const done = at(own, steps === statuses ? "Done" : "Completed").lifecycle.stage_id;
    const wrong: [object, string][] = [
      [{ stage_id: at(foreign, "Backlog").lifecycle.stage_id }, "/body/stage_id"],
      [{ stage_id: at(elsewhere, "Backlog").lifecycle.stage_id }, "/body/stage_id"],
      [{ stage_id: step.id }, "/body/stage_id"],
      [{ stage_id: done, category: "started" }, "/body/stage_id"],
    ];
    for (const [body, pointer] of wrong)
      expect((await patchStep(home.owner, steps, step, body)).body).toMatchObject({
        code: "invalid_reference",
        errors: [{ pointer }],
      });
    const { body } = await patchStep(home.owner, steps, step, { stage_id: done });
    expect([body.category, body.lifecycle.stage_id]).toEqual(["completed", done]);
  });

  test("where work in it would behave differently, that must be acknowledged; an empty one needs nothing", async () => {
    const home = await world(running);
    const step = await newStep(home, steps);
    await steps.fill(running, home, step.id);
    const refused = await patchStep(home.owner, steps, step, { category: "completed" });
    expect([refused.status, refused.body.code]).toEqual([409, "lifecycle_acknowledgement_required"]);
    expect((await patchStep(home.owner, steps, step, { category: "completed", acknowledged: false })).status).toBe(409);
    const done = await patchStep(home.owner, steps, step, { category: "completed", acknowledged: true });
    expect([done.status, done.body.lifecycle.behaviors.counts_as_completed]).toEqual([200, true]);
    const planned = await newStep(home, steps, { category: "backlog" });
    await steps.fill(running, home, planned.id);
    expect((await patchStep(home.owner, steps, planned, { category: "unstarted" })).status).toBe(200);
  });

  test("while a job moves work of this kind, no stage changes; names and colors do", async () => {
    const home = await world(running);
    const step = await newStep(home, steps);
    const replacement = await newStep(home, steps);
    await startMigration(running, home, steps);
    const refused = [
      await patchStep(home.owner, steps, step, { category: "backlog" }),
      await home.owner.call("POST", `${steps.one(step.id)}/archive-and-replace`, {
        body: { replacement_id: replacement.id },
      }),
      await home.owner.call("DELETE", steps.one(step.id)),
    ];
    expect(refused.map(({ body }) => body.code)).toEqual(Array(3).fill("lifecycle_migration_pending"));
    expect((await patchStep(home.owner, steps, step, { name: "Renamed" })).status).toBe(200);
  });

  test("it moves within its category, and only its own revision advances", async () => {
    const home = await world(running);
    const made: Step[] = [];
    for (const name of ["A", "B", "C"]) made.push(await newStep(home, steps, { name, category: "backlog" }));
    const [a, b, c] = made as [Step, Step, Step];
    const order = async () => (await namesOf(home, steps)).slice(0, 4).join(" ");
    const before = await definitionRevision(home, steps);
    expect(await order()).toBe("Backlog A B C");
    const moved = await moveStep(home.owner, steps, c, null);
    expect([moved.status, moved.body.revision, moved.body.name]).toEqual([200, "2", "C"]);
    expect(await order()).toBe("C Backlog A B");
    await moveStep(home.owner, steps, c, a.id);
    expect(await order()).toBe("Backlog A C B");
    await moveStep(home.owner, steps, a, b.id);
    expect(await order()).toBe("Backlog C B A");
    const now = await stepsOf(home, steps);
    expect(["A", "B", "C"].map((name) => at(now, name).revision)).toEqual(["2", "1", "3"]);
    expect(await definitionRevision(home, steps)).toBe(before);
    expect((await eventsOf(running, home, a.id)).at(-1)).toMatchObject({ type: `${steps.noun}.moved` });
  });

  test("it moves behind nothing of another category or Workspace, and not behind itself", async () => {
    const home = await world(running);
    const step = await newStep(home, steps, { category: "backlog" });
    const own = await stepsOf(home, steps);
    const foreign = await stepsOf(await world(running), steps);
    for (const after of [step.id, at(own, "In Progress").id, at(foreign, "Backlog").id, home.workspaceId])
      expect((await moveStep(home.owner, steps, step, after)).body).toMatchObject({
        code: "invalid_reference",
        errors: [{ pointer: "/body/after_id" }],
      });
  });

  test("many moves at once leave each one in its place once", async () => {
    const home = await world(running);
    const made: Step[] = [];
    for (const name of ["A", "B", "C", "D", "E"])
      made.push(await newStep(home, steps, { name, category: "cancelled" }));
    const moves = made.flatMap((step, n) => [null, made[(n + 2) % 5]?.id ?? null].map((after) => ({ step, after })));
    const answers = await Promise.all(moves.map(({ step, after }) => moveStep(home.owner, steps, step, after)));
    expect(answers.map(({ status }) => status)).toEqual(moves.map(() => 200));
    const rows = await running.sql<{ position: number }>(
      `select position from ${steps.table} where category = 'cancelled'`,
      [],
      home.workspaceId,
    );
    expect(new Set(rows.map(({ position }) => position)).size).toBe(6);
  });

  test("it is deleted where nothing uses it, and its name is free again", async () => {
    const home = await world(running);
    const step = await newStep(home, steps, { name: "Short" });
    const before = await definitionRevision(home, steps);
    expect((await home.owner.call("DELETE", steps.one(step.id), { key: newKey() })).status).toBe(204);
    expect(await definitionRevision(home, steps)).toBe(before + 1);
    expect((await home.owner.call("DELETE", steps.one(step.id))).status).toBe(404);
    expect((await eventsOf(running, home, step.id)).at(-1)).toMatchObject({ type: `${steps.noun}.deleted` });
    expect((await newStep(home, steps, { name: "short" })).id).not.toBe(step.id);
  });

  test("it is not deleted while something is in it, not even in the trash", async () => {
    const home = await world(running);
    const step = await newStep(home, steps);
    const id = await steps.fill(running, home, step.id);
    const remove = () => home.owner.call("DELETE", steps.one(step.id));
    expect((await remove()).body.code).toBe("status_in_use");
    const [table, column] = steps === statuses ? ["tasks", "trashed_at"] : ["projects", "deleted_at"];
    await running.sql(`update ${table} set ${column} = now() where id = $1`, [id], home.workspaceId);
    expect((await remove()).body.code).toBe("status_in_use");
  });

  const open = [
    "Backlog",
    steps === statuses ? "Todo" : "Planned",
    "In Progress",
    ...(steps === statuses ? ["In Review"] : []),
  ];

  test("the last one in which new work can start stays: not deleted, not archived, not made terminal", async () => {
    const home = await world(running);
    const own = await stepsOf(home, steps);
    if (steps === states)
      await running.sql("update lifecycle_definitions set default_state_id = null", [], home.workspaceId);
    for (const name of open.slice(1))
      expect((await home.owner.call("DELETE", steps.one(at(own, name).id))).status).toBe(204);
    const last = at(own, "Backlog");
    const done = at(own, steps === statuses ? "Done" : "Completed");
    const refused = [
      await home.owner.call("DELETE", steps.one(last.id)),
      await patchStep(home.owner, steps, last, { category: "cancelled" }),
      await home.owner.call("POST", `${steps.one(last.id)}/archive-and-replace`, { body: { replacement_id: done.id } }),
    ];
    expect(refused.map(({ body }) => body.code)).toEqual(Array(3).fill("last_status"));
    expect((await patchStep(home.owner, steps, last, { category: "started" })).status).toBe(200);
    expect((await home.owner.call("DELETE", steps.one(done.id))).status).toBe(204);
  });

  test("the last one stays when all are taken away at once", async () => {
    const home = await world(running);
    const own = await stepsOf(home, steps);
    if (steps === states)
      await running.sql("update lifecycle_definitions set default_state_id = null", [], home.workspaceId);
    const done = at(own, steps === statuses ? "Done" : "Completed").id;
    const ways = [
      (step: Step) => home.owner.call("DELETE", steps.one(step.id)),
      (step: Step) => patchStep(home.owner, steps, step, { category: "completed" }),
      (step: Step) =>
        home.owner.call("POST", `${steps.one(step.id)}/archive-and-replace`, { body: { replacement_id: done } }),
    ];
    const answers = await Promise.all(
      open.map((name, n) => (ways[n % ways.length] as (typeof ways)[number])(at(own, name))),
    );
    expect(answers.filter(({ body }) => body?.code === "last_status")).toHaveLength(1);
    const left = Object.values(await stepsOf(home, steps)).filter(({ category }) => /backlog|started/.test(category));
    expect(left).toHaveLength(1);
  });

  test("only who manages the Workspace changes one of it; nobody reaches another Workspace's", async () => {
    const home = await world(running);
    const step = await newStep(home, steps);
    const outsider = (await world(running)).owner;
    const attempts = (person: World["owner"]) =>
      Promise.all([
        patchStep(person, steps, step, { name: "Renamed" }, { ifMatch: "*" }),
        person.call("DELETE", steps.one(step.id)),
        moveStep(person, steps, step, null),
        person.call("POST", `${steps.one(step.id)}/archive-and-replace`, { body: { replacement_id: step.id } }),
      ]);
    for (const role of ["member", "viewer"] as const)
      expect((await attempts(await home.member(role))).map(({ status }) => status)).toEqual([403, 403, 403, 403]);
    expect((await attempts(outsider)).map(({ status }) => status)).toEqual([404, 404, 404, 404]);
    expect((await moveStep(await home.member("admin"), steps, step, null)).status).toBe(200);
  });
});
