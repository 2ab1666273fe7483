// Synchronisation meets people: what comes from the repository becomes an edit of the text that somebody has open, what
// is typed there goes to the repository, and whoever a file mentions is told.
import { afterEach, expect, test } from "vitest";
import * as Y from "yjs";
import { type Editor, enter, until } from "../../../test/editing.ts";
import { eventually } from "../../../test/eventually.ts";
import { type Connected, repositories } from "../../../test/repository.ts";
import { tellEvents } from "../../history/inbox/fill-inboxes.ts";

const { running, connect } = await repositories();
const open: Editor[] = [];
afterEach(() => {
  for (const editor of open.splice(0)) editor.leave();
});
async function editing(place: Connected, { id }: { id: string }) {
  const editor = await enter(place.owner, `/documents/${id}`);
  open.push(editor);
  return editor;
}
const lines = (place: Connected, path: string) =>
  place.clone.read(path).split("---\n").at(-1)?.trim().split(/\n+/) as string[];
const change = (place: Connected, path: string, from: string, to: string) => {
  place.clone.pull();
  place.clone.write(path, place.clone.read(path).replace(from, to));
  place.clone.push();
};
const reasons = async ({ owner }: Connected, { id }: { id: string }) =>
  (await owner.call("GET", `/documents/${id}/revisions`)).body.items.map(({ reason }: { reason: string }) => reason);

test("a change in the repository becomes an edit in the open text: cursors stay, nobody's words vanish, and both sides end alike", async () => {
  const place = await connect();
  const document = await place.document("Notes", {}, "First\n\nSecond\n\nThird\n");
  expect((await place.run()).state).toBe("succeeded");
  const editor = await editing(place, document);
  editor.type(" typed", 0);
  await editor.kept();
  // A cursor behind "typed".
  const paragraph = editor.part.get(0) as Y.XmlElement;
  const words = paragraph.get(0) as Y.XmlText;
  const cursor = Y.createRelativePositionFromTypeIndex(words, words.length);
  change(place, "notes.md", "Third", "Third from Git\n\nFourth from Git");
  const run = await place.run();
  expect(run).toMatchObject({ state: "succeeded", error_code: null, counts: { documents_updated: 1, conflicts: 0 } });
  await until("the editor sees it", () => editor.text.includes("Fourth from Git"));
  expect(editor.text).toBe("First typed\nSecond\nThird from Git\nFourth from Git");
  expect(editor.closed).toBeNull();
  const found = Y.createAbsolutePositionFromRelativePosition(cursor, editor.doc);
  expect([found?.type === words, found?.index]).toEqual([true, "First typed".length]);
  editor.type(" on", 0);
  await editor.kept();
  expect((await place.read(document.id)).markdown.trim().split(/\n+/)).toEqual(editor.text.split("\n"));
  expect((await reasons(place, document)).slice(0, 2)).toEqual(["session", "sync"]);
  expect(await place.run()).toMatchObject({ state: "succeeded", counts: { files_written: 1 } });
  expect(await place.conflicts()).toEqual([]);
  place.clone.pull();
  expect(lines(place, "notes.md")).toEqual(editor.text.split("\n"));
});

test("the same line changed in the repository and typed in: the run succeeds, and both are in the text", async () => {
  const place = await connect();
  const document = await place.document("Notes", {}, "First\n\nSecond\n");
  await place.run();
  const editor = await editing(place, document);
  editor.type(" typed", 0);
  await editor.kept();
  change(place, "notes.md", "First", "From Git: First");
  expect((await place.run()).state).toBe("succeeded");
  await until("the editor sees it", () => editor.text.includes("From Git"));
  expect(editor.text).toContain("typed");
  expect(editor.text.split("\n").at(-1)).toBe("Second");
});

test("a file that goes away puts the Document that is being edited into the trash, with what was typed in it", async () => {
  const place = await connect();
  const document = await place.document("Notes", {}, "First\n");
  await place.run();
  const editor = await editing(place, document);
  editor.type(" typed", 0);
  await editor.kept();
  place.clone.pull();
  place.clone.run("rm", "-q", "notes.md");
  place.clone.push();
  expect((await place.run()).state).toBe("succeeded");
  const { trashed_at, markdown } = await place.read(document.id);
  expect([trashed_at, markdown.trim()]).toEqual([expect.any(String), "First typed"]);
});

test("whoever a new or a changed file mentions is told once, and not who has connected the repository", async () => {
  const place = await connect();
  const [ada, bob] = [await place.member("member"), await place.member("member")];
  const told = async () => {
    await tellEvents(running.database);
    const inboxes = [ada, bob, place.owner].map((person) =>
      person.call("GET", `/workspaces/${place.workspaceId}/inbox`).then(({ body }) => body.items),
    );
    return (await Promise.all(inboxes)).map((items) =>
      items.map(({ action, document }: { action: string; document: { title: string } }) => [action, document.title]),
    );
  };
  place.clone.write("plan.md", `Ask @${ada.userId} or @${place.owner.userId}\n`);
  place.clone.push();
  await place.run("import");
  const first = ["document.created", "Plan"];
  await eventually(async () => expect(await told()).toEqual([[first], [], []]));
  await place.run();
  change(place, "plan.md", "Ask", `Ask @${bob.userId} and`);
  await place.run();
  await eventually(async () => expect(await told()).toEqual([[first], [["document.content_updated", "Plan"]], []]));
});
