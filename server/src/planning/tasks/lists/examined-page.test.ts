// Pages out of stretches: a selective filter fills its page, gives up after a while and says so, and nothing is lost
// between pages.
import { expect, test } from "vitest";
import { commandLine } from "../../../../test/cli.ts";
import { whole } from "../../../../test/eventually.ts";
import { newProject, newTask, pages } from "../../../../test/work.ts";
import { type Person, service, type World, world } from "../../../../test/world.ts";

const running = service();

/** So many more Tasks like this one, newer than it in every order; a statement makes no more than it has time for. */
async function hay({ workspaceId }: World, { id }: { id: string }, count: number) {
  for (let made = 0; made < count; made += 4_000)
    await running.sql(
      `insert into tasks (workspace_id, id, project_id, number, title, status_id, position, created_by_actor_id,
       assignee_actor_id)
       select workspace_id, ('f' || right(gen_random_uuid()::text, 35))::uuid, project_id, number + n, 'Hay', status_id,
         number + n, created_by_actor_id, assignee_actor_id
       from tasks, generate_series($2::int, $3::int) n where id = $1`,
      [id, made + 1, Math.min(made + 4_000, count)],
      workspaceId,
    );
}
async function haystack(count: number) {
  const home = await world(running);
  const project = await newProject(home);
  const needle = await newTask(home.owner, project.id, { title: "Needle", assignee_actor_id: home.owner.actorId });
  await hay(home, needle, count);
  const lists = [`/projects/${project.id}/tasks`, `/workspaces/${home.workspaceId}/tasks`];
  return { ...home, home, project, needle, lists };
}
const BASELINE = { headers: { "x-svc-realtime-baseline": "1" } };
const asked = async (person: Person, path: string, isWhole = true) => {
  const ask = () => person.call("GET", path);
  const { body, trips } = await (isWhole ? whole(ask) : ask());
  return { ...body, trips, ids: body.items.map(({ id }: { id: string }) => id) };
};

test("a page that is not full looks on in further stretches, on every list, and in one round-trip where it need not", async () => {
  const { home, owner, needle, lists, workspaceId } = await haystack(1_700);
  for (const path of lists)
    for (const sort of ["updated", "created", "priority", "title&order=asc"]) {
      const found = await asked(owner, `${path}?text=needle&sort=${sort}`);
      expect([found.ids, found.has_more, found.complete, found.next_cursor], path + sort).toEqual([
        [needle.id],
        false,
        true,
        null,
      ]);
      // Titles come in their order: the needle last as well.
      expect(found.trips, path + sort).toBe(3);
      expect((await asked(owner, `${path}?sort=${sort}`)).trips).toBe(1);
    }
  const { get } = await commandLine(running, home);
  const cancelled = (await owner.call("GET", `/workspaces/${workspaceId}/statuses`)).body.items.find(
    ({ category }: { category: string }) => category === "cancelled",
  );
  await running.sql(
    "update tasks set status_id = $2 where title = 'Hay' and workspace_id = $1",
    [workspaceId, cancelled.id],
    workspaceId,
  );
  const work = await asked(owner, `/workspaces/${workspaceId}/work`);
  expect([work.ids, work.has_more, work.complete]).toEqual([[needle.id], false, true]);
  const own = (await whole(() => get("/my-work"))).body;
  expect([own.items.map(({ code }: { code: string }) => code), own.has_more, own.complete]).toEqual([
    [needle.code],
    false,
    true,
  ]);
});

test("pages that are filled out of several stretches have every match once, in order", async () => {
  const { home, owner, lists } = await haystack(900);
  await running.sql(
    "update tasks set title = 'Needle ' || number where number % 90 = 0 and workspace_id = $1",
    [home.workspaceId],
    home.workspaceId,
  );
  for (const path of lists)
    for (const limit of [1, 3, 100]) {
      const all = await pages(owner, `${path}?text=needle&sort=created`, limit);
      const ids = all.items.map(({ id }) => id);
      expect([ids.length, new Set(ids).size], `${path} ${limit}`).toEqual([11, 11]);
    }
});

test(`where there is too much to look through, the page says that it is not complete, and the next one goes on from there`, async () => {
  const { home, owner, needle, lists } = await haystack(20_400);
  const viewer = await home.member("viewer");
  for (const person of [owner, viewer]) {
    const first = await asked(person, `${lists[1]}?text=needle&sort=created`, false);
    expect([first.ids, first.has_more, first.complete]).toEqual([[], true, false]);
  }
  const standing = async (path: string) =>
    (await owner.call("GET", path, BASELINE)).headers.get("x-svc-realtime-cursor");
  expect(await standing(`${lists[1]}?text=needle&sort=created`), "what gave up stands nowhere").toBeNull();
  expect(await standing(`${lists[1]}?sort=created`)).not.toBeNull();
  const { items } = await pages(owner, `${lists[0]}?text=needle`, 50);
  expect(items.map(({ id }) => id)).toEqual([needle.id]);
});

test("with descriptions, a page out of several stretches still ends at a mebibyte of text", async () => {
  const { home, owner, needle, lists, workspaceId } = await haystack(0);
  const long = "x".repeat(262_144);
  const described = async (count: number) => {
    for (let made = 0; made < count; made++)
      await newTask(owner, needle.project_id, { title: "Needle", description_markdown: long });
  };
  await described(3);
  await running.sql("update tasks set number = number + 10000 where project_id = $1", [needle.project_id], workspaceId);
  await running.sql("update task_counters set last_number = 0 where project_id = $1", [needle.project_id], workspaceId);
  await described(3);
  const last = await newTask(owner, needle.project_id, { title: "Below" });
  await hay(home, last, 1_000);
  const page = (cursor = "") => asked(owner, `${lists[0]}?text=needle&include=description,status${cursor}`);
  const first = await page();
  expect([first.ids.length, first.has_more, first.complete, first.trips]).toEqual([5, true, true, 2]);
  expect(first.items.map((item: { description_markdown: string }) => item.description_markdown.length)).toEqual([
    ...Array(3).fill(262_144),
    0,
    262_144,
  ]);
  expect(Object.keys(first.included.statuses)).toEqual([needle.status_id]);
  const rest = await page(`&cursor=${first.next_cursor}`);
  expect([rest.ids.length, rest.has_more]).toEqual([2, false]);
});

test("nobody looks on for somebody who is refused", async () => {
  const { home, lists } = await haystack(1_700);
  const stranger = await world(running);
  for (const path of lists) expect((await stranger.owner.call("GET", `${path}?text=needle`)).status).toBe(404);
  expect((await stranger.owner.call("GET", `${lists[0]}?text=needle`)).trips).toBe(1);
  expect((await home.owner.call("GET", `${lists[0]}?text=needle&cursor=x`)).trips).toBe(1);
});
