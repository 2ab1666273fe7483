// Texts without an editor stay in memory within their bounds, and a Workspace with many of them evicts its own.
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import * as Y from "yjs";
import { typeIn } from "../../../../test/editing.ts";
import { type IdleLimits, IdleTexts } from "./idle-texts.ts";
import { Text, weightOf } from "./live-text.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const entryOf = (workspaceId: string, targetId: string, words = "Hello") => {
  const doc = new Y.Doc();
  typeIn(doc.getXmlFragment("default"), words, 0);
  return { text: new Text({ workspaceId, targetId }, `document:w:${targetId}`, [Y.encodeStateAsUpdate(doc)], 0) };
};
const cache = (limits: Partial<IdleLimits> = {}) =>
  new IdleTexts<{ text: Text }>({ texts: 100, bytes: 1e9, ms: 1000, ...limits });

test("an idle text is returned once, and expires after its time", () => {
  const idle = cache();
  const [first, second] = [entryOf("a", "1"), entryOf("a", "2")];
  idle.add(first);
  expect([idle.take("1"), idle.take("1")]).toEqual([first, undefined]);
  idle.add(second);
  vi.advanceTimersByTime(900);
  idle.add(first);
  vi.advanceTimersByTime(200);
  expect([idle.take("2"), idle.count()]).toEqual([undefined, 1]);
});

test("a text that was taken and added again keeps its whole time", () => {
  const idle = cache();
  const entry = entryOf("a", "1");
  idle.add(entry);
  vi.advanceTimersByTime(900);
  idle.add(idle.take("1") as typeof entry);
  vi.advanceTimersByTime(900);
  expect(idle.take("1")).toBe(entry);
});

test("above the number, the Workspace with the most texts loses its oldest", () => {
  const idle = cache({ texts: 3 });
  for (const id of ["1", "2"]) idle.add(entryOf("small", id));
  for (const id of ["3", "4", "5", "6"]) idle.add(entryOf("large", id));
  expect(["1", "2", "3", "4", "5", "6"].filter((id) => idle.take(id))).toEqual(["1", "2", "6"]);
});

test("above the memory, the Workspace with the most memory loses its oldest", () => {
  const long = "x".repeat(100_000);
  const idle = cache({ bytes: 2.5 * weightOf(entryOf("a", "1", long).text) });
  idle.add(entryOf("small", "1", long));
  for (const id of ["2", "3", "4"]) idle.add(entryOf("large", id, long));
  expect(["1", "2", "3", "4"].filter((id) => idle.take(id))).toEqual(["1", "4"]);
  idle.add(entryOf("large", "5", long.repeat(4)));
  expect(idle.count()).toBe(0);
});
