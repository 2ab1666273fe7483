// Documents that are written together: the same rules as of a Task's description, and revisions of their own.
import { afterEach, expect, test } from "vitest";
import { applied, approve, codes, propose, reviewed } from "../../../test/changes.ts";
import { any } from "../../../test/documents.ts";
import { type Editor, enter, until } from "../../../test/editing.ts";
import { heldTimers } from "../../../test/held-timers.ts";
import { eventsOf, newProject, newTask, workshopOn } from "../../../test/work.ts";
import { newKey, type Person, service, world } from "../../../test/world.ts";

const CALM_MS = 600_001;
const timers = heldTimers(CALM_MS);
/** Nothing is written down by itself: a test says when this time is over. */
const running = service({}, { pace: { calmMs: CALM_MS, longestMs: 600_000, watchMs: 100 } });
const slow = service({}, { pace: { calmMs: 600_000, longestMs: 600_000 } });
const open: Editor[] = [];
const entered = async (person: Person, { id }: { id: string }) => {
  const editor = await enter(person, `/documents/${id}`);
  open.push(editor);
  return editor;
};
afterEach(() => {
  for (const editor of open.splice(0)) editor.leave();
});
async function newDocument(person: Person, workspaceId: string, markdown: string, body: object = {}) {
  const made = await person.call("POST", `/workspaces/${workspaceId}/documents`, {
    body: { title: `Notes ${newKey()}`, ...body },
    key: newKey(),
  });
  expect(made.status, made.text).toBe(201);
  const put = await person.call("PUT", `/documents/${made.body.id}/markdown`, { body: { markdown }, ifMatch: "1" });
  expect(put.status, put.text).toBe(200);
  return made.body as { id: string };
}
const markdownOf = async (person: Person, { id }: { id: string }) =>
  (await person.call("GET", `/documents/${id}/markdown`)).body as { markdown: string; content_revision: string };
const put = (person: Person, { id }: { id: string }, markdown: string, ifMatch: string) =>
  person.call("PUT", `/documents/${id}/markdown`, { body: { markdown }, ...(ifMatch === "*" ? any : { ifMatch }) });
const revisions = async (person: Person, { id }: { id: string }) =>
  (await person.call("GET", `/documents/${id}/revisions`)).body.items as {
    revision: string;
    reason: string;
    authors: { actor_id: string }[];
  }[];
const stored = async (workspaceId: string, { id }: { id: string }) =>
  (
    await running.sql<{ content_revision: string }>(
      "select content_revision::text from documents where id = $1",
      [id],
      workspaceId,
    )
  )[0]?.content_revision;

test("what several people write becomes one revision of all of them, with its reason, its event and nothing else changed", async () => {
  const { home, owner, workspaceId } = await workshopOn(running);
  const ada = await home.member("member");
  const document = await newDocument(owner, workspaceId, "One");
  const before = (await owner.call("GET", `/documents/${document.id}`)).body;
  const [first, second] = [await entered(owner, document), await entered(ada, document)];
  first.type(" two");
  second.type("Three", 1);
  await Promise.all([first.kept(), second.kept()]);
  timers.fire(CALM_MS);
  await until("it is written down", async () => (await stored(workspaceId, document)) === "3");
  const [newest] = await revisions(owner, document);
  expect(newest).toMatchObject({ revision: "3", reason: "session" });
  expect(newest?.authors.map(({ actor_id }) => actor_id).sort()).toEqual([owner.actorId, ada.actorId].sort());
  const after = (await owner.call("GET", `/documents/${document.id}`)).body;
  expect(after).toMatchObject({ revision: before.revision, content_revision: "3" });
  expect((await eventsOf(running, home, document.id)).at(-1)).toMatchObject({
    type: "document.content_updated",
    payload: { from: "2", to: "3", reason: "session" },
  });
});

test("reading in either form writes down what was typed first, and names it; nothing typed, nothing written", async () => {
  const { owner, workspaceId } = await workshopOn(running);
  const document = await newDocument(owner, workspaceId, "One");
  const editor = await entered(owner, document);
  editor.type(" two");
  await editor.kept();
  const answer = await owner.call("GET", `/documents/${document.id}/markdown`);
  expect(answer.body).toMatchObject({ markdown: expect.stringMatching(/^One two\s*$/), content_revision: "3" });
  expect(answer.headers.get("etag")).toBe('"3"');
  editor.type(" three");
  await editor.kept();
  const content = await owner.call("GET", `/documents/${document.id}/content`);
  expect(content.body.content_revision).toBe("4");
  expect(JSON.stringify(content.body.content)).toContain("One two three");
  expect((await owner.call("GET", `/documents/${document.id}/content`)).body.content_revision).toBe("4");
  editor.type(" four");
  await editor.kept();
  expect((await owner.call("GET", `/documents/${document.id}`)).body.content_revision).toBe("5");
});

