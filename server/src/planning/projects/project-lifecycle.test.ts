// The Project lifecycle: where new Projects start and what each stage makes of those in it, changed as a whole under
// one revision.
import { expect, test } from "vitest";
import { newStep, states, stepsOf } from "../../../test/steps.ts";
import { eventsOf, newProject } from "../../../test/work.ts";
import { type Options, type Person, service, type World, world } from "../../../test/world.ts";

const running = service();
const pathOf = ({ workspaceId }: World) => `/workspaces/${workspaceId}/project-lifecycle`;
const read = async (home: World) => (await home.owner.call("GET", pathOf(home))).body;
const change = async (home: World, body: object, options: Options = {}, person: Person = home.owner) =>
  person.call("PATCH", pathOf(home), { body, ifMatch: (await read(home)).revision, ...options });
const stageOf = async (home: World, name: string) =>
  (await read(home)).stages.find((stage: { name: string }) => stage.name === name) ?? expect.fail(`no stage ${name}`);

test("every member reads the stages in presentation order, with their behaviors and states", async () => {
  const home = await world(running);
  const { status, body, trips } = await (await home.member("viewer")).call("GET", pathOf(home));
  expect([status, trips, body.revision]).toEqual([200, 1, "1"]);
  const stages = body.stages.map(({ name, category }: { name: string; category: string }) => `${name} ${category}`);
  expect(stages).toEqual([
    "Backlog backlog",
    "Planned unstarted",
    "Active started",
    "Completed completed",
    "Cancelled cancelled",
  ]);
  const all = await stepsOf(home, states);
  expect(body.default_state_id).toBe(all.Planned?.id);
  expect(body.stages[2]).toMatchObject({
    state_ids: [all["In Progress"]?.id],
    behaviors: { counts_as_completed: false, counts_as_active: true, accepts_new_work: true, hidden_by_default: false },
    revision: "1",
  });
  expect((await (await world(running)).owner.call("GET", pathOf(home))).status).toBe(404);
});

test("a stage is renamed and colored: its revision and the definition's advance, the others stay", async () => {
  const home = await world(running);
  const { id } = await stageOf(home, "Active");
  const { status, body, trips } = await change(home, { stages: [{ id, name: "Running", color: "green" }] });
  expect([status, body.revision, trips <= 4]).toEqual([200, "2", true]);
  const changed = body.stages.map(({ name, color, revision }: Record<string, string>) => [name, color, revision]);
  expect(changed).toEqual([
    ["Backlog", null, "1"],
    ["Planned", null, "1"],
    ["Running", "green", "2"],
    ["Completed", null, "1"],
    ["Cancelled", null, "1"],
  ]);
  expect((await change(home, { stages: [{ id, color: null }] })).body.stages[2].color).toBeNull();
  const [event] = (await eventsOf(running, home, body.id)).slice(-1);
  expect(event).toMatchObject({ type: "project_lifecycle.updated", activity: null });
});

test("what is sent as it was advances neither the stage nor the lifecycle", async () => {
  const home = await world(running);
  const { id, name, behaviors } = await stageOf(home, "Active");
  const { body } = await change(home, { stages: [{ id, name, behaviors }] });
  expect([body.revision, body.stages[2].revision]).toEqual(["1", "1"]);
});

test("behaviors change one by one, and Projects in the stage behave accordingly at once", async () => {
  const home = await world(running);
  const project = await newProject(home);
  const { id } = await stageOf(home, "Planned");
  const body = { default_state_id: null, stages: [{ id, behaviors: { accepts_new_work: false } }] };
  expect((await change(home, body)).body.code).toBe("lifecycle_acknowledgement_required");
  const { body: changed } = await change(home, { ...body, acknowledged: true });
  expect(changed.stages[1].behaviors).toEqual({
    counts_as_completed: false,
    counts_as_active: false,
    accepts_new_work: false,
    hidden_by_default: false,
  });
  const task = { body: { title: "Late" }, key: "k".repeat(16) };
  expect((await home.owner.call("POST", `/projects/${project.id}/tasks`, task)).body.code).toBe("project_closed");
  const { lifecycle } = (await home.owner.call("GET", `/projects/${project.id}`)).body;
  expect([lifecycle.stage_revision, lifecycle.definition_revision]).toEqual(["2", "2"]);
});

