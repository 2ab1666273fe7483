// Commits wake followers of the journal: once for many, again while something is held back, and never twice at a time.
import { afterEach, expect, test } from "vitest";
import { eventually } from "../../../test/eventually.ts";
import { createLog } from "../wire/log.ts";
import { openTriggers, type Triggers } from "./commit-triggers.ts";
import type { JournalFollower } from "./jobs.ts";

let triggers: Triggers;
afterEach(() => triggers.close());
let notified = 0;
function opened(follower: JournalFollower) {
  notified = 0;
  triggers = openTriggers({ follower }, createLog("silent"), () => {
    notified++;
  });
  return triggers;
}

test("commits that come together are one run, with the Workspaces that they were in", async () => {
  const runs: (readonly string[] | null)[] = [];
  const { wake } = opened({ gatherMs: 20, notifies: true, run: async (named) => runs.push(named) });
  for (const id of ["a", "b", "a"]) wake(id);
  await eventually(() => expect(runs).toEqual([["a", "b"]]));
  wake("c");
  wake(null);
  await eventually(() => expect(runs).toEqual([["a", "b"], null]));
  expect(notified).toBe(2);
  for (let at = 0; at < 500; at++) wake(`w${at}`);
  await eventually(() => expect(runs.slice(2), "too many to name").toEqual([null]));
});

test("what comes during a run is read by the next, and never by two at a time", async () => {
  const gate = Promise.withResolvers<void>();
  let [now, most, runs] = [0, 0, 0];
  const { wake } = opened({
    gatherMs: 0,
    async run() {
      most = Math.max(most, ++now);
      runs++;
      await gate.promise;
      now--;
    },
  });
  wake("a");
  await eventually(() => expect(runs).toBe(1));
  wake("b");
  wake("c");
  gate.resolve();
  await eventually(() => expect(runs).toBe(2));
  expect([most, notified]).toEqual([1, 0]);
});

test("what an open transaction holds back is read again until it is there, and a failure ends nothing", async () => {
  const runs: (readonly string[] | null)[] = [];
  const { wake } = opened({
    gatherMs: 0,
    async run(named) {
      runs.push(named);
      if (runs.length === 5) throw new Error("the database has gone away");
      return runs.length < 4;
    },
  });
  wake("a");
  await eventually(() => expect(runs).toEqual([["a"], ["a"], ["a"], ["a"]]));
  wake("b");
  await eventually(() => expect(runs).toHaveLength(5));
  wake("c");
  await eventually(() => expect(runs.at(-1)).toEqual(["c"]));
});
