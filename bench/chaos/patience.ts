// Waits that end by progress instead of a deadline: a slow machine is no fault of the service.
import { setTimeout as sleep } from "node:timers/promises";

/** Usual start-up time of a server. A machine that takes longer is busy, and all waits are scaled by that factor. */
const USUAL_START_MS = 2000;
export const slownessOf = (startMs: number) => Math.max(1, startMs / USUAL_START_MS);

const PATIENCE_MS = 60_000;
const EVERY_MS = 200;

/** Waits until the count is zero. Gives up after a minute without a decrease. Resolves to the remaining count. */
export async function untilNone(count: () => number | Promise<number>): Promise<number> {
  let [least, since] = [Number.POSITIVE_INFINITY, performance.now()];
  for (;;) {
    const left = await count();
    if (left === 0 || performance.now() - since > PATIENCE_MS) return left;
    if (left < least) [least, since] = [left, performance.now()];
    await sleep(EVERY_MS);
  }
}
