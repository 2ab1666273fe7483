// The caller's own work, and full-text search.
import { expect, test } from "vitest";
import { commandLine } from "../../../test/cli.ts";
import { whole } from "../../../test/eventually.ts";
import { statusNamed } from "../../../test/steps.ts";
import { newComment, newProject, newTask, trashTask } from "../../../test/work.ts";
import { service, world } from "../../../test/world.ts";

const running = service();

test("my work is what is assigned to me and open: first what is due, the soonest first, then the latest change", async () => {
  const home = await world(running);
  const { get, pages } = await commandLine(running, home, undefined, ["svc:read"]);
  const member = await home.member("member");
  const project = await newProject(home);
  const mine = { assignee_actor_id: home.owner.actorId };
  const make = (title: string, body: object = {}) => newTask(home.owner, project.id, { title, ...mine, ...body });
  await make("older");
  await make("second", { due_date: "2027-01-02" });
  await make("newer", { status_id: await statusNamed(home, "In Review") });
  await make("first", { due_date: "2026-01-01" });
  await make("third", { due_date: "2027-01-03" });
  await make("done", { status_id: await statusNamed(home, "Done") });
  await make("cancelled", { status_id: await statusNamed(home, "Cancelled"), due_date: "2026-01-01" });
  await trashTask(running, home, (await make("trashed")).id);
  await make("of somebody else", { assignee_actor_id: member.actorId });
  await make("of nobody", { assignee_actor_id: null });
  const wanted = ["first", "second", "third", "newer", "older"];
  for (const limit of [1, 2, 3, 4, 5, 100])
    expect((await pages("/my-work", limit)).map(({ title }) => title)).toEqual(wanted);
  const { trips } = await get("/my-work");
  expect(trips).toBe(1);
  const other = await commandLine(running, home, member);
  expect((await other.get("/my-work")).body.items.map(({ title }: { title: string }) => title)).toEqual([
    "of somebody else",
  ]);
});

test("my work ends where the caller sees nothing any more", async () => {
  const home = await world(running);
  const member = await home.member("member");
  const { get } = await commandLine(running, home, member);
  const [hidden, archived] = [await newProject(home), await newProject(home)];
  for (const { id } of [hidden, archived])
    for (const due_date of [null, "2027-01-01"])
      await newTask(home.owner, id, { assignee_actor_id: member.actorId, due_date });
  expect((await get("/my-work")).body.items).toHaveLength(4);
  await home.owner.call("PATCH", `/projects/${hidden.id}`, { body: { visibility: "private" }, ifMatch: "1" });
  await home.owner.call("PATCH", `/projects/${archived.id}`, { body: { archived: true }, ifMatch: "1" });
  expect((await get("/my-work")).body.items).toEqual([]);
});

test("search finds Tasks that the caller sees, and answers their codes and titles", async () => {
  const home = await world(running);
  const { get, pages } = await commandLine(running, home, undefined, ["svc:read"]);
  const [project, other] = [await newProject(home), await newProject(home)];
  const hidden = await newProject(home, { visibility: "private" });
  const task = await newTask(home.owner, project.id, { title: "Polish the pinion" });
  await newTask(home.owner, other.id, { title: "Order a pinion" });
  await newTask(home.owner, hidden.id, { title: "Secret pinion" });
  await newComment(home.owner, (await newTask(home.owner, project.id)).id, "pinion");
  const found = await pages("/search?q=%20pinion%20", 2);
  expect(found.map(({ title }) => title).sort()).toEqual(["Order a pinion", "Polish the pinion", "Secret pinion"]);
  const within = `/search?q=pinion&project_code=${project.key.toLowerCase()}`;
  const [one, ...more] = (await get(within)).body.items;
  expect(more).toEqual([]);
  expect(one).toEqual({
    kind: "task",
    resource_type: "task",
    code: task.code,
    title: "Polish the pinion",
    project_code: project.key,
  });
  expect((await get(`/search?q=${task.code.toLowerCase()}`)).body.items[0].code).toBe(task.code);
  const unknown = await get("/search?q=pinion&project_code=NONE");
  expect([unknown.status, unknown.body.code, unknown.body.errors[0].pointer]).toEqual([
    404,
    "not_found",
    "/query/project_code",
  ]);
  expect((await get("/search?q=pinion&resource_type=task")).body.items).toHaveLength(3);
  expect((await get("/search?q=pinion&resource_type=document")).body.items).toEqual([]);
  const member = await commandLine(running, home, await home.member("member"));
  expect((await member.get("/search?q=pinion")).body.items).toHaveLength(2);
  expect((await member.get(`/search?q=pinion&project_code=${hidden.key}`)).status).toBe(404);
  expect((await (await commandLine(running, await world(running))).get("/search?q=pinion")).body.items).toEqual([]);
});

