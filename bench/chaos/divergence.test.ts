// The report of a text that did not converge names what each copy lacks.
import { expect, test } from "vitest";
import * as Y from "yjs";
import { typeIn } from "../../server/test/editing.ts";
import { differencesBetween } from "./divergence.ts";

const copyOf = (doc: Y.Doc) => {
  const copy = new Y.Doc();
  Y.applyUpdate(copy, Y.encodeStateAsUpdate(doc));
  return copy;
};

test("the report names the author and the range of what a copy lacks, and changes that wait for it", () => {
  const ada = new Y.Doc();
  typeIn(ada.getXmlFragment("default"), "Hello", 0);
  const [bob, guest] = [copyOf(ada), copyOf(ada)];
  const [before, clock] = [Y.encodeStateVector(ada), Y.getState(ada.store, ada.clientID)];
  typeIn(ada.getXmlFragment("default"), " you", 0);
  const between = Y.encodeStateVector(ada);
  typeIn(ada.getXmlFragment("default"), " too", 0);
  Y.applyUpdate(bob, Y.encodeStateAsUpdate(ada, before));
  Y.applyUpdate(guest, Y.encodeStateAsUpdate(ada, between));
  const copies = Object.entries({ ada, bob, guest }).map(([name, doc]) => ({ name, doc }));
  const lines = differencesBetween(copies, (client) => (client === ada.clientID ? "ada" : String(client)));
  expect(lines.map((line) => line.split(";")[0])).toEqual([
    "ada lacks nothing",
    "bob lacks nothing",
    `guest lacks ada from ${clock} to ${clock + 8}, and holds changes that build on what it lacks`,
  ]);
  expect(lines[2]).toContain("Hello</paragraph>");
});
