// The view is what the service said with what is pending applied: nothing that fails erases anything newer.
import { expect, test } from "vitest";
import { tasksDomain } from "../tasks/operations.ts";
import { together } from "./domain.ts";
import type { QueuedChange } from "./queue/change.ts";
import type { Task } from "./rows.ts";
import { Store } from "./store.ts";

const domains = together([tasksDomain]);
const task = (id: string, revision: string, more: Partial<Task> = {}) =>
  ({
    id,
    revision,
    project_id: "p",
    status_id: "s",
    position: 1,
    title: "Title",
    priority: "none",
    trashed_at: null,
    ...more,
  }) as Task;
let order = 0;
const change = (id: string, input: Record<string, unknown>): QueuedChange => ({
  key: `k${++order}`,
  order,
  operation: "updateTask",
  kind: "task",
  ids: [id],
  creates: null,
  input: { task_id: id, ...input },
  at: {},
  saw: {},
  guess: {},
  madeAt: 0,
  sentAt: null,
  state: "waiting",
});
function made() {
  const store = new Store(domains);
  store.accept({ task: [task("a", "5")] });
  return store;
}

test("a row is replaced by a newer revision and never by an older one", () => {
  const store = made();
  store.accept({ task: [task("a", "10", { title: "Newer" })] });
  store.accept({ task: [task("a", "9", { title: "Older" })] });
  expect(store.get("task", "a")?.title).toBe("Newer");
});

test("the same revision brings place and counts, and keeps what only a longer answer has", () => {
  const store = made();
  store.accept({ task: [task("a", "5", { description_markdown: "Long" })] });
  store.accept({ task: [task("a", "5", { position: 7 })] });
  expect(store.get("task", "a")).toMatchObject({ position: 7, description_markdown: "Long" });
  store.accept({ task: [task("a", "6")] });
  expect(store.get("task", "a")?.description_markdown).toBeUndefined();
});

test("a refused change is taken back, and what was changed and said since stays", () => {
  const store = made();
  const [first, second] = [change("a", { title: "First", priority: "low" }), change("a", { priority: "high" })];
  store.put(first);
  store.put(second);
  store.accept({ task: [task("a", "6", { title: "Theirs" })] });
  expect(store.get("task", "a")).toMatchObject({ title: "First", priority: "high" });
  store.settle([first.key]);
  expect(store.get("task", "a")).toMatchObject({ title: "Theirs", priority: "high" });
  store.settle([second.key]);
  expect(store.get("task", "a")).toBe(store.said("task", "a"));
});

test("listeners are told once of a step, and a row that nobody changed stays the same object", () => {
  const store = made();
  store.accept({ task: [task("b", "1")] });
  const b = store.get("task", "b");
  let told = 0;
  store.subscribe(() => told++);
  const mine = change("a", { title: "Mine" });
  store.put(mine);
  expect(told).toBe(1);
  store.settle([mine.key], [], { task: [task("a", "6", { title: "Mine" })] });
  expect(told).toBe(2);
  expect(store.get("task", "b")).toBe(b);
  store.accept({ task: [task("b", "1")] });
  expect([told, store.get("task", "b") === b]).toEqual([2, true]);
});

test("with a Project goes what is in it", () => {
  const store = made();
  store.accept({ project: [{ id: "p" } as never], task: [task("z", "1", { project_id: "q" })] });
  store.accept({ gone: { project: ["p"] } });
  expect([store.get("task", "a"), store.get("project", "p")]).toEqual([undefined, undefined]);
  expect(store.get("task", "z")).toBeDefined();
});

test("with a Task goes what is said about it, and what another Task says of it", () => {
  const store = made();
  const about = (id: string, task_id: string, more: object = {}) => ({ id, task_id, revision: "1", ...more }) as never;
  store.accept({
    task: [task("b", "1")],
    comment: [about("c", "a"), about("d", "b")],
    relation: [about("r:b", "b", { related_task_id: "a" }), about("s:b", "b", { related_task_id: "z" })],
  });
  store.accept({ gone: { task: ["a"] } });
  expect([store.get("comment", "c"), store.get("relation", "r:b")]).toEqual([undefined, undefined]);
  expect([store.get("comment", "d"), store.get("relation", "s:b"), store.get("task", "b")]).not.toContain(undefined);
  store.accept({ gone: { project: ["p"] } });
  expect([store.get("comment", "d"), store.get("relation", "s:b"), store.get("task", "b")]).toEqual([...Array(3)]);
});
