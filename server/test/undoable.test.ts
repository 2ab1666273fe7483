// What can be undone says so before, on a part of the writes: see undoable-writes.ts. undoable.slow.test.ts tests the
// others.
import { undoable } from "@svc/contract/undoable-operations.ts";
import { expect, test } from "vitest";
import { isTestedFirst, testUndoable, writes } from "./undoable-writes.ts";

await testUndoable(isTestedFirst);

test("what can be undone is a write", () => {
  expect(Object.keys(undoable).filter((id) => !writes.some((write) => write.id === id))).toEqual([]);
});

test("three tenths of the writes that can be undone, and of the others, are tested here", () => {
  for (const can of [true, false]) {
    const all = writes.filter(({ id }) => id in undoable === can);
    expect(all.filter(({ id }) => isTestedFirst(id)).length / all.length).toBeGreaterThan(0.3);
  }
});
