// Who is told what: each category and whom it reaches, what is gathered, and what nobody is told.
import pg from "pg";
import { expect, test } from "vitest";
import { joinProject, newComment, newMilestone, newProject, newTask, trashTask } from "../../../test/work.ts";
import { type Person, service, type World, world } from "../../../test/world.ts";
import { tellDue, tellEvents, tellIn } from "./fill-inboxes.ts";

const running = service();
const tell = () => tellEvents(running.database);
const inbox = async ({ workspaceId }: World, person: Person, query = "") =>
  (await person.call("GET", `/workspaces/${workspaceId}/inbox${query}`)).body.items as {
    id: string;
    category: string;
    count: number;
    event: string;
    [field: string]: unknown;
  }[];
/** What somebody was told, oldest first. */
const told = async (home: World, person: Person) =>
  (await inbox(home, person)).map(({ category, count }) => `${category} ${count}`).reverse();
const at = (person: Person) => `@${person.userId}`;
const change = async (person: Person, id: string, body: object) => {
  const { revision } = (await person.call("GET", `/tasks/${id}`)).body;
  const answer = await person.call("PATCH", `/tasks/${id}`, { body, ifMatch: revision });
  expect(answer.status, answer.text).toBe(200);
};
const prefer = (home: World, person: Person, category: string, body: object) =>
  person.call("PATCH", `/workspaces/${home.workspaceId}/notification-preferences/${category}`, { body, ifMatch: "0" });
const statusOf = async (home: World, name: string) =>
  (
    await running.sql<{ id: string }>(
      "select id from statuses where name = $1 and project_id is null",
      [name],
      home.workspaceId,
    )
  )[0]?.id;

test("a new assignee is told, once, and not who assigned it, nor who is it no more when it is told", async () => {
  const home = await world(running);
  const [ada, bob] = [await home.member("member"), await home.member("member")];
  const project = await newProject(home);
  const task = await newTask(home.owner, project.id, { assignee_actor_id: ada.actorId });
  await newTask(ada, project.id, { assignee_actor_id: ada.actorId });
  const passed = await newTask(home.owner, project.id, { assignee_actor_id: bob.actorId });
  await change(home.owner, passed.id, { assignee_actor_id: null });
  await tell();
  await tell();
  const [item, ...others] = await inbox(home, ada);
  expect(others).toEqual([]);
  expect(item).toMatchObject({
    category: "assigned",
    event: "task.created",
    count: 1,
    actor: { id: home.owner.actorId, display_name: expect.any(String) },
    task: { id: task.id, code: task.code, title: task.title },
    project: { id: project.id, key: project.key, name: project.name },
    excerpt: null,
    read_at: null,
    archived_at: null,
    revision: "1",
  });
  expect([await told(home, bob), await told(home, home.owner)]).toEqual([[], []]);
  await change(home.owner, task.id, { assignee_actor_id: bob.actorId, priority: "high" });
  await tell();
  expect(await told(home, bob)).toEqual(["assigned 1"]);
});

test("comments and moves of one Task are gathered for its followers until they are read, and the author is told nothing", async () => {
  const home = await world(running);
  const ada = await home.member("member");
  const project = await newProject(home);
  const task = await newTask(home.owner, project.id);
  await newComment(ada, task.id, "First");
  await tell();
  const last = await newComment(ada, task.id, "  **Second**\n [thought](https://example.com) ");
  await change(ada, task.id, { status_id: await statusOf(home, "In Progress") });
  await tell();
  expect([await told(home, home.owner), await told(home, ada)]).toEqual([["commented 2", "status_changed 1"], []]);
  const items = await inbox(home, home.owner);
  const [moved, commented] = items as [(typeof items)[0], (typeof items)[0]];
  expect(commented).toMatchObject({ comment_id: last.id, excerpt: "Second thought", revision: "2" });
  const read = await home.owner.call("PATCH", `/inbox-items/${commented.id}`, { body: { read: true }, ifMatch: "2" });
  expect(read.body).toMatchObject({ read_at: expect.any(String), revision: "3", capabilities: ["inbox_item:update"] });
  await newComment(ada, task.id, "Third");
  await newComment(home.owner, task.id, "Mine");
  await tell();
  expect(await told(home, home.owner)).toEqual(["commented 2", "status_changed 1", "commented 1"]);
  // Whoever commented follows.
  expect(await told(home, ada)).toEqual(["commented 1"]);
  expect(moved.event).toBe("task.status_changed");
  await ada.call("DELETE", `/comments/${last.id}`);
  expect((await inbox(home, home.owner, "?state=read"))[0]?.excerpt).toBeNull();
});

