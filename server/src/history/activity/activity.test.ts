// The activity feed: what appears, for whom, collapsed, by day, and for how long.
import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { joinProject, newComment, newProject, newTask, pages } from "../../../test/work.ts";
import { insertCredential, newKey, type Person, service, type World, world } from "../../../test/world.ts";
import { newId, newSecret } from "../../platform/wire/ids.ts";

const running = service();
/** Not bound by the service's grants: events are immutable for it. */
let admin: pg.Client;
beforeAll(async () => {
  admin = new pg.Client(running.databaseUrl);
  await admin.connect();
});
afterAll(() => admin.end());

const feedOf = (home: World) => `/workspaces/${home.workspaceId}/activity`;
type Item = { id: string; action: string; count: number; affected: { id: string }[]; occurred_at: string };
async function feed(home: World, person: Person, query = ""): Promise<Item[]> {
  const answer = await person.call("GET", `${feedOf(home)}${query}`);
  expect(answer.status).toBe(200);
  expect(answer.trips).toBe(1);
  return answer.body.items;
}
const actions = async (home: World, person: Person) =>
  (await feed(home, person)).map(({ action }) => action.replace("activity.", ""));

/** Facts put where the past has them: one command each, so that only sessions collapse. */
async function past(home: World, projectId: string, at: string | Date, count = 1, type = "project.updated") {
  await admin.query(
    `insert into domain_events (workspace_id, id, type, activity, actor_id, source, command_id, project_id,
     resource_kind, resource_id, occurred_at)
     select $1, gen_random_uuid(), $6 || n, 'project', $2, 'session', gen_random_uuid(), $3, 'project', $3,
       $4::timestamptz - n * interval '1 ms'
     from generate_series(0, $5::int - 1) n`,
    [home.workspaceId, home.owner.actorId, projectId, at, count, type],
  );
}

test("changes of the registered kinds appear, newest first, with the names that things have now", async () => {
  const home = await world(running);
  const { owner } = home;
  const project = await newProject(home, { key: "ENG" });
  const task = await newTask(owner, project.id, { title: "Old title" });
  const comment = await newComment(owner, task.id);
  const statuses = (await owner.call("GET", `/projects/${project.id}/statuses`)).body.items;
  const done = statuses.find(({ category }: { category: string }) => category === "completed").id;
  const body = { title: "New title", status_id: done, assignee_actor_id: owner.actorId, priority: "high" };
  const changed = { ...body, due_date: "2027-01-01", description_markdown: "How" };
  await owner.call("PATCH", `/tasks/${task.id}`, { body: changed, ifMatch: "1" });
  const items = await feed(home, owner);
  expect(items).toHaveLength(4);
  expect(items[0]).toMatchObject({
    type: "progress",
    action: "activity.task.status_changed",
    actions: [
      "activity.task.status_changed",
      "activity.task.assigned",
      "activity.task.dates_changed",
      "activity.task.priority_changed",
      "activity.task.description_changed",
    ],
    count: 5,
    affected: [{ kind: "task", id: task.id }],
  });
  expect(items[1]).toMatchObject({
    type: "comment",
    action: "activity.task.comment.created",
    count: 1,
    affected: [{ kind: "comment", id: comment.id, code: "ENG-1", title: "New title" }],
    provenance: { actor_id: owner.actorId, source: "browser" },
  });
  expect(items[2]).toMatchObject({
    type: "progress",
    affected: [{ kind: "task", id: task.id, code: "ENG-1", title: "New title" }],
  });
  expect(items[3]).toMatchObject({
    type: "project",
    affected: [{ kind: "project", id: project.id, code: "ENG", title: "Engine" }],
  });
});

test("title corrections, order, reactions, configuration and statuses never appear, nor does what changes nothing", async () => {
  const home = await world(running);
  const { owner, workspaceId } = home;
  const project = await newProject(home);
  const task = await newTask(owner, project.id, { priority: "low" });
  const comment = await newComment(owner, task.id);
  const before = await actions(home, owner);
  await owner.call("PATCH", `/tasks/${task.id}`, { body: { title: "Corrected" }, ifMatch: "1" });
  await owner.call("PATCH", `/tasks/${task.id}`, { body: { position: 7 }, ifMatch: "2" });
  await owner.call("PATCH", `/tasks/${task.id}`, { body: { priority: "low", due_date: null }, ifMatch: "3" });
  await owner.call("PUT", `/comments/${comment.id}/reactions/heart`);
  await owner.call("DELETE", `/comments/${comment.id}/reactions/heart`);
  await owner.call("PATCH", `/projects/${project.id}`, { body: { color: "red", icon: "gear" }, ifMatch: "1" });
  await owner.call("POST", `/workspaces/${workspaceId}/statuses`, { body: { name: "Blocked", category: "started" } });
  expect(await actions(home, owner)).toEqual(before);
});

