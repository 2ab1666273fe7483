// Sessions: who gets one, what its token opens and for how long, and what ends its sockets.
import { afterEach, expect, test } from "vitest";
import { WebSocket } from "ws";
import { Awareness, encodeAwarenessUpdate } from "y-protocols/awareness";
import * as Y from "yjs";
import {
  Editor,
  enter,
  enterWithProvider,
  linesOf,
  newSession,
  type Session,
  typeIn,
  until,
} from "../../../test/editing.ts";
import { joinProject, newProject, newTask, workshopOn } from "../../../test/work.ts";
import { newKey, type Person, service, type World, world } from "../../../test/world.ts";

const running = service();
const open: { leave(): void }[] = [];
const left = <T extends { leave(): void }>(editor: T): T => {
  open.push(editor);
  return editor;
};
afterEach(() => {
  for (const editor of open.splice(0)) editor.leave();
});

test("two programs that know nothing of each other write in one description", async () => {
  const { home, owner, project } = await workshopOn(running);
  const ada = await home.member("member");
  const task = await newTask(owner, project.id, { description_markdown: "Hello" });
  const one = left(await enter(owner, `/tasks/${task.id}`));
  expect(one.text).toBe("Hello");
  expect(one.scope).toBe("read-write");
  const other = left(await enterWithProvider(await newSession(ada, `/tasks/${task.id}`)));
  expect(linesOf(other.part)).toBe("Hello");
  one.type(" world");
  await until("the provider sees it", () => linesOf(other.part) === "Hello world");
  typeIn(other.part, " again", 0);
  await until("the other one sees it", () => one.text === "Hello world again");
  await one.kept();
  await until("everything was acknowledged", () => !other.provider.hasUnsyncedChanges);
  const { body } = await owner.call("GET", `/tasks/${task.id}`);
  expect(body.description_markdown.trim()).toBe("Hello world again");
  expect(body.revision).toBe("2");
});

test("everybody who sees the Task gets a session; whoever reads only sees what is written and changes nothing", async () => {
  const { home, owner, project } = await workshopOn(running);
  const task = await newTask(owner, project.id, { description_markdown: "Hello" });
  const viewer = left(await enter(await home.member("viewer"), `/tasks/${task.id}`));
  const writer = left(await enter(owner, `/tasks/${task.id}`));
  expect([viewer.scope, viewer.text]).toEqual(["readonly", "Hello"]);
  await viewer.kept();
  viewer.type(" from a viewer");
  await until("it was refused", () => viewer.refused === 1);
  writer.type(" there");
  await until("the viewer sees it", () => viewer.text.includes(" there"));
  await writer.kept();
  expect(writer.text).toBe("Hello there");
  const { body } = await owner.call("GET", `/tasks/${task.id}`);
  expect(body.description_markdown).not.toContain("viewer");
});

test("who does not see the Task gets none, and nobody for what is in the trash", async () => {
  const { home, owner, project } = await workshopOn(running);
  const hidden = await newProject(home, { visibility: "private" });
  const secret = await newTask(owner, hidden.id);
  const post = (person: Person, id: string) => person.call("POST", `/tasks/${id}/collaboration-sessions`);
  for (const person of [await home.member("member"), (await world(running)).owner])
    expect((await post(person, secret.id)).status).toBe(404);
  const task = await newTask(owner, project.id);
  await owner.call("POST", `/tasks/${task.id}/trash`, { ifMatch: "1" });
  expect((await post(owner, task.id)).body.code).toBe("task_trashed");
});

test("a token is kept only as its hash, and a retry with the same key is given the same one", async () => {
  const { owner, project, workspaceId } = await workshopOn(running);
  const task = await newTask(owner, project.id);
  const options = { key: newKey() };
  const [one, other] = [
    await owner.call("POST", `/tasks/${task.id}/collaboration-sessions`, options),
    await owner.call("POST", `/tasks/${task.id}/collaboration-sessions`, options),
  ];
  expect(other.body).toEqual(one.body);
  expect(one.body.url).toMatch(/^ws:\/\/.*\/collaboration$/);
  expect(Date.parse(one.body.expires_at) - Date.now()).toBeGreaterThan(280_000);
  const rows = await running.sql<{ row: string }>(
    "select to_jsonb(s)::text as row from collaboration_sessions s where target_id = $1",
    [task.id],
    workspaceId,
  );
  expect(rows.length).toBe(1);
  expect(rows[0]?.row).not.toContain(one.body.token);
});

