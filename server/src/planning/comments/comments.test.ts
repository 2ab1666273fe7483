// Comments: who writes, who edits, who deletes, and what a tombstone leaves.
import { expect, test } from "vitest";
import { eventsOf, joinProject, newComment, newProject, newTask, pages, trashTask } from "../../../test/work.ts";
import { insertCredential, newKey, service, type World, world } from "../../../test/world.ts";
import { newId, newSecret } from "../../platform/wire/ids.ts";

const running = service();

async function discussion() {
  const home = await world(running);
  const project = await newProject(home);
  const task = await newTask(home.owner, project.id);
  const ada = await home.member("member");
  const bob = await home.member("member");
  return { ...home, home, project, task, ada, bob, list: `/tasks/${task.id}/comments` };
}
const types = async (home: World, id: string) => (await eventsOf(running, home, id)).map((event) => event.type);

test("whoever writes work comments, and the answer says what the author may do with it", async () => {
  const { ada, task, home, list } = await discussion();
  const created = await ada.call("POST", list, { body: { markdown: "It **fits**." }, key: newKey() });
  expect(created.status).toBe(201);
  expect(created.body).toMatchObject({
    task_id: task.id,
    author_actor_id: ada.actorId,
    markdown: "It **fits**.",
    revision: "1",
    deleted_at: null,
    reactions: [],
    capabilities: ["comment:update", "comment:delete", "comment:react"],
  });
  expect(created.trips).toBeLessThanOrEqual(5);
  const read = await ada.call("GET", `/comments/${created.body.id}`);
  expect(read.body).toEqual(created.body);
  expect(read.trips).toBe(1);
  expect(await eventsOf(running, home, created.body.id)).toEqual([
    { type: "task.comment.created", activity: "comment", payload: {} },
  ]);
});

test("a comment needs a key, and the same key gives the same comment", async () => {
  const { ada, list } = await discussion();
  const without = await ada.call("POST", list, { body: { markdown: "Twice" } });
  expect(without.body.code).toBe("idempotency_key_required");
  const key = newKey();
  const first = await ada.call("POST", list, { body: { markdown: "Twice" }, key });
  const again = await ada.call("POST", list, { body: { markdown: "Twice" }, key });
  expect(again.body).toEqual(first.body);
  expect((await ada.call("GET", list)).body.items).toHaveLength(1);
});

test("a viewer, of the Workspace or of the Project, reads comments and writes none", async () => {
  const { home, ada, project, task, list } = await discussion();
  const comment = await newComment(ada, task.id);
  const projectViewer = await home.member("member");
  await joinProject(home, project.id, projectViewer, "viewer");
  for (const viewer of [await home.member("viewer"), projectViewer]) {
    const read = await viewer.call("GET", `/comments/${comment.id}`);
    expect(read.body.capabilities).toEqual([]);
    const refusals = [
      await viewer.call("POST", list, { body: { markdown: "No" }, key: newKey() }),
      await viewer.call("PATCH", `/comments/${comment.id}`, { body: { markdown: "No" }, ifMatch: "1" }),
      await viewer.call("DELETE", `/comments/${comment.id}`),
      await viewer.call("PUT", `/comments/${comment.id}/reactions/heart`),
      await viewer.call("DELETE", `/comments/${comment.id}/reactions/heart`),
    ];
    expect(refusals.map(({ status }) => status)).toEqual([403, 403, 403, 403, 403]);
  }
});

test("an author who has become a viewer edits and deletes nothing any more", async () => {
  const { ada, task, workspaceId } = await discussion();
  const comment = await newComment(ada, task.id);
  await running.sql("update memberships set role = 'viewer' where workspace_id = $1 and actor_id = $2", [
    workspaceId,
    ada.actorId,
  ]);
  const edit = await ada.call("PATCH", `/comments/${comment.id}`, { body: { markdown: "No" }, ifMatch: "1" });
  expect([edit.status, (await ada.call("DELETE", `/comments/${comment.id}`)).status]).toEqual([403, 403]);
});

