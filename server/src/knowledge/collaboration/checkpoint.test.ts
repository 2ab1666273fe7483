// Checkpoints: collaborative edits become revisions, and merge with edits by requests without losing anyone's words.
import pg from "pg";
import { afterEach, expect, test } from "vitest";
import { commandOf, undo } from "../../../test/commands.ts";
import { type Editor, enter, until } from "../../../test/editing.ts";
import { eventually } from "../../../test/eventually.ts";
import { heldTimers } from "../../../test/held-timers.ts";
import { eventsOf, newTask, workshopOn } from "../../../test/work.ts";
import { type Person, service } from "../../../test/world.ts";

// Nothing is written down by itself: a test says when these times are over.
const [CALM_MS, LONGEST_MS] = [600_001, 2_500_001];
const timers = heldTimers(CALM_MS, LONGEST_MS);
const running = service({}, { pace: { calmMs: CALM_MS, longestMs: LONGEST_MS, watchMs: 100 } });
const open: Editor[] = [];
const entered = async (person: Person, { id }: { id: string }) => {
  const editor = await enter(person, `/tasks/${id}`);
  open.push(editor);
  return editor;
};
afterEach(() => {
  for (const editor of open.splice(0)) editor.leave();
});
const timesRunning = () => timers.running(CALM_MS).length + timers.running(LONGEST_MS).length;
async function workshop() {
  await until("the texts of other tests are closed", () => timesRunning() === 0);
  return workshopOn(running);
}
const read = async (person: Person, { id }: { id: string }) => (await person.call("GET", `/tasks/${id}`)).body;
const write = (person: Person, { id }: { id: string }, description_markdown: string, ifMatch: string) =>
  person.call("PATCH", `/tasks/${id}`, { body: { description_markdown }, ifMatch });
const texts = async (person: Person, { id }: { id: string }) =>
  (await person.call("GET", `/tasks/${id}/description-revisions`)).body.items as Record<string, string>[];
/** As the database has it, whoever reads. */
const stored = async (workspaceId: string, { id }: { id: string }) =>
  (
    await running.sql<{ description_markdown: string; revision: string }>(
      "select description_markdown, revision::text from tasks where id = $1",
      [id],
      workspaceId,
    )
  )[0];

test("what was written becomes a revision once nobody has typed for a while, by those who have", async () => {
  const { home, owner, project, workspaceId } = await workshop();
  const ada = await home.member("member");
  const task = await newTask(owner, project.id, { description_markdown: "One" });
  const [first, second] = [await entered(owner, task), await entered(ada, task)];
  first.type(" two");
  second.type("Three", 1);
  await Promise.all([first.kept(), second.kept()]);
  expect(await stored(workspaceId, task)).toMatchObject({ revision: "1" });
  expect(timers.running(CALM_MS), "each change starts the time anew").toHaveLength(1);
  timers.fire(CALM_MS);
  await until("it is written down", async () => (await stored(workspaceId, task))?.revision === "2");
  expect((await stored(workspaceId, task))?.description_markdown.trim()).toBe("One two\n\nThree");
  const { at, ...event } = (await eventsOf(running, home, task.id)).at(-1) as never as { at: string; payload: object };
  expect(event).toMatchObject({
    type: "task.description_changed",
    activity: "description",
    payload: { from: "1", to: "2" },
  });
  const { author_actor_ids } = event.payload as { author_actor_ids: string[] };
  expect([...author_actor_ids].sort()).toEqual([owner.actorId, ada.actorId].sort());
  expect((await texts(owner, task))[0]).toMatchObject({ revision: "1", description_markdown: "One" });
});

test("what is written all the time becomes a revision now and then, and what the last one leaves at once", async () => {
  const { owner, project, workspaceId } = await workshop();
  const task = await newTask(owner, project.id);
  const editor = await entered(owner, task);
  editor.type("x0 x");
  await editor.kept();
  const first = [timers.running(CALM_MS), timers.running(LONGEST_MS)];
  for (let count = 1; count < 5; count++) {
    editor.type(`x${count} x`);
    await editor.kept();
  }
  const last = [timers.running(CALM_MS), timers.running(LONGEST_MS)];
  expect(last.map(({ length }) => length)).toEqual([1, 1]);
  expect(last[0], "each change starts this time anew").not.toEqual(first[0]);
  expect(last[1], "and not this one").toEqual(first[1]);
  timers.fire(LONGEST_MS);
  await until("it is written down meanwhile", async () => (await stored(workspaceId, task))?.revision === "2");
  editor.type("and last");
  await editor.kept();
  const text = editor.text.trim();
  editor.leave();
  await eventually(async () => expect((await stored(workspaceId, task))?.description_markdown.trim()).toBe(text));
});

