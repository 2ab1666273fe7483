import { vi } from "vitest";

/** Ends with what the look answers, once it throws no more. As patient as the tests themselves: it ends only what hangs, and says nothing of how fast something is. */
export const eventually = <T>(look: () => T | Promise<T>, interval = 50): Promise<T> =>
  vi.waitFor(look, { timeout: 120_000, interval });
