// Who may open a connection, by what became of those before.
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { reachability } from "./reachability.ts";

const OUT_OF_REACH = "the database is out of reach";
/** For so long a connection has to last. */
const HOLD_MS = 400;
const fault = new Error("refused");

function reach(outcome: () => boolean = () => false) {
  const probes: number[] = [];
  const subject = reachability(async () => {
    probes.push(performance.now());
    if (!outcome()) throw fault;
  });
  return { probes, ...subject };
}
/** A state in which everybody may connect. */
async function proven(outcome?: () => boolean) {
  const subject = reach(outcome);
  (await subject.enter()).succeeded();
  return subject;
}
const outcomeOf = (promise: Promise<unknown>) =>
  Promise.race([
    promise.then(
      () => "enters",
      () => "refused",
    ),
    Promise.resolve().then(() => Promise.resolve("waits")),
  ]);

beforeEach(() => vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] }));
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

describe("while no attempt succeeds", () => {
  test("everybody is refused at once, and one probe at a time runs, less than two in a second", async () => {
    const { enter, isOpen, probes } = await proven();
    const attempts = await Promise.all([enter(), enter(), enter()]);
    for (const attempt of attempts) attempt.failed(fault);
    for (let second = 0; second < 30; second++) {
      await expect(enter()).rejects.toThrow(OUT_OF_REACH);
      await vi.advanceTimersByTimeAsync(1000);
    }
    expect(isOpen()).toBe(false);
    expect(probes.length).toBeGreaterThan(15);
    expect(probes.length).toBeLessThan(45);
  });
  test("a probe that succeeds lets one attempt go first, and the others after it", async () => {
    let isUp = false;
    const { enter, isOpen } = await proven(() => isUp);
    (await enter()).failed(fault);
    isUp = true;
    await vi.advanceTimersByTimeAsync(2000);
    expect(isOpen()).toBe(true);
    const first = await enter();
    const others = [enter(), enter()];
    expect(await Promise.all(others.map(outcomeOf))).toEqual(["waits", "waits"]);
    first.succeeded();
    await Promise.all(others);
  });
  test("a failure that is reported twice makes no second probe", async () => {
    const { enter, lost, probes } = await proven();
    const attempt = await enter();
    attempt.failed(fault);
    attempt.failed(fault);
    lost(0);
    await vi.advanceTimersByTimeAsync(5000);
    expect(probes.length).toBeLessThan(8);
  });
  test("a probe that never ends is followed by another one", async () => {
    let count = 0;
    const { enter, isOpen } = reachability(() => (++count === 1 ? new Promise(() => {}) : Promise.resolve()));
    (await enter()).failed(fault);
    for (let second = 0; second < 12 && !isOpen(); second++) await vi.advanceTimersByTimeAsync(1000);
    expect([count, isOpen()]).toEqual([2, true]);
  });
  describe.for([1, 2, 3])("%i servers", (servers) => {
    test.for([
      ["refuse", 0, 0],
      ["refuse", 0, 0.999],
      ["refuse, and one of them hangs", 2000, 0],
      ["refuse, and one of them hangs", 2000, 0.999],
    ] as const)(
      "that %s (%i ms, jitter %d) get at most two attempts in a second, and are reached within three after one heals",
      async ([, hangs, jitter]) => {
        vi.spyOn(Math, "random").mockReturnValue(jitter);
        const rounds: number[] = [];
        let isUp = false;
        // The server that heals is tried first.
        const { enter, isOpen } = reachability(async () => {
          rounds.push(performance.now());
          const isReached = isUp;
          // Wait: by the clock of the test.
          await new Promise((resolve) => setTimeout(resolve, isReached ? HOLD_MS : hangs));
          if (!isReached) throw fault;
        }, servers);
        (await enter()).failed(fault);
        for (let second = 0; second < 20 && !isOpen(); second++) await vi.advanceTimersByTimeAsync(1000);
        const { length } = rounds;
        while (rounds.length === length) await vi.advanceTimersByTimeAsync(10);
        const gaps = rounds.slice(1).map((at, before) => at - (rounds[before] as number));
        expect(Math.min(...gaps)).toBeGreaterThanOrEqual(servers * 500 - 1);
        // Right after it was tried.
        isUp = true;
        await vi.advanceTimersByTimeAsync(3000);
        expect(isOpen()).toBe(true);
      },
    );
  });
  test("nobody probes for a service that has ended", async () => {
    const { enter, probes } = await proven();
    (await enter()).failed(fault);
    await vi.advanceTimersByTimeAsync(60_000);
    const made = probes.length;
    await vi.advanceTimersByTimeAsync(60_000);
    expect(probes.length).toBe(made);
  });
});

describe("after a connection was lost", () => {
  test("one attempt goes first, and its failure refuses those that waited for it", async () => {
    const { enter, lost } = await proven();
    lost(performance.now());
    const first = await enter();
    const other = enter();
    expect(await outcomeOf(other)).toBe("waits");
    first.failed(fault);
    await expect(other).rejects.toThrow(OUT_OF_REACH);
  });
  test("nobody waits long for somebody else's attempt", async () => {
    const { enter, lost } = await proven();
    lost(performance.now());
    await enter();
    const other = expect(enter()).rejects.toThrow(OUT_OF_REACH);
    await vi.advanceTimersByTimeAsync(1000);
    await other;
  });
  test("and a new one right after it, nobody may connect until a probe lasts", async () => {
    const { enter, lost, isOpen } = await proven();
    lost(performance.now());
    (await enter()).succeeded();
    await vi.advanceTimersByTimeAsync(300);
    lost(performance.now() - 100);
    expect(isOpen()).toBe(false);
  });
  test("an old one that is lost a moment later does not count against the new ones", async () => {
    const { enter, lost, isOpen } = await proven();
    const before = performance.now();
    await vi.advanceTimersByTimeAsync(10);
    lost(before);
    (await enter()).succeeded();
    lost(before);
    expect(isOpen()).toBe(true);
  });
});

describe("while other connections are answered", () => {
  test("a slow attempt that fails refuses nobody else", async () => {
    const { enter, heard, isOpen } = await proven();
    const attempt = await enter();
    await vi.advanceTimersByTimeAsync(1000);
    heard(0);
    attempt.failed(fault);
    expect(isOpen()).toBe(true);
  });
  test("an attempt that is refused closes it all the same", async () => {
    const { enter, heard, isOpen } = await proven();
    const attempt = await enter();
    await vi.advanceTimersByTimeAsync(10);
    heard(0);
    attempt.failed(fault);
    expect(isOpen()).toBe(false);
  });
  test("new connections that are lost again and again refuse nobody else", async () => {
    const { enter, lost, heard, isOpen } = await proven();
    const before = performance.now();
    await vi.advanceTimersByTimeAsync(10);
    lost(before);
    (await enter()).succeeded();
    await vi.advanceTimersByTimeAsync(300);
    heard(before);
    lost(performance.now() - 100);
    expect(isOpen()).toBe(true);
  });
});
