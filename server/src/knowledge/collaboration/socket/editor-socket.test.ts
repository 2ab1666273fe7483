// Frames that no editor sends: they close their socket with a code, do not change the text, and affect nobody else.
import { afterEach, expect, test } from "vitest";
import * as Y from "yjs";
import { Editor, enter, newSession, paragraphOf, until } from "../../../../test/editing.ts";
import { newTask, workshopOn } from "../../../../test/work.ts";
import { type Person, service } from "../../../../test/world.ts";
import { MOST_OF_PERSON } from "./editor-socket.ts";

const running = service();
const open: Editor[] = [];
afterEach(() => {
  for (const editor of open.splice(0)) editor.leave();
});
const entered = async (person: Person, { id }: { id: string }) => {
  const editor = await enter(person, `/tasks/${id}`);
  open.push(editor);
  await editor.kept();
  return editor;
};

/** Somebody who writes on while another one sends something. */
async function scene() {
  const { home, owner, project, workspaceId } = await workshopOn(running);
  const ada = await home.member("member");
  const task = await newTask(owner, project.id, { description_markdown: "Hello" });
  const [good, bad] = [await entered(owner, task), await entered(ada, task)];
  const unharmed = async () => {
    good.type(" on");
    await good.kept();
    expect([good.closed, good.text]).toEqual([null, "Hello on"]);
    const { body } = await owner.call("GET", `/tasks/${task.id}`);
    expect(body.description_markdown.trim()).toBe("Hello on");
    // Whoever comes now is given the same.
    expect((await entered(owner, task)).text).toBe("Hello on");
  };
  return { good, bad, unharmed, task, owner, ada, workspaceId };
}

/** An update that makes this change to the text as somebody has it. */
function updateOf({ doc }: Editor, change: (part: Y.XmlFragment, copy: Y.Doc) => void): Uint8Array {
  const copy = new Y.Doc();
  Y.applyUpdate(copy, Y.encodeStateAsUpdate(doc));
  const before = Y.encodeStateVector(copy);
  copy.transact(() => change(copy.getXmlFragment("default"), copy));
  return Y.encodeStateAsUpdate(copy, before);
}
function element(name: string, attributes: Record<string, unknown> = {}, ...children: (Y.XmlElement | Y.XmlText)[]) {
  const made = new Y.XmlElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value as string);
  made.insert(0, children);
  return made;
}
const paragraph = (part: Y.XmlFragment) => part.get(0) as Y.XmlElement;
const textOf = (part: Y.XmlFragment) => paragraph(part).get(0) as Y.XmlText;
const nested = (depth: number): Y.XmlElement =>
  depth === 0 ? paragraphOf("deep") : element("blockquote", {}, nested(depth - 1));

const misfits: Record<string, (part: Y.XmlFragment, doc: Y.Doc) => void> = {
  "an element that nobody knows": (part) => part.insert(0, [element("script", {}, new Y.XmlText("alert(1)"))]),
  "one with the name of what every object has": (part) => part.insert(0, [element("constructor")]),
  "an element in the wrong place": (part) => part.insert(0, [element("table_row")]),
  "a block inside a paragraph": (part) => paragraph(part).insert(0, [paragraphOf("inner")]),
  "a whole tree with one wrong leaf": (part) =>
    part.insert(0, [element("bullet_list", {}, element("list_item", {}, element("heading", { level: 9 })))]),
  "text that stands in no block": (part) => part.insert(0, [new Y.XmlText("loose")]),
  "an attribute that there is not": (part) => paragraph(part).setAttribute("onclick", "alert(1)"),
  "an attribute with a value that it cannot have": (part) =>
    part.insert(0, [element("heading", { level: 7 }, new Y.XmlText("x"))]),
  "one that it must have and has not": (part) => part.insert(0, [element("heading", {}, new Y.XmlText("x"))]),
  "a picture from nowhere good": (part) =>
    paragraph(part).insert(0, [element("image", { src: "javascript:alert(1)", alt: "" })]),
  "a mark that there is not": (part) => textOf(part).format(0, 2, { blink: {} }),
  "a link to where nobody should go": (part) =>
    textOf(part).format(0, 2, { link: { href: "javascript:alert(1)", title: null } }),
  "a mark in code": (part) => {
    const text = new Y.XmlText("let");
    part.insert(0, [element("code_block", { language: "js" }, text)]);
    text.format(0, 3, { bold: {} });
  },
  "something that is no text in a text": (part) => textOf(part).insertEmbed(0, { image: "x" }),
  "another kind of thing": (part) => (part as unknown as Y.XmlElement).insert(0, [new Y.XmlHook("hook") as never]),
  "a map beside the text": (_part, doc) => doc.getMap("secrets").set("a", "b"),
  "a text beside the text": (_part, doc) => doc.getText("hidden").insert(0, "x"),
  "a document in the document": (_part, doc) => doc.getMap("docs").set("a", new Y.Doc()),
  "more levels than anybody reads": (part) => part.insert(0, [nested(80)]),
};
for (const [what, change] of Object.entries(misfits))
  test(`${what} is refused`, async () => {
    const { bad, unharmed } = await scene();
    bad.sendUpdate(updateOf(bad, change));
    await bad.ended();
    expect(bad.closed).toEqual({ code: 4400, reason: "invalid" });
    await unharmed();
  });

