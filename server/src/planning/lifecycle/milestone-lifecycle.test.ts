// The Milestone lifecycle: what it starts as, and every way in which its stages can be replaced.
import { expect, test } from "vitest";
import { eventsOf, newMilestone, newProject } from "../../../test/work.ts";
import { type Person, service, type World, world } from "../../../test/world.ts";
import { newId } from "../../platform/wire/ids.ts";

const running = service();

interface Stage {
  id?: string;
  name: string;
  category: string;
  color?: string | null;
  behaviors?: Record<string, boolean>;
  replaces?: string[];
}
const pathOf = ({ workspaceId }: World) => `/workspaces/${workspaceId}/milestone-lifecycle`;
const read = async (home: World) => (await home.owner.call("GET", pathOf(home))).body;
const replace = async (home: World, stages: Stage[], person: Person = home.owner, ifMatch?: string) =>
  person.call("PUT", pathOf(home), { body: { stages }, ifMatch: ifMatch ?? (await read(home)).revision });
/** As they are, to be sent back. */
const asSent = ({ id, name, category, color, behaviors }: Required<Stage>) => ({
  id,
  name,
  category,
  color,
  behaviors,
});
async function workshop() {
  const home = await world(running);
  const { id, stages } = await read(home);
  const [planned, active, completed, cancelled] = stages.map(asSent);
  return { home, definitionId: id, planned, active, completed, cancelled, stages: stages.map(asSent) };
}
const stageOf = async ({ owner }: World, { id }: { id: string }) =>
  (await owner.call("GET", `/milestones/${id}`)).body.stage_id;

test("while a migration moves Milestones between stages, the stages stay as they are", async () => {
  const { home, definitionId, stages } = await workshop();
  const insert = `
insert into lifecycle_migrations (workspace_id, id, definition_id, state, mapping, total, requested_by_actor_id,
  requested_by_user_id, source)
values ($1, $2, $3, 'processing', '{}', 0, $4, $5, 'session')`;
  const { owner, workspaceId } = home;
  await running.sql(insert, [workspaceId, newId(), definitionId, owner.actorId, owner.userId], workspaceId);
  expect((await replace(home, stages)).body.code).toBe("lifecycle_migration_pending");
  await running.sql("update lifecycle_migrations set state = 'completed'", [], workspaceId);
  expect((await replace(home, stages)).status).toBe(200);
});

test("a Workspace starts with four stages at revision 1", async () => {
  const home = await world(running);
  const lifecycle = await read(home);
  expect(lifecycle).toMatchObject({ revision: "1", capabilities: ["workspace:manage"] });
  const open = { accepts_new_work: true, counts_as_active: false, counts_as_completed: false };
  const stage = (name: string, category: string, position: number, behaviors: object) => ({
    id: expect.any(String),
    name,
    category,
    color: null,
    position,
    behaviors: { ...open, ...behaviors },
    revision: "1",
  });
  expect(lifecycle.stages).toEqual([
    stage("Planned", "unstarted", 1024, {}),
    stage("Active", "started", 2048, { counts_as_active: true }),
    stage("Completed", "completed", 3072, { accepts_new_work: false, counts_as_completed: true }),
    stage("Cancelled", "cancelled", 4096, { accepts_new_work: false }),
  ]);
});

test("everybody in the Workspace reads it, and only managers replace it", async () => {
  const { home, stages } = await workshop();
  for (const [role, status] of [
    ["admin", 200],
    ["member", 403],
    ["viewer", 403],
  ] as const) {
    const person = await home.member(role);
    expect((await person.call("GET", pathOf(home))).status).toBe(200);
    expect((await replace(home, stages, person)).status).toBe(status);
  }
  const { owner } = await world(running);
  expect((await owner.call("GET", pathOf(home))).status).toBe(404);
  expect((await replace(home, stages, owner)).status).toBe(404);
});