test("a code is the same in upper and lower case, and has no letters but A to Z", async () => {
  const home = await world(running);
  const { get } = await commandLine(running, home);
  const project = await newProject(home, { key: "SS" });
  for (const title of ["Polish the pinion", "Order a pinion"]) await newTask(home.owner, project.id, { title });
  const { items, next_cursor } = (await get("/search?q=pinion&project_code=SS&limit=1")).body;
  const next = (await get(`/search?q=pinion&project_code=ss&limit=1&cursor=${next_cursor}`)).body.items;
  expect(new Set([...items, ...next].map(({ code }) => code))).toEqual(new Set(["SS-1", "SS-2"]));
  for (const code of ["ß", "ſſ"])
    expect((await get(`/search?q=pinion&project_code=${encodeURIComponent(code)}`)).status).toBe(404);
});

test("my work is found behind more Tasks than a stretch has, of which the caller sees none", async () => {
  const home = await world(running);
  const member = await home.member("member");
  const { get, pages } = await commandLine(running, home, member);
  const mine = { assignee_actor_id: member.actorId };
  const [hidden, open] = [await newProject(home), await newProject(home)];
  await newTask(home.owner, open.id, { ...mine, title: "undated" });
  await newTask(home.owner, open.id, { ...mine, title: "dated", due_date: "2027-01-02" });
  const task = await newTask(home.owner, hidden.id, { ...mine, due_date: "2027-01-01" });
  await running.sql(
    `insert into tasks (workspace_id, id, project_id, number, title, status_id, assignee_actor_id, position,
     created_by_actor_id, due_date)
     select workspace_id, gen_random_uuid(), project_id, 1000 + n, title, status_id, assignee_actor_id, n,
       created_by_actor_id,
       case when n <= 800 then due_date end
     from tasks, generate_series(1, 1600) n where id = $1`,
    [task.id],
    home.workspaceId,
  );
  await home.owner.call("PATCH", `/projects/${hidden.id}`, { body: { visibility: "private" }, ifMatch: "1" });
  const { items, has_more, complete } = (await whole(() => get("/my-work"))).body;
  expect([items.length, has_more, complete]).toEqual([2, false, true]);
  expect((await pages("/my-work", 1)).map(({ title }) => title)).toEqual(["dated", "undated"]);
});

test("q has 1 to 200 characters after trimming, project_code 1 to 64, and resource_type is task or document", async () => {
  const { get } = await commandLine(running, await world(running));
  const longest = "é".repeat(200);
  for (const [query, status] of [
    [`q=${encodeURIComponent(longest)}`, 200],
    [`q=%20${encodeURIComponent(longest)}%20`, 200],
    [`q=${encodeURIComponent(longest)}x`, 400],
    ["q=", 400],
    ["q=%20%20", 400],
    ["", 400],
    [`q=x&project_code=${"x".repeat(64)}`, 404],
    [`q=x&project_code=${"x".repeat(65)}`, 400],
    ["q=x&project_code=", 400],
    ["q=x&resource_type=comment", 400],
  ] as const)
    expect([query, (await get(`/search?${query}`)).status]).toEqual([query, status]);
});
