// Limits of a text that people write together: a change past one is refused, and everybody stays. The limit is that of
// the Markdown that would be stored.
import { afterEach, expect, test } from "vitest";
import * as Y from "yjs";
import { newDocument } from "../../../test/documents.ts";
import { Editor, enter, newSession, paragraphOf, until } from "../../../test/editing.ts";
import { type Person, service, world } from "../../../test/world.ts";
import { placeOf } from "./access.ts";
import { append, type TextPlace, writing } from "./store.ts";

const running = service();
const open: Editor[] = [];
afterEach(() => {
  for (const editor of open.splice(0)) editor.leave();
});
const MOST = 262_144;

async function scene(markdown = "Hello") {
  const home = await world(running);
  const { owner } = home;
  const { id } = await newDocument(home, { markdown });
  const path = `/documents/${id}`;
  const entered = async (person: Person) => {
    const editor = await enter(person, path);
    open.push(editor);
    await editor.kept();
    editor.undoes = true;
    return editor;
  };
  const stored = async () => (await owner.call("GET", `${path}/markdown`)).body.markdown as string;
  return { home, owner, path, id, entered, stored };
}
const element = (name: string, attributes: Record<string, unknown>, ...children: (Y.XmlElement | Y.XmlText)[]) => {
  const made = new Y.XmlElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value as string);
  made.insert(0, children);
  return made;
};

