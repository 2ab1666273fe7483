// Places at the database, shared by tenant. Whoever comes takes a free one; where there is none it waits, and the next place goes to the
// tenant that has the fewest, then to the one that was served longest ago. A tenant may use all that is free, and none can keep another waiting by
// asking more often. Who waits too long is refused: a queue that nobody will live to see the end of helps nobody.
import { NoRoom } from "./problem.ts";

interface Tenant {
  key: string;
  running: number;
  /** When it was served last; of one that comes new: just before whoever was served last. */
  turn: number;
  waiting: Waiting[];
}
interface Waiting {
  since: number;
  enter(): void;
  refuse(refusal: NoRoom): void;
}

/** A tenant with more than so many waiting asks for more than there is; whoever has fewer may wait so many times as long. */
const CROWD = 64;
const PATIENT = 4;

const isBefore = (a: Tenant, b: Tenant) => a.running < b.running || (a.running === b.running && a.turn < b.turn);

export function places(atOnce: number, mostMs: number, now: () => number = () => performance.now()) {
  /** Those that run or wait. */
  const tenants = new Map<string, Tenant>();
  let turns = 0;
  let inside = 0;
  let waiting = 0;
  let timer: NodeJS.Timeout | undefined;

  function take(tenant: Tenant) {
    inside++;
    tenant.running++;
    tenant.turn = ++turns;
  }

  function leave(tenant: Tenant) {
    inside--;
    tenant.running--;
    const next = nextTenant();
    if (next) {
      waiting--;
      const first = next.waiting.shift() as Waiting;
      take(next);
      first.enter();
    }
    forget(tenant);
  }

  function nextTenant(): Tenant | undefined {
    if (waiting === 0) return undefined;
    let next: Tenant | undefined;
    for (const tenant of tenants.values())
      if (tenant.waiting.length > 0 && (next === undefined || isBefore(tenant, next))) next = tenant;
    return next;
  }

  const patience = ({ waiting }: Tenant) => (waiting.length > CROWD ? mostMs : PATIENT * mostMs);

  function forget(tenant: Tenant) {
    if (tenant.running === 0 && tenant.waiting.length === 0) tenants.delete(tenant.key);
  }

  function expire() {
    const time = now();
    for (const tenant of [...tenants.values()]) {
      while (tenant.waiting.length > 0 && time >= (tenant.waiting[0]?.since ?? 0) + patience(tenant)) {
        waiting--;
        tenant.waiting.shift()?.refuse(new NoRoom());
      }
      forget(tenant);
    }
    if (waiting > 0) return;
    clearInterval(timer);
    timer = undefined;
  }

  /** Gives back how the place is left. */
  return {
    async enter(key: string): Promise<() => void> {
      const tenant = tenants.get(key) ?? { key, running: 0, turn: turns - 1, waiting: [] };
      tenants.set(key, tenant);
      if (inside < atOnce) take(tenant);
      else {
        waiting++;
        // After what the database has answered meanwhile: those that get its places are not refused.
        timer ??= setInterval(() => setImmediate(expire), mostMs / 10).unref();
        await new Promise<void>((enter, refuse) => tenant.waiting.push({ since: now(), enter, refuse }));
      }
      return () => leave(tenant);
    },
    waiting: () => waiting,
    expire,
  };
}
