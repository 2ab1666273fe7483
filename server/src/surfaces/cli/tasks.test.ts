// Tasks and comments by code. The command line of the tests refuses every answer that holds a UUID.
import { operations } from "@svc/contract/operations.ts";
import { expect, test } from "vitest";
import { commandLine } from "../../../test/cli.ts";
import { eventsOf, joinProject, newComment, newMilestone, newProject, newTask, trashTask } from "../../../test/work.ts";
import { newKey, service, world } from "../../../test/world.ts";

const running = service();

test("a Task is read by its code in any case, with its revision, its names and its capabilities", async () => {
  const home = await world(running);
  const { username, get } = await commandLine(running, home);
  const project = await newProject(home);
  const milestone = await newMilestone(home.owner, project.id);
  const task = await newTask(home.owner, project.id, {
    description_markdown: "Brass.",
    priority: "high",
    assignee_actor_id: home.owner.actorId,
    milestone_id: milestone.id,
    due_date: "2026-12-24",
  });
  const label = await home.owner.call("POST", `/workspaces/${home.workspaceId}/label-definitions`, {
    body: { name: "Bug", color: "red", purpose: "task" },
    key: newKey(),
  });
  await running.sql("update tasks set label_ids = $2 where id = $1", [task.id, [label.body.id]], home.workspaceId);
  for (const code of [task.code, task.code.toLowerCase()]) {
    const { status, body, headers, trips } = await get(`/tasks/${code}`);
    expect([status, headers.get("etag"), trips]).toEqual([200, '"1"', 1]);
    expect(body).toEqual({
      code: task.code,
      project_code: project.key,
      title: task.title,
      description_markdown: "Brass.",
      priority: "high",
      status: { name: "Todo", category: "unstarted" },
      assignee: { username, display_name: expect.stringMatching(/^Person/) },
      milestone_code: `${project.key}-M1`,
      labels: ["Bug"],
      start_date: null,
      due_date: "2026-12-24",
      started_at: null,
      completed_at: null,
      trashed_at: null,
      created_at: task.created_at,
      updated_at: task.updated_at,
      revision: "1",
      capabilities: ["work:read", "work:write", "work:manage"],
    });
  }
});

test("a code is 4 to 28 characters; what is none is malformed, and what names nothing is not found", async () => {
  const home = await world(running);
  const { get } = await commandLine(running, home);
  for (const code of ["A-1", "AB-0", "AB-01", "AB1", "AB-1x", `ABCDEFGHIJ-${"1".repeat(18)}`])
    expect([code, (await get(`/tasks/${code}`)).status]).toEqual([code, 400]);
  for (const code of ["AB-1", `ABCDEFGHIJ-${"1".repeat(17)}`])
    expect([code, (await get(`/tasks/${code}`)).status]).toEqual([code, 404]);
});

test("a Task is still found by the code that it had before it was moved", async () => {
  const home = await world(running);
  const { get, post } = await commandLine(running, home);
  const [from, to] = [await newProject(home), await newProject(home)];
  const task = await newTask(home.owner, from.id);
  await newComment(home.owner, task.id, "Before");
  const moved = await home.owner.call("POST", `/tasks/${task.id}/move`, {
    body: { project_id: to.id },
    headers: { "if-match": "*" },
    key: newKey(),
  });
  expect(moved.status).toBe(200);
  expect((await get(`/tasks/${task.code}`)).body.code).toBe(`${to.key}-1`);
  expect((await get(`/tasks/${task.code}/comments`)).body.items).toHaveLength(1);
  expect((await get(`/tasks/${task.code}/context`)).body.project.code).toBe(to.key);
  const started = await post(`/tasks/${task.code.toLowerCase()}/start`, { ifMatch: moved.body.revision });
  expect([started.status, started.body.code, started.body.status.name]).toEqual([200, `${to.key}-1`, "In Progress"]);
  expect((await post(`/tasks/${task.code}/comments`, { body: { markdown: "After" } })).status).toBe(201);
});

test("who does not see a Task cannot tell it from one that is missing", async () => {
  const home = await world(running);
  const hidden = await newProject(home, { visibility: "private" });
  const task = await newTask(home.owner, hidden.id);
  const { get, post } = await commandLine(running, home, await home.member("member"));
  const foreign = await commandLine(running, await world(running));
  const paths = (code: string) => [`/tasks/${code}`, `/tasks/${code}/comments`, `/tasks/${code}/context`];
  const plain = (text: string) => text.replace(/"correlation_id":"[^"]+"/, "");
  for (const [index, path] of paths(task.code).entries()) {
    const missing = await get(paths(`${hidden.key}-99`)[index] as string);
    for (const answer of [await get(path), await foreign.get(path)]) {
      expect(answer.status).toBe(404);
      expect(plain(answer.text)).toBe(plain(missing.text));
    }
  }
  expect((await post(`/tasks/${task.code}/comments`, { body: { markdown: "?" } })).status).toBe(404);
  expect((await get(`/projects/${hidden.key}/tasks`)).status).toBe(404);
  expect((await post(`/projects/${hidden.key}/tasks`, { body: { title: "?" } })).status).toBe(404);
});

