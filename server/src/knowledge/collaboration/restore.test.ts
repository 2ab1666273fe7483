// A change that was broadcast and no longer fits is taken back from everybody who received it, also if its author has
// left.
import * as decoding from "lib0/decoding";
import { expect, test } from "vitest";
import * as Y from "yjs";
import { trackUnsaved } from "../../../../web/src/editor/collaboration/unsaved-changes.ts";
import { typeIn } from "../../../test/editing.ts";
import { Text } from "./live/live-text.ts";
import type { EditorPeer } from "./socket/peer.ts";
import { docOf } from "./yjs/rich-text.ts";

const [STATELESS, SYNC_STATUS] = [5, 8];
const MOST = 262_144;
function peerOf(actorId: string, changes: Partial<EditorPeer> = {}) {
  const frames: Uint8Array[] = [];
  const peer: EditorPeer = {
    sessionId: actorId,
    actorId,
    name: actorId,
    writes: true,
    clients: new Set(),
    early: [],
    settled: true,
    refused: false,
    send: (frame) => void frames.push(frame),
    close: () => {},
    ...changes,
  };
  /** The last frame of this kind, after its name and kind. */
  const last = (kind: number) =>
    frames
      .map((frame) => decoding.createDecoder(frame))
      .filter((decoder) => decoding.readVarString(decoder) !== "" && decoding.readVarUint(decoder) === kind)
      .at(-1);
  const refused = () => {
    const decoder = last(STATELESS);
    return decoder ? (JSON.parse(decoding.readVarString(decoder)).clocks as Record<string, number>) : null;
  };
  const taken = () => decoding.readVarInt(last(SYNC_STATUS) as decoding.Decoder) === 1;
  return { peer, refused, taken };
}

/** A text in which an author typed a word that nobody stored, with the copy of a reader who received it. */
function scene() {
  const author = new Y.Doc();
  typeIn(author.getXmlFragment("default"), "Hello", 0);
  const stored = Y.encodeStateAsUpdate(author);
  const text = new Text({ workspaceId: "w", targetId: "t" }, "document:w:t", [stored], 1);
  const [ada, reader] = [peerOf("ada"), peerOf("reader", { writes: false })];
  for (const { peer } of [ada, reader]) text.peers.add(peer);
  const before = Y.encodeStateVector(author);
  typeIn(author.getXmlFragment("default"), " word", 0);
  text.take(ada.peer, Y.encodeStateAsUpdate(author, before), false, () => {});
  const copy = docOf(stored, Y.encodeStateAsUpdate(author, before));
  const words = () => copy.getXmlFragment("default").toString();
  const answer = () => text.compare(reader.peer, Y.encodeStateAsUpdate(copy, text.vector));
  return { author, text, stored, ada, reader, copy, words, answer };
}

test("a reader deletes a refused change of an author who has left, and is told so once", () => {
  const { author, text, stored, ada, reader, copy, words, answer } = scene();
  const unsaved = trackUnsaved(copy);
  text.peers.delete(ada.peer);
  text.restore([stored], 1, []);
  answer();
  const clocks = reader.refused();
  expect([Object.keys(clocks ?? {}), reader.taken()]).toEqual([[String(author.clientID)], false]);
  expect(unsaved.takeOut(clocks ?? {})).toBe(true);
  expect(words()).toBe("<paragraph>Hello</paragraph>");
  // The reader asks for the state again, and answers the question that follows.
  const before = reader.refused();
  answer();
  expect([reader.refused(), unsaved.takeOut(before ?? {})]).toEqual([before, false]);
});

test("a reader whose words were never taken is told so, and keeps them", () => {
  const { reader, copy, words, answer } = scene();
  typeIn(copy.getXmlFragment("default"), " mine", 0);
  answer();
  expect([reader.refused(), reader.taken(), words()]).toEqual([null, false, "<paragraph>Hello word mine</paragraph>"]);
});