test("who is mentioned is told once of each text and follows from then on; who does not see the Task is not", async () => {
  const home = await world(running);
  const [ada, bob] = [await home.member("viewer"), await home.member("member")];
  const outsider = (await world(running)).owner;
  const project = await newProject(home, { visibility: "private" });
  await joinProject(home, project.id, ada, "viewer");
  const text = `${at(ada)} ${at(bob)} ${at(outsider)} \`${at(home.owner)}\``;
  const task = await newTask(home.owner, project.id, { description_markdown: text });
  await tell();
  expect([await told(home, ada), await told(home, bob)]).toEqual([["mentioned 1"], []]);
  const follows = async () => (await ada.call("GET", `/tasks/${task.id}/subscription`)).body;
  expect(await follows()).toMatchObject({ state: "following", reasons: ["mentioned"], revision: "0" });
  const listed = await ada.call("GET", `/workspaces/${home.workspaceId}/subscribed-tasks`);
  expect(listed.body.items.map((item: { id: string }) => item.id)).toEqual([task.id]);
  const subscribers = (await home.owner.call("GET", `/tasks/${task.id}/subscribers`)).body.items;
  expect(subscribers.find((one: { actor_id: string }) => one.actor_id === ada.actorId).reasons).toEqual(["mentioned"]);
  await change(home.owner, task.id, { description_markdown: `${text} again` });
  await tell();
  expect(await told(home, ada)).toEqual(["mentioned 1"]);
  // One command tells the most personal thing only.
  const comment = await newComment(home.owner, task.id, `Look, ${at(ada)}!`);
  await home.owner.call("PATCH", `/comments/${comment.id}`, { body: { markdown: `Look, ${at(ada)}!!` }, ifMatch: "1" });
  await newComment(home.owner, task.id, "Just so");
  await tell();
  expect(await told(home, ada)).toEqual(["mentioned 2", "commented 1"]);
  // Of a long text the first 30,000 characters are looked at.
  await newComment(home.owner, task.id, `${"x ".repeat(15_000 - 20)}${at(ada)}`);
  await newComment(home.owner, task.id, `${"x ".repeat(15_000)}${at(ada)}`);
  await tell();
  expect((await told(home, ada)).sort()).toEqual(["commented 2", "mentioned 3"]);
  await change(home.owner, task.id, { description_markdown: "" });
  await home.owner.call("DELETE", `/comments/${comment.id}`);
  await tell();
  const sources = "select cardinality(sources) as count from task_mentions where actor_id = $1";
  expect(await running.sql(sources, [ada.actorId], home.workspaceId)).toEqual([{ count: 2 }]);
});

test("a mute silences all but what is for somebody in person, and who has unfollowed is told of no comments", async () => {
  const home = await world(running);
  const [ada, bob] = [await home.member("member"), await home.member("member")];
  const project = await newProject(home);
  const task = await newTask(ada, project.id);
  await newComment(bob, task.id);
  await ada.call("PUT", `/tasks/${task.id}/subscription/mute`);
  await bob.call("DELETE", `/tasks/${task.id}/subscription`);
  await newComment(home.owner, task.id, "Anybody?");
  await tell();
  expect([await told(home, ada), await told(home, bob)]).toEqual([[], []]);
  await newComment(home.owner, task.id, `${at(ada)}?`);
  await change(home.owner, task.id, { assignee_actor_id: ada.actorId });
  await tell();
  expect((await told(home, ada)).sort()).toEqual(["assigned 1", "mentioned 1"]);
});

async function wantReview({ owner }: World, projectId: string) {
  const policy = { review_required: true, active_status_id: null, review_status_id: null, done_status_id: null };
  const path = `/projects/${projectId}/completion-policy`;
  const { revision } = (await owner.call("GET", path)).body;
  expect((await owner.call("PUT", path, { body: policy, ifMatch: revision })).status).toBe(200);
}