test("the Tasks of a Project are listed newest first, page by page, without what lies in the trash", async () => {
  const home = await world(running);
  const { get, pages } = await commandLine(running, home, undefined, ["svc:read"]);
  const project = await newProject(home);
  const tasks = [];
  for (let made = 0; made < 5; made++) tasks.push(await newTask(home.owner, project.id));
  await trashTask(running, home, tasks[1].id);
  const items = await pages(`/projects/${project.key.toLowerCase()}/tasks`, 2);
  expect(items.map(({ code }) => code)).toEqual([5, 4, 3, 1].map((number) => `${project.key}-${number}`));
  expect(items[0]).not.toHaveProperty("description_markdown");
  const { next_cursor } = (await get(`/projects/${project.key}/tasks?limit=2`)).body;
  const rest = await get(`/projects/${project.key.toLowerCase()}/tasks?cursor=${next_cursor}`);
  expect(rest.body.items).toEqual(items.slice(2));
  const { body: refused } = await get(`/projects/${(await newProject(home)).key}/tasks?cursor=${next_cursor}`);
  expect(refused.code).toBe("invalid_cursor");
  expect((await get("/projects/NONE/tasks")).status).toBe(404);
  for (const [code, status] of [
    ["x".repeat(64), 404],
    ["x".repeat(65), 400],
    ["x-y", 400],
  ] as const)
    expect((await get(`/projects/${code}/tasks`)).status).toBe(status);
});

test("a Task is created with a title, and a text and a priority where they are given", async () => {
  const home = await world(running);
  const { get, post } = await commandLine(running, home);
  const project = await newProject(home);
  const path = `/projects/${project.key.toLowerCase()}/tasks`;
  const { status, body, headers, trips } = await post(path, { body: { title: "Cut the gears" } });
  expect([status, body.code, headers.get("etag")]).toEqual([201, `${project.key}-1`, '"1"']);
  expect([body.status.name, body.priority, body.description_markdown, body.assignee]).toEqual([
    "Todo",
    "none",
    "",
    null,
  ]);
  expect(trips).toBeLessThanOrEqual(5);
  expect((await get(`/tasks/${body.code}`)).body).toEqual(body);
  const most = { title: "x".repeat(500), description_markdown: "x".repeat(262_144), priority: "urgent" };
  expect((await post(path, { body: most })).body).toMatchObject(most);
  for (const [field, value] of [
    ["title", "x".repeat(501)],
    ["title", ""],
    ["description_markdown", "x".repeat(262_145)],
    ["priority", "huge"],
    ["status_id", "x"],
    ["assignee_actor_id", "x"],
  ] as const) {
    const refused = await post(path, { body: { title: "x", [field]: value } });
    expect([refused.status, refused.body.errors[0].pointer]).toEqual([400, `/body/${field}`]);
  }
  expect((await post(path, { body: { priority: "low" } })).body.errors[0].pointer).toBe("/body/title");
});

test("creating twice with one key makes one Task; viewers and tokens that only read make none; nor does a closed Project take one", async () => {
  const home = await world(running);
  const [owner, project] = [await commandLine(running, home), await newProject(home)];
  const path = `/projects/${project.key}/tasks`;
  const [body, key] = [{ title: "Once" }, newKey()];
  const answers = await Promise.all([1, 2, 3, 4].map(() => owner.post(path, { body, key })));
  expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
  expect((await owner.get(path)).body.items).toHaveLength(1);
  const viewer = await commandLine(running, home, await home.member("viewer"));
  expect((await viewer.post(path, { body })).body.code).toBe("forbidden");
  const reading = await commandLine(running, home, await home.member("member"), ["svc:read"]);
  expect((await reading.post(path, { body })).body.code).toBe("insufficient_scope");
  await home.owner.call("PATCH", `/projects/${project.id}`, { body: { archived: true }, headers: { "if-match": "*" } });
  expect((await owner.post(path, { body })).body.code).toBe("project_archived");
});

