// What a change remembers of what the person saw.
import { expect, test } from "vitest";
import { tasksDomain } from "../../tasks/operations.ts";
import { together } from "../domain.ts";
import type { Task } from "../rows.ts";
import { Store } from "../store.ts";
import { changeOf } from "./build-change.ts";
import { backOf, forthOf } from "./undo.ts";

const domains = together([tasksDomain]);
const made = () => {
  const store = new Store(domains);
  store.accept({
    task: [
      {
        id: "a",
        revision: "7",
        title: "Before",
        priority: "none",
        status_id: "s",
        trashed_at: null,
      } as unknown as Task,
    ],
  });
  return store;
};
const changing = (store: Store, name: string, making: Parameters<typeof changeOf>[4], order: number) =>
  changeOf(store, domains.operation(name), "task", name, making, order);

test("it builds on the revision that is shown, and keeps the fields that it changes as they were", () => {
  const store = made();
  const change = changing(store, "updateTask", { ids: ["a"], input: { task_id: "a", title: "After" } }, 1);
  expect(change).toMatchObject({ at: { a: "7" }, saw: { a: { title: "Before" } }, state: "waiting", sentAt: null });
  expect(change.saw.a).not.toHaveProperty("priority");
});

test("it builds on what the person began with, also where somebody else was faster", () => {
  const store = made();
  const seen = store.get("task", "a") as Task;
  store.accept({ task: [{ ...seen, revision: "8", title: "Theirs" }] });
  const change = changing(store, "updateTask", { ids: ["a"], input: { task_id: "a", title: "Mine" }, seen }, 1);
  expect(change).toMatchObject({ at: { a: "7" }, saw: { a: { title: "Before" } } });
});

test("what is not made yet has no revision to build on", () => {
  const store = made();
  const first = changing(store, "createTask", { input: { project_id: "p", title: "New" }, creates: true }, 1);
  store.put(first);
  const id = first.creates as string;
  const next = changing(store, "updateTask", { ids: [id], input: { task_id: id, title: "Newer" } }, 2);
  expect([next.at, next.saw[id]?.title]).toEqual([{}, "New"]);
});

test("Undo shows what was, Redo what is; of a new Task that it goes and comes back", () => {
  const store = made();
  const change = changing(store, "updateTask", { ids: ["a"], input: { task_id: "a", title: "After" } }, 1);
  store.put(change);
  const entry = { commandId: "c", change };
  expect(backOf(entry).fields.a).toMatchObject({ title: "Before" });
  expect(forthOf(entry, store).fields.a).toMatchObject({ title: "After" });
  const creation = { commandId: "d", change: { ...change, creates: "new-1", ids: ["a"] } };
  expect(backOf(creation).rows).toEqual({ a: null });
  expect(forthOf(creation, store).rows.a).toMatchObject({ id: "a", title: "After" });
});