test("a stage that no Project is in changes its behaviors without acknowledgement; a deleted Project is in none", async () => {
  const home = await world(running);
  const project = await newProject(home);
  const { id } = await stageOf(home, "Planned");
  await running.sql("update projects set deleted_at = now() where id = $1", [project.id], home.workspaceId);
  expect((await change(home, { stages: [{ id, behaviors: { hidden_by_default: true } }] })).status).toBe(200);
});

test("new Projects start in a state of this Workspace, not archived, whose stage accepts new work, or in none", async () => {
  const home = await world(running);
  const all = await stepsOf(home, states);
  const foreign = await stepsOf(await world(running), states);
  const archived = await newStep(home, states);
  await running.sql("update project_states set archived_at = now() where id = $1", [archived.id], home.workspaceId);
  for (const wrong of [all.Completed?.id, foreign.Backlog?.id, archived.id, home.workspaceId])
    expect((await change(home, { default_state_id: wrong })).body).toMatchObject({
      code: "invalid_reference",
      errors: [{ pointer: "/body/default_state_id" }],
    });
  expect((await change(home, { default_state_id: all.Backlog?.id })).body.default_state_id).toBe(all.Backlog?.id);
  expect((await newProject(home)).state_id).toBe(all.Backlog?.id);
  expect((await change(home, { default_state_id: null })).body.default_state_id).toBeNull();
  const open = { id: (await stageOf(home, "Completed")).id, behaviors: { accepts_new_work: true } };
  const both = await change(home, { default_state_id: all.Completed?.id, stages: [open] });
  expect([both.status, both.body.default_state_id]).toEqual([200, all.Completed?.id]);
});

test("the stage in which new Projects start keeps accepting them, unless they start elsewhere", async () => {
  const home = await world(running);
  const { id } = await stageOf(home, "Planned");
  const closed = { stages: [{ id, behaviors: { accepts_new_work: false } }] };
  expect((await change(home, closed)).body).toMatchObject({
    code: "invalid_reference",
    errors: [{ pointer: "/body/stages/0/behaviors/accepts_new_work" }],
  });
  const elsewhere = (await stepsOf(home, states)).Backlog?.id;
  expect((await change(home, { ...closed, default_state_id: elsewhere })).status).toBe(200);
});

test("stages are of the Project lifecycle, named once, with names of their own and behaviors of their kind", async () => {
  const home = await world(running);
  const [active, planned] = [await stageOf(home, "Active"), await stageOf(home, "Planned")];
  const refused = async (stages: object[]) => {
    const { body } = await change(home, { stages });
    return [body.code, body.errors[0].pointer];
  };
  const foreign = await stageOf(await world(running), "Active");
  expect(await refused([{ id: foreign.id, name: "x" }])).toEqual(["invalid_reference", "/body/stages/0/id"]);
  expect(await refused([{ id: active.id }, { id: active.id }])).toEqual(["invalid_reference", "/body/stages/0/id"]);
  expect(await refused([{ id: active.id, name: "planned" }])).toEqual(["name_taken", "/body/stages/0/name"]);
  const swapped = [
    { id: active.id, name: "Planned" },
    { id: planned.id, name: "Active" },
  ];
  expect((await change(home, { stages: swapped })).status).toBe(200);
  const odd = await refused([{ id: active.id, behaviors: { awaits_review: true } }]);
  expect(odd).toEqual(["invalid_request", "/body/stages/0/behaviors/awaits_review"]);
  expect(await refused([])).toEqual(["invalid_request", "/body/stages"]);
  const idle = await change(home, { acknowledged: true });
  expect(idle.body).toMatchObject({ code: "invalid_request", errors: [{ pointer: "/body" }] });
});

test("a change needs workspace:manage and the current revision of the definition, which adding a state advances", async () => {
  const home = await world(running);
  const body = { default_state_id: null };
  for (const role of ["member", "viewer"] as const)
    expect((await change(home, body, {}, await home.member(role))).status).toBe(403);
  expect((await home.owner.call("PATCH", pathOf(home), { body })).body.code).toBe("if_match_required");
  const { revision } = await read(home);
  await newStep(home, states);
  const stale = await change(home, body, { ifMatch: revision });
  expect(stale.body).toMatchObject({ code: "revision_conflict", current_revision: "2" });
  const racing = await Promise.all(Array.from({ length: 5 }, () => change(home, body, { ifMatch: "2" })));
  expect(racing.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409]);
});