test("comments stand in the order of creation, and a deleted one keeps its place without its text", async () => {
  const home = await world(running);
  const { username, get, post, pages } = await commandLine(running, home);
  const task = await newTask(home.owner, (await newProject(home)).id);
  const path = `/tasks/${task.code.toLowerCase()}/comments`;
  const { status, body, trips } = await post(path, { body: { markdown: "One" } });
  expect(status).toBe(201);
  expect(trips).toBeLessThanOrEqual(5);
  expect(body).toEqual({
    author: { username, display_name: expect.stringMatching(/^Person/) },
    markdown: "One",
    reactions: [],
    created_at: body.created_at,
    updated_at: body.created_at,
    deleted_at: null,
  });
  const two = await newComment(home.owner, task.id, "Two");
  await post(path, { body: { markdown: "Three" } });
  await home.owner.call("DELETE", `/comments/${two.id}`);
  const items = await pages(path, 2);
  expect(items.map(({ markdown }) => markdown)).toEqual(["One", "", "Three"]);
  expect(items.map(({ deleted_at }) => deleted_at !== null)).toEqual([false, true, false]);
  expect((await get(path)).body.items).toEqual(items);
  const facts = await home.owner.call("GET", `/tasks/${task.id}/comments`);
  expect((await eventsOf(running, home, facts.body.items[0].id)).map(({ type }) => type)).toEqual([
    "task.comment.created",
  ]);
});

test("a comment has 1 to 262144 characters; readers and the trash take none", async () => {
  const home = await world(running);
  const project = await newProject(home);
  const task = await newTask(home.owner, project.id);
  const [owner, viewer] = [
    await commandLine(running, home),
    await commandLine(running, home, await home.member("viewer")),
  ];
  const member = await home.member("member");
  await joinProject(home, project.id, member, "viewer");
  const projectViewer = await commandLine(running, home, member);
  const path = `/tasks/${task.code}/comments`;
  expect((await owner.post(path, { body: { markdown: "x".repeat(262_144) } })).status).toBe(201);
  for (const markdown of ["", " ", "x".repeat(262_145)])
    expect((await owner.post(path, { body: { markdown } })).body.errors[0].pointer).toBe("/body/markdown");
  for (const reader of [viewer, projectViewer])
    expect((await reader.post(path, { body: { markdown: "?" } })).body.code).toBe("forbidden");
  await trashTask(running, home, task.id);
  expect((await owner.post(path, { body: { markdown: "?" } })).body.code).toBe("task_trashed");
  expect((await owner.get(path)).body.items).toHaveLength(1);
});

test("no answer of the workflow holds a UUID, not even a refusal's", async () => {
  const home = await world(running);
  const { get, post } = await commandLine(running, home);
  const task = await newTask(home.owner, (await newProject(home)).id);
  const path = `/tasks/${task.code}`;
  const step = (name: string, ifMatch: string) => post(`${path}/${name}`, { ifMatch });
  for (const [name, revision, status] of [
    ["reopen", "1", 409],
    ["start", "1", 200],
    ["done", "1", 409],
    ["done", "2", 200],
    ["reopen", "3", 200],
  ] as const)
    expect((await step(name, revision)).status).toBe(status);
  expect((await get(`${path}/context?profile=full`)).status).toBe(200);
});

test("no operation of the command line declares an id in what it answers, apart from the exchange of tokens", () => {
  const answering = operations.values().filter(({ path }) => path.startsWith("/cli/") && path !== "/cli/mcp/token");
  const declared = [...answering].map(({ id, schemas }) => [id, JSON.stringify(schemas.result)] as const);
  expect(declared.length).toBeGreaterThan(10);
  expect(declared.filter(([, result]) => /"format":"uuid"|"\w*\bid"|_ids?"/.test(result)).map(([id]) => id)).toEqual(
    [],
  );
});

test("comments are listed newest first on request, and a page of them ends at a mebibyte of text", async () => {
  const home = await world(running);
  const { get } = await commandLine(running, home);
  const task = await newTask(home.owner, (await newProject(home)).id);
  for (const text of ["first", ...Array<string>(4).fill("x".repeat(262_144))])
    await newComment(home.owner, task.id, text);
  const path = `/tasks/${task.code}/comments`;
  const { body } = await get(path);
  expect([body.items.length, body.has_more]).toEqual([4, true]);
  expect((await get(`${path}?cursor=${body.next_cursor}`)).body.items).toHaveLength(1);
  const newest = (await get(`${path}?order=desc`)).body;
  expect([newest.items.length, newest.has_more]).toEqual([4, true]);
  expect((await get(`${path}?order=desc&cursor=${newest.next_cursor}`)).body.items[0].markdown).toBe("first");
});
