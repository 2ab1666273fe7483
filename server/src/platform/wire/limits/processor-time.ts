// Limits the processor time of sockets: a token bucket of milliseconds for each socket, person and Workspace. Work is
// charged afterwards, so a bucket may be in debt; its user waits until the debt is paid. Stores numbers and no timer,
// because there are thousands of sockets.
export interface Budget {
  /** Milliseconds refilled each second. */
  second: number;
  most: number;
}

/** Resolution of the system's processor time of a thread: shorter work is measured by the clock alone. */
const TICK_MS = 4;
/**
 * Processor time of this thread. Node 22, which a Mac with Apple silicon may use, cannot measure it and falls back to
 * the clock.
 */
export function threadMs(): number {
  const used = process.threadCpuUsage?.();
  return used ? (used.user + used.system) / 1000 : performance.now();
}
/**
 * Starts measuring this thread. The result converts elapsed milliseconds into processor time: on a busy machine other
 * processes take most of a long turn.
 */
export function processorClock(): (elapsedMs: number) => number {
  const began = threadMs();
  return (elapsedMs) => (elapsedMs <= TICK_MS ? elapsedMs : Math.min(elapsedMs, Math.max(TICK_MS, threadMs() - began)));
}

export class Meter {
  private readonly budget: Budget;
  private left: number;
  private at: number;
  constructor(budget: Budget, now = performance.now()) {
    this.budget = budget;
    this.left = budget.most;
    this.at = now;
  }
  private refill(now: number) {
    const { second, most } = this.budget;
    this.left = Math.min(most, this.left + (Math.max(0, now - this.at) / 1000) * second);
    this.at = now;
  }
  charge(ms: number, now = performance.now()) {
    this.refill(now);
    this.left -= ms;
  }
  /** Milliseconds until the debt is paid. */
  wait(now = performance.now()): number {
    this.refill(now);
    return this.left >= 0 ? 0 : (-this.left / this.budget.second) * 1000;
  }
  /** Milliseconds until the bucket is full again. */
  rest(now = performance.now()): number {
    this.refill(now);
    return ((this.budget.most - this.left) / this.budget.second) * 1000;
  }
}

/** Meters by name. An unused meter is dropped once it is full again, so that a returning user finds the old debt. */
export class Meters {
  private readonly budget: Budget;
  private readonly meters = new Map<string, { meter: Meter; users: number }>();
  constructor(budget: Budget) {
    this.budget = budget;
  }
  use(name: string): Meter {
    const found = this.meters.get(name) ?? { meter: new Meter(this.budget), users: 0 };
    found.users++;
    this.meters.set(name, found);
    return found.meter;
  }
  release(name: string) {
    const found = this.meters.get(name);
    if (!found || --found.users > 0) return;
    const drop = () => {
      if (found.users > 0 || this.meters.get(name) !== found) return;
      const rest = found.meter.rest();
      // Work that was running at the release is charged after it.
      if (rest < 1) this.meters.delete(name);
      else setTimeout(drop, rest + 1).unref();
    };
    setTimeout(drop, found.meter.rest() + 1).unref();
  }
  count = () => this.meters.size;
}