test("a private Project is in the feed of those who see it now, and of nobody else", async () => {
  const home = await world(running);
  const member = await home.member("member");
  const hidden = await newProject(home, { visibility: "private" });
  const task = await newTask(home.owner, hidden.id);
  await newComment(home.owner, task.id, "hush");
  expect(await actions(home, member)).toEqual([]);
  expect(await actions(home, await home.member("admin"))).toHaveLength(3);
  await joinProject(home, hidden.id, member, "viewer");
  expect(await actions(home, member)).toHaveLength(3);
  await running.sql("delete from project_members where actor_id = $1", [member.actorId], home.workspaceId);
  expect(await actions(home, member)).toEqual([]);
  await home.owner.call("PATCH", `/projects/${hidden.id}`, { body: { visibility: "workspace" }, ifMatch: "1" });
  expect(await actions(home, member)).toHaveLength(3);
});

test("a Task's events follow the Project that it is in now", async () => {
  const home = await world(running);
  const member = await home.member("member");
  const [shown, hidden] = [await newProject(home), await newProject(home, { visibility: "private" })];
  const task = await newTask(home.owner, shown.id);
  await running.sql("update tasks set project_id = $2 where id = $1", [task.id, hidden.id], home.workspaceId);
  expect(await actions(home, member)).toEqual(["project.created"]);
  // And the one that it was in last, once it is deleted.
  await running.sql("delete from tasks where id = $1", [task.id], home.workspaceId);
  expect(await actions(home, member)).toEqual(["project.created"]);
  expect(await actions(home, home.owner)).toEqual(["task.created", "project.created", "project.created"]);
});

test("a deleted comment leaves that it was written and deleted, and not one word of it", async () => {
  const home = await world(running);
  const task = await newTask(home.owner, (await newProject(home)).id);
  const comment = await newComment(home.owner, task.id, "xyzzy-secret");
  await home.owner.call("DELETE", `/comments/${comment.id}`);
  const answer = await home.owner.call("GET", feedOf(home));
  expect(answer.body.items[0].action).toBe("activity.task.comment.deleted");
  expect(answer.text).not.toContain("xyzzy");
});

test("another Workspace's feed does not exist, and only a browser session reads one", async () => {
  const home = await world(running);
  const other = await world(running);
  expect((await other.owner.call("GET", feedOf(home))).status).toBe(404);
  const token = await home.token();
  expect((await home.owner.bearer(token, "GET", feedOf(home))).body.code).toBe("credential_kind_not_allowed");
  expect((await (await home.member("viewer")).call("GET", feedOf(home))).status).toBe(200);
});

test("provenance says with which kind of credential", async () => {
  const home = await world(running);
  const project = await newProject(home);
  const kinds = { personal: "pat", developer: "dat", native: "nat" } as const;
  for (const [kind, prefix] of Object.entries(kinds)) {
    const secret = newSecret(prefix);
    await insertCredential(running, kind, secret, home.owner.userId, home.workspaceId, ["svc:read", "svc:write"]);
    const path = `/projects/${project.id}/tasks`;
    const made = await home.owner.bearer(secret, "POST", path, { body: { title: kind }, key: newKey() });
    expect(made.status).toBe(201);
  }
  const { body } = await home.owner.call("GET", feedOf(home));
  const sources = body.items.map((item: { provenance: { source: string } }) => item.provenance.source);
  expect(sources).toEqual(["mobile", "developer_client", "script", "browser"]);
});

test("an editing session is one item that counts its events", async () => {
  const home = await world(running);
  const task = await newTask(home.owner, (await newProject(home)).id);
  for (const [index, text] of ["a", "ab", "abc"].entries())
    await home.owner.call("PATCH", `/tasks/${task.id}`, {
      body: { description_markdown: text },
      ifMatch: `${index + 1}`,
    });
  const [item] = await feed(home, home.owner);
  expect(item).toMatchObject({ action: "activity.task.description_changed", count: 3, affected: [{ id: task.id }] });
});