test("a token opens the text that it is for, and no other, for five minutes", async () => {
  const { owner, project, workspaceId } = await workshopOn(running);
  const [task, another] = [await newTask(owner, project.id), await newTask(owner, project.id)];
  const session = await newSession(owner, `/tasks/${task.id}`);
  const elsewhere = await newSession(owner, `/tasks/${another.id}`);
  const denied = async (changed: Partial<Session>) => {
    const editor = left(new Editor({ ...session, ...changed }));
    await editor.ended();
    expect(editor.denied).toContain("another session");
    return editor.closed?.code;
  };
  expect(await denied({ document_name: elsewhere.document_name })).toBe(4401);
  expect(await denied({ document_name: "task" })).toBe(4401);
  expect(await denied({ token: `${session.token}x` })).toBe(4401);
  expect(await denied({ token: "" })).toBe(4401);
  const stays = left(await new Editor(session).ready());
  await running.sql("update collaboration_sessions set expires_at = now() where id = $1", [session.id], workspaceId);
  expect(await denied({})).toBe(4401);
  // The socket that it has opened lives on.
  stays.type("still here");
  await stays.kept();
  expect([stays.acknowledged > 0, stays.closed]).toEqual([true, null]);
});

test("ending a session closes its sockets and no others; it is one's own only", async () => {
  const { home, owner, project } = await workshopOn(running);
  const ada = await home.member("member");
  const task = await newTask(owner, project.id);
  const session = await newSession(owner, `/tasks/${task.id}`);
  const [one, two] = [left(await new Editor(session).ready()), left(await new Editor(session).ready())];
  const other = left(await enter(ada, `/tasks/${task.id}`));
  const end = (person: Person) => person.call("DELETE", `/tasks/${task.id}/collaboration-sessions/${session.id}`);
  expect((await end(ada)).status).toBe(404);
  expect((await end(owner)).status).toBe(204);
  await Promise.all([one.ended(), two.ended()]);
  expect([one.closed?.code, two.closed?.code]).toEqual([4403, 4403]);
  expect((await end(owner)).status).toBe(204);
  other.type("I am still here");
  await other.kept();
  expect(other.closed).toBeNull();
  const again = left(new Editor(session));
  await again.ended();
  expect(again.closed?.code).toBe(4401);
});

const takenAway: Record<string, (scene: Scene) => Promise<unknown>> = {
  "the membership": ({ home, ada }) =>
    running.sql("update memberships set state = 'suspended' where actor_id = $1", [ada.actorId], home.workspaceId),
  "the Project's membership": ({ home, ada, project }) =>
    home.owner.call("DELETE", `/projects/${project.id}/members/${ada.actorId}`, { headers: { "if-match": "*" } }),
  "the sign-in": ({ ada }) => ada.call("POST", "/auth/logout"),
  "the Workspace": ({ home }) =>
    running.sql("update workspaces set archived_at = now() where id = $1", [home.workspaceId], home.workspaceId),
};
interface Scene {
  home: World;
  ada: Person;
  project: { id: string };
}
for (const [what, takeAway] of Object.entries(takenAway))
  test(`a socket is closed when ${what} ends`, async () => {
    const home = await world(running);
    const project = await newProject(home, { visibility: "private" });
    const ada = await home.member("member");
    await joinProject(home, project.id, ada, "member");
    const task = await newTask(home.owner, project.id);
    const editor = left(await enter(ada, `/tasks/${task.id}`));
    await takeAway({ home, ada, project });
    await editor.ended();
    expect(editor.closed).toEqual({ code: 4403, reason: "forbidden" });
  });

test("whoever becomes a viewer goes on reading, and what they write is refused", async () => {
  const { home, owner, project } = await workshopOn(running);
  const ada = await home.member("member");
  const task = await newTask(owner, project.id, { description_markdown: "Hello" });
  const [editor, reader] = [left(await enter(ada, `/tasks/${task.id}`)), left(await enter(owner, `/tasks/${task.id}`))];
  await running.sql("update memberships set role = 'viewer' where actor_id = $1", [ada.actorId], home.workspaceId);
  await until("it is told", () => editor.scope === "readonly");
  editor.type(" nobody sees");
  await until("it is refused", () => editor.refused === 1);
  reader.type(" all see");
  await until("it is seen", () => editor.text.includes(" all see"));
  expect(reader.text).toBe("Hello all see");
  await running.sql("update memberships set role = 'member' where actor_id = $1", [ada.actorId], home.workspaceId);
  await until("it may write again", () => editor.scope === "read-write");
});

