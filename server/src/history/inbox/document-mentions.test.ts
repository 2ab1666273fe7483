// Who is told of a mention in a Document, once, by whichever way it came there, and what becomes of it when the
// Document does.
import pg from "pg";
import { expect, test } from "vitest";
import { commandOf, undo } from "../../../test/commands.ts";
import { any, changeDocument, type MadeDocument, newDocument } from "../../../test/documents.ts";
import { enter } from "../../../test/editing.ts";
import { joinProject, newProject } from "../../../test/work.ts";
import { type Person, service, type World, world } from "../../../test/world.ts";
import { tellEvents } from "./fill-inboxes.ts";

const running = service({});
const tell = () => tellEvents(running.database);
const inbox = async ({ workspaceId }: World, person: Person, query = "") =>
  (await person.call("GET", `/workspaces/${workspaceId}/inbox${query}`)).body;
/** The titles of the Documents in which somebody was mentioned, oldest first, and how often. */
const told = async (home: World, person: Person): Promise<string[]> =>
  (await inbox(home, person)).items
    .map(({ category, count, document }: { category: string; count: number; document: MadeDocument }) =>
      [category, document.title, count].join(" "),
    )
    .reverse();
const at = (person: Person) => `@${person.userId}`;
const referring = (person: Person) => `[Somebody](svc:person/${person.actorId})`;
const write = async (person: Person, { id }: { id: string }, markdown: string) => {
  const answer = await person.call("PUT", `/documents/${id}/markdown`, { body: { markdown }, ...any });
  expect(answer.status, answer.text).toBe(200);
};
async function place() {
  const home = await world(running);
  return { home, ada: await home.member("member"), bob: await home.member("viewer") };
}

test("whoever a new Document mentions is told, by name or by reference, with the Document and without a Project", async () => {
  const { home, ada, bob } = await place();
  const { owner } = home;
  const made = await newDocument(home, {
    title: "Plan",
    markdown: `${at(ada)} and ${referring(bob)}, says ${at(owner)}`,
  });
  await tell();
  await tell();
  const { items, unread_count } = await inbox(home, bob);
  expect(items).toHaveLength(1);
  expect([items[0], unread_count]).toMatchObject([
    {
      category: "mentioned",
      action: "document.created",
      count: 1,
      actor: { id: owner.actorId },
      task: null,
      document: { id: made.id, path: "plan", title: "Plan" },
      project: null,
      comment_id: null,
      excerpt: null,
    },
    1,
  ]);
  expect([await told(home, ada), await told(home, owner)]).toEqual([["mentioned Plan 1"], []]);
  const included = await inbox(home, bob, "?include=people,project,task");
  expect(included.included).toEqual({
    actors: { [owner.actorId]: expect.objectContaining({ id: owner.actorId }) },
    projects: {},
    tasks: {},
  });
});

test("in a Project an item has both the Document and the Project", async () => {
  const { home, ada } = await place();
  const project = await newProject(home);
  await newDocument(home, { title: "Plan", project_id: project.id, markdown: at(ada) });
  await tell();
  const { items, included } = await inbox(home, ada, "?include=project");
  expect(items).toMatchObject([{ document: { title: "Plan" }, project: { id: project.id, key: project.key } }]);
  expect(Object.keys(included.projects)).toEqual([project.id]);
});

test("what stands in code is no mention, nor is what a reference to somebody else is called", async () => {
  const { home, ada, bob } = await place();
  const code = ["`", "```\n"].map((mark) => `${mark}${at(ada)}${mark.trim() === "`" ? mark : "\n```"}`).join("\n\n");
  const made = await newDocument(home, { markdown: `${code}\n\n[${at(ada)}](svc:person/${bob.actorId}) x${at(ada)}` });
  await tell();
  expect([await told(home, ada), await told(home, bob)]).toEqual([[], ["mentioned Handbook 1"]]);
  await write(home.owner, made, `> - **${at(ada).toUpperCase()}**, please`);
  await tell();
  expect(await told(home, ada)).toEqual(["mentioned Handbook 1"]);
});

test("a mention is told once, however often the Document changes and however often the name goes and comes", async () => {
  const { home, ada } = await place();
  const made = await newDocument(home);
  for (const text of [at(ada), `${at(ada)} again`, "Nobody", referring(ada), "Nobody more"]) {
    await write(home.owner, made, text);
    await tell();
  }
  expect(await told(home, ada)).toEqual(["mentioned Handbook 1"]);
  // A restored revision says what somebody has been told.
  const restored = await home.owner.call("POST", `/documents/${made.id}/revisions/2/restore`, any);
  expect(restored.status, restored.text).toBe(200);
  await tell();
  expect(await told(home, ada)).toEqual(["mentioned Handbook 1"]);
});