test("ten people who type past the limit stay, lose only what goes past it, and agree with what is stored", async () => {
  const { home, owner, entered, stored } = await scene(Array.from({ length: 10 }, (_, at) => `P${at}`).join("\n\n"));
  const people = [owner, await home.member("member")];
  const editors = await Promise.all(Array.from({ length: 10 }, (_, at) => entered(people[at % 2] as Person)));
  editors[0]?.type("x".repeat(MOST - 200), 0);
  await editors[0]?.kept();
  await until("all have it", () => editors.every(({ text }) => text.length > MOST - 200));
  for (let word = 0; word < 12; word++) {
    for (const [at, editor] of editors.entries()) editor.type(` w${at}n${word}`, at);
    // Wait: the words of a round go out together, or with those of the next; either way they reach the limit.
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  await until("somebody was refused", () => editors.some(({ refusals }) => refusals.length > 0));
  await until("all agree", () => new Set(editors.map(({ text }) => text)).size === 1);
  expect(editors.map(({ closed }) => closed)).toEqual(editors.map(() => null));
  const markdown = await stored();
  expect(markdown.length).toBeLessThanOrEqual(MOST);
  expect(markdown.length).toBeGreaterThan(MOST - 20);
  expect(markdown.split("\n\n")).toEqual(editors[0]?.text.split("\n"));
  // Whoever makes it shorter is heard, and then there is room again.
  const [first, second] = editors as [Editor, Editor];
  const text = (second.part.get(0) as Y.XmlElement).get(0) as Y.XmlText;
  text.delete(2, 1000);
  await until("the others have it", () => first.text.length < MOST - 900);
  first.type(" again", 3);
  await first.kept();
  expect((await stored()).split("\n\n")[3]).toContain(" again");
});

test("a change that replaces words by more than fits is undone as a whole, and its author goes on", async () => {
  const { owner, entered, stored } = await scene("Keep these words");
  const editor = await entered(owner);
  editor.doc.transact(() => {
    const text = (editor.part.get(0) as Y.XmlElement).get(0) as Y.XmlText;
    text.delete(0, text.length);
    text.insert(0, "y".repeat(MOST + 1));
  });
  await until("it is undone", () => editor.refusals.length > 0 && editor.text === "Keep these words");
  editor.type(", and more");
  await until("it is stored", async () => (await stored()) === "Keep these words, and more");
  expect(editor.closed).toBeNull();
});

test("an unstored change of somebody else that no longer fits is removed from the editors that received it", async () => {
  const { owner, path, entered, stored } = await scene("x".repeat(MOST - 5));
  const saw = await entered(owner);
  const other = new Y.Doc();
  Y.applyUpdate(other, Y.encodeStateAsUpdate(saw.doc));
  const before = Y.encodeStateVector(other);
  ((other.getXmlFragment("default").get(0) as Y.XmlElement).get(0) as Y.XmlText).insert(0, "never stored");
  // A server broadcasts an update before it stores it.
  Y.applyUpdate(saw.doc, Y.encodeStateAsUpdate(other, before), saw);
  saw.cut();
  await saw.ended();
  const back = new Editor(await newSession(owner, path), saw.doc);
  open.push(back);
  back.undoes = true;
  await until("it is taken out", () => back.refusals.length > 0 && back.text.length === MOST - 5);
  back.type("abcd");
  await until("what comes after is stored", async () => (await stored()).endsWith("abcd"));
  expect(back.closed).toBeNull();
});

test("a word that another process has stored, with what made room for it, is taken and not refused", async () => {
  const { owner, path, entered } = await scene("x".repeat(MOST - 10));
  const editor = await entered(owner);
  const place = placeOf((await newSession(owner, path)).document_name) as TextPlace;
  const other = new Y.Doc();
  Y.applyUpdate(other, Y.encodeStateAsUpdate(editor.doc));
  const text = (other.getXmlFragment("default").get(0) as Y.XmlElement).get(0) as Y.XmlText;
  for (let round = 0; round < 5; round++) {
    const updates: Uint8Array[] = [];
    const collect = (update: Uint8Array) => updates.push(update);
    other.on("update", collect);
    text.delete(0, 40);
    text.insert(text.length, "w".repeat(40));
    other.off("update", collect);
    for (const update of updates)
      await writing(running.database, place, (tx) => append(tx, place, update, [owner.actorId]));
    const { acknowledged } = editor;
    // The process that is asked has read neither yet, unless it looked just now.
    editor.sendUpdate(updates.at(-1) as Uint8Array);
    await until("it is answered", () => editor.acknowledged > acknowledged || editor.refused > 0);
    expect([editor.refused, editor.closed]).toEqual([0, null]);
  }
});

test("who does not undo what was refused stays as well, and everybody else writes on", async () => {
  const { owner, home, entered, stored } = await scene("Hello");
  const [stubborn, other] = [await entered(owner), await entered(await home.member("member"))];
  stubborn.undoes = false;
  stubborn.type("z".repeat(MOST));
  stubborn.type("more");
  const text = (stubborn.part.get(0) as Y.XmlElement).get(0) as Y.XmlText;
  text.delete(text.length - 2, 2);
  await stubborn.kept();
  expect([stubborn.closed, stubborn.refused, stubborn.refusals.length]).toEqual([null, 3, 1]);
  other.type(" you");
  await other.kept();
  expect(await stored()).toBe("Hello you");
});

const large: Record<string, () => Y.XmlElement> = {
  "the words below a picture": () => element("image", { src: "https://svc.example/a.png", alt: "a".repeat(MOST) }),
  "the title of a picture": () =>
    element("image", { src: "https://svc.example/a.png", alt: "", title: "t".repeat(MOST) }),
  "where a picture leads": () =>
    element("image", {
      src: "https://svc.example/a.png",
      alt: "",
      link: { href: "https://svc.example", title: "t".repeat(MOST) },
    }),
  "the name of a file": () =>
    element("file", { attachment_id: "01980000-0000-7000-8000-000000000001", name: "n".repeat(MOST) }),
  "the label of a mention": () => element("mention", { kind: "task", id: "ENG-1", label: "l".repeat(MOST) }),
};
for (const [what, make] of Object.entries(large))
  test(`${what} counts towards the limit`, async () => {
    const { owner, entered, stored } = await scene("Hello");
    const editor = await entered(owner);
    editor.undoes = false;
    (editor.part.get(0) as Y.XmlElement).insert(1, [make()]);
    await editor.kept();
    expect([editor.closed, editor.refused]).toEqual([null, 1]);
    expect(await stored()).toBe("Hello");
  });

test("addresses and titles of links, many small pictures and languages of code count together", async () => {
  const { owner, entered, stored } = await scene("Hello");
  const editor = await entered(owner);
  editor.undoes = false;
  for (let at = 0; at < 60; at++)
    editor.doc.transact(() => {
      const text = new Y.XmlText();
      editor.part.insert(editor.part.length, [
        element("paragraph", {}, text, element("image", { src: `https://a.example/${"s".repeat(2000)}`, alt: "a" })),
        element("code_block", { language: "l".repeat(1000) }, new Y.XmlText("x")),
      ]);
      text.insert(0, "link", { link: { href: `https://a.example/${"h".repeat(2000)}`, title: "t".repeat(1000) } });
    });
  await editor.kept();
  expect(editor.refused).toBeGreaterThan(0);
  const { length } = await stored();
  expect(length).toBeLessThanOrEqual(MOST);
  expect(length).toBeGreaterThan(MOST - 10_000);
});

test("a text has at most 50,000 elements, and one past them is refused", async () => {
  const { owner, entered } = await scene("Hello");
  const editor = await entered(owner);
  editor.undoes = false;
  const grow = (count: number) =>
    editor.part.insert(
      1,
      Array.from({ length: count }, () => new Y.XmlElement("paragraph")),
    );
  // A paragraph with its text is there already.
  grow(50_000 - 2);
  await editor.kept();
  expect([editor.refused, editor.closed]).toEqual([0, null]);
  grow(1);
  await editor.kept();
  expect([editor.refused, editor.closed]).toEqual([1, null]);
}, 300_000);

test("a text has at most 10,000 marks, and one past them is refused", async () => {
  const { owner, entered } = await scene("Hello");
  const editor = await entered(owner);
  editor.undoes = false;
  const bold = (count: number) =>
    editor.doc.transact(() => {
      const text = new Y.XmlText();
      editor.part.insert(0, [element("paragraph", {}, text)]);
      text.applyDelta(
        Array.from({ length: count }, (_, at) => ({ insert: "a", attributes: at % 2 ? { bold: null } : { bold: {} } })),
      );
    });
  bold(10_000);
  await editor.kept();
  expect(editor.refused).toBe(0);
  bold(2);
  await editor.kept();
  expect([editor.refused, editor.closed]).toEqual([1, null]);
}, 300_000);

test("Markdown that would be longer than the limit is not stored, and the text stays as it was typed", async () => {
  const { owner, entered, stored, path } = await scene("Hello");
  const editor = await entered(owner);
  // A fence is longer than every run of its sign in the code, so that this is three times as long as it looks.
  editor.part.insert(1, [element("code_block", { language: null }, new Y.XmlText("`".repeat(100_000)))]);
  await editor.kept();
  expect(await stored()).toBe("Hello");
  expect((await owner.call("GET", path)).status).toBe(200);
  const code = (editor.part.get(1) as Y.XmlElement).get(0) as Y.XmlText;
  code.delete(10, code.length - 10);
  await editor.kept();
  expect(await stored()).toContain("`".repeat(10));
});

test("a text is opened under its own kind only: a viewer cannot give it another name", async () => {
  const { home, owner, path, id, entered } = await scene("Hello");
  const viewer = await home.member("viewer");
  const session = await newSession(viewer, path);
  const [, workspaceId] = session.document_name.split(":");
  const wrong = new Editor({ ...session, document_name: `task:${workspaceId}:${id}` });
  open.push(wrong);
  await wrong.ended();
  expect([wrong.closed?.code, wrong.synced]).toEqual([4401, false]);
  const editor = await entered(owner);
  editor.type(" you");
  await editor.kept();
  expect(editor.closed).toBeNull();
  expect((await enter(viewer, path)).text).toBe("Hello you");
});

test("what is typed while a socket opens, on words that were typed before, is taken and acknowledged", async () => {
  const { owner, path, stored } = await scene("Hello");
  const doc = new Y.Doc();
  const before = new Editor(await newSession(owner, path), doc);
  await before.ready();
  before.cut();
  await before.ended();
  doc.off("update", Reflect.get(before, "pass"));
  doc.getXmlFragment("default").insert(1, [paragraphOf("offline")]);
  const back = new Editor(await newSession(owner, path), doc);
  open.push(back);
  const socket = Reflect.get(back, "socket");
  await new Promise((resolve) => socket.once("open", resolve));
  // Before the service has asked for anything.
  back.type(" and on", 1);
  await until("all of it is acknowledged", () => back.closed !== null || back.acknowledged >= 2);
  expect(back.closed).toBeNull();
  expect(await stored()).toBe("Hello\n\noffline and on");
});