test("a Task that goes into the trash, and one whose Project is archived, is only read; one that is deleted is closed", async () => {
  const { owner, project } = await workshopOn(running);
  const [task, kept] = [await newTask(owner, project.id), await newTask(owner, project.id)];
  const [editor, other] = [
    left(await enter(owner, `/tasks/${task.id}`)),
    left(await enter(owner, `/tasks/${kept.id}`)),
  ];
  await owner.call("POST", `/tasks/${task.id}/trash`, { ifMatch: "1" });
  await until("it is told", () => editor.scope === "readonly");
  await owner.call("DELETE", `/tasks/${task.id}`, { headers: { "if-match": "*" } });
  await editor.ended();
  // The right has ended, or the text is gone: whichever is noticed first, as for a Document.
  expect([4403, 4404]).toContain(editor.closed?.code);
  await owner.call("PATCH", `/projects/${project.id}`, { body: { archived: true }, ifMatch: "1" });
  await owner.call("POST", `/projects/${project.id}/archive`, { ifMatch: "1" });
  await until("the other is told", () => other.scope === "readonly");
});

test("everybody sees who is there by the name that the service knows, whatever they call themselves, and nobody who has left", async () => {
  const { home, owner, project } = await workshopOn(running);
  const ada = await home.member("member");
  const task = await newTask(owner, project.id);
  const [one, two] = [left(await enter(owner, `/tasks/${task.id}`)), left(await enter(ada, `/tasks/${task.id}`))];
  const seen = (editor: Editor, client: number) => editor.awareness.getStates().get(client) as Record<string, unknown>;
  two.awareness.setLocalState({ user: { name: "The owner", color: "#000" }, cursor: { at: 3 }, admin: true });
  await until("the other sees it", () => seen(one, two.doc.clientID));
  expect(seen(one, two.doc.clientID)).toEqual({
    user: { actor_id: ada.actorId, name: expect.any(String), color: expect.stringMatching(/^#[0-9a-f]{6}$/) },
    cursor: { at: 3 },
  });
  expect(JSON.stringify(seen(one, two.doc.clientID))).not.toContain("The owner");
  // Nobody speaks for another.
  one.awareness.setLocalState({ cursor: { at: 1 } });
  await until("both are seen", () => seen(two, one.doc.clientID));
  two.sendPresence(encodeAwarenessUpdate(forged(one.doc.clientID), [one.doc.clientID]));
  two.awareness.setLocalStateField("cursor", { at: 4 });
  await until("the next is seen", () => (seen(one, two.doc.clientID).cursor as { at: number }).at === 4);
  const third = left(await enter(owner, `/tasks/${task.id}`));
  await until("who comes later sees them", () => seen(third, two.doc.clientID));
  expect((seen(third, one.doc.clientID).cursor as { at: number }).at).toBe(1);
  two.cut();
  await until("it is gone", () => !one.awareness.getStates().has(two.doc.clientID));
  expect(third.awareness.getStates().has(two.doc.clientID)).toBe(false);
});
const forged = (client: number) => {
  const doc = new Y.Doc();
  doc.clientID = client;
  const awareness = new Awareness(doc);
  for (let clock = 0; clock < 9; clock++) awareness.setLocalState({ cursor: { at: 99 } });
  clearInterval((awareness as unknown as { _checkInterval: NodeJS.Timeout })._checkInterval);
  return awareness;
};

test("a page of somebody else's opens no socket", async () => {
  const { owner, project } = await workshopOn(running);
  const task = await newTask(owner, project.id);
  const { url } = await newSession(owner, `/tasks/${task.id}`);
  const answered = (origin: string) =>
    new Promise((resolve) => {
      const socket = new WebSocket(url, { origin });
      socket.on("open", () => {
        socket.close();
        resolve("open");
      });
      socket.on("unexpected-response", (_request, { statusCode }) => resolve(statusCode));
      socket.on("error", () => {});
    });
  expect(await answered("https://evil.example")).toBe(403);
  expect(await answered(running.url)).toBe("open");
});
