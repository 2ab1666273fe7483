// What a page shows first is here before all else that was kept; what this must not cost.
import { afterAll, beforeEach, expect, test, vi } from "vitest";
import { together } from "./domain.ts";
import { FIRST, firstOf } from "./first-chunks.ts";
import { counted, noteFirst } from "./first-rows.ts";
import type { Persist } from "./persistence.ts";
import type { Replica } from "./replica.ts";
import { Store } from "./store.ts";
import { Writer } from "./writer.ts";

const at = (pathname: string, search = "") => vi.stubGlobal("location", { pathname, search });
beforeEach(() => at("/workspaces/w/projects/ENG"));
afterAll(() => void vi.unstubAllGlobals());

test("what was kept replaces nothing that is newer, and adds what only it has", () => {
  const store = new Store(together([]));
  const row = (id: string, revision: string, more = {}) => ({ id, revision, ...more }) as never;
  store.accept({ task: [row("a", "3", { title: "new" }), row("b", "2", { title: "read" })] });
  store.fill([
    ["task", [row("a", "2", { title: "old" }), row("b", "2", { title: "kept", description: "long" })]],
    ["task", [row("c", "1", { title: "kept" })]],
  ]);
  store.filled();
  expect(["a", "b", "c"].map((id) => store.get("task", id))).toEqual([
    { id: "a", revision: "3", title: "new" },
    { id: "b", revision: "2", title: "read", description: "long" },
    { id: "c", revision: "1", title: "kept" },
  ]);
});

test("nothing is written before every chunk is here: one is written whole", async () => {
  const done: string[] = [];
  const persist = {
    load: async () => ({ rows: [], queue: [], facts: new Map(), left: ["task:1", "task:2", "task:3"] }),
    more: async (names: string[]) => {
      done.push(names.join());
      return [];
    },
    write: async () => void done.push("written"),
  } as unknown as Persist;
  const writer = new Writer(persist, () => []);
  await writer.load(() => {});
  await writer.write({});
  expect(done).toEqual(["task:1,task:2", "task:3", "written"]);
});

test("what is first is noted by address, of the pages that were shown last, and not while a Task is open beside one", () => {
  const facts = new Map<string, unknown>();
  const replica = {
    leads: true,
    isWhole: true,
    store: { fact: (name: string) => facts.get(name) },
    chunksOf: () => ["task:4"],
    setFact: (name: string, value: unknown) => facts.set(name, value),
  } as unknown as Replica & { isWhole: boolean; leads: boolean };
  noteFirst(replica, "task", ["a"], { todo: 7 });
  expect(firstOf(facts)).toEqual(["task:4"]);
  expect(counted(replica, "todo"), "all of them are here").toBeUndefined();
  replica.isWhole = false;
  expect(counted(replica, "todo")).toBe(7);
  replica.isWhole = true;
  at("/workspaces/w/projects/ENG", "?task=a");
  noteFirst(replica, "task", ["a"], {});
  expect(firstOf(facts)).toBeUndefined();
  for (let page = 0; page < 30; page++) {
    at(`/workspaces/w/projects/P${page}`);
    noteFirst(replica, "task", ["a"], {});
  }
  expect(Object.keys(facts.get(FIRST) as object)).toHaveLength(20);
  expect(firstOf(facts)).toEqual(["task:4"]);
  replica.leads = false;
  at("/workspaces/w/projects/OTHER");
  noteFirst(replica, "task", ["a"], {});
  expect(firstOf(facts), "only the tab that keeps the rows knows where they are").toBeUndefined();
});
