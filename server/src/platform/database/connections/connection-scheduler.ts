// Fair scheduler of database connections (places) between tenants. A request takes a free place or waits; the next
// place goes to the tenant with the fewest, then to the least recently served. A single tenant may use every free
// place, but a crowd leaves half of them empty, and more while other tenants are active: its queries take the
// processors from the others and from this process, and free places alone would not make anybody fast. A request that
// waits too long is refused: a queue that outlives its callers helps nobody.
import { NO_ROOM, type Refusal } from "../../wire/problem.ts";

/** Tenant key of background work. It shares the places like any tenant, but nobody leaves places empty for it. */
export const BACKGROUND = "";

interface Tenant {
  key: string;
  running: number;
  /** Turn number of the last service; a new tenant gets the one just before the last served. */
  turn: number;
  /** Time at which it took its last place, and the end of its rest if it is a crowd: as long as it held that place. */
  tookAt: number;
  restsUntil: number;
  waiting: Waiting[];
}
interface Waiting {
  since: number;
  enter(): void;
  refuse(refusal: Refusal): void;
}

/**
 * A tenant with more than CROWD waiting requests asks for more than there is; one with fewer may wait PATIENT times as
 * long.
 */
const CROWD = 32;
const PATIENT = 4;
/**
 * Share of the places that a crowd may use. On two cores four at once achieve as much as eight, and this process waits
 * half as long for one.
 */
const CROWD_SHARE = 1 / 2;
/**
 * The same while another tenant was active within BESIDE_MS; while that tenant is being served, one place for half of
 * the time.
 */
const SHARE_BESIDE = 1 / 4;
const BESIDE_MS = 500;

const isCrowd = ({ waiting }: Tenant) => waiting.length > CROWD;

const isBefore = (a: Tenant, b: Tenant) => a.running < b.running || (a.running === b.running && a.turn < b.turn);

export function places(atOnce: number, mostMs: number, now: () => number = () => performance.now()) {
  /** Tenants that run or wait. */
  const tenants = new Map<string, Tenant>();
  let turns = 0;
  let inside = 0;
  let waiting = 0;
  let timer: NodeJS.Timeout | undefined;
  const most = (share: number) => Math.max(1, Math.floor(atOnce * share));
  const [crowdMost, mostBeside] = [most(CROWD_SHARE), most(SHARE_BESIDE)];
  /** The last tenant that asked, and the last time another one did. */
  let last = { key: BACKGROUND, at: -Infinity, otherAt: -Infinity };

  function note(key: string) {
    if (key === BACKGROUND) return;
    const at = now();
    last = key === last.key ? { ...last, at } : { key, at, otherAt: last.at };
  }
  const isBeside = (key: string) => now() - (key === last.key ? last.otherAt : last.at) < BESIDE_MS;
  const isServed = (tenant: Tenant) => tenant.running > 0 && tenant.key !== BACKGROUND && !isCrowd(tenant);
  function mustWait(tenant: Tenant): boolean {
    if (!isCrowd(tenant)) return false;
    if (tenant.running === 0) return now() < tenant.restsUntil && tenants.values().some(isServed);
    if (!isBeside(tenant.key)) return tenant.running >= crowdMost;
    return tenant.running >= mostBeside || tenants.values().some(isServed);
  }

  function take(tenant: Tenant) {
    inside++;
    tenant.running++;
    tenant.tookAt = now();
    tenant.turn = ++turns;
  }

  function leave(tenant: Tenant) {
    inside--;
    tenant.running--;
    tenant.restsUntil = 2 * now() - tenant.tookAt;
    fillPlaces();
    forget(tenant);
  }

  function fillPlaces() {
    while (inside < atOnce) {
      const next = nextTenant();
      if (!next) return;
      waiting--;
      const first = next.waiting.shift() as Waiting;
      take(next);
      first.enter();
    }
  }

  function nextTenant(): Tenant | undefined {
    if (waiting === 0) return undefined;
    let next: Tenant | undefined;
    for (const tenant of tenants.values())
      if (tenant.waiting.length > 0 && !mustWait(tenant) && (next === undefined || isBefore(tenant, next)))
        next = tenant;
    return next;
  }

  const patience = (tenant: Tenant) => (isCrowd(tenant) ? mostMs : PATIENT * mostMs);

  function forget(tenant: Tenant) {
    if (tenant.running === 0 && tenant.waiting.length === 0) tenants.delete(tenant.key);
  }

  function expire() {
    const time = now();
    for (const tenant of [...tenants.values()]) {
      while (tenant.waiting.length > 0 && time >= (tenant.waiting[0]?.since ?? 0) + patience(tenant)) {
        waiting--;
        tenant.waiting.shift()?.refuse(NO_ROOM);
      }
      forget(tenant);
    }
    // A crowd may have no active neighbour any more, and then more places.
    fillPlaces();
    if (waiting > 0) return;
    clearInterval(timer);
    timer = undefined;
  }

  /** `enter` resolves to the function that releases the place. */
  return {
    async enter(key: string): Promise<() => void> {
      const tenant = tenants.get(key) ?? { key, running: 0, turn: turns - 1, tookAt: 0, restsUntil: 0, waiting: [] };
      tenants.set(key, tenant);
      note(key);
      if (inside < atOnce && tenant.waiting.length === 0) take(tenant);
      else {
        waiting++;
        // Runs after the database's answers of this tick: callers that get the freed places are not refused.
        timer ??= setInterval(() => setImmediate(expire), mostMs / 10).unref();
        await new Promise<void>((enter, refuse) => tenant.waiting.push({ since: now(), enter, refuse }));
      }
      return () => leave(tenant);
    },
    waiting: () => waiting,
    expire,
  };
}
