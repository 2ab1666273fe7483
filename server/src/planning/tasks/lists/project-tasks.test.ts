// The list of a Project's Tasks: order, filters, pages, cursors.
import { expect, test } from "vitest";
import { newProject, newTask, pages, trashTask } from "../../../../test/work.ts";
import { type Person, service, world } from "../../../../test/world.ts";
import { newId } from "../../../platform/wire/ids.ts";

const running = service();

async function backlog(count: number) {
  const home = await world(running);
  const project = await newProject(home);
  const { items } = (await home.owner.call("GET", `/projects/${project.id}/statuses`)).body;
  const status = (name: string): string => items.find((item: { name: string }) => item.name === name).id;
  for (let made = 0; made < count; made += 20)
    await Promise.all(Array.from({ length: Math.min(20, count - made) }, () => newTask(home.owner, project.id)));
  return { ...home, home, project, status, path: `/projects/${project.id}/tasks` };
}
const numbers = async (person: Person, path: string, limit = 100) =>
  (await pages(person, path, limit)).items.map(({ number }) => number);
const down = (from: number) => Array.from({ length: from }, (_, index) => from - index);

test("120 Tasks come newest first, each once, while new ones are inserted", async () => {
  const { owner, path, project } = await backlog(120);
  const all = await pages(owner, path, 25, () => newTask(owner, project.id));
  expect(all.pages).toBe(5);
  expect(all.items.map(({ number }) => number)).toEqual(down(120));
  const first = await owner.call("GET", path);
  expect(first.body.items).toHaveLength(50);
  expect(first.trips).toBe(1);
  expect(first.headers.get("link")).toContain(`cursor=${encodeURIComponent(first.body.next_cursor)}`);
});

test("a page of exactly the rest says that there is no more", async () => {
  const { owner, path } = await backlog(4);
  const full = (await owner.call("GET", `${path}?limit=4`)).body;
  expect([full.items.length, full.has_more, full.next_cursor]).toEqual([4, false, null]);
  const short = (await owner.call("GET", `${path}?limit=3`)).body;
  expect([short.items.length, short.has_more]).toEqual([3, true]);
});

test("filters by Status, by assignee and by both, each paged", async () => {
  const { owner, home, path, project, status } = await backlog(0);
  const ada = await home.member("member");
  for (let index = 1; index <= 12; index++)
    await newTask(owner, project.id, {
      status_id: status(index % 2 ? "Todo" : "Done"),
      assignee_actor_id: index % 3 ? null : ada.actorId,
    });
  expect(await numbers(owner, `${path}?status_id=${status("Done")}`, 2)).toEqual([12, 10, 8, 6, 4, 2]);
  expect(await numbers(owner, `${path}?assignee_actor_id=${ada.actorId}`, 3)).toEqual([12, 9, 6, 3]);
  const both = `${path}?assignee_actor_id=${ada.actorId}&status_id=${status("Done")}`;
  expect(await numbers(owner, both, 1)).toEqual([12, 6]);
  expect(await numbers(owner, `${path}?status_id=${newId()}`)).toEqual([]);
});

test("what lies in the trash is not listed, and another Project's Tasks are not either", async () => {
  const { owner, home, path } = await backlog(3);
  const other = await newProject(home);
  await newTask(owner, other.id);
  const { items } = (await owner.call("GET", path)).body;
  await trashTask(running, home, items[1].id);
  expect(await numbers(owner, path)).toEqual([3, 1]);
});

test("a cursor is bound to its list, caller and filter", async () => {
  const { owner, home, path, status } = await backlog(3);
  const other = await newProject(home);
  const member = await home.member("member");
  const cursor = (await owner.call("GET", `${path}?limit=1`)).body.next_cursor as string;
  expect((await owner.call("GET", `${path}?limit=2&cursor=${cursor}`)).body.items).toHaveLength(2);
  const [payload, signature] = cursor.split(".") as [string, string];
  const forged = Buffer.from("[1]").toString("base64url");
  const elsewhere = [
    await member.call("GET", `${path}?cursor=${cursor}`),
    await owner.call("GET", `/projects/${other.id}/tasks?cursor=${cursor}`),
    await owner.call("GET", `${path}?cursor=${cursor}&status_id=${status("Todo")}`),
    await owner.call("GET", `/workspaces/${home.workspaceId}/projects?cursor=${cursor}`),
    await owner.call("GET", `${path}?cursor=${forged}.${signature}`),
    await owner.call("GET", `${path}?cursor=${payload}`),
    await owner.call("GET", `${path}?cursor=x`),
  ];
  expect(elsewhere.map(({ body }) => body.code)).toEqual(Array(7).fill("invalid_cursor"));
});

test("a cursor goes on with the same filters, in whatever order they stand", async () => {
  const { owner, home } = await backlog(3);
  const path = `/workspaces/${home.workspaceId}/tasks`;
  const { next_cursor } = (await owner.call("GET", `${path}?priority=none&sort=created&limit=1`)).body;
  const next = await owner.call("GET", `${path}?sort=created&limit=5&cursor=${next_cursor}&priority=none`);
  expect([next.status, next.body.items?.length], next.text).toEqual([200, 2]);
});

test("limit is 1 to 100, and unknown, repeated and malformed parameters are refused with a pointer", async () => {
  const { owner, path } = await backlog(1);
  for (const limit of [1, 100]) expect((await owner.call("GET", `${path}?limit=${limit}`)).status).toBe(200);
  const cases = {
    "limit=0": "/query/limit",
    "limit=101": "/query/limit",
    "limit=1.5": "/query/limit",
    "limit=1&limit=2": "/query/limit",
    "status_id=todo": "/query/status_id",
    "cursor=": "/query/cursor",
    "sort=name": "/query/sort",
  };
  for (const [query, pointer] of Object.entries(cases)) {
    const refused = await owner.call("GET", `${path}?${query}`);
    expect([refused.body.code, refused.body.errors[0].pointer], query).toEqual(["invalid_request", pointer]);
  }
});
