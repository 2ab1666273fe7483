// Places at the database, shared by tenant. Whoever comes takes a free one; where there is none it waits, and the next place goes to the
// tenant that has the fewest, then to the one that was served longest ago. A tenant may use all that is free, but a crowd leaves half of the
// places empty, and most while others ask: what runs there takes the processors from them and from this process, and free places alone would
// not make anybody fast. Who waits too long is refused: a queue that nobody will live to see the end of helps nobody.
import { NO_ROOM, type Refusal } from "../wire/problem.ts";

/** What the service does for itself shares the places as one more tenant, beside which nobody has to leave places empty. */
export const BACKGROUND = "";

interface Tenant {
  key: string;
  running: number;
  /** When it was served last; of one that comes new: just before whoever was served last. */
  turn: number;
  /** When it took its last place, and until when it rests where it is a crowd: for as long as it had that place. */
  tookAt: number;
  restsUntil: number;
  waiting: Waiting[];
}
interface Waiting {
  since: number;
  enter(): void;
  refuse(refusal: Refusal): void;
}

/** A tenant with more than so many waiting asks for more than there is; whoever has fewer may wait so many times as long. */
const CROWD = 32;
const PATIENT = 4;
/** What a crowd may use of the places. On two cores four at once do as much as eight, and this process waits half as long for one. */
const CROWD_SHARE = 1 / 2;
/** The same while another tenant has asked within so long; while that one is served, one of them, and that half of the time. */
const SHARE_BESIDE = 1 / 4;
const BESIDE_MS = 500;

const isCrowd = ({ waiting }: Tenant) => waiting.length > CROWD;

const isBefore = (a: Tenant, b: Tenant) => a.running < b.running || (a.running === b.running && a.turn < b.turn);

export function places(atOnce: number, mostMs: number, now: () => number = () => performance.now()) {
  /** Those that run or wait. */
  const tenants = new Map<string, Tenant>();
  let turns = 0;
  let inside = 0;
  let waiting = 0;
  let timer: NodeJS.Timeout | undefined;
  const most = (share: number) => Math.max(1, Math.floor(atOnce * share));
  const [crowdMost, mostBeside] = [most(CROWD_SHARE), most(SHARE_BESIDE)];
  /** Who asked last, and when whoever is not that one did. */
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
    // Nobody may be beside a crowd any more.
    fillPlaces();
    if (waiting > 0) return;
    clearInterval(timer);
    timer = undefined;
  }

  /** Gives back how the place is left. */
  return {
    async enter(key: string): Promise<() => void> {
      const tenant = tenants.get(key) ?? { key, running: 0, turn: turns - 1, tookAt: 0, restsUntil: 0, waiting: [] };
      tenants.set(key, tenant);
      note(key);
      if (inside < atOnce && tenant.waiting.length === 0) take(tenant);
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
