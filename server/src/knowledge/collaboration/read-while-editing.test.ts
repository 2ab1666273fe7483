// Reading while people write: what says the text, or names its revision, writes down what was typed first; what tells
// of the past, lists, and what strangers read does not, and shows what was written down last.
import { afterEach, expect, test } from "vitest";
import type { Answer } from "../../../test/answer.ts";
import { any, changeDocument, type MadeDocument, newDocument } from "../../../test/documents.ts";
import { type Editor, enter } from "../../../test/editing.ts";
import { eventsOf, newTask, workshopOn } from "../../../test/work.ts";
import { service } from "../../../test/world.ts";
import { indexSearch } from "../search/jobs.ts";

// Nothing is written down by itself here.
const running = service({}, { pace: { calmMs: 600_000, longestMs: 600_000 } });
const open: Editor[] = [];
afterEach(() => {
  for (const editor of open.splice(0)) editor.leave();
});

/** Revision 2 of a published Document says "One"; "keystrokes" was typed since. */
async function writing() {
  const { home, owner, project, workspaceId } = await workshopOn(running);
  const made = await newDocument(home, { title: "Live" });
  const task = await newTask(owner, project.id);
  const markdown = `One [x](svc:task/${task.id})`;
  const said = await owner.call("PUT", `/documents/${made.id}/markdown`, { body: { markdown }, ...any });
  expect(said.status, said.text).toBe(200);
  const { public_id } = (await changeDocument(owner, made.id, { published: true })).body as { public_id: string };
  const editor = await enter(owner, `/documents/${made.id}`);
  open.push(editor);
  editor.type("keystrokes", 1);
  await editor.kept();
  const newest = async () => {
    const sql = "select content_revision::text as newest from documents where id = $1";
    return (await running.sql<{ newest: string }>(sql, [made.id], workspaceId))[0]?.newest;
  };
  expect(await newest()).toBe("2");
  return { home, owner, workspaceId, made, task, public_id, newest, editor };
}
type There = Awaited<ReturnType<typeof writing>>;
const path = ({ id }: MadeDocument, rest = "") => `/documents/${id}${rest}`;
const cli = async ({ home, owner }: There, to: string) => owner.bearer(await home.token(["svc:read"]), "GET", to);

const SEALING: Record<string, (there: There) => Promise<Answer>> = {
  "the Document": ({ owner, made }) => owner.call("GET", path(made)),
  "its content": ({ owner, made }) => owner.call("GET", path(made, "/content")),
  "its Markdown": ({ owner, made }) => owner.call("GET", path(made, "/markdown")),
  "the Document by its path": ({ owner, workspaceId }) =>
    owner.call("GET", `/workspaces/${workspaceId}/documents/by-path/live`),
  "the Document on the command line": (there) => cli(there, "/cli/documents/live"),
};
for (const [what, read] of Object.entries(SEALING))
  test(`${what} is read with what was typed, which is a revision then, and read again makes no other`, async () => {
    const there = await writing();
    const answer = await read(there);
    expect([answer.status, await there.newest()], answer.text).toEqual([200, "3"]);
    if (what !== "the Document" && !what.endsWith("path")) expect(answer.text).toContain("keystrokes");
    else expect(answer.body.content_revision).toBe("3");
    expect((await read(there)).status).toBe(200);
    expect(await there.newest()).toBe("3");
  });

const PAST: Record<string, (there: There) => Promise<Pick<Answer, "status" | "text">>> = {
  "the list of its revisions": ({ owner, made }) => owner.call("GET", path(made, "/revisions")),
  "one of its revisions": ({ owner, made }) => owner.call("GET", path(made, "/revisions/2")),
  "the comparison of two": ({ owner, made }) => owner.call("GET", path(made, "/revisions/compare?from=1&to=2")),
  "its links": ({ owner, made }) => owner.call("GET", path(made, "/links")),
  "lists of Documents": ({ owner, workspaceId }) => owner.call("GET", `/workspaces/${workspaceId}/documents`),
  "the list on the command line": (there) => cli(there, "/cli/documents"),
  "the context of a Task that it names": ({ owner, workspaceId, task }) =>
    owner.call("GET", `/workspaces/${workspaceId}/tasks/${task.id}/context?profile=full`),
  search: ({ owner, workspaceId }) => owner.call("GET", `/workspaces/${workspaceId}/search?q=live`),
  "what strangers are answered": async ({ public_id }) => {
    const answer = await fetch(`${running.url}/api/v1/public/documents/${public_id}`);
    return { status: answer.status, text: await answer.text() };
  },
  "the page that strangers read": async ({ public_id }) => {
    const answer = await fetch(`${running.url}/p/${public_id}`);
    return { status: answer.status, text: await answer.text() };
  },
};
for (const [what, read] of Object.entries(PAST))
  test(`${what}: shown as it was written down last, and nothing is written down for it`, async () => {
    const there = await writing();
    const { status, text } = await read(there);
    expect([status, await there.newest()], text).toEqual([200, "2"]);
    expect(text).not.toContain("keystrokes");
    // It is there as soon as somebody who may has read it.
    await there.owner.call("GET", path(there.made, "/content"));
    expect(await there.newest()).toBe("3");
    if (/strangers/.test(what)) expect((await read(there)).text).toContain("keystrokes");
    if (/list of its revisions/.test(what)) expect((await read(there)).text).toMatch(/"revision" ?: ?"3"/);
  });

test("search finds what was typed once it is written down, with the passage", async () => {
  const { owner, workspaceId, made } = await writing();
  const find = async () => (await owner.call("GET", `/workspaces/${workspaceId}/search?q=keystrokes`)).body.items;
  await indexSearch(running.database);
  expect(await find()).toEqual([]);
  await owner.call("GET", path(made));
  await indexSearch(running.database);
  expect(await find()).toMatchObject([
    { kind: "document", id: made.id, snippet: expect.stringContaining("keystrokes") },
  ]);
});

test("the context of a Task says its description with what was typed, here and on the command line", async () => {
  const { home, owner, project, workspaceId } = await workshopOn(running);
  const task = await newTask(owner, project.id, { description_markdown: "One" });
  const editor = await enter(owner, `/tasks/${task.id}`);
  open.push(editor);
  editor.type(" two");
  await editor.kept();
  const context = await owner.call("GET", `/workspaces/${workspaceId}/tasks/${task.id}/context`);
  expect([context.status, context.text.includes("One two")], context.text).toEqual([200, true]);
  editor.type(" three");
  await editor.kept();
  const terse = await owner.bearer(await home.token(["svc:read"]), "GET", `/cli/tasks/${task.code}/context`);
  expect([terse.status, terse.text.includes("One two three")], terse.text).toEqual([200, true]);
});

test("a revision names everybody who typed since the last one, the last one first", async () => {
  const { home, owner, project } = await workshopOn(running);
  const ada = await home.member("member");
  const task = await newTask(owner, project.id);
  for (const person of [owner, ada]) {
    const editor = await enter(person, `/tasks/${task.id}`);
    open.push(editor);
    editor.type(`by ${person.actorId}`);
    await editor.kept();
  }
  await owner.call("GET", `/tasks/${task.id}`);
  const written = (await eventsOf(running, home, task.id)).at(-1);
  expect(written).toMatchObject({
    type: "task.description_changed",
    payload: { author_actor_ids: [ada.actorId, owner.actorId] },
  });
});
