// Statuses: workflow order, names, who adds them, how many.
import { expect, test } from "vitest";
import { newProject, newProjectStatus, pages } from "../../test/work.ts";
import { type Person, service, type World, world } from "../../test/world.ts";

const running = service();
const pathOf = (home: World) => `/workspaces/${home.workspaceId}/statuses`;
const add = (home: World, body: object, person: Person = home.owner) => person.call("POST", pathOf(home), { body });
const names = async (person: Person, path: string, limit = 50) =>
  (await pages(person, path, limit)).items.map(({ name }) => name);
const standard = ["Backlog", "Todo", "In Progress", "In Review", "Done", "Cancelled"];

test("a Workspace starts with the default workflow, in workflow order", async () => {
  const home = await world(running);
  expect(await names(home.owner, pathOf(home))).toEqual(standard);
  expect(await names(home.owner, pathOf(home), 1)).toEqual(standard);
});

test("a new Status stands last in its category", async () => {
  const home = await world(running);
  const added = await add(home, { name: "Blocked", category: "started", color: "red" });
  expect(added.body).toMatchObject({ project_id: null, name: "Blocked", category: "started", color: "red" });
  await add(home, { name: "Idea", category: "backlog" });
  const order = ["Backlog", "Idea", "Todo", "In Progress", "In Review", "Blocked", "Done", "Cancelled"];
  expect(await names(home.owner, pathOf(home), 3)).toEqual(order);
});

test("a name is taken once in a Workspace, whatever its case", async () => {
  const home = await world(running);
  const taken = await add(home, { name: "tODO", category: "started" });
  expect(taken.body).toMatchObject({ code: "name_taken", errors: [{ pointer: "/body/name" }] });
  const answers = await Promise.all(Array.from({ length: 6 }, () => add(home, { name: "Once", category: "started" })));
  expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(5).fill(409)]);
});

test("adding one needs workspace:manage", async () => {
  const home = await world(running);
  const body = { name: "Blocked", category: "started" };
  for (const role of ["member", "viewer"] as const)
    expect((await add(home, body, await home.member(role))).status).toBe(403);
  expect((await add(home, body, (await world(running)).owner)).status).toBe(404);
  expect((await add(home, body, await home.member("admin"))).status).toBe(201);
});

test("a name has 1 to 60 characters, and a category is one of five", async () => {
  const home = await world(running);
  expect((await add(home, { name: "x".repeat(60), category: "backlog" })).status).toBe(201);
  for (const name of ["x".repeat(61), "", " "])
    expect((await add(home, { name, category: "backlog" })).body.errors[0].pointer).toBe("/body/name");
  expect((await add(home, { name: "x", category: "paused" })).body.errors[0].pointer).toBe("/body/category");
});

test("there is room for 500, also when several want the last place", async () => {
  const home = await world(running);
  const fill = `insert into statuses (workspace_id, id, name, category, position)
    select $1, gen_random_uuid(), 'Filler ' || n, 'started', 100000 + n from generate_series(1, $2::int) n`;
  await running.sql(fill, [home.workspaceId, 500 - standard.length - 1], home.workspaceId);
  const wanted = Array.from({ length: 5 }, (_, index) => add(home, { name: `Last ${index}`, category: "started" }));
  const answers = await Promise.all(wanted);
  expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(4).fill(409)]);
  expect(answers.find(({ status }) => status === 409)?.body.code).toBe("limit_reached");
  await running.sql("update statuses set archived_at = now() where name = 'Filler 1'", [], home.workspaceId);
  expect((await add(home, { name: "Room again", category: "started" })).status).toBe(201);
});

test("a Project has the Workspace's Statuses and its own, in one order, and no other Project's", async () => {
  const home = await world(running);
  const [project, other] = [await newProject(home), await newProject(home)];
  await newProjectStatus(running, home, project.id, "Own");
  await newProjectStatus(running, home, other.id, "Foreign");
  const order = ["Backlog", "Todo", "Own", "In Progress", "In Review", "Done", "Cancelled"];
  for (const limit of [1, 2, 100])
    expect(await names(home.owner, `/projects/${project.id}/statuses`, limit)).toEqual(order);
  expect(await names(home.owner, pathOf(home))).toEqual(standard);
  expect((await home.owner.call("GET", `/projects/${project.id}/statuses`)).trips).toBe(1);
});

test("an archived Status is listed nowhere and gives its name back", async () => {
  const home = await world(running);
  const project = await newProject(home);
  await running.sql("update statuses set archived_at = now() where name = 'In Review'", [], home.workspaceId);
  const left = standard.filter((name) => name !== "In Review");
  expect(await names(home.owner, pathOf(home))).toEqual(left);
  expect(await names(home.owner, `/projects/${project.id}/statuses`)).toEqual(left);
  expect((await add(home, { name: "in review", category: "started" })).status).toBe(201);
});