test("comments of a private Project do not exist for whoever cannot see it", async () => {
  const { home, owner, bob } = await discussion();
  const hidden = await newProject(home, { visibility: "private" });
  const task = await newTask(owner, hidden.id);
  const comment = await newComment(owner, task.id);
  const answers = [
    await bob.call("GET", `/tasks/${task.id}/comments`),
    await bob.call("POST", `/tasks/${task.id}/comments`, { body: { markdown: "Hi" }, key: newKey() }),
    await bob.call("GET", `/comments/${comment.id}`),
    await bob.call("PATCH", `/comments/${comment.id}`, { body: { markdown: "Hi" }, ifMatch: "1" }),
    await bob.call("DELETE", `/comments/${comment.id}`),
    await bob.call("PUT", `/comments/${comment.id}/reactions/heart`),
    await bob.call("DELETE", `/comments/${comment.id}/reactions/heart`),
  ];
  expect(answers.map(({ status }) => status)).toEqual(Array(7).fill(404));
  expect((await home.member("admin").then((admin) => admin.call("GET", `/comments/${comment.id}`))).status).toBe(200);
  await joinProject(home, hidden.id, bob, "member");
  expect((await bob.call("GET", `/comments/${comment.id}`)).body.capabilities).toEqual(["comment:react"]);
});

test("comments of another Workspace and comments that never were are the same 404", async () => {
  const { ada, task } = await discussion();
  const comment = await newComment(ada, task.id);
  const stranger = (await world(running)).owner;
  const foreign = await stranger.call("GET", `/comments/${comment.id}`);
  const missing = await stranger.call("GET", `/comments/${newId()}`);
  expect([foreign.status, missing.status]).toEqual([404, 404]);
  expect(foreign.body.detail).toBe(missing.body.detail);
  expect((await stranger.call("GET", `/tasks/${task.id}/comments`)).status).toBe(404);
});

test("personal, developer and native tokens comment within their scopes", async () => {
  const { home, owner, ada, workspaceId, list } = await discussion();
  const token = await home.token(["svc:read", "svc:write"], ada);
  const byToken = await owner.bearer(token, "POST", list, { body: { markdown: "From a script" }, key: newKey() });
  expect(byToken.body.author_actor_id).toBe(ada.actorId);
  const reading = await home.token(["svc:read"], ada);
  const refused = await owner.bearer(reading, "POST", list, { body: { markdown: "No" }, key: newKey() });
  expect(refused.body).toMatchObject({ code: "insufficient_scope", required_scopes: ["svc:write"] });
  for (const [kind, prefix] of [
    ["developer", "dat"],
    ["native", "nat"],
  ] as const) {
    const secret = newSecret(prefix);
    await insertCredential(running, kind, secret, ada.userId, workspaceId, ["svc:read", "svc:write"]);
    const made = await owner.bearer(secret, "POST", list, { body: { markdown: kind }, key: newKey() });
    expect(made.status).toBe(201);
  }
});

test("only the author edits, on the revision they read, and the replaced text is kept", async () => {
  const { ada, bob, owner, task, home } = await discussion();
  const comment = await newComment(ada, task.id, "One");
  const path = `/comments/${comment.id}`;
  for (const other of [bob, owner])
    expect((await other.call("PATCH", path, { body: { markdown: "Mine" }, ifMatch: "1" })).status).toBe(403);
  const blind = await ada.call("PATCH", path, { body: { markdown: "Two" } });
  expect(blind.body.code).toBe("if_match_required");
  const edited = await ada.call("PATCH", path, { body: { markdown: "Two" }, ifMatch: "1" });
  expect(edited.body).toMatchObject({
    markdown: "Two",
    revision: "2",
    capabilities: ["comment:update", "comment:delete", "comment:react"],
  });
  expect(edited.trips).toBeLessThanOrEqual(5);
  const stale = await ada.call("PATCH", path, { body: { markdown: "Three" }, ifMatch: "1" });
  expect(stale.body).toMatchObject({ code: "revision_conflict", current_revision: "2" });
  const kept = "select revision::text, markdown from comment_revisions where comment_id = $1";
  expect(await running.sql(kept, [comment.id], home.workspaceId)).toEqual([{ revision: "1", markdown: "One" }]);
  expect(await types(home, comment.id)).toEqual(["task.comment.created", "task.comment.updated"]);
});

test("whoever deletes may say which revision they have read, and then deletes no other", async () => {
  const { ada, task } = await discussion();
  const { id } = await newComment(ada, task.id, "One");
  const path = `/comments/${id}`;
  await ada.call("PATCH", path, { body: { markdown: "Two" }, ifMatch: "1" });
  expect((await ada.call("DELETE", path, { ifMatch: "1" })).body).toMatchObject({
    code: "revision_conflict",
    current_revision: "2",
  });
  expect((await ada.call("DELETE", path, { ifMatch: "2" })).status).toBe(204);
});

