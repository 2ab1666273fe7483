// Waits of a storm that end by progress and not by the clock: a busy machine is slow, and that is no fault of the service.
import { setTimeout as sleep } from "node:timers/promises";

/** A machine whose servers need longer to start is busy, and has as many times longer for everything else. */
const USUAL_START_MS = 2000;
export const slownessOf = (startMs: number) => Math.max(1, startMs / USUAL_START_MS);

const PATIENCE_MS = 60_000;
const EVERY_MS = 200;

/** Waits until nothing is left, and gives up after a minute in which it did not become less. Resolves to the number left. */
export async function untilNone(count: () => number | Promise<number>): Promise<number> {
  let [least, since] = [Number.POSITIVE_INFINITY, performance.now()];
  for (;;) {
    const left = await count();
    if (left === 0 || performance.now() - since > PATIENCE_MS) return left;
    if (left < least) [least, since] = [left, performance.now()];
    await sleep(EVERY_MS);
  }
}
