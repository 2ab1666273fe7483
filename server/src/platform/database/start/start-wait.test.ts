// How a start waits for the database: how often it tries, and what it prints meanwhile.
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { patiently } from "./start-wait.ts";

const refused = Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED" });
// Wait: by the clock of the test.
const elapse = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

beforeEach(() =>
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval", "performance"] }),
);
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** Waits for work on as many hosts, which ends well once `isUp` is set. */
function waiting(hosts: number, work: (say: (line: string) => void, attempt: number) => Promise<void>) {
  const url = `postgresql://${Array.from({ length: hosts }, (_, at) => `host${at}`).join()}/svc`;
  const state = { isUp: false, attempts: [] as number[], lines: [] as string[] };
  const attempt = async (say: (line: string) => void) => {
    state.attempts.push(performance.now());
    if (state.isUp) return;
    await work(say, state.attempts.length);
    throw refused;
  };
  const patience = { seconds: 300, say: (line: string) => state.lines.push(line) };
  return Object.assign(state, { ended: patiently("Waiting for PostgreSQL", url, attempt, patience) });
}

test("a line is printed every five seconds, however long an attempt takes", async () => {
  const start = waiting(1, (_say, attempt) => (attempt === 1 ? Promise.resolve() : elapse(12_000)));
  await vi.advanceTimersByTimeAsync(20_000);
  expect(start.lines).toEqual([5, 10, 15, 20].map((at) => `Waiting for PostgreSQL for ${at} s: connect ECONNREFUSED`));
  start.isUp = true;
  await vi.advanceTimersByTimeAsync(20_000);
  await start.ended;
  const { length } = start.lines;
  await vi.advanceTimersByTimeAsync(20_000);
  expect(start.lines).toHaveLength(length);
});

test("work that prints lines about itself ends those about the fault before", async () => {
  const start = waiting(1, async (say, attempt) => {
    if (attempt === 1) return;
    say("migration 0001_kernel.sql");
    await elapse(30_000);
  });
  await vi.advanceTimersByTimeAsync(20_000);
  expect(start.lines).toEqual(["migration 0001_kernel.sql"]);
  start.isUp = true;
  await vi.advanceTimersByTimeAsync(20_000);
  await start.ended;
});

test.for([
  [1, 0],
  [1, 0.999],
  [3, 0],
  [3, 0.999],
] as const)(
  "%i hosts get at most two attempts in a second, with a backoff that jitter (%d) makes longer, and are found within three",
  async ([hosts, jitter]) => {
    vi.spyOn(Math, "random").mockReturnValue(jitter);
    const start = waiting(hosts, () => Promise.resolve());
    await vi.advanceTimersByTimeAsync(30_000);
    const gaps = start.attempts.slice(1).map((at, before) => at - (start.attempts[before] as number));
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(hosts * 500 - 1);
    expect(Math.max(...gaps)).toBeGreaterThan(Math.max(1200, hosts * 500) - 1);
    expect(Math.max(...gaps)).toBeLessThan(3000);
    start.isUp = true;
    await vi.advanceTimersByTimeAsync(3000);
    await start.ended;
  },
);
