// A clock for the timers of some lengths: they fire when the test says so, and all other timers as usual.
import { afterAll, beforeAll, vi } from "vitest";

/** For the tests of this file. Choose lengths that nothing else has. */
export function heldTimers(...lengths: readonly number[]) {
  const held = new Map<NodeJS.Timeout, { ms: number; work: () => void }>();
  const timersOf = (ms: number) => [...held].filter(([, each]) => each.ms === ms);
  beforeAll(() => {
    const [set, clear] = [setTimeout, clearTimeout];
    const hold = (work: (...values: unknown[]) => void, ms?: number, ...values: unknown[]) => {
      if (ms === undefined || !lengths.includes(ms)) return set(work, ms, ...values);
      const timer = set(() => {}, ms).unref();
      held.set(timer, { ms, work: () => work(...values) });
      return timer;
    };
    vi.stubGlobal("setTimeout", Object.assign(hold, set));
    vi.stubGlobal("clearTimeout", (timer?: NodeJS.Timeout) => {
      if (timer) held.delete(timer);
      clear(timer);
    });
  });
  afterAll(() => void vi.unstubAllGlobals());
  return {
    /** Timers of this length that run now, oldest first. */
    running: (ms: number) => timersOf(ms).map(([timer]) => timer),
    /** Fires all timers of this length, as if their time were over. */
    fire(ms: number) {
      for (const [timer, { work }] of timersOf(ms)) {
        clearTimeout(timer);
        work();
      }
    },
  };
}
