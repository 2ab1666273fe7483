// Which change is sent when, and what becomes of those behind it.
import { expect, test } from "vitest";
import { advanced, dependents, isTooOld, KEY_KEPT_MS, type QueuedChange, renamed, sendable } from "./change.ts";

let count = 0;
const change = (ids: string[], more: Partial<QueuedChange> = {}): QueuedChange => ({
  key: `k${++count}`,
  order: count,
  operation: "updateTask",
  kind: "task",
  ids,
  creates: null,
  input: { task_id: ids[0] },
  at: {},
  saw: {},
  guess: {},
  madeAt: 0,
  sentAt: null,
  state: "waiting",
  ...more,
});
const keys = (changes: QueuedChange[]) => changes.map(({ key }) => key);

test("the oldest of each object is sent, and the next one only when that is answered", () => {
  const [a1, b1, a2] = [change(["a"]), change(["b"]), change(["a"])];
  expect(keys(sendable([a1, b1, a2], new Set(), 4))).toEqual([a1.key, b1.key]);
  expect(keys(sendable([a1, b1, a2], new Set([a1.key]), 4))).toEqual([b1.key]);
  expect(keys(sendable([a2], new Set(), 4))).toEqual([a2.key]);
  expect(sendable([a1, b1], new Set(), 1)).toHaveLength(1);
});

test("what names something that is not made yet waits for it", () => {
  const made = change([], { creates: "new-1", input: { project_id: "p", title: "x" } });
  const placed = change(["b"], { input: { task_id: "b", after_task_id: "new-1" } });
  const edited = change(["new-1"]);
  expect(keys(sendable([made, placed, edited], new Set(), 4))).toEqual([made.key]);
  expect(keys(dependents([made, placed, edited], made))).toEqual([placed.key, edited.key]);
});

test("a change that is in conflict, or of which nobody knows, holds back what comes behind it on the same object", () => {
  const stuck = change(["a"], { state: "conflict" });
  const behind = change(["a"]);
  const other = change(["b"]);
  expect(keys(sendable([stuck, behind, other], new Set(), 4))).toEqual([other.key]);
});

test("what was made as one is sent one after the other, and one that needs a decision holds back none of the others", () => {
  const batch = "batch";
  const [one, two, other] = [change(["a"], { batch }), change(["b"], { batch }), change(["c"])];
  expect(keys(sendable([one, two, other], new Set(), 4))).toEqual([one.key, other.key]);
  expect(keys(sendable([one, two], new Set([one.key]), 4))).toEqual([]);
  expect(keys(sendable([{ ...one, state: "old" }, two], new Set(), 4))).toEqual([two.key]);
});

test("what was made gets its real name wherever it was named, and its revision", () => {
  const edited = change(["new-1"], { input: { task_id: "new-1", label_ids: ["x"] }, saw: { "new-1": { title: "" } } });
  const named = renamed(edited, "new-1", "real", "1");
  expect(named).toMatchObject({
    ids: ["real"],
    input: { task_id: "real" },
    at: { real: "1" },
    saw: { real: { title: "" } },
  });
  const beside = change(["b"], { input: { task_id: "b", after_task_id: "new-1" }, at: { b: "4" } });
  expect(renamed(beside, "new-1", "real", "1")).toMatchObject({ input: { after_task_id: "real" }, at: { b: "4" } });
  const stranger = change(["c"]);
  expect(renamed(stranger, "new-1", "real", "1")).toBe(stranger);
});

test("the revision that somebody saw is advanced by this queue's own answer, and by nothing else", () => {
  const next = change(["a"], { at: { a: "5" } });
  expect(advanced(next, "a", "5", "6").at).toEqual({ a: "6" });
  expect(advanced(next, "a", "4", "6")).toBe(next);
  expect(advanced(next, "a", undefined, "6")).toBe(next);
});

test("a write of unknown outcome is too old once its key is not kept any more; one that was never sent is not", () => {
  const sent = change(["a"], { sentAt: 1000 });
  expect(isTooOld(sent, 1000 + KEY_KEPT_MS - 1)).toBe(false);
  expect(isTooOld(sent, 1000 + KEY_KEPT_MS)).toBe(true);
  expect(isTooOld(change(["a"]), 10 * KEY_KEPT_MS)).toBe(false);
});