test("leads are asked for a review where the policy wants one, and without leads those who manage the Workspace", async () => {
  const home = await world(running);
  const [lead, doer, admin] = [await home.member("member"), await home.member("member"), await home.member("admin")];
  const project = await newProject(home);
  await wantReview(home, project.id);
  // Whoever makes a Project leads it.
  await running.sql("delete from project_members where project_id = $1", [project.id], home.workspaceId);
  const review = await statusOf(home, "In Review");
  const first = await newTask(doer, project.id);
  await change(doer, first.id, { status_id: review });
  await tell();
  expect([await told(home, home.owner), await told(home, admin)]).toEqual([
    ["review_requested 1"],
    ["review_requested 1"],
  ]);
  await joinProject(home, project.id, lead, "lead");
  const second = await newTask(doer, project.id);
  await change(doer, second.id, { status_id: review });
  const over = await newTask(doer, project.id);
  await change(doer, over.id, { status_id: review });
  await change(doer, over.id, { status_id: await statusOf(home, "Todo") });
  await tell();
  expect([await told(home, lead), await told(home, admin), await told(home, doer)]).toEqual([
    ["review_requested 1"],
    ["review_requested 1"],
    [],
  ]);
});

test("a review is asked for too of a Task that is made in review or comes into the Project so", async () => {
  const home = await world(running);
  const [lead, doer] = [await home.member("member"), await home.member("member")];
  const [project, elsewhere] = [await newProject(home), await newProject(home)];
  await wantReview(home, project.id);
  await joinProject(home, project.id, lead, "lead");
  const review = await statusOf(home, "In Review");
  await newTask(doer, project.id, { title: "Not yet" });
  const made = await newTask(doer, project.id, { title: "Made in review", status_id: review });
  await newTask(doer, elsewhere.id, { title: "Needs none", status_id: review });
  await tell();
  const asked = async () =>
    (await inbox(home, lead)).map(({ category, count, task }) => [category, count, (task as { id: string }).id]);
  expect(await asked()).toEqual([["review_requested", 1, made.id]]);
  const comes = await newTask(doer, elsewhere.id, { title: "Comes in review", status_id: review });
  const moved = await doer.call("POST", `/tasks/${comes.id}/move`, {
    body: { project_id: project.id },
    ifMatch: comes.revision,
  });
  expect(moved.status, moved.text).toBe(200);
  await tell();
  expect((await asked()).sort()).toEqual([made.id, comes.id].map((id) => ["review_requested", 1, id]).sort());
});

test("members of a Project are told of its plan and its Milestones, and not of its looks", async () => {
  const home = await world(running);
  const [ada, bob] = [await home.member("member"), await home.member("member")];
  const project = await newProject(home);
  await joinProject(home, project.id, ada, "member");
  const patch = (body: object, ifMatch: string) =>
    home.owner.call("PATCH", `/projects/${project.id}`, { body, ifMatch });
  expect((await patch({ name: "Other" }, "1")).status).toBe(200);
  await tell();
  expect(await told(home, ada)).toEqual([]);
  expect((await patch({ target_date: "2027-01-31" }, "2")).status).toBe(200);
  await newMilestone(home.owner, project.id);
  await tell();
  expect([await told(home, ada), await told(home, bob), await told(home, home.owner)]).toEqual([
    ["project_updates 2"],
    [],
    [],
  ]);
  expect((await inbox(home, ada))[0]).toMatchObject({ task: null, project: { id: project.id, name: "Other" } });
});

test("an open Task that is due today or tomorrow where its assignee is reminds them, once for each date", async () => {
  const home = await world(running);
  const ada = await home.member("member");
  const project = await newProject(home);
  await running.sql("update users set timezone = 'Pacific/Kiritimati' where id = $1", [ada.userId]);
  const day = (offset: number) =>
    new Date(Date.now() + 14 * 3_600_000 + offset * 86_400_000).toISOString().slice(0, 10);
  const make = (offset: number, body: object = {}) =>
    newTask(home.owner, project.id, {
      assignee_actor_id: ada.actorId,
      due_date: day(offset),
      title: `${offset}`,
      ...body,
    });
  const [, , tomorrow] = [await make(-1), await make(0), await make(1), await make(2)];
  await make(0, { status_id: await statusOf(home, "Done"), title: "done" });
  await make(0, { status_id: await statusOf(home, "Cancelled"), title: "cancelled" });
  await trashTask(running, home, (await make(0, { title: "trashed" })).id);
  await make(0, { assignee_actor_id: null, title: "nobody's" });
  const reminded = async () =>
    (await inbox(home, ada, "?category=due_soon")).map((item) => (item.task as { title: string }).title).sort();
  await Promise.all([tellDue(running.database), tellDue(running.database)]);
  await tellDue(running.database);
  expect(await reminded()).toEqual(["0", "1"]);
  await ada.call("POST", `/workspaces/${home.workspaceId}/inbox/read-state`, {
    body: { read: true, all_before: new Date(Date.now() + 1000).toISOString() },
  });
  await change(home.owner, tomorrow?.id as string, { due_date: day(0) });
  await tellDue(running.database);
  expect(await inbox(home, ada, "?category=due_soon&state=unread")).toMatchObject([
    { count: 1, event: "task.due_soon", actor: null, task: { title: "1" } },
  ]);
});