test("a write that names a revision is compared with what was typed: nothing is written over unread", async () => {
  const { home, owner, workspaceId } = await workshopOn(running);
  const ada = await home.member("member");
  const document = await newDocument(owner, workspaceId, "First");
  const editor = await entered(ada, document);
  const typed = async (words: string) => {
    editor.type(words, 0);
    await editor.kept();
  };
  await typed(" one");
  const refused = await put(owner, document, "First, changed", "2");
  expect([refused.status, refused.body.code, refused.body.current_revision]).toEqual([409, "revision_conflict", "3"]);
  await typed(" two");
  const content = { type: "doc", content: [{ type: "paragraph", content: [{ type: "text", text: "x" }] }] };
  const also = await owner.call("PUT", `/documents/${document.id}/content`, { body: { content }, ifMatch: "3" });
  expect([also.status, also.body.current_revision]).toEqual([409, "4"]);
  await typed(" three");
  const restored = await owner.call("POST", `/documents/${document.id}/revisions/1/restore`, { ifMatch: "4" });
  expect([restored.status, restored.body.current_revision]).toEqual([409, "5"]);
  // Whoever reads again has what was typed, and writes over it.
  const { markdown, content_revision } = await markdownOf(owner, document);
  expect([markdown, content_revision]).toEqual(["First one two three", "5"]);
  expect((await put(owner, document, `${markdown}, read`, "5")).status).toBe(200);
  await until("it is seen", () => editor.text === "First one two three, read");
  // Whoever names none writes at once, and what was typed is merged.
  await typed(" and typed");
  const merged = await owner.call("PUT", `/documents/${document.id}/markdown`, {
    body: { markdown: "First one two three, read\n\nSecond" },
    headers: { "if-match": "*" },
  });
  expect(merged.status, merged.text).toBe(200);
  await until("both are there", () => editor.text === "First one two three, read and typed\nSecond");
});

test("a Document patch is compared with what was typed when its ChangeSet is proposed, reviewed and applied", async () => {
  const { home, owner, workspaceId } = await workshopOn(slow);
  const ada = await home.member("member");
  const document = await newDocument(owner, workspaceId, "First\n\nSecond");
  const editor = await entered(ada, document);
  const typed = async (words: string) => {
    editor.type(words, 0);
    await editor.kept();
  };
  const drafted = async (revision: string) => {
    const edits = [{ action: "find_replace", find: "Second", replace: "Changed" }];
    const draft = { document_id: document.id, base_revision: revision, edits };
    const path = `/workspaces/${workspaceId}/document-patches`;
    const { body, text } = await owner.call("POST", path, { body: draft, key: newKey() });
    expect(body.version, text).toBe(1);
    return [{ action: "document.patch", patch_id: body.id, version: 1 }];
  };
  const stale = ["change_set_stale", "/changes/0/revision moved_on"];
  const changes = await drafted("2");
  await typed(" one");
  const refused = await propose(owner, home, changes);
  expect(refused.body.changes[0].refusal, refused.text).toMatchObject({ code: "revision_conflict" });
  const proposed = await propose(owner, home, await drafted("3"));
  await typed(" two");
  expect(codes(await reviewed(owner, home, proposed.body))).toEqual(stale);
  const approved = await approve(owner, home, await drafted("4"));
  await typed(" three");
  expect(codes(await applied(owner, home, approved))).toEqual(stale);
  expect(await markdownOf(owner, document)).toMatchObject({ markdown: "First one two three\n\nSecond" });
  const last = await applied(owner, home, await approve(owner, home, await drafted("5")));
  expect(last.status, last.text).toBe(200);
  await until("it is seen", () => editor.text === "First one two three\nChanged");
});

test("36 reads of a Document in which somebody else types make one revision, and the reader's own words are always there", async () => {
  const { home, owner, workspaceId } = await workshopOn(slow);
  const ada = await home.member("member");
  const document = await newDocument(owner, workspaceId, "One");
  const editor = await entered(ada, document);
  const read = async (person: Person) => {
    const answer = await person.call("GET", `/documents/${document.id}/markdown`);
    return [answer.body.markdown, answer.body.content_revision, answer.headers.get("etag")];
  };
  editor.type(" two");
  await editor.kept();
  expect(await read(owner)).toEqual(["One two", "3", '"3"']);
  for (let count = 0; count < 35; count++) {
    editor.type(` w${count}`);
    await editor.kept();
    expect(await read(owner)).toEqual(["One two", "3", '"3"']);
  }
  expect((await owner.call("GET", `/documents/${document.id}`)).body.content_revision).toBe("3");
  expect((await owner.call("GET", `/documents/${document.id}/content`)).body.content_revision).toBe("3");
  expect(await revisions(owner, document)).toHaveLength(3);
  // Whoever typed has been told that it is saved.
  expect(await read(ada)).toEqual([editor.text, "4", '"4"']);
  expect(await read(owner)).toEqual([editor.text, "4", '"4"']);
  editor.type(" late");
  await editor.kept();
  expect((await read(owner))[1]).toBe("4");
  await slow.sql("update collaboration_texts set sealed_at = now() - interval '31 seconds'", [], workspaceId);
  expect(await read(owner)).toEqual([editor.text, "5", '"5"']);
});