const broken: Record<string, (bad: Editor) => Uint8Array> = {
  "bytes that are no update": () => new Uint8Array([9, 9, 9, 9, 9]),
  "an update that ends in the middle": (bad) =>
    updateOf(bad, (part) => part.insert(0, [paragraphOf("x")])).slice(0, 20),
  "an update of another document": () => {
    const other = new Y.Doc();
    typeThrice(other);
    const since = Y.encodeStateVector(other);
    typeThrice(other);
    return Y.encodeStateAsUpdate(other, since);
  },
};
function typeThrice(doc: Y.Doc) {
  for (let count = 0; count < 3; count++) doc.getXmlFragment("default").insert(0, [paragraphOf(`${count}`)]);
}
for (const [what, make] of Object.entries(broken))
  test(`${what} is refused`, async () => {
    const { bad, unharmed } = await scene();
    bad.sendUpdate(make(bad));
    await bad.ended();
    expect(bad.closed?.code).toBe(4400);
    await unharmed();
  });

test("nobody writes under another's name while that one is there", async () => {
  const { good, bad, unharmed } = await scene();
  good.awareness.setLocalState({ cursor: null });
  await until("it is seen", () => bad.awareness.getStates().has(good.doc.clientID));
  const forged = updateOf(bad, (part, copy) => {
    copy.clientID = good.doc.clientID;
    textOf(part).insert(0, "forged");
  });
  bad.sendUpdate(forged);
  await bad.ended();
  expect(bad.closed?.code).toBe(4400);
  await unharmed();
});

test("frames that are none, that are about another text, or that are text close the socket", async () => {
  const { unharmed, ada, task } = await scene();
  const closedBy = async (send: (editor: Editor) => void) => {
    const editor = await entered(ada, task);
    send(editor);
    await editor.ended();
    return editor.closed?.code;
  };
  expect(await closedBy((editor) => editor.sendRaw(new Uint8Array([200, 1, 2])))).toBe(4400);
  expect(await closedBy((editor) => editor.sendRaw(new Uint8Array([1, 120, 0, 0, 0])))).toBe(4400);
  expect(await closedBy((editor) => editor.sendRaw(new Uint8Array(0)))).toBe(4400);
  expect(await closedBy((editor) => editor.sendRaw("hello" as never))).toBe(4400);
  await unharmed();
});

test("whoever says nothing of who they are is not listened to", async () => {
  const { ada, task, unharmed } = await scene();
  const session = await newSession(ada, `/tasks/${task.id}`);
  const nobody = new Editor({ ...session, token: "svc_col_nothing" });
  open.push(nobody);
  await nobody.ended();
  expect([nobody.closed?.code, nobody.text]).toEqual([4401, ""]);
  await unharmed();
});

test("ten megabytes in one frame close the socket that sent them", async () => {
  const { bad, unharmed } = await scene();
  bad.sendUpdate(new Uint8Array(10 * 1024 * 1024));
  await bad.ended();
  expect(bad.closed?.code).toBe(1009);
  await unharmed();
});

test("a text holds what a request may send, and not a character more", async () => {
  const { bad, unharmed, good, owner, task } = await scene();
  const room = 262_144 - "Hello".length;
  bad.type("x".repeat(room));
  await bad.kept();
  expect(bad.acknowledged).toBe(bad.sent);
  await until("the other has it", () => good.text.length === 262_144);
  bad.type("y");
  await bad.kept();
  expect([bad.closed, bad.refused]).toEqual([null, 1]);
  expect(bad.refusals).toMatchObject([
    { code: "document_too_large", clocks: { [bad.doc.clientID]: expect.any(Number) } },
  ]);
  expect(good.text).toHaveLength(262_144);
  // Who makes it shorter is heard.
  const text = (good.part.get(0) as Y.XmlElement).get(0) as Y.XmlText;
  text.delete(5, text.length - 5);
  await good.kept();
  expect(good.closed).toBeNull();
  expect((await owner.call("GET", `/tasks/${task.id}`)).body.description_markdown.trim()).toBe("Hello");
  await unharmed();
});

test("a thousand frames a second close the socket, and everybody else goes on", async () => {
  const { bad, unharmed } = await scene();
  for (let count = 0; count < 1000; count++) bad.awareness.setLocalState({ cursor: { at: count } });
  await bad.ended();
  expect(bad.closed).toEqual({ code: 4429, reason: "rate_limited" });
  await unharmed();
});

test("of 200 sockets of one person so many stay as one person needs", async () => {
  const { ada, task, unharmed } = await scene();
  const session = await newSession(ada, `/tasks/${task.id}`);
  const crowd = Array.from({ length: 200 }, () => new Editor(session));
  open.push(...crowd);
  await until("each is in or out", () => crowd.every(({ synced, closed }) => synced || closed !== null));
  // One is open already.
  expect(crowd.filter(({ closed }) => closed === null).length).toBe(MOST_OF_PERSON - 1);
  expect(new Set(crowd.flatMap(({ closed }) => (closed ? [closed.code] : [])))).toEqual(new Set([4429]));
  for (const editor of crowd) editor.leave();
  await unharmed();
  await until("there is room again", async () => {
    const editor = new Editor(session);
    open.push(editor);
    await until("it is in or out", () => editor.synced || editor.closed !== null);
    return editor.synced;
  });
});

test("what a presence says beside a place in the text, or says at length, is not passed on", async () => {
  const { good, bad } = await scene();
  const seen = () => good.awareness.getStates().get(bad.doc.clientID) as Record<string, unknown> | undefined;
  bad.awareness.setLocalState({ cursor: { at: 1 }, secret: "x" });
  await until("it is seen", seen);
  expect(Object.keys(seen() ?? {}).sort()).toEqual(["cursor", "user"]);
  bad.awareness.setLocalState({ cursor: { at: "x".repeat(10_000) } });
  bad.type(" more");
  await until("what comes after is seen", () => good.text.includes("more"));
  expect(JSON.stringify(seen())).not.toContain("xxx");
});