test("each category is switched off for itself, and then there is no item", async () => {
  const home = await world(running);
  const ada = await home.member("member");
  const project = await newProject(home);
  await joinProject(home, project.id, ada, "lead");
  const off = { in_app: false, push: false, email: false };
  for (const category of ["assigned", "mentioned", "commented", "status_changed", "project_updates", "due_soon"])
    expect((await prefer(home, ada, category, off)).status).toBe(200);
  const due_date = new Date().toISOString().slice(0, 10);
  const task = await newTask(home.owner, project.id, { assignee_actor_id: ada.actorId, due_date });
  await newComment(home.owner, task.id, at(ada));
  await newComment(home.owner, task.id);
  await change(home.owner, task.id, { status_id: await statusOf(home, "In Progress") });
  await newMilestone(home.owner, project.id);
  await tell();
  await tellDue(running.database);
  expect(await told(home, ada)).toEqual([]);
  expect(await running.sql("select from inbox_items where actor_id = $1", [ada.actorId], home.workspaceId)).toEqual([]);
  // Off inside and on outside: kept for sending, and not shown.
  await ada.call("PATCH", `/workspaces/${home.workspaceId}/notification-preferences/commented`, {
    body: { email: true },
    ifMatch: "1",
  });
  await newComment(home.owner, task.id);
  await tell();
  const kept = await running.sql(
    "select listed, mail_due from inbox_items where actor_id = $1",
    [ada.actorId],
    home.workspaceId,
  );
  expect([await told(home, ada), kept]).toEqual([[], [{ listed: false, mail_due: true }]]);
});

test("whoever has lost sight of it since is not told: removed from the Project, suspended, gone, or the Task in the trash", async () => {
  const home = await world(running);
  const project = await newProject(home, { visibility: "private" });
  const people = [await home.member("member"), await home.member("member"), await home.member("member")];
  const [outside, suspended, kept] = people as [Person, Person, Person];
  for (const person of people) await joinProject(home, project.id, person, "member");
  const task = await newTask(home.owner, project.id);
  for (const person of people) await person.call("PUT", `/tasks/${task.id}/subscription`);
  await newComment(home.owner, task.id, at(outside));
  await home.owner.call("DELETE", `/projects/${project.id}/members/${outside.actorId}`);
  await running.sql("update memberships set state = 'suspended' where user_id = $1", [suspended.userId]);
  await tell();
  const rows = await running.sql<{ actor_id: string }>("select actor_id from inbox_items", [], home.workspaceId);
  expect(rows.map(({ actor_id }) => actor_id)).toEqual([kept.actorId]);
  // An item that is there already is not shown either, nor counted, and comes back with access.
  const seen = async () => (await kept.call("GET", `/workspaces/${home.workspaceId}/inbox`)).body;
  expect(await seen()).toMatchObject({ items: [{}], unread_count: 1, unread_count_capped: false });
  const [{ id }] = (await seen()).items;
  await home.owner.call("DELETE", `/projects/${project.id}/members/${kept.actorId}`);
  expect(await seen()).toMatchObject({ items: [], unread_count: 0 });
  expect((await kept.call("PATCH", `/inbox-items/${id}`, { body: { read: true }, ifMatch: "1" })).status).toBe(404);
  await joinProject(home, project.id, kept, "member");
  expect((await seen()).items).toHaveLength(1);
  await trashTask(running, home, task.id);
  expect((await seen()).unread_count).toBe(0);
  await newComment(home.owner, (await newTask(home.owner, project.id)).id);
  await running.sql("delete from tasks where id = $1", [task.id], home.workspaceId);
  await tell();
  expect(await running.sql("select from inbox_items", [], home.workspaceId)).toEqual([]);
});