test("a word that was sent again before it was stored is not acknowledged if it no longer fits", () => {
  const author = new Y.Doc();
  typeIn(author.getXmlFragment("default"), "x".repeat(MOST - 10), 0);
  const stored = Y.encodeStateAsUpdate(author);
  const text = new Text({ workspaceId: "w", targetId: "t" }, "document:w:t", [stored], 1);
  const [before, back] = [peerOf("ada"), peerOf("ada")];
  for (const { peer } of [before, back]) text.peers.add(peer);
  const vector = Y.encodeStateVector(author);
  typeIn(author.getXmlFragment("default"), " word", 0);
  const word = Y.encodeStateAsUpdate(author, vector);
  const acknowledged: string[] = [];
  expect(text.take(before.peer, word, false, () => acknowledged.push("first"))).toBe(true);
  expect(text.take(back.peer, word, true, () => acknowledged.push("again"))).toBe(true);
  // Another process has stored a word that leaves no room.
  const other = docOf(stored);
  typeIn(other.getXmlFragment("default"), " another", 0);
  text.restore([Y.encodeStateAsUpdate(other)], 2, text.pending.splice(0));
  for (const { kept } of text.pending) kept();
  expect(acknowledged).toEqual([]);
  expect([before.taken(), back.taken()]).toEqual([false, false]);
  expect(Object.keys(before.refused() ?? {})).toEqual([String(author.clientID)]);
  // Who wrote it is not known on this socket: it is asked for what the text lacks, and told then.
  expect(back.refused()).toBe(null);
  text.take(back.peer, word, true, () => {});
  expect(Object.keys(back.refused() ?? {})).toEqual([String(author.clientID)]);
});

test("a refusal names the words behind those that the text has, also if an editor sends both as one item", () => {
  const author = new Y.Doc();
  const part = author.getXmlFragment("default");
  typeIn(part, "x".repeat(MOST - 10), 0);
  const stored = Y.encodeStateAsUpdate(author);
  const vector = Y.encodeStateVector(author);
  const text = new Text({ workspaceId: "w", targetId: "t" }, "document:w:t", [stored], 1);
  const ada = peerOf("ada");
  text.peers.add(ada.peer);
  typeIn(part, " some", 0);
  text.take(ada.peer, Y.encodeStateAsUpdate(author, vector), false, () => {});
  const clock = Y.getState(author.store, author.clientID);
  typeIn(part, " more than fits", 0);
  // Made when the text had neither.
  text.take(ada.peer, Y.encodeStateAsUpdate(author, vector), true, () => {});
  expect(ada.refused()).toEqual({ [author.clientID]: clock });
});

test("a change that the text has the beginning of is measured without that", () => {
  const author = new Y.Doc();
  const part = author.getXmlFragment("default");
  typeIn(part, "x", 0);
  const vector = Y.encodeStateVector(author);
  typeIn(part, "x".repeat(MOST - 100), 0);
  const text = new Text({ workspaceId: "w", targetId: "t" }, "document:w:t", [Y.encodeStateAsUpdate(author)], 1);
  const ada = peerOf("ada");
  text.peers.add(ada.peer);
  typeIn(part, "y".repeat(50), 0);
  expect(text.take(ada.peer, Y.encodeStateAsUpdate(author, vector), true, () => {})).toBe(true);
  expect([ada.refused(), text.pending.length]).toEqual([null, 1]);
});

test("a word that was sent again before it was stored is acknowledged once it is stored", () => {
  const { author, text, stored, ada } = scene();
  const back = peerOf("ada");
  text.peers.add(back.peer);
  const acknowledged: string[] = [];
  text.take(back.peer, Y.encodeStateAsUpdate(author), true, () => acknowledged.push("again"));
  text.restore([stored], 1, text.pending.splice(0));
  expect(text.pending.map(({ peer, update }) => [peer === ada.peer, update !== null])).toEqual([
    [true, true],
    [false, false],
  ]);
  for (const { kept } of text.pending) kept();
  expect(acknowledged).toEqual(["again"]);
});

test("a refused change that leaves nothing to undo takes no saved word with it", () => {
  const doc = new Y.Doc();
  const part = doc.getXmlFragment("default");
  const unsaved = trackUnsaved(doc);
  typeIn(part, "saved", 0);
  const clock = Y.getState(doc.store, doc.clientID);
  const before = Y.encodeStateVector(doc);
  typeIn(part, " refused", 0);
  // Somebody else who was told first has deleted it.
  const other = docOf(Y.encodeStateAsUpdate(doc));
  trackUnsaved(other).takeOut({ [doc.clientID]: clock });
  Y.applyUpdate(doc, Y.encodeStateAsUpdate(other, before), "socket");
  expect(part.toString()).toBe("<paragraph>saved</paragraph>");
  unsaved.takeOut({ [doc.clientID]: clock });
  expect(part.toString()).toBe("<paragraph>saved</paragraph>");
});