test("sending the text that a comment already has changes nothing", async () => {
  const { ada, task, home } = await discussion();
  const comment = await newComment(ada, task.id, "Same");
  const same = await ada.call("PATCH", `/comments/${comment.id}`, { body: { markdown: "Same" }, ifMatch: "1" });
  expect(same.body).toEqual(comment);
  expect(await types(home, comment.id)).toEqual(["task.comment.created"]);
});

test("a deleted comment is an empty tombstone in its place, with its reactions and earlier texts gone", async () => {
  const { ada, bob, task, home, list } = await discussion();
  const before = await newComment(bob, task.id, "Before");
  const comment = await newComment(ada, task.id, "Secret");
  const after = await newComment(bob, task.id, "After");
  await bob.call("PUT", `/comments/${comment.id}/reactions/heart`);
  await ada.call("PATCH", `/comments/${comment.id}`, { body: { markdown: "Secret, edited" }, ifMatch: "1" });
  const gone = await ada.call("DELETE", `/comments/${comment.id}`);
  expect([gone.status, gone.text]).toEqual([204, ""]);
  const items = (await bob.call("GET", list)).body.items;
  expect(items.map(({ id }: { id: string }) => id)).toEqual([before.id, comment.id, after.id]);
  expect(items[1]).toMatchObject({ markdown: "", revision: "3", reactions: [] });
  expect(items[1].deleted_at).not.toBeNull();
  const tombstone = await ada.call("GET", `/comments/${comment.id}`);
  expect(tombstone.body).toMatchObject({ markdown: "", capabilities: [] });
  const texts = "select 1 from comment_revisions where comment_id = $1";
  expect(await running.sql(texts, [comment.id], home.workspaceId)).toEqual([]);
});

test("a tombstone takes no edit and no reaction, and deleting it again changes nothing", async () => {
  const { ada, bob, task, home } = await discussion();
  const comment = await newComment(ada, task.id);
  const path = `/comments/${comment.id}`;
  await ada.call("DELETE", path);
  const edit = await ada.call("PATCH", path, { body: { markdown: "Back" }, ifMatch: "2" });
  expect(edit.body.code).toBe("comment_deleted");
  expect((await bob.call("PUT", `${path}/reactions/heart`)).body.code).toBe("comment_deleted");
  expect((await bob.call("DELETE", `${path}/reactions/heart`)).status).toBe(204);
  const first = (await ada.call("GET", path)).body;
  expect((await ada.call("DELETE", path)).status).toBe(204);
  expect((await ada.call("GET", path)).body).toEqual(first);
  expect(await types(home, comment.id)).toEqual(["task.comment.created", "task.comment.deleted"]);
});

test("besides the author only somebody who manages the work deletes", async () => {
  const { ada, bob, owner, project, task, home } = await discussion();
  const lead = await home.member("member");
  await joinProject(home, project.id, lead, "lead");
  const [first, second] = [await newComment(ada, task.id), await newComment(ada, task.id)];
  expect((await bob.call("DELETE", `/comments/${first.id}`)).status).toBe(403);
  expect((await bob.call("GET", `/comments/${first.id}`)).body.capabilities).toEqual(["comment:react"]);
  expect((await lead.call("GET", `/comments/${first.id}`)).body.capabilities).toEqual([
    "comment:delete",
    "comment:react",
  ]);
  expect((await lead.call("DELETE", `/comments/${first.id}`)).status).toBe(204);
  expect((await owner.call("DELETE", `/comments/${second.id}`)).status).toBe(204);
});

test("a Task in the trash takes no comment, edit or reaction, but its comments are read and deleted", async () => {
  const { ada, task, home, list } = await discussion();
  const comment = await newComment(ada, task.id);
  await trashTask(running, home, task.id);
  const refused = [
    await ada.call("POST", list, { body: { markdown: "Late" }, key: newKey() }),
    await ada.call("PATCH", `/comments/${comment.id}`, { body: { markdown: "Late" }, ifMatch: "1" }),
    await ada.call("PUT", `/comments/${comment.id}/reactions/heart`),
  ];
  expect(refused.map(({ body }) => body.code)).toEqual(Array(3).fill("task_trashed"));
  expect((await ada.call("GET", `/comments/${comment.id}`)).body.capabilities).toEqual(["comment:delete"]);
  expect((await ada.call("DELETE", `/comments/${comment.id}`)).status).toBe(204);
});

