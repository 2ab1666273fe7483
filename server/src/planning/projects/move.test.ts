// The order of Projects: who makes it, that it stays one order however often and by however many it is changed.
import { expect, test } from "vitest";
import { eventsOf, joinProject, newProject, pages } from "../../../test/work.ts";
import { type Person, service, type World, world } from "../../../test/world.ts";
import { newId } from "../../platform/wire/ids.ts";

const running = service();
const move = (person: Person, id: string, after_id: string | null) =>
  person.call("POST", `/projects/${id}/move`, { body: { after_id } });
const order = async (home: World, query = "") =>
  (await pages(home.owner, `/workspaces/${home.workspaceId}/projects${query}`, 100)).items.map(({ id }) => id);
async function projects(home: World, count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let made = 0; made < count; made++) ids.push((await newProject(home)).id);
  return ids;
}

test("a Project moves to the first place, behind another one, and to the last place", async () => {
  const home = await world(running);
  const [a, b, c] = (await projects(home, 3)) as [string, string, string];
  const moved = await move(home.owner, c, null);
  expect(moved.body).toMatchObject({ id: c, revision: "1" });
  expect(moved.trips).toBeLessThanOrEqual(5);
  expect(await order(home)).toEqual([c, a, b]);
  await move(home.owner, c, a);
  expect(await order(home)).toEqual([a, c, b]);
  await move(home.owner, a, b);
  expect(await order(home)).toEqual([c, b, a]);
  await move(home.owner, a, b);
  expect(await order(home)).toEqual([c, b, a]);
  const { id } = await newProject(home);
  expect(await order(home)).toEqual([c, b, a, id]);
  const events = await eventsOf(running, home, a);
  expect(events.at(-1)).toMatchObject({ type: "project.moved", activity: null });
});

test("a Project stands behind one that exists, is seen and is another one", async () => {
  const home = await world(running);
  const [a, b] = (await projects(home, 2)) as [string, string];
  const foreign = await newProject(await world(running));
  const gone = await newProject(home);
  await home.owner.call("DELETE", `/projects/${gone.id}`);
  for (const after of [newId(), foreign.id, gone.id, a]) {
    const refused = await move(home.owner, a, after);
    expect(refused.body).toMatchObject({ code: "invalid_reference", errors: [{ pointer: "/body/after_id" }] });
  }
  expect(await order(home)).toEqual([a, b]);
});

test("owners and admins make the order, and not the Project's lead", async () => {
  const home = await world(running);
  const [member, viewer, admin] = [
    await home.member("member"),
    await home.member("viewer"),
    await home.member("admin"),
  ];
  const [a] = (await projects(home, 2)) as [string];
  await joinProject(home, a, member, "lead");
  for (const person of [member, viewer]) expect((await move(person, a, null)).status).toBe(403);
  expect((await move(admin, a, null)).status).toBe(200);
  expect((await move((await world(running)).owner, a, null)).status).toBe(404);
  const hidden = await newProject(home, { visibility: "private" });
  expect((await move(member, hidden.id, null)).status).toBe(404);
});

test("200 moves into one gap keep the order, though no number is left there after fifty", async () => {
  const home = await world(running);
  const [first, second, third] = (await projects(home, 3)) as [string, string, string];
  for (let round = 0; round < 200; round++) {
    const [inside, outside] = round % 2 === 0 ? [second, third] : [third, second];
    expect((await move(home.owner, outside, first)).status).toBe(200);
    if (round % 20 > 17) expect(await order(home)).toEqual([first, outside, inside]);
  }
});

test("Projects that share one number are still moved to where they were asked to go", async () => {
  const home = await world(running);
  const ids = await projects(home, 4);
  await running.sql("update projects set position = 5", [], home.workspaceId);
  const [a, b, c, d] = ids as [string, string, string, string];
  await move(home.owner, d, a);
  expect(await order(home)).toEqual([a, d, b, c]);
  await move(home.owner, b, null);
  expect(await order(home)).toEqual([b, a, d, c]);
});

test("many who move at once leave one order of all Projects", async () => {
  const home = await world(running);
  const ids = await projects(home, 8);
  await running.sql("update projects set position = 5 where position > 2048", [], home.workspaceId);
  const anyOf = (random: number) => ids[Math.floor(random * ids.length)] as string;
  const moves = Array.from({ length: 40 }, (_, index) => {
    const id = ids[index % ids.length] as string;
    const after = anyOf(Math.random());
    return move(home.owner, id, after === id ? null : after);
  });
  expect((await Promise.all(moves)).map(({ status }) => status)).toEqual(Array(40).fill(200));
  expect((await order(home)).toSorted()).toEqual(ids.toSorted());
  const same = await running.sql("select from projects group by position having count(*) > 1", [], home.workspaceId);
  expect(same).toEqual([]);
  const [last, ...rest] = (await order(home)).toReversed() as [string, ...string[]];
  await move(home.owner, last, null);
  expect(await order(home)).toEqual([last, ...rest.toReversed()]);
});

test("an archived Project keeps its place", async () => {
  const home = await world(running);
  const [a, b, c] = (await projects(home, 3)) as [string, string, string];
  await home.owner.call("PATCH", `/projects/${b}`, { body: { archived: true }, ifMatch: "1" });
  await move(home.owner, c, b);
  await move(home.owner, a, b);
  await home.owner.call("PATCH", `/projects/${b}`, { body: { archived: false }, ifMatch: "2" });
  expect(await order(home)).toEqual([b, a, c]);
});