test("what is kept while a revision is being made becomes the next one, also where nobody types any more", async () => {
  const { owner, project, workspaceId } = await workshop();
  const task = await newTask(owner, project.id);
  const editor = await entered(owner, task);
  const client = new pg.Client(running.databaseUrl);
  await client.connect();
  const revision = async () => Number((await stored(workspaceId, task))?.revision);
  const waiting = async () => {
    // Within a transaction, what was seen once is seen again.
    await client.query("select pg_stat_clear_snapshot()");
    const { rowCount } = await client.query(
      "select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()",
    );
    return rowCount;
  };
  const before = await revision();
  editor.type("First ");
  await editor.kept();
  await client.query("begin");
  await client.query("select from collaboration_texts where target_id = $1 for update", [task.id]);
  // The last words wait to be kept, and the revision that is made meanwhile has read what was kept before them.
  editor.type("and last");
  await until("the last words wait", async () => (await waiting()) === 1);
  timers.fire(CALM_MS);
  await until("both wait", async () => (await waiting()) === 2);
  await client.query("commit");
  await client.end();
  await editor.kept();
  await until("the first is written down", async () => (await revision()) > before);
  await eventually(async () => {
    // The time of words that were stored during the first sealing begins when they were stored.
    timers.fire(CALM_MS);
    expect((await stored(workspaceId, task))?.description_markdown.trim()).toBe(editor.text.trim());
  });
});

test("opening, reading and leaving change nothing", async () => {
  const { home, owner, project, workspaceId } = await workshop();
  const task = await newTask(owner, project.id, { description_markdown: "* one\n* two\n\n\n\nEnd" });
  const editor = await entered(owner, task);
  expect(editor.text).toBe("onetwo\nEnd");
  await read(owner, task);
  expect(timesRunning()).toBe(0);
  editor.leave();
  // The change of the next one becomes the second revision, behind whatever the first one left.
  const next = await entered(owner, task);
  const unchanged = { description_markdown: "* one\n* two\n\n\n\nEnd", revision: "1" };
  expect(await stored(workspaceId, task)).toEqual(unchanged);
  expect((await eventsOf(running, home, task.id)).length).toBe(1);
  next.type("!", 2);
  await next.kept();
  next.leave();
  await until("it is written down", async () => (await stored(workspaceId, task))?.revision !== "1");
  expect((await stored(workspaceId, task))?.revision).toBe("2");
  expect((await texts(owner, task)).at(-1)).toMatchObject(unchanged);
});

test("whoever reads can name what it read: what was written so far is written down first, by id, by code and on the command line", async () => {
  const { owner, project, workspaceId } = await workshop();
  const task = await newTask(owner, project.id, { description_markdown: "One" });
  const editor = await entered(owner, task);
  editor.type(" two");
  await editor.kept();
  const answer = await owner.call("GET", `/tasks/${task.id}`);
  expect(answer.body).toMatchObject({ revision: "2", description_markdown: expect.stringMatching(/^One two\s*$/) });
  expect(answer.trips).toBe(2);
  expect((await owner.call("GET", `/tasks/${task.id}`)).trips).toBe(1);
  editor.type(" three");
  await editor.kept();
  const byCode = await owner.call("GET", `/workspaces/${workspaceId}/tasks/${task.code}?include=status`);
  expect(byCode.body).toMatchObject({
    revision: "3",
    description_markdown: expect.stringMatching(/^One two three\s*$/),
  });
  expect(byCode.body.included.statuses).toBeDefined();
  editor.type(" four");
  await editor.kept();
  const baseline = await owner.call("GET", `/tasks/${task.id}`, { headers: { "x-svc-realtime-baseline": "1" } });
  expect(baseline.body, "also in one snapshot").toMatchObject({
    revision: "4",
    description_markdown: expect.stringMatching(/^One two three four\s*$/),
  });
  expect([baseline.trips, baseline.headers.get("x-svc-realtime-position")]).toEqual([
    2,
    expect.stringMatching(/^\d+$/),
  ]);
  const context = await owner.call("GET", `/tasks/${task.id}/context`);
  if (context.status === 200) expect(JSON.stringify(context.body)).toContain("One two three four");
});

test("a change by a request becomes an edit in the open text; both are there, and a stale revision stays a conflict", async () => {
  const { owner, project } = await workshop();
  const task = await newTask(owner, project.id, { description_markdown: "First\n\nSecond\n\nThird" });
  const editor = await entered(owner, task);
  editor.type(" by an editor", 0);
  await editor.kept();
  const { revision, description_markdown } = await read(owner, task);
  expect(revision).toBe("2");
  // Written after it was read.
  editor.type(" and more", 0);
  await editor.kept();
  const changed = description_markdown
    .replace("Third", "Third by a request")
    .replace("Second\n\n", "Second\n\nBetween\n\n");
  const answer = await write(owner, task, changed, "2");
  expect([answer.status, answer.body.revision]).toEqual([200, "3"]);
  await until("the editor sees it", () => editor.text.includes("by a request"));
  expect(editor.text).toBe("First by an editor and more\nSecond\nBetween\nThird by a request");
  expect((await write(owner, task, "Stale", "2")).body).toMatchObject({ code: "revision_conflict" });
  const now = await read(owner, task);
  expect(now.revision).toBe("4");
  expect(now.description_markdown.trim().split(/\n+/)).toEqual(editor.text.split("\n"));
  expect((await texts(owner, task)).map(({ revision: each }) => each)).toEqual(["3", "2", "1"]);
});