test("what a migration moves is told to nobody", async () => {
  const home = await world(running);
  const project = await newProject(home);
  const ada = await home.member("member");
  const task = await newTask(ada, project.id);
  const move = `insert into domain_events (workspace_id, id, type, activity, actor_id, command_id, project_id, task_id, resource_kind, resource_id)
    values ($1, gen_random_uuid(), 'task.status_changed', $4, $2, gen_random_uuid(), null, $3, 'task', $3)`;
  await running.sql(move, [home.workspaceId, home.owner.actorId, task.id, null], home.workspaceId);
  await tell();
  expect(await told(home, ada)).toEqual([]);
  await running.sql(move, [home.workspaceId, home.owner.actorId, task.id, "progress"], home.workspaceId);
  await tell();
  expect(await told(home, ada)).toEqual(["status_changed 1"]);
});

test("workers at once, one that is killed, and a transaction that commits late: each event is told once, none is left out", async () => {
  const home = await world(running);
  const ada = await home.member("member");
  const project = await newProject(home);
  const task = await newTask(ada, project.id);
  const admin = new pg.Client(running.databaseUrl);
  await admin.connect();
  try {
    // Begun before the others and committed behind them.
    await admin.query("begin");
    const late = `insert into domain_events (workspace_id, id, type, activity, actor_id, command_id, task_id, resource_kind, resource_id)
      values ($1, gen_random_uuid(), 'task.status_changed', 'progress', $2, gen_random_uuid(), $3, 'task', $3)`;
    await admin.query(late, [home.workspaceId, home.owner.actorId, task.id]);
    for (let n = 0; n < 5; n++) await newComment(home.owner, task.id, `Comment ${n}`);
    // Taken, and then the connection dies.
    await running.database.writer
      .use(async (tx) => {
        await tx.begin();
        await tx.rows("select take_events('{task.comment.created}', 3, null, null)");
        await tx.rows("select pg_terminate_backend(pg_backend_pid())").catch(() => {});
        throw new Error("killed");
      })
      .catch(() => {});
    await Promise.all(Array.from({ length: 4 }, tell));
    expect(await told(home, ada)).toEqual(["commented 5"]);
    await admin.query("commit");
    await Promise.all(Array.from({ length: 4 }, tell));
    expect((await told(home, ada)).sort()).toEqual(["commented 5", "status_changed 1"]);
    // After a long pause it goes on where it was.
    const long = `insert into domain_events (workspace_id, id, type, activity, actor_id, command_id, task_id, resource_kind, resource_id, occurred_at)
      select $1, gen_random_uuid(), 'task.status_changed', 'progress', $2, gen_random_uuid(), $3, 'task', $3, now() - n * interval '10 seconds' from generate_series(1, 300) n`;
    await admin.query(long, [home.workspaceId, home.owner.actorId, task.id]);
    await admin.query("update event_readers set read_to = now() - interval '1 hour' where reader = 'inbox'");
    await tell();
    expect((await inbox(home, ada, "?category=status_changed"))[0]?.count).toBe(301);
  } finally {
    await admin.end();
  }
});

test("an event that cannot be told holds up no other, and its fault is heard of", async () => {
  const home = await world(running);
  const ada = await home.member("member");
  const project = await newProject(home);
  const tasks: string[] = [];
  for (let n = 0; n < 3; n++)
    tasks.push((await newTask(home.owner, project.id, { assignee_actor_id: ada.actorId })).id);
  const telling = tellEvents(running.database, async (tx, workspaceId, events, addressed) => {
    if (events.some(({ task_id }) => task_id === tasks[1])) throw new TypeError("not to be told");
    return tellIn(tx, workspaceId, events, addressed);
  });
  await expect(telling).rejects.toThrow("not to be told");
  const items = await inbox(home, ada);
  expect(items.map(({ task }) => (task as { id: string }).id).sort()).toEqual([tasks[0], tasks[2]].sort());
  await tell();
  expect(await inbox(home, ada)).toEqual(items);
});