test("pages count every event once, hidden ones take their room, and has_more alone says where history ends", async () => {
  const home = await world(running);
  const member = await home.member("member");
  const [shown, hidden] = [await newProject(home), await newProject(home, { visibility: "private" })];
  const now = Date.now();
  await past(home, shown.id, new Date(now - 60_000), 30, "shown.");
  await past(home, hidden.id, new Date(now - 120_000), 30, "hidden.");
  await past(home, shown.id, new Date(now - 180_000), 30, "shown.again.");
  const mine = await pages(member, feedOf(home), 10);
  expect(mine.pages).toBe(10);
  expect(mine.items).toHaveLength(61);
  const all = await pages(home.owner, feedOf(home), 7);
  expect(new Set(all.items.map(({ id }) => id)).size).toBe(92);
  expect(all.items.reduce((sum, { count }) => sum + (count as number), 0)).toBe(92);
  const empty = await member.call("GET", `${feedOf(home)}?limit=100`);
  expect([empty.body.items.length, empty.body.has_more, empty.body.next_cursor]).toEqual([61, false, null]);
});

test("a page in the middle of what the reader cannot see is empty and goes on", async () => {
  const home = await world(running);
  const member = await home.member("member");
  const hidden = await newProject(home, { visibility: "private" });
  await past(home, hidden.id, new Date(), 20, "hidden.");
  const first = (await member.call("GET", `${feedOf(home)}?limit=5`)).body;
  expect([first.items, first.has_more]).toEqual([[], true]);
  expect((await pages(member, feedOf(home), 5)).items).toEqual([]);
});

test("a cursor of one day, reader or Workspace is refused elsewhere", async () => {
  const home = await world(running);
  const member = await home.member("member");
  const project = await newProject(home);
  await past(home, project.id, new Date(), 5);
  const { next_cursor: cursor } = (await home.owner.call("GET", `${feedOf(home)}?limit=2`)).body;
  const answers = [
    await member.call("GET", `${feedOf(home)}?cursor=${cursor}`),
    await home.owner.call("GET", `${feedOf(home)}?cursor=${cursor}&day=2026-01-01&time_zone=UTC`),
    await home.owner.call("GET", `${feedOf(home)}?cursor=${cursor}x`),
  ];
  expect(answers.map(({ body }) => body.code)).toEqual(Array(3).fill("invalid_cursor"));
});

/**
 * The last change of clocks in Berlin that the feed still reaches may be months away: days are taken relative to now.
 */
const civil = (at: Date, zone: string) => new Intl.DateTimeFormat("sv-SE", { timeZone: zone }).format(at);

test("day and time_zone select one civil day, from its first instant to the last before the next", async () => {
  const home = await world(running);
  const project = await newProject(home);
  const zone = "Asia/Kathmandu";
  const day = civil(new Date(Date.now() - 3 * 86_400_000), zone);
  const start = new Date(`${day}T00:00:00+05:45`).getTime();
  const marks = { before: start - 1, first: start, last: start + 86_400_000 - 1, after: start + 86_400_000 };
  for (const [name, at] of Object.entries(marks)) await past(home, project.id, new Date(at), 1, `${name}.`);
  const items = await feed(home, home.owner, `?day=${day}&time_zone=${encodeURIComponent(zone)}`);
  expect(items.map(({ action }) => action)).toEqual(["activity.last.0", "activity.first.0"]);
  const paged = await pages(home.owner, `${feedOf(home)}?day=${day}&time_zone=${zone}`, 1);
  expect(paged.items.map(({ action }) => action)).toEqual(["activity.last.0", "activity.first.0"]);
  const utc = await feed(home, home.owner, `?day=${day}&time_zone=UTC`);
  expect(utc.map(({ action }) => action)).toEqual(["activity.after.0", "activity.last.0"]);
});

test("day without time_zone, time_zone without day, and what is neither are refused with a pointer", async () => {
  const home = await world(running);
  const refused = async (query: string) => (await home.owner.call("GET", `${feedOf(home)}?${query}`)).body;
  const cases = {
    "day=2026-06-01": "/query/time_zone",
    "time_zone=UTC": "/query/day",
    "day=2026-06-01&time_zone=Mars/Olympus": "/query/time_zone",
    "day=2026-06-01&time_zone=%2B02:00": "/query/time_zone",
    "day=2026-06-01&time_zone=": "/query/time_zone",
    "day=2026-02-30&time_zone=UTC": "/query/day",
    "day=0000-01-01&time_zone=UTC": "/query/day",
    "day=today&time_zone=UTC": "/query/day",
    "zone=UTC": "/query/zone",
  };
  for (const [query, pointer] of Object.entries(cases)) {
    const { code, errors } = await refused(query);
    expect([code, ...new Set(errors.map((fault: { pointer: string }) => fault.pointer))], query).toEqual([
      "invalid_request",
      pointer,
    ]);
  }
});

