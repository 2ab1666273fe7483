// The lists of Projects: their orders, what they leave out, and who sees what, also where most Projects are private.
import { expect, test } from "vitest";
import { joinProject, newProject, pages } from "../../../test/work.ts";
import { type Person, service, type World, world } from "../../../test/world.ts";
import { newId } from "../../platform/wire/ids.ts";

const running = service();
const pathOf = (home: World, query = "") => `/workspaces/${home.workspaceId}/projects${query}`;
const keys = async (person: Person, path: string, limit = 2) =>
  (await pages(person, path, limit)).items.map(({ key }) => key);
const states = async ({ workspaceId }: World) =>
  Object.fromEntries(
    (
      await running.sql<{ name: string; id: string }>(
        "select name, id from project_states where workspace_id = $1",
        [workspaceId],
        workspaceId,
      )
    ).map(({ name, id }) => [name, id]),
  );
const hide = ({ workspaceId }: World, stage: string) =>
  running.sql(
    `update lifecycle_stages g set hidden_by_default = true from lifecycle_definitions d
     where d.workspace_id = g.workspace_id and d.id = g.definition_id and d.kind = 'project' and g.name = $1`,
    [stage],
    workspaceId,
  );

test("Projects are listed in the order that people have given them, or by key, and only those that the caller sees", async () => {
  const home = await world(running);
  const member = await home.member("member");
  for (const key of ["ZZ", "AA", "MM", "BB", "CC"])
    await newProject(home, { key, visibility: key === "MM" ? "private" : "workspace" });
  const byKey = pathOf(home, "?order=key");
  expect(await keys(home.owner, pathOf(home))).toEqual(["ZZ", "AA", "MM", "BB", "CC"]);
  expect(await keys(home.owner, pathOf(home, "?order=manual"))).toEqual(["ZZ", "AA", "MM", "BB", "CC"]);
  expect(await keys(member, pathOf(home))).toEqual(["ZZ", "AA", "BB", "CC"]);
  expect(await keys(home.owner, byKey)).toEqual(["AA", "BB", "CC", "MM", "ZZ"]);
  expect(await keys(member, byKey)).toEqual(["AA", "BB", "CC", "ZZ"]);
  expect((await member.call("GET", byKey)).trips).toBe(1);
  expect((await member.call("GET", pathOf(home, "?order=name"))).body.errors[0].pointer).toBe("/query/order");
});

test("archived Projects are listed only when asked for, and then alone", async () => {
  const home = await world(running);
  const [, gone] = [await newProject(home, { key: "LIVE" }), await newProject(home, { key: "GONE" })];
  await home.owner.call("PATCH", `/projects/${gone.id}`, { body: { archived: true }, ifMatch: "1" });
  for (const query of ["", "?archived=false"]) expect(await keys(home.owner, pathOf(home, query))).toEqual(["LIVE"]);
  for (const query of ["?archived=true", "?archived=true&order=key"])
    expect(await keys(home.owner, pathOf(home, query))).toEqual(["GONE"]);
});

test("Projects in a stage that is hidden by default are listed when asked for, and when their state is named", async () => {
  const home = await world(running);
  const { Completed, Planned } = await states(home);
  await newProject(home, { key: "OPEN" });
  await newProject(home, { key: "DONE", state_id: Completed });
  expect(await keys(home.owner, pathOf(home))).toEqual(["OPEN", "DONE"]);
  await hide(home, "Completed");
  expect(await keys(home.owner, pathOf(home))).toEqual(["OPEN"]);
  expect(await keys(home.owner, pathOf(home, "?hidden=true&order=key"))).toEqual(["DONE", "OPEN"]);
  expect(await keys(home.owner, pathOf(home, `?state_id=${Completed}`))).toEqual(["DONE"]);
  expect(await keys(home.owner, pathOf(home, `?state_id=${Planned}&order=key`))).toEqual(["OPEN"]);
  expect(await keys(home.owner, pathOf(home, `?state_id=${newId()}`))).toEqual([]);
});

/** `count` private Projects of the owner's, of which `person` is in every `each`th, and two that everybody sees. */
async function privates(home: World, person: Person, count: number, each: number) {
  const { workspaceId, owner } = home;
  await running.sql(
    `insert into projects (workspace_id, id, key, name, visibility, created_by_actor_id, position)
     select $1, gen_random_uuid(), 'P' || n, 'x', 'private', $2, n from generate_series(1, $3::int) n`,
    [workspaceId, owner.actorId, count],
    workspaceId,
  );
  await running.sql(
    `insert into project_members (workspace_id, project_id, actor_id, role)
     select $1, id, $2, 'member' from projects where visibility = 'private' and position::int % $3 = 0`,
    [workspaceId, person.actorId, each],
    workspaceId,
  );
  await newProject(home, { key: "A1" });
  await newProject(home, { key: "Z1" });
}

test("a member finds their own among many private Projects, whether they are in few or in many of them", async () => {
  for (const [count, each, wanted] of [
    [300, 100, 3],
    [600, 2, 300],
  ] as const) {
    const home = await world(running);
    const [person, stranger] = [await home.member("member"), await home.member("viewer")];
    await privates(home, person, count, each);
    const own = Array.from({ length: wanted }, (_, index) => `P${(index + 1) * each}`);
    expect(await keys(person, pathOf(home), 100)).toEqual([...own, "A1", "Z1"]);
    expect(await keys(person, pathOf(home, "?order=key"), 100)).toEqual(["A1", ...own.toSorted(), "Z1"]);
    expect(await keys(stranger, pathOf(home), 1)).toEqual(["A1", "Z1"]);
    expect(await keys(await home.member("admin"), pathOf(home), 100)).toHaveLength(count + 2);
  }
});

test("what is listed is what can be read, for every role and membership", async () => {
  const home = await world(running);
  const made = [];
  for (const visibility of ["private", "workspace", "private", "workspace"] as const)
    made.push(await newProject(home, { visibility }));
  const people = [home.owner, await home.member("admin"), await home.member("member"), await home.member("viewer")];
  await joinProject(home, made[2].id, people[2] as Person, "viewer");
  await joinProject(home, made[0].id, people[3] as Person, "lead");
  for (const person of people) {
    const listed = (await pages(person, pathOf(home), 3)).items.map(({ id }) => id);
    for (const { id } of made)
      expect((await person.call("GET", `/projects/${id}`)).status).toBe(listed.includes(id) ? 200 : 404);
  }
});

test("a page ends at a mebibyte of descriptions, and the rest follows", async () => {
  const home = await world(running);
  for (const key of ["AA", "BB", "CC", "DD", "EE"])
    await newProject(home, { key, description_markdown: "x".repeat(262_144) });
  for (const order of ["manual", "key"]) {
    const { body } = await home.owner.call("GET", pathOf(home, `?order=${order}`));
    expect([body.items.length, body.has_more], order).toEqual([4, true]);
    expect(await keys(home.owner, pathOf(home, `?order=${order}`), 100)).toEqual(["AA", "BB", "CC", "DD", "EE"]);
  }
});
