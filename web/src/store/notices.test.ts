// What people are told of changes: each by itself, and those that were made as one as one.
import { expect, test } from "vitest";
import { Notices } from "./notices.ts";
import type { QueuedChange } from "./queue/change.ts";

function told() {
  const pending: QueuedChange[] = [];
  const notices = new Notices({ pending, tell: () => {} });
  const make = (batch: string | undefined, ids: string[], operation = "updateTasks") => {
    const change = {
      key: `${pending.length} ${ids}`,
      operation,
      ids,
      state: "waiting",
      ...(batch && { batch }),
    } as unknown as QueuedChange;
    pending.push(change);
    return change;
  };
  /** As the queue does: first it waits no more. */
  const tell = (change: QueuedChange, code?: string) => {
    pending.splice(
      pending.findIndex(({ key }) => key === change.key),
      1,
    );
    if (code) notices.tell({ kind: "refused", change, code, faults: [] });
    else notices.tell({ kind: "done", change, commandId: `of ${change.key}` });
  };
  const all = () => notices.all.map(({ kind, change, done }) => [kind, change.ids.join(""), done]);
  return { notices, make, tell, all };
}

test("changes are told one by one, the last five of them, until they are seen", () => {
  const { notices, make, tell, all } = told();
  for (const id of "abcdef") tell(make(undefined, [id]));
  expect(all()).toEqual([..."bcdef"].map((id) => ["done", id, undefined]));
  notices.seen(notices.all[0]?.id ?? 0);
  expect(all()).toEqual([..."cdef"].map((id) => ["done", id, undefined]));
});

test("those that were made as one are told once none waits, with the command of the last", () => {
  const { notices, make, tell, all } = told();
  const [one, two] = [make("batch", ["a", "b"]), make("batch", ["c"])];
  tell(one);
  expect(all()).toEqual([]);
  tell(make("other", ["x"]));
  expect(all()).toEqual([["done", "x", 1]]);
  tell(two);
  expect(all()).toEqual([
    ["done", "x", 1],
    ["done", "abc", 3],
  ]);
  expect(notices.all.at(-1)).toMatchObject({ commandId: expect.stringMatching(/c$/) });
});

test("one that is refused is told with how many were not, and what was made does not count as taken back", () => {
  const { notices, make, tell, all } = told();
  const [one, two] = [make("batch", ["a", "b"]), make("batch", ["c"])];
  tell(one);
  // Taken back before all of it was answered.
  const back = make("batch", ["a", "b"], "undoCommand");
  tell(two);
  expect(all()).toEqual([]);
  const other = make("batch", ["c"], "undoCommand");
  tell(back, "undo_conflict");
  tell(other);
  expect(all()).toEqual([["refused", "abc", 1]]);
  expect(notices.all[0]).toMatchObject({ code: "undo_conflict" });
});

test("one that could not be made counts, too", () => {
  const { make, tell, all } = told();
  const [one, two] = [make("batch", [], "createTask"), make("batch", [], "createTask")];
  tell({ ...one, creates: "new-1" }, "limit_reached");
  tell({ ...two, ids: ["b"] });
  expect(all()).toEqual([["refused", "new-1b", 1]]);
});

test("what needs a decision holds back nothing", () => {
  const { notices, make, tell, all } = told();
  const [one, two] = [make("batch", ["a", "b"]), make("batch", ["c"])];
  notices.tell({ kind: "conflict", change: { ...two, state: "conflict" } });
  two.state = "conflict";
  tell(one);
  expect(all()).toEqual([["conflict", "cab", 2]]);
});
