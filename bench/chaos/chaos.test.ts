// The short form of npm run chaos: the same processes, the same checker, fewer kills.
import { randomInt } from "node:crypto";
import { expect, test } from "vitest";
import { testDatabase } from "../../server/test/database.ts";
import { violations } from "./check.ts";
import { coEditing } from "./co-editing.ts";
import { following } from "./realtime.ts";
import { isCaught } from "./report.ts";
import { type Bug, storm } from "./storm.ts";

async function onOwnDatabase<T>(work: (databaseUrl: string) => Promise<T>): Promise<T> {
  const database = await testDatabase();
  return work(database.url).finally(() => database.drop());
}
/** Ends with the last fault; the limit is for a machine that is too busy to serve. */
const shortStorm = (faults: number, cut: number, patienceMs: number, bug?: Bug) =>
  onOwnDatabase((url) => {
    const limits = { faults, cut, lanes: 10, limitMs: bug ? 45_000 : 180_000, patienceMs };
    const database = <T>(work: (url: string) => Promise<T>) => work(url);
    return storm({ trouble: "kills", database, seed: randomInt(2 ** 31), ...limits, ...(bug ? { bug } : {}) });
  });

interface Survived {
  broken: unknown[];
  found: Record<(typeof violations)[number], unknown[]>;
  ended: unknown[];
  enough: boolean;
}
function expectUnharmed(outcome: Survived) {
  expect(outcome.broken).toEqual([]);
  for (const violation of violations) expect(outcome.found[violation], violation).toEqual([]);
  expect(outcome.ended).toEqual([]);
  expect(outcome.enough).toBe(true);
}

test("a server killed under load loses no acknowledged write, doubles none and gives every retry the same answer", async () => {
  const outcome = await shortStorm(4, 30, 30_000);
  for (const violation of violations)
    expect(outcome.found[violation], `${violation}, ${outcome.directory}`).toEqual([]);
  expect(outcome.ended).toEqual([]);
  expect(outcome.enough).toBe(true);
});

// Three kills may all come before the first commit; a second and a third storm then have another try.
test.for(["answer-after-commit", "key-after-commit"] as const)("the planted bug %s is caught", async (bug) => {
  let caught = false;
  for (let turn = 0; turn < 3 && !caught; turn++) caught = isCaught(await shortStorm(3, 15, 2500, bug));
  expect(caught).toBe(true);
});

test("people who type together at two servers lose nothing that was acknowledged when these are killed, and agree afterwards", async () => {
  const few = { faults: 2, texts: 2, editors: 2, limitMs: 150_000 };
  expectUnharmed(await onOwnDatabase((databaseUrl) => coEditing({ ...few, seed: randomInt(2 ** 31), databaseUrl })));
});

test("whoever follows changes at two servers misses none when these are killed, and hears of none that they may not see", async () => {
  const few = { faults: 2, sockets: 8, perSecond: 40, limitMs: 150_000 };
  expectUnharmed(await onOwnDatabase((databaseUrl) => following({ ...few, seed: randomInt(2 ** 31), databaseUrl })));
});