test("what is older than 90 days is never shown, with or without a day", async () => {
  const home = await world(running);
  const project = await newProject(home);
  const ago = (days: number, minutes: number) => new Date(Date.now() - days * 86_400_000 + minutes * 60_000);
  await past(home, project.id, ago(90, 5), 1, "kept.");
  await past(home, project.id, ago(90, -5), 1, "old.");
  expect(await actions(home, home.owner)).toEqual(["project.created", "kept.0"]);
  const day = civil(ago(91, 0), "UTC");
  expect(await feed(home, home.owner, `?day=${day}&time_zone=UTC`)).toEqual([]);
});

test("the name of somebody who has left stays with what they did", async () => {
  const home = await world(running);
  const member = await home.member("member");
  const project = await newProject(home, {}, member);
  await running.sql("update memberships set state = 'removed' where workspace_id = $1 and actor_id = $2", [
    home.workspaceId,
    member.actorId,
  ]);
  const { body } = await home.owner.call("GET", feedOf(home));
  expect(body.items[0].affected[0].id).toBe(project.id);
  expect(body.items[0].provenance).toMatchObject({
    actor_id: member.actorId,
    display_name: `Person ${member.userId.slice(-4)}`,
    actor_name: `Person ${member.userId.slice(-4)}`,
  });
});

test("an event of a Project that is nowhere is shown to nobody; one of a Task that is gone has no code and no title", async () => {
  const home = await world(running);
  await past(home, newId(), new Date());
  expect(await feed(home, home.owner)).toEqual([]);
  const project = await newProject(home);
  const task = await newTask(home.owner, project.id);
  await running.sql("delete from tasks where id = $1", [task.id], home.workspaceId);
  const [item] = await feed(home, home.owner);
  const named = { project_id: project.id, task_id: task.id };
  expect(item?.affected).toEqual([{ kind: "task", id: task.id, code: null, title: null, ...named }]);
});

test("one command is one item with all that it did, wherever a page ends, in every feed", async () => {
  const home = await world(running);
  const { owner, workspaceId } = home;
  const project = await newProject(home);
  const tasks: { id: string }[] = [];
  for (let made = 0; made < 4; made++) tasks.push(await newTask(owner, project.id));
  const bulk = (changes: object) =>
    owner.call("POST", `/workspaces/${workspaceId}/tasks/bulk`, {
      body: { task_ids: tasks.map(({ id }) => id), changes },
    });
  await bulk({ priority: "high", due_date: "2027-01-01", assignee_actor_id: owner.actorId });
  await newComment(owner, tasks[0]?.id as string);
  await bulk({ priority: "low", due_date: "2027-02-01", assignee_actor_id: null });
  const feeds: [string, number][] = [
    [feedOf(home), 12],
    [`/projects/${project.id}/activity`, 12],
    [`/workspaces/${workspaceId}/people/${owner.userId}/activity`, 12],
    [`/tasks/${tasks[0]?.id}/activity`, 3],
  ];
  for (const [path, whole] of feeds) {
    const first = await owner.call("GET", `${path}?limit=100`);
    expect([first.status, first.trips], path).toEqual([200, 1]);
    for (let limit = 1; limit <= 14; limit++) {
      const { items } = await pages(owner, path, limit);
      const commands = items.map((item) => (item.provenance as { command_id: string }).command_id);
      expect(new Set(commands).size, `${path} ${limit}`).toBe(commands.length);
      // In the feed of a Task the two are one session, where no page ends between them.
      const counts = items
        .filter((item) => item.action === "activity.task.assigned")
        .map((item) => item.count as number);
      expect([counts.reduce((sum, count) => sum + count), ...counts.map((count) => count % whole)]).toEqual([
        2 * whole,
        ...counts.map(() => 0),
      ]);
      expect(items.reduce((sum, item) => sum + (item.count as number), 0)).toBe(
        first.body.items.reduce((sum: number, item: Item) => sum + item.count, 0),
      );
    }
  }
});
