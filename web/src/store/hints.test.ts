// A hint is read again where the store holds what it is about, and does not know it yet.
import { expect, test } from "vitest";
import { tasksDomain } from "../tasks/operations.ts";
import { together } from "./domain.ts";
import { type Hint, toRead } from "./hints.ts";
import type { Task } from "./rows.ts";
import { Store } from "./store.ts";

const domains = together([tasksDomain]);
const store = new Store(domains);
store.accept({ task: [{ id: "a", revision: "9", project_id: "p" } as Task] });
store.setFact("loaded:p", "all");
const read = (...hints: Partial<Hint>[]) =>
  toRead(
    hints.map((hint) => ({ kind: "task", id: "a", revision: "10", action: "changed", project_id: "p", ...hint })),
    store,
    domains,
  );

test("a newer revision is read, one that is known is not, and each row once", () => {
  expect(read({})).toEqual([["task", "a"]]);
  expect(read({ revision: "9" })).toEqual([]);
  expect(read({}, { revision: "11" })).toEqual([["task", "a"]]);
});

test("what was removed or has no revision is looked for", () => {
  expect(read({ action: "removed", revision: null })).toEqual([["task", "a"]]);
  expect(read({ revision: null })).toEqual([["task", "a"]]);
});

test("what is new in a Project that is held is read, and in another one it is not", () => {
  expect(read({ id: "b", action: "created", revision: "1" })).toEqual([["task", "b"]]);
  expect(read({ id: "b", action: "created", revision: "1", project_id: "q" })).toEqual([]);
});

test("a comment counts on its Task, whose revision stays", () => {
  expect(read({ kind: "comment", id: "c", task_id: "a", revision: "1" })).toEqual([["task", "a"]]);
  expect(read({ kind: "comment", id: "c", task_id: "z", revision: "1" })).toEqual([]);
});