test("what is the same keeps its revision, what is different advances, what is new gets an id, what is left out is gone", async () => {
  const { home, definitionId, planned, active, completed } = await workshop();
  const answer = await replace(home, [
    { name: "Idea", category: "backlog", behaviors: { accepts_new_work: false } },
    { ...completed, name: "Reached", color: "green" },
    planned,
    { ...active, behaviors: { counts_as_active: false } },
  ]);
  expect([answer.status, answer.body.revision, answer.trips <= 5]).toEqual([200, "2", true]);
  const stage = ({ id }: Stage, revision: string, changes: object) => ({ id, revision, ...changes });
  expect(answer.body.stages).toMatchObject([
    { revision: "1", name: "Idea", position: 1024, behaviors: { accepts_new_work: false, counts_as_active: false } },
    stage(completed, "2", { name: "Reached", color: "green", position: 2048 }),
    stage(planned, "1", { position: 3072 }),
    stage(active, "2", { behaviors: { accepts_new_work: true, counts_as_active: false, counts_as_completed: false } }),
  ]);
  expect(await read(home)).toEqual(answer.body);
  expect(await eventsOf(running, home, definitionId)).toMatchObject([
    { type: "milestone_lifecycle.replaced", activity: null, payload: { stages: 4, removed: 1, moved: 0 } },
  ]);
  const project = await newProject(home);
  expect((await newMilestone(home.owner, project.id)).stage_id).toBe(planned.id);
});

test("what is left out of a kept stage gets its default again", async () => {
  const { home, planned, stages } = await workshop();
  const odd = { ...planned, color: "red", behaviors: { counts_as_completed: true } };
  expect((await replace(home, [odd, ...stages.slice(1)])).body.stages[0]).toMatchObject({
    color: "red",
    revision: "2",
  });
  const { id, name, category } = planned;
  const plain = await replace(home, [{ id, name, category }, ...stages.slice(1)]);
  expect(plain.body.stages[0]).toMatchObject({ color: null, behaviors: planned.behaviors, revision: "3" });
});

test("a revision that is not current, and none, are refused", async () => {
  const { home, stages } = await workshop();
  const named = (name: string) =>
    stages.map((stage: Stage, index: number) => (index === 0 ? { ...stage, name } : stage));
  expect((await replace(home, named("One"), home.owner, "1")).status).toBe(200);
  expect((await replace(home, stages, home.owner, "1")).body).toMatchObject({
    code: "revision_conflict",
    current_revision: "2",
  });
  const without = await home.owner.call("PUT", pathOf(home), { body: { stages } });
  expect(without.body.code).toBe("if_match_required");
  const answers = await Promise.all(Array.from({ length: 10 }, () => replace(home, named("Two"), home.owner, "2")));
  expect(answers.filter(({ status }) => status === 200).length).toBe(1);
});

test("ids that are unknown, foreign, sent twice, or both kept and replaced are pointed to", async () => {
  const { home, planned, active, completed } = await workshop();
  const elsewhere = await workshop();
  const refused = async (stages: Stage[], ...pointers: string[]) => {
    const { body } = await replace(home, stages);
    expect([body.code, body.errors?.map(({ pointer }: { pointer: string }) => pointer)]).toEqual([
      "invalid_reference",
      pointers.map((pointer) => `/body/stages/${pointer}`),
    ]);
  };
  await refused([planned, { ...active, id: newId() }, { ...active, id: elsewhere.active.id }], "1/id", "2/id");
  await refused([planned, { ...planned, name: "Again" }], "1/id");
  await refused(
    [{ ...planned, replaces: [active.id, newId(), planned.id] }, active],
    "0/replaces/0",
    "0/replaces/1",
    "0/replaces/2",
  );
  await refused(
    [
      { ...planned, replaces: [completed.id] },
      { ...active, replaces: [completed.id] },
    ],
    "1/replaces/0",
  );
  expect((await read(home)).revision).toBe("1");
});

test("names are unique in any case, and one stage accepts new work", async () => {
  const { home, planned, completed, cancelled } = await workshop();
  const twice = await replace(home, [planned, { name: "PLANNED", category: "started" }]);
  expect(twice.body).toMatchObject({ code: "name_taken", errors: [{ pointer: "/body/stages/1/name" }] });
  const closed = await replace(home, [completed, { ...cancelled, behaviors: { accepts_new_work: false } }]);
  expect([closed.status, closed.body.code]).toEqual([409, "last_status"]);
  const swapped = await replace(home, [
    { ...planned, name: completed.name },
    { ...completed, name: planned.name },
  ]);
  expect(swapped.status).toBe(200);
});

test("a behavior that is none of a Milestone's, no stage at all and more than 100 are malformed", async () => {
  const { home, planned } = await workshop();
  const many = (count: number) =>
    Array.from({ length: count }, (_, index) => ({ name: `Stage ${index}`, category: "started" }));
  const review = await replace(home, [{ ...planned, behaviors: { awaits_review: true } }]);
  expect([review.status, (await replace(home, [])).status, (await replace(home, many(101))).status]).toEqual([
    400, 400, 400,
  ]);
  const full = await replace(home, many(100));
  expect([full.status, full.body.stages.length]).toEqual([200, 100]);
});