test("a body has 1 to 262144 characters, some of them visible", async () => {
  const { ada, list } = await discussion();
  const post = (markdown: string) => ada.call("POST", list, { body: { markdown }, key: newKey() });
  expect((await post("x".repeat(262144))).status).toBe(201);
  expect((await post("😀".repeat(262144))).status).toBe(201);
  for (const markdown of ["x".repeat(262145), "", " \n\t", "\u200b \u2060", "nul \0", "lone \ud800"]) {
    const refused = await post(markdown);
    expect(refused.status).toBe(400);
    expect(refused.body.errors[0].pointer).toBe("/body/markdown");
  }
});

test("comments are listed in creation order, a page at a time, without gaps while others are added", async () => {
  const { ada, bob, task, list } = await discussion();
  const ids: string[] = [];
  for (let index = 0; index < 12; index++) ids.push((await newComment(index % 2 ? ada : bob, task.id, `${index}`)).id);
  const all = await pages(ada, list, 5, async () => ids.push((await newComment(bob, task.id, "meanwhile")).id));
  expect(all.items.map(({ id }) => id)).toEqual(ids);
  expect(all.pages).toBe(3);
  expect((await ada.call("GET", list)).trips).toBe(1);
});

test("the database's clock orders comments, not the ids", async () => {
  const { ada, task, list, workspaceId } = await discussion();
  const early = await newComment(ada, task.id, "asked by an instance whose clock is ahead");
  const late = await newComment(ada, task.id, "answered");
  const ahead = "ffffffff-ffff-7fff-bfff-ffffffffffff";
  await running.sql("update comments set id = $2 where id = $1", [early.id, ahead], workspaceId);
  const { items } = await pages(ada, list, 1);
  expect(items.map(({ id }) => id)).toEqual([ahead, late.id]);
});

test("a cursor serves its own Task and reader only", async () => {
  const { ada, bob, task, project, list } = await discussion();
  for (let index = 0; index < 3; index++) await newComment(ada, task.id);
  const { next_cursor } = (await ada.call("GET", `${list}?limit=2`)).body;
  const other = await newTask(ada, project.id);
  const answers = [
    await bob.call("GET", `${list}?cursor=${next_cursor}`),
    await ada.call("GET", `/tasks/${other.id}/comments?cursor=${next_cursor}`),
    await ada.call("GET", `${list}?cursor=x${next_cursor}`),
  ];
  expect(answers.map(({ body }) => body.code)).toEqual(Array(3).fill("invalid_cursor"));
});

test("the newest comes first on request, page by page, and a cursor goes on only in its order", async () => {
  const { ada, task, list } = await discussion();
  for (const text of ["One", "Two", "Three"]) await newComment(ada, task.id, text);
  const texts = async (query: string) =>
    (await pages(ada, `${list}?${query}`, 2)).items.map(({ markdown }) => markdown);
  expect(await texts("order=asc")).toEqual(["One", "Two", "Three"]);
  expect(await texts("order=desc")).toEqual(["Three", "Two", "One"]);
  const { next_cursor } = (await ada.call("GET", `${list}?order=desc&limit=2`)).body;
  expect((await ada.call("GET", `${list}?limit=2&cursor=${next_cursor}`)).body.code).toBe("invalid_cursor");
  expect((await ada.call("GET", `${list}?order=newest`)).body.errors[0].pointer).toBe("/query/order");
});

test("a page ends at a mebibyte of text, counted in bytes, has one comment at least, and brings along nobody of the rest", async () => {
  const { ada, bob, task, list } = await discussion();
  const wide = "\u{1f600}".repeat(131_072);
  await newComment(ada, task.id, wide);
  await newComment(ada, task.id, wide);
  await newComment(bob, task.id, "x");
  const first = await ada.call("GET", `${list}?include=people`);
  expect([first.body.items.length, first.body.has_more, first.trips]).toEqual([2, true, 1]);
  expect(Object.keys(first.body.included.actors)).toEqual([ada.actorId]);
  const rest = await ada.call("GET", `${list}?include=people&cursor=${first.body.next_cursor}`);
  expect(rest.body.items.map(({ markdown }: { markdown: string }) => markdown)).toEqual(["x"]);
  expect([rest.body.has_more, Object.keys(rest.body.included.actors)]).toEqual([false, [bob.actorId]]);
  // The newest and one of the wide ones are within it; of the longest that there can be each has a page.
  expect((await ada.call("GET", `${list}?order=desc`)).body.items).toHaveLength(2);
  const widest = (await newTask(ada, task.project_id)).id;
  for (const count of [1, 2]) await newComment(ada, widest, "\u{1f600}".repeat(262_144 - count));
  const each = await pages(ada, `/tasks/${widest}/comments`, 100);
  expect([each.items.length, each.pages]).toEqual([2, 2]);
});
