// The short form of npm run chaos: the same processes, the same checker, fewer kills.
import { randomInt } from "node:crypto";
import { expect, test, vi } from "vitest";
import { testDatabase } from "../../server/test/database.ts";
import { violations } from "./check.ts";
import { coEditing } from "./co-editing.ts";
import { following } from "./realtime.ts";
import { isCaught, untilCaught } from "./report.ts";
import { type Bug, storm } from "./storm.ts";

async function onOwnDatabase<T>(work: (databaseUrl: string) => Promise<T>): Promise<T> {
  const database = await testDatabase();
  return work(database.url).finally(() => database.drop());
}
/** A storm ends with its last fault; the limits are for a machine that is too busy to serve. */
const [LIMIT_MS, TIMEOUT_MS] = [400_000, 900_000];
vi.setConfig({ testTimeout: TIMEOUT_MS });
const shortStorm = (limits: { faults: number; cut: number; limitMs: number; patienceMs: number; bug?: Bug }) =>
  onOwnDatabase((url) => {
    const database = <T>(work: (url: string) => Promise<T>) => work(url);
    return storm({ trouble: "kills", database, seed: randomInt(2 ** 31), lanes: 10, ...limits });
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
  const outcome = await shortStorm({ faults: 4, cut: 30, limitMs: LIMIT_MS, patienceMs: 30_000 });
  for (const violation of violations)
    expect(outcome.found[violation], `${violation}, ${outcome.directory}`).toEqual([]);
  expect(outcome.ended).toEqual([]);
  expect(outcome.enough).toBe(true);
});

test.for(["answer-after-commit", "key-after-commit"] as const)("the planted bug %s is caught", async (bug) => {
  const outcome = await untilCaught((times) =>
    shortStorm({ faults: 3, cut: 15, limitMs: 90_000 * times, patienceMs: 2500 * times, bug }),
  );
  expect(isCaught(outcome)).toBe(true);
});

test("people who type together at two servers lose nothing that was acknowledged when these are killed, and agree afterwards", async () => {
  const few = { faults: 2, texts: 2, editors: 2, limitMs: LIMIT_MS };
  expectUnharmed(await onOwnDatabase((databaseUrl) => coEditing({ ...few, seed: randomInt(2 ** 31), databaseUrl })));
});

test("whoever follows changes at two servers misses none when these are killed, and hears of none that they may not see", async () => {
  const few = { faults: 2, sockets: 8, perSecond: 40, limitMs: LIMIT_MS };
  expectUnharmed(await onOwnDatabase((databaseUrl) => following({ ...few, seed: randomInt(2 ** 31), databaseUrl })));
});