test("restoring a revision tells whom it mentions, if nobody had told them", async () => {
  const { home, ada } = await place();
  const made = await newDocument(home);
  await write(home.owner, made, `Ask ${at(ada)}`);
  await write(home.owner, made, "Ask nobody");
  // The name was gone before anybody was told.
  await tell();
  expect(await told(home, ada)).toEqual([]);
  expect((await home.owner.call("POST", `/documents/${made.id}/revisions/2/restore`, any)).status).toBe(200);
  await tell();
  expect((await inbox(home, ada)).items).toMatchObject([{ action: "document.content_updated", count: 1 }]);
});

test("each revision speaks for its own authors: who wrote before is told of what somebody else wrote then", async () => {
  const { home, ada } = await place();
  const made = await newDocument(home);
  await write(ada, made, "Mine");
  await write(home.owner, made, `Yours, ${at(ada)} and ${at(home.owner)}`);
  await write(ada, made, `Yours, ${at(ada)} and ${at(home.owner)}, I say`);
  await tell();
  expect(await told(home, ada)).toEqual(["mentioned Handbook 1"]);
  // Whoever has named themselves knows it.
  expect(await told(home, home.owner)).toEqual([]);
});

test("an editing session tells whom it mentions, and none of those who wrote in it", async () => {
  const { home, ada, bob } = await place();
  const made = await newDocument(home);
  const editors = [await enter(home.owner, `/documents/${made.id}`), await enter(ada, `/documents/${made.id}`)];
  editors[0]?.type(`Ask ${at(ada)} or ${at(bob)}. `);
  await editors[0]?.kept();
  editors[1]?.type("Indeed.", 1);
  await editors[1]?.kept();
  // Reading seals.
  expect((await home.owner.call("GET", `/documents/${made.id}/markdown`)).status).toBe(200);
  for (const editor of editors) editor.leave();
  await tell();
  expect([await told(home, home.owner), await told(home, ada), await told(home, bob)]).toEqual([
    [],
    [],
    ["mentioned Handbook 1"],
  ]);
});

test("only active members who see the Document are told, and those who come to see it with the next revision", async () => {
  const { home, ada, bob } = await place();
  const [outsider, gone] = [(await world(running)).owner, await home.member("member")];
  const project = await newProject(home, { visibility: "private" });
  await running.sql("update memberships set state = 'left' where user_id = $1", [gone.userId]);
  await joinProject(home, project.id, bob, "viewer");
  const all = [ada, bob, outsider, gone].map((person) => `${at(person)} ${referring(person)}`).join(" ");
  const made = await newDocument(home, { project_id: project.id, markdown: all });
  await tell();
  const rows = () => running.sql<{ actor_id: string }>("select actor_id from inbox_items", [], home.workspaceId);
  expect(await rows()).toEqual([{ actor_id: bob.actorId }]);
  await joinProject(home, project.id, ada, "viewer");
  await tell();
  expect(await told(home, ada)).toEqual([]);
  await write(home.owner, made, `${all} `.repeat(2));
  await tell();
  expect([await told(home, ada), await told(home, bob)]).toEqual([["mentioned Handbook 1"], ["mentioned Handbook 1"]]);
});

test("mentions of two Documents are two items; one that was read gathers nothing more", async () => {
  const { home, ada, bob } = await place();
  const [one, two] = [await newDocument(home, { title: "One" }), await newDocument(home, { title: "Two" })];
  await write(home.owner, one, at(ada));
  await write(home.owner, two, at(ada));
  await tell();
  expect((await told(home, ada)).sort()).toEqual(["mentioned One 1", "mentioned Two 1"]);
  const [{ id }] = (await inbox(home, ada)).items;
  const path = `/inbox-items/${id}`;
  expect((await bob.call("PATCH", path, { body: { read: true }, ifMatch: "1" })).status).toBe(404);
  const read = await ada.call("PATCH", path, { body: { read: true }, ifMatch: "1" });
  expect([read.status, read.trips <= 5]).toEqual([200, true]);
  expect(read.body).toMatchObject({ document: { title: "Two" }, project: null, read_at: expect.any(String) });
  const body = { read: true, ids: (await inbox(home, ada)).items.map((item: { id: string }) => item.id) };
  const marked = await ada.call("POST", `/workspaces/${home.workspaceId}/inbox/read-state`, { body });
  expect(marked.body).toMatchObject({ changed: 1, unread_count: 0 });
});