test("a request that takes away the paragraph in which somebody writes does not take away what they write", async () => {
  const { owner, project } = await workshop();
  const task = await newTask(owner, project.id, { description_markdown: "First\n\nSecond\n\nThird" });
  const editor = await entered(owner, task);
  editor.type(" somebody writes here", 1);
  await editor.kept();
  expect((await write(owner, task, "First\n\nThird, changed", "1")).status).toBe(200);
  await until("the editor sees it", () => editor.text.includes("changed"));
  expect(editor.text).toBe("First\nSecond somebody writes here\nThird, changed");
});

test("a request that changes a paragraph which somebody has just taken away brings it back as it wants it", async () => {
  const { owner, project } = await workshop();
  const task = await newTask(owner, project.id, { description_markdown: "First\n\nSecond\n\nThird" });
  const editor = await entered(owner, task);
  editor.part.delete(1, 1);
  await editor.kept();
  expect((await write(owner, task, "First\n\nSecond, and important\n\nThird", "1")).status).toBe(200);
  await until("the editor sees it", () => editor.text.includes("important"));
  expect(editor.text).toBe("First\nSecond, and important\nThird");
});

test("undoing and restoring during a session take back what they are about, and leave what others wrote meanwhile", async () => {
  const { owner, project } = await workshop();
  const task = await newTask(owner, project.id, { description_markdown: "First\n\nSecond" });
  const editor = await entered(owner, task);
  const changed = await write(owner, task, "First\n\nSecond, changed", "1");
  await until("the editor sees it", () => editor.text.includes("changed"));
  editor.type(" typed", 0);
  await editor.kept();
  const undone = await undo(owner, commandOf(changed));
  expect(undone.status, undone.text).toBe(200);
  await until("the editor sees it", () => !editor.text.includes("changed"));
  expect(editor.text).toBe("First typed\nSecond");
  const { revision } = await read(owner, task);
  editor.type(" on", 0);
  await editor.kept();
  const path = `/tasks/${task.id}/description-revisions/2/restore`;
  expect((await owner.call("POST", path, { ifMatch: revision })).status).toBe(200);
  await until("the editor sees it", () => editor.text.includes("changed"));
  expect(editor.text.split("\n").at(-1)).toBe("Second, changed");
  expect(editor.text).toContain(" on");
  expect((await read(owner, task)).description_markdown.trim().split(/\n+/)).toEqual(editor.text.split("\n"));
});

test("what a request writes while nobody is there is there when somebody comes, and somebody who was away for long merges with it", async () => {
  const { owner, project } = await workshop();
  const task = await newTask(owner, project.id, { description_markdown: "First\n\nSecond" });
  const away = await entered(owner, task);
  away.cut();
  await away.ended();
  away.type(" while away", 0);
  await write(owner, task, "First\n\nSecond by a request", "1");
  const other = await entered(owner, task);
  expect(other.text).toBe("First\nSecond by a request");
  const { newSession, Editor } = await import("../../../test/editing.ts");
  const back = await new Editor(await newSession(owner, `/tasks/${task.id}`), away.doc).ready();
  open.push(back);
  await until("both have all", () => other.text === back.text && back.text.includes("away"));
  expect(back.text).toBe("First while away\nSecond by a request");
});

test("marks, links, lists, tables and code come through a session unharmed", async () => {
  const { owner, project } = await workshop();
  const markdown =
    "# Title\n\n**bold** *and* [link](https://example.org) `code`\n\n- [ ] one\n- [x] two\n\n| a | b |\n| --- | " +
    "--- |\n| 1 | 2 |\n\n```js\nlet x = 1;\n```\n\n> quote\n";
  const task = await newTask(owner, project.id, { description_markdown: markdown });
  const editor = await entered(owner, task);
  editor.type("typed", 20);
  await editor.kept();
  const { description_markdown } = await read(owner, task);
  for (const part of [
    "# Title",
    "**bold**",
    "[link](https://example.org)",
    "`code`",
    "[x] two",
    "```js\nlet x = 1;\n```",
    "> quote",
    "typed",
  ])
    expect(description_markdown).toContain(part);
});
