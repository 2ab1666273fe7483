// Project states: the list, who adds them, how many, and what a change makes of where new Projects start. What they
// share with Statuses is in workflow/step-operations.test.ts and step-archive.test.ts.
import { expect, test } from "vitest";
import { definitionRevision, newStep, patchStep, states, stepsOf } from "../../../test/steps.ts";
import { newProject, pages } from "../../../test/work.ts";
import { type Person, service, type World, world } from "../../../test/world.ts";

const running = service();
const standard = ["Backlog", "Planned", "In Progress", "Completed", "Cancelled"];
const add = (home: World, body: object, person: Person = home.owner) => person.call("POST", states.all(home), { body });
const names = async (home: World, limit: number, person = home.owner) =>
  (await pages(person, states.all(home), limit)).items.map(({ name }) => name);

test("a Workspace starts with five, listed in workflow order to every member", async () => {
  const home = await world(running);
  const viewer = await home.member("viewer");
  for (const limit of [1, 2, 50]) expect(await names(home, limit, viewer)).toEqual(standard);
  expect((await viewer.call("GET", states.all(home))).trips).toBe(1);
});

test("a new one stands last in its category and changes the definition", async () => {
  const home = await world(running);
  const before = await definitionRevision(home, states);
  const { status, body } = await add(home, { name: "On hold", category: "unstarted", color: "slate" });
  expect([status, body.name, body.color, body.archived_at]).toEqual([201, "On hold", "slate", null]);
  expect(body.lifecycle.behaviors).toEqual({
    counts_as_completed: false,
    counts_as_active: false,
    accepts_new_work: true,
    hidden_by_default: false,
  });
  expect(await names(home, 50)).toEqual(standard.toSpliced(2, 0, "On hold"));
  expect(await definitionRevision(home, states)).toBe(before + 1);
});

test("adding one needs workspace:manage, a free name and a stage of the category", async () => {
  const home = await world(running);
  const body = { name: "On hold", category: "unstarted" };
  for (const role of ["member", "viewer"] as const)
    expect((await add(home, body, await home.member(role))).status).toBe(403);
  expect((await add(home, body, (await world(running)).owner)).status).toBe(404);
  expect((await add(home, body, await home.member("admin"))).status).toBe(201);
  const taken = await add(home, { ...body, name: "ON HOLD" });
  expect(taken.body).toMatchObject({ code: "name_taken", errors: [{ pointer: "/body/name" }] });
  const stage_id = (await stepsOf(home, states)).Completed?.lifecycle.stage_id;
  expect((await add(home, { ...body, name: "Odd", stage_id })).body.code).toBe("invalid_reference");
});

test("there is room for 500, also when several want the last place", async () => {
  const home = await world(running);
  await running.sql(
    `insert into project_states (workspace_id, id, name, category, position, stage_id)
     select $1, gen_random_uuid(), 'Filler ' || n, 'started', 100000 + n, stage_id
     from generate_series(1, $2::int) n, project_states
     where workspace_id = $1 and name = 'In Progress'`,
    [home.workspaceId, 500 - standard.length - 1],
    home.workspaceId,
  );
  const answers = await Promise.all([1, 2, 3, 4].map((n) => add(home, { name: `Last ${n}`, category: "started" })));
  expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409]);
  expect(answers.find(({ status }) => status === 409)?.body.code).toBe("limit_reached");
});

test("a state that stops taking new work is no longer where new Projects start", async () => {
  const home = await world(running);
  const planned = (await stepsOf(home, states)).Planned ?? expect.fail();
  expect((await newProject(home)).state_id).toBe(planned.id);
  const moved = await patchStep(home.owner, states, planned, { category: "started", acknowledged: true });
  expect([moved.status, (await newProject(home)).state_id]).toEqual([200, planned.id]);
  await patchStep(home.owner, states, moved.body, { category: "completed", acknowledged: true });
  expect((await newProject(home)).state_id).toBeNull();
});

test("the Projects in a state whose category changes are not rewritten, however many they are", async () => {
  const home = await world(running);
  const state = await newStep(home, states);
  await states.fillMany(running, home, state.id, 1_001);
  expect((await patchStep(home.owner, states, state, { category: "completed", acknowledged: true })).status).toBe(200);
  const rows = await running.sql(
    "select from projects where state_id = $1 and revision = 1",
    [state.id],
    home.workspaceId,
  );
  expect(rows).toHaveLength(1_001);
});