test("what is told of a Document gathers in one item until it is read, as of a Task", async () => {
  const { home, ada } = await place();
  const made = await newDocument(home, { markdown: at(ada) });
  await tell();
  const again = async () => {
    // As if nobody had been mentioned: the service itself forgets nobody.
    await admin.query("delete from document_mentions where workspace_id = $1", [home.workspaceId]);
    await write(home.owner, made, `${at(ada)} ${Math.random()}`);
    await tell();
  };
  const admin = new pg.Client(running.databaseUrl);
  await admin.connect();
  await again();
  expect(await told(home, ada)).toEqual(["mentioned Handbook 2"]);
  const [{ id, revision }] = (await inbox(home, ada)).items;
  expect((await ada.call("PATCH", `/inbox-items/${id}`, { body: { read: true }, ifMatch: revision })).status).toBe(200);
  await again();
  await admin.end();
  expect(await told(home, ada)).toEqual(["mentioned Handbook 2", "mentioned Handbook 1"]);
});

test("a Document in the trash tells nobody, its items are hidden with it and come back with it", async () => {
  const { home, ada, bob } = await place();
  const made = await newDocument(home, { markdown: at(ada) });
  await tell();
  await write(home.owner, made, `${at(ada)} ${at(bob)}`);
  expect((await home.owner.call("DELETE", `/documents/${made.id}`, any)).status).toBe(204);
  await tell();
  const [item] = await running.sql<{ id: string }>("select id from inbox_items", [], home.workspaceId);
  expect(await inbox(home, ada)).toMatchObject({ items: [], unread_count: 0 });
  expect((await ada.call("PATCH", `/inbox-items/${item?.id}`, { body: { read: true }, ifMatch: "1" })).status).toBe(
    404,
  );
  expect((await home.owner.call("POST", `/documents/${made.id}/restore`, any)).status).toBe(200);
  await tell();
  expect([await told(home, ada), await told(home, bob)]).toEqual([["mentioned Handbook 1"], []]);
  await write(home.owner, made, `${at(ada)}, ${at(bob)}`);
  await tell();
  expect([await told(home, ada), await told(home, bob)]).toEqual([["mentioned Handbook 1"], ["mentioned Handbook 1"]]);
});

test("a Document that moves into a private Project is not seen in an inbox any more, nor is the item counted", async () => {
  const { home, ada } = await place();
  const made = await newDocument(home, { markdown: at(ada) });
  await tell();
  const project = await newProject(home, { visibility: "private" });
  const move = async (project_id: string | null) =>
    expect((await changeDocument(home.owner, made.id, { project_id })).status).toBe(200);
  await move(project.id);
  expect(await inbox(home, ada)).toMatchObject({ items: [], unread_count: 0 });
  await joinProject(home, project.id, ada, "viewer");
  expect((await inbox(home, ada)).items).toMatchObject([{ project: { id: project.id } }]);
  await home.owner.call("DELETE", `/projects/${project.id}/members/${ada.actorId}`);
  await move(null);
  expect(await inbox(home, ada)).toMatchObject({ items: [{ project: null }], unread_count: 1 });
});

test("undoing the creation takes the mention along, and what is deleted for ever leaves nothing in any inbox", async () => {
  const { home, ada, bob } = await place();
  const body = { title: "Plan", markdown: `${at(ada)}` };
  const made = await home.owner.call("POST", `/workspaces/${home.workspaceId}/documents`, {
    body,
    key: crypto.randomUUID(),
  });
  await tell();
  expect(await told(home, ada)).toEqual(["mentioned Plan 1"]);
  expect((await undo(home.owner, commandOf(made))).status).toBe(200);
  expect(await inbox(home, ada)).toMatchObject({ items: [], unread_count: 0 });
  const { id } = await newDocument(home, { markdown: at(bob) });
  await tell();
  expect((await home.owner.call("DELETE", `/documents/${id}`, any)).status).toBe(204);
  expect((await home.owner.call("DELETE", `/documents/${id}/permanent`, any)).status).toBe(204);
  expect((await inbox(home, bob)).items).toEqual([]);
  for (const table of ["inbox_items", "document_mentions"])
    expect(await running.sql(`select from ${table} where document_id = $1`, [id], home.workspaceId), table).toEqual([]);
});

test("whoever does not want mentions has no item, and of a long Document the end is read too", async () => {
  const { home, ada, bob } = await place();
  const off = { body: { in_app: false, push: false, email: false }, ifMatch: "0" };
  const preference = `/workspaces/${home.workspaceId}/notification-preferences/mentioned`;
  expect((await ada.call("PATCH", preference, off)).status).toBe(200);
  const made = await newDocument(home);
  await write(home.owner, made, `${"x ".repeat(130_000)}${at(ada)} ${at(bob)}`);
  await tell();
  const rows = await running.sql<{ actor_id: string }>("select actor_id from inbox_items", [], home.workspaceId);
  expect(rows).toEqual([{ actor_id: bob.actorId }]);
});
