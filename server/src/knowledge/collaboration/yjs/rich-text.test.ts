// Merging of Yjs updates into one update or document, without a database.
import { expect, test } from "vitest";
import * as Y from "yjs";
import { docOf, mergedUpdate } from "./rich-text.ts";

test("many updates become one that says the same, in parts", () => {
  const doc = new Y.Doc();
  const updates: Uint8Array[] = [];
  doc.on("update", (update: Uint8Array) => updates.push(update));
  const text = doc.getText("default");
  // Typed in several places and taken back, so that the order in which they are merged would show.
  for (let count = 0; count < 1000; count++) {
    text.insert(count % 7 === 0 ? 0 : text.length, String(count % 10));
    if (count % 5 === 4) text.delete(text.length >> 1, 1);
  }
  expect(updates.length).toBeGreaterThan(1000);
  expect(docOf(mergedUpdate(updates)).getText("default").toString()).toBe(text.toString());
  expect(
    docOf(...updates)
      .getText("default")
      .toString(),
  ).toBe(text.toString());
  expect(Buffer.from(mergedUpdate(updates))).toEqual(Buffer.from(Y.mergeUpdates(updates)));
  expect(mergedUpdate(updates.slice(0, 1))).toBe(updates[0]);
});

test("a document made of updates deletes no formatting that was not deleted in them, also with later updates", () => {
  const [first, second] = [new Y.Doc(), new Y.Doc()];
  const words = (doc: Y.Doc) => doc.getXmlFragment("default").get(0) as Y.XmlText;
  first.getXmlFragment("default").insert(0, [new Y.XmlText("Hello world")]);
  const stored = Y.encodeStateAsUpdate(first);
  Y.applyUpdate(second, stored);
  const updates: Uint8Array[] = [];
  for (const doc of [first, second]) doc.on("update", (update: Uint8Array) => updates.push(update));
  // Neither has received the other's change.
  for (const doc of [first, second]) words(doc).format(0, 5, { bold: {} });
  const deletions = (doc: Y.Doc) => Y.decodeUpdate(Y.encodeStateAsUpdate(doc)).ds.clients.size;
  const later = docOf(stored);
  for (const update of updates) Y.applyUpdate(later, update);
  expect([deletions(docOf(stored, ...updates)), deletions(later)]).toEqual([0, 0]);
});
