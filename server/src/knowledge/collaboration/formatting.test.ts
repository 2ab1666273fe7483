// Formatting that several people change at once: Yjs removes redundant formatting in a second transaction, and both
// must be stored and broadcast.
import { afterEach, expect, test } from "vitest";
import * as Y from "yjs";
import { newDocument } from "../../../test/documents.ts";
import { type Editor, enter, until } from "../../../test/editing.ts";
import { service, world } from "../../../test/world.ts";

const running = service();
const open: Editor[] = [];
afterEach(() => {
  for (const editor of open.splice(0)) editor.leave();
});
const words = ({ part }: Editor) => (part.get(0) as Y.XmlElement).get(0) as Y.XmlText;

test("formatting that two people add to the same words at once is stored and reaches everybody", async () => {
  const home = await world(running);
  const { owner } = home;
  const ada = await home.member("member");
  const { id } = await newDocument(home, { markdown: "Hello world" });
  const enters = async (person: typeof owner) => {
    const editor = await enter(person, `/documents/${id}`);
    open.push(editor);
    await editor.kept();
    return editor;
  };
  const [first, second, reader] = [await enters(owner), await enters(ada), await enters(ada)];
  // Neither has received the other's change.
  first.doc.transact(() => words(first).format(0, 11, { bold: {} }));
  second.doc.transact(() => {
    words(second).format(0, 11, { bold: {} });
    words(second).insert(5, ", dear", { bold: {} });
  });
  await Promise.all([first.kept(), second.kept()]);
  const editors = [first, second, reader];
  await until("all agree", () => editors.every(({ text }) => text === "Hello, dear world"));
  await until(
    "all have every item",
    () => new Set(editors.map(({ doc }) => Y.getState(doc.store, second.doc.clientID))).size === 1,
  );
  // The author types on: the change builds on the one before.
  words(second).insert(0, "Oh, ");
  await until("the reader has it", () => reader.text === "Oh, Hello, dear world");
  expect(editors.map(({ closed }) => closed)).toEqual([null, null, null]);
  const { body } = await owner.call("GET", `/documents/${id}/markdown`);
  expect(body.markdown.trim()).toBe("Oh, **Hello, dear world**");
  const guest = await enters(ada);
  expect(guest.text).toBe("Oh, Hello, dear world");
});