test("PUT of Markdown and of content, and restoring, become edits in the open text, and a stale revision stays a conflict", async () => {
  const { owner, workspaceId } = await workshopOn(running);
  const document = await newDocument(owner, workspaceId, "First\n\nSecond\n\nThird");
  const editor = await entered(owner, document);
  const { content_revision, markdown } = await markdownOf(owner, document);
  expect(content_revision).toBe("2");
  editor.type(" typed", 0);
  await editor.kept();
  const written = await put(owner, document, markdown.replace("Third", "Third by a request"), "*");
  expect([written.status, written.body.content_revision]).toEqual([200, "3"]);
  await until("it is seen", () => editor.text === "First typed\nSecond\nThird by a request");
  expect((await put(owner, document, "Stale", "2")).body.code).toBe("revision_conflict");
  const now = await owner.call("GET", `/documents/${document.id}/content`);
  expect(now.body.content_revision).toBe("4");
  editor.type(" on", 0);
  await editor.kept();
  const { content } = now.body;
  content.content.push({ type: "paragraph", content: [{ type: "text", text: "Fourth" }] });
  const replaced = await owner.call("PUT", `/documents/${document.id}/content`, { body: { content }, ...any });
  expect([replaced.status, replaced.text.slice(0, 200)]).toEqual([200, replaced.text.slice(0, 200)]);
  await until("it is seen", () => editor.text === "First typed on\nSecond\nThird by a request\nFourth");
  editor.type(" and on", 0);
  await editor.kept();
  const restored = await owner.call("POST", `/documents/${document.id}/revisions/2/restore`, any);
  expect(restored.status, restored.text).toBe(200);
  await until("it is seen", () => !editor.text.includes("Fourth"));
  expect(editor.text).toMatch(/and on/);
  expect(editor.text.split("\n").at(-1)).toBe("Third");
});

test("who does not see the Document gets no session; one in no Project is everybody's, and only those who write there write", async () => {
  const { home, owner, workspaceId } = await workshopOn(running);
  const hidden = await newProject(home, { visibility: "private" });
  const secret = await newDocument(owner, workspaceId, "Secret", { project_id: hidden.id });
  const member = await home.member("member");
  for (const person of [member, (await world(running)).owner])
    expect((await person.call("POST", `/documents/${secret.id}/collaboration-sessions`)).status).toBe(404);
  const common = await newDocument(owner, workspaceId, "Hello");
  expect((await entered(member, common)).scope).toBe("read-write");
  expect((await entered(await home.member("viewer"), common)).scope).toBe("readonly");
});

test("a Document that moves into a Project which somebody does not see closes their socket; in the trash it is only read, and for ever gone it is closed", async () => {
  const { home, owner, workspaceId } = await workshopOn(running);
  const ada = await home.member("member");
  const document = await newDocument(owner, workspaceId, "Hello");
  const [own, other] = [await entered(owner, document), await entered(ada, document)];
  const hidden = await newProject(home, { visibility: "private" });
  const moved = await owner.call("PATCH", `/documents/${document.id}`, {
    body: { project_id: hidden.id },
    headers: { "if-match": "*" },
  });
  expect(moved.status, moved.text).toBe(200);
  await other.ended();
  expect([other.closed?.code, own.closed]).toEqual([4403, null]);
  own.type(" there");
  await own.kept();
  expect((await owner.call("DELETE", `/documents/${document.id}`)).status).toBe(204);
  await until("it is told", () => own.scope === "readonly");
  expect((await owner.call("POST", `/documents/${document.id}/collaboration-sessions`)).body.code).toBe(
    "document_trashed",
  );
  expect((await owner.call("DELETE", `/documents/${document.id}/permanent`)).status).toBe(204);
  await own.ended();
  // The right has ended, or the text is gone: whichever is noticed first.
  expect([4403, 4404]).toContain(own.closed?.code);
});

test("a mention that somebody types links what it names once it is written down", async () => {
  const { owner, project, workspaceId } = await workshopOn(running);
  const task = await newTask(owner, project.id);
  const document = await newDocument(owner, workspaceId, "See", { project_id: project.id });
  const editor = await entered(owner, document);
  const Y = await import("yjs");
  const mention = new Y.XmlElement("mention");
  for (const [name, value] of Object.entries({ kind: "task", id: task.id, label: task.code }))
    mention.setAttribute(name, value as string);
  (editor.part.get(0) as InstanceType<typeof Y.XmlElement>).push([mention]);
  await editor.kept();
  expect((await markdownOf(owner, document)).markdown).toContain(task.id);
  const links = (await owner.call("GET", `/documents/${document.id}/links`)).body.items;
  expect(JSON.stringify(links)).toContain(task.id);
});
