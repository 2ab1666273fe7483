// A large text is opened from its outline: answered like a decoded one, decoded with its first change, and worked out
// beside the event loop.
import { afterEach, expect, test, vi } from "vitest";
import * as Y from "yjs";
import { newDocument } from "../../../../test/documents.ts";
import { type Editor, enter, typeIn } from "../../../../test/editing.ts";
import { service, world } from "../../../../test/world.ts";
import type { EditorPeer } from "../socket/peer.ts";
import { docOf } from "../yjs/rich-text.ts";
import { Text } from "./live-text.ts";
import { outlineOf, outlineOfStored } from "./outline.ts";

const running = service();
const open: Editor[] = [];
afterEach(() => {
  vi.restoreAllMocks();
  for (const editor of open.splice(0)) editor.leave();
});
const docWith = (words: string) => {
  const doc = new Y.Doc();
  typeIn(doc.getXmlFragment("default"), words, 0);
  return doc;
};
const textOf = (doc: Y.Doc) => doc.getXmlFragment("default").toString();
/** The text that an editor has once it received the frame. */
function readBy(editor: Y.Doc, frame: Uint8Array, name: string): string {
  // The name with its length, the kind, the step, and the length of the update in as many bytes as seven bits each
  // take.
  let at = name.length + 3;
  while ((frame[at++] as number) >= 128);
  Y.applyUpdate(editor, frame.subarray(at));
  return textOf(editor);
}

test("a text made from its outline answers as a decoded one does, and encodes nothing for an editor that has nothing", () => {
  const doc = docWith("Hello");
  const old = Y.encodeStateAsUpdate(doc);
  typeIn(doc.getXmlFragment("default"), ", and more", 0);
  const stored = [old, Y.encodeStateAsUpdate(doc)];
  const text = new Text({ workspaceId: "w", targetId: "t" }, "document:w:t", stored, 7, outlineOf(stored));
  expect(text.vector).toEqual(Y.encodeStateVector(doc));
  expect(readBy(new Y.Doc(), text.answerTo(Y.encodeStateVector(new Y.Doc())), text.name)).toBe(textOf(doc));
  expect([text.encodings, text.extent.structs]).toEqual([0, 0]);
  expect(readBy(docOf(old), text.answerTo(Y.encodeStateVectorFromUpdate(old)), text.name)).toBe(textOf(doc));
  expect(text.encodings).toBe(1);
  const peer = { actorId: "a", clients: new Set(), settled: true, refused: false, early: [] } as unknown as EditorPeer;
  const before = Y.encodeStateVector(doc);
  typeIn(doc.getXmlFragment("default"), "!", 0);
  expect(text.take(peer, Y.encodeStateAsUpdate(doc, before), false, () => {})).toBe(true);
  expect(readBy(new Y.Doc(), text.answerTo(Y.encodeStateVector(new Y.Doc())), text.name)).toBe(textOf(doc));
});

test("texts of several Workspaces get the outlines that the event loop would make, and small ones none", async () => {
  const docs = ["a", "b", "c", "d"].map((word) => docWith(word.repeat(40_000)));
  const outlines = await Promise.all(
    docs.map((doc, at) => outlineOfStored(`w${at % 2}`, [Y.encodeStateAsUpdate(doc)])),
  );
  for (const [at, outline] of outlines.entries()) {
    const doc = docs[at] as Y.Doc;
    const expected = outlineOf([Y.encodeStateAsUpdate(doc)]);
    expect([outline?.vector, outline?.size]).toEqual([expected.vector, expected.size]);
    expect(textOf(docOf(outline?.update as Uint8Array))).toBe(textOf(doc));
  }
  expect(await outlineOfStored("w", [Y.encodeStateAsUpdate(docWith("Hello"))])).toBeNull();
});

test("an update that no text can have fails its editor and none of the others", async () => {
  const broken = new Uint8Array(40_000).fill(255);
  const good = Y.encodeStateAsUpdate(docWith("a".repeat(40_000)));
  const [first, second] = await Promise.allSettled([outlineOfStored("w", [broken]), outlineOfStored("v", [good])]);
  expect([first.status, second.status]).toEqual(["rejected", "fulfilled"]);
});

test("a large Document opens without being decoded on the event loop, and takes changes", async () => {
  const home = await world(running);
  const words = "word ".repeat(20_000).trim();
  const { id } = await newDocument(home, { markdown: words });
  const decodings = vi.spyOn(Text.prototype as unknown as { rebuild(): Y.Doc }, "rebuild");
  const editor = await enter(home.owner, `/documents/${id}`);
  open.push(editor);
  await editor.kept();
  expect([editor.text === words, decodings.mock.calls.length]).toEqual([true, 0]);
  editor.type(" less more");
  const text = (editor.part.get(0) as Y.XmlElement).get(0) as Y.XmlText;
  text.delete(text.length - " less more".length, " less".length);
  await editor.kept();
  expect([editor.closed, decodings.mock.calls.length]).toEqual([null, 1]);
  const { body } = await home.owner.call("GET", `/documents/${id}/markdown`);
  expect(body.markdown.trim()).toBe(`${words} more`);
});

test("an editor that has the same deletions has nothing new for a text that is not decoded, and one with another has", () => {
  const doc = docWith("Hello you");
  const words = (of: Y.Doc) => (of.getXmlFragment("default").get(0) as Y.XmlElement).get(0) as Y.XmlText;
  words(doc).delete(0, 3);
  const stored = [Y.encodeStateAsUpdate(doc)];
  const text = new Text({ workspaceId: "w", targetId: "t" }, "document:w:t", stored, 7, outlineOf(stored));
  const peer = { actorId: "a", clients: new Set(), settled: false, refused: false, early: [] } as unknown as EditorPeer;
  const editor = docOf(...stored);
  const answer = () => Y.encodeStateAsUpdate(editor, text.vector);
  expect(text.take(peer, answer(), true, () => {})).toBe(true);
  expect([text.extent.structs, text.pending.map(({ update }) => update)]).toEqual([0, [null]]);
  words(editor).delete(0, 2);
  expect(text.take(peer, answer(), true, () => {})).toBe(true);
  expect(text.pending.at(-1)?.update).not.toBeNull();
  expect(readBy(new Y.Doc(), text.answerTo(Y.encodeStateVector(new Y.Doc())), text.name)).toBe(textOf(editor));
});
