// What Undo takes back: the newest change, also where the service has not answered yet.
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { tasksDomain } from "../../tasks/operations.ts";
import { together } from "../domain.ts";
import type { Task } from "../rows.ts";
import { Store } from "../store.ts";
import { changeOf } from "./build-change.ts";
import type { QueuedChange } from "./change.ts";
import { UndoStack } from "./undo.ts";

beforeAll(() => void vi.stubGlobal("sessionStorage", { getItem: () => null, setItem: () => {} }));
afterAll(() => void vi.unstubAllGlobals());

function tab() {
  const domains = together([tasksDomain]);
  const store = new Store(domains);
  store.accept({ task: [{ id: "a", revision: "7", title: "Before", trashed_at: null } as unknown as Task] });
  const queued: string[] = [];
  const waiting: string[] = [];
  const stack = new UndoStack("tab", {
    store,
    domains,
    isMine: (key) => !key.startsWith("theirs"),
    queue: (_kind, operation, { input }) => void queued.push(`${operation} ${input.command_id}`),
    waits: ({ order }) => void waiting.push(String(order)),
  });
  let order = 0;
  const make = (title: string, batch?: string): QueuedChange => {
    const making = { ids: ["a"], input: { task_id: "a", title }, ...(batch !== undefined && { batch }) };
    const change = changeOf(store, domains.operation("updateTask"), "task", "updateTask", making, ++order);
    store.put(change);
    return change;
  };
  /** As the service answers it. */
  const answer = (change: QueuedChange, commandId: string) => {
    store.settle([change.key]);
    const isWished = stack.isWished(change.key);
    stack.done({ commandId, change });
    if (isWished) stack.undo({ commandId, change });
  };
  return { store, stack, queued, waiting, make, answer };
}

test("a change without an answer is taken back when it has one, and nothing older is", () => {
  const { stack, queued, waiting, make, answer } = tab();
  answer(make("First"), "one");
  const second = make("Second");
  stack.undo();
  expect([queued, waiting]).toEqual([[], ["2"]]);
  answer(second, "two");
  expect(queued).toEqual(["undoCommand two"]);
  stack.undo();
  expect(queued).toEqual(["undoCommand two", "undoCommand one"]);
});

test("pressed twice, the two newest are taken back, the newest first", () => {
  const { stack, queued, waiting, make, answer } = tab();
  const [first, second] = [make("First"), make("Second")];
  stack.undo();
  stack.undo();
  expect(waiting).toEqual(["2", "1"]);
  stack.undo();
  expect(queued).toEqual([]);
  answer(first, "one");
  answer(second, "two");
  expect(queued).toEqual(["undoCommand one", "undoCommand two"]);
});

test("Redo leaves it as it is; one that is sent again under another key is still taken back; others' are left alone", () => {
  const { store, stack, queued, make, answer } = tab();
  const first = make("First");
  stack.undo();
  stack.redo();
  answer(first, "one");
  expect(queued).toEqual([]);
  const second = make("Second");
  stack.undo();
  stack.rekey(second.key, "other");
  store.settle([second.key], [{ ...second, key: "other" }]);
  answer({ ...second, key: "other" }, "two");
  expect(queued).toEqual(["undoCommand two"]);
  store.put({ ...make("Third"), key: "theirs" });
  const [mine] = store.pending.filter(({ key }) => key !== "theirs") as [QueuedChange];
  store.settle([mine.key]);
  stack.undo();
  expect(queued).toEqual(["undoCommand two", "undoCommand one"]);
});

test("what was made as one is taken back as one, the last first, and made again in its order", () => {
  const { stack, queued, make, answer } = tab();
  answer(make("Before"), "zero");
  // Answered in whatever order.
  const [one, two, three] = ["First", "Second", "Third"].map((title) => make(title, "batch")) as [
    QueuedChange,
    QueuedChange,
    QueuedChange,
  ];
  answer(two, "two");
  answer(one, "one");
  answer(three, "three");
  stack.undo(stack.all.at(-1));
  expect(queued.splice(0)).toEqual(["undoCommand three", "undoCommand two", "undoCommand one"]);
  stack.redo();
  expect(queued.splice(0)).toEqual(["redoCommand one", "redoCommand two", "redoCommand three"]);
  stack.undo();
  expect(queued.splice(0)).toEqual(["undoCommand three", "undoCommand two", "undoCommand one"]);
  stack.undo();
  expect(queued).toEqual(["undoCommand zero"]);
});

test("of what was made as one, that without an answer is taken back when it has one, and all of it made again", () => {
  const { stack, queued, waiting, make, answer } = tab();
  const [one, two, three] = ["First", "Second", "Third"].map((title) => make(title, "batch")) as [
    QueuedChange,
    QueuedChange,
    QueuedChange,
  ];
  answer(one, "one");
  stack.undo();
  expect([queued.splice(0), waiting]).toEqual([["undoCommand one"], ["3"]]);
  answer(two, "two");
  expect(queued.splice(0)).toEqual(["undoCommand two"]);
  // What still waits stays as it is, and the rest is made again.
  stack.redo();
  expect(queued.splice(0)).toEqual(["redoCommand one", "redoCommand two"]);
  answer(three, "three");
  expect(queued).toEqual([]);
});

test("however many were made as one, none of them is forgotten before the last", () => {
  const { stack, queued, make, answer } = tab();
  for (let at = 0; at < 120; at++) answer(make(String(at), "batch"), `command ${at}`);
  stack.undo();
  expect([queued.length, queued[0], queued.at(-1)]).toEqual([120, "undoCommand command 119", "undoCommand command 0"]);
  for (let at = 0; at < 60; at++) answer(make(String(at)), `single ${at}`);
  expect(stack.all.length).toBe(50);
});