test("a stage with Milestones goes away only with a replacement, kept or new, and its Milestones move there", async () => {
  const { home, planned, active, completed } = await workshop();
  const { owner } = home;
  const project = await newProject(home);
  const [first, second, third] = [
    await newMilestone(owner, project.id),
    await newMilestone(owner, project.id, { stage_id: active.id }),
    await newMilestone(owner, project.id, { stage_id: completed.id }),
  ];
  const refused = await replace(home, [{ name: "Next", category: "started" }, completed]);
  expect([refused.status, refused.body.code]).toEqual([409, "milestone_stage_in_use"]);
  expect(refused.body.choices).toEqual([planned, active].map(({ id, name }) => ({ id, name })));
  expect(refused.body.errors).toMatchObject([{ pointer: "/body/stages" }, { pointer: "/body/stages" }]);
  const replaced = await replace(home, [
    { name: "Next", category: "started", replaces: [planned.id] },
    { ...completed, replaces: [active.id.toUpperCase()] },
  ]);
  expect(replaced.status).toBe(200);
  const [next] = replaced.body.stages;
  expect(await Promise.all([first, second, third].map((each) => stageOf(home, each)))).toEqual([
    next.id,
    completed.id,
    completed.id,
  ]);
  expect((await owner.call("GET", `/milestones/${first.id}`)).body).toMatchObject({
    revision: "2",
    lifecycle: { stage_id: next.id, stage_name: "Next", definition_revision: "2" },
  });
  expect((await eventsOf(running, home, first.id)).at(-1)).toMatchObject({
    type: "milestone.stage_changed",
    activity: null,
  });
});

test("a deleted Milestone keeps no stage from going away", async () => {
  const { home, planned, active } = await workshop();
  const project = await newProject(home);
  const milestone = await newMilestone(home.owner, project.id, { stage_id: active.id });
  await home.owner.call("DELETE", `/milestones/${milestone.id}`);
  expect((await replace(home, [planned])).status).toBe(200);
});

test("1,000 Milestones move in one step, and one more is too many", async () => {
  const { home, planned, active } = await workshop();
  const { owner, workspaceId } = home;
  const project = await newProject(home);
  const fill = (from: number, to: number) =>
    running.sql(
      `insert into milestones (workspace_id, id, project_id, number, name, stage_id, created_by_actor_id)
       select $1, gen_random_uuid(), $2, n, 'M', case when n % 2 = 0 then $3::uuid else $4::uuid end, $5
       from generate_series($6::int, $7::int) n`,
      [workspaceId, project.id, planned.id, active.id, owner.actorId, from, to],
      workspaceId,
    );
  await fill(1, 1_001);
  const body = [{ name: "All", category: "started", replaces: [planned.id, active.id] }];
  const refused = await replace(home, body);
  expect([refused.status, refused.body.code]).toEqual([422, "lifecycle_migration_too_large"]);
  await running.sql("update milestones set deleted_at = now() where number = 1001", [], workspaceId);
  const moved = await replace(home, body);
  const [left] = await running.sql<{ n: number }>(
    "select count(*)::int as n from milestones where stage_id = $1 and revision = 2",
    [moved.body.stages[0].id],
    workspaceId,
  );
  expect([moved.status, left?.n]).toEqual([200, 1_000]);
});

test("a Milestone that enters a stage while it is removed is in one that exists", async () => {
  const { home, planned, active } = await workshop();
  const { owner, workspaceId } = home;
  const project = await newProject(home);
  let going = active;
  for (let round = 0; round < 8; round++) {
    const waiting = await newMilestone(owner, project.id, { stage_id: planned.id });
    const body = { name: "x", stage_id: going.id };
    const next = { name: `Stage ${round}`, category: "started", replaces: [going.id] };
    const [replaced, ...entered] = await Promise.all([
      replace(home, [planned, next]),
      ...[1, 2, 3].map(() => owner.call("POST", `/projects/${project.id}/milestones`, { body })),
      owner.call("PATCH", `/milestones/${waiting.id}`, { body: { stage_id: going.id }, ifMatch: "1" }),
    ]);
    expect(replaced.status).toBe(200);
    for (const { status, body } of entered)
      expect([status, body.code]).toEqual(status === 422 ? [422, "invalid_reference"] : [status, body.code]);
    for (const { status } of entered) expect([200, 201, 422]).toContain(status);
    going = replaced.body.stages[1];
  }
  const stray = "select id from milestones where stage_id is null or stage_id not in (select id from lifecycle_stages)";
  expect(await running.sql(stray, [], workspaceId)).toEqual([]);
});
