// Circuit breaker for connections to the database, for the whole process. After a failed attempt it opens: callers are
// refused at once, and one probe at a time runs, with backoff and jitter, until one connects and stays connected. After
// a connection was lost, one attempt goes first and the others wait for its result. A database that drops new
// connections right away counts as unreachable. Answers on other connections count: a slow attempt beside them is no
// outage, and neither is the loss of single connections.

const BACKOFF_MS = [500, 1200] as const;
const GROWTH = 1.5;
const JITTER = 0.2;
/** Limits attempts to two a second. */
const ATTEMPT_MS = 500;
/** A connection that is lost within this time after a recovery disproves the recovery. */
const RELAPSE_MS = 3000;
/** An attempt that fails later than this got no answer. */
const SLOW_MS = 900;
/** Time limit of a probe, for each server. */
const PROBE_MS = 8000;
/** Longest wait for the result of another caller's attempt. */
const WAIT_MS = 900;
/** Probes end after this time without a request for a connection. */
const UNUSED_MS = 10_000;

export interface Attempt {
  succeeded(): void;
  failed(error: unknown): void;
}
interface Observer {
  closed?(error: unknown): void;
  opened?(): void;
}
export type Reachability = ReturnType<typeof reachability>;

export const unreachable = () => Object.assign(new Error("the database is out of reach"), { code: "ECONNRESET" });

/**
 * Intervals between the starts of two rounds, each of which tries all servers: they grow, and leave time for an attempt
 * at each server.
 */
export function backoff(servers: number) {
  let ms: number = BACKOFF_MS[0];
  return {
    next(): number {
      const pause = Math.max(ms, servers * ATTEMPT_MS) * (1 + JITTER * Math.random());
      ms = Math.min(ms * GROWTH, BACKOFF_MS[1]);
      return pause;
    },
    reset() {
      ms = BACKOFF_MS[0];
    },
  };
}

const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms).unref());

/** `probe` connects, to as many servers as necessary, and rejects if the connection does not last. */
export function reachability(probe: () => Promise<void>, servers = 1) {
  const observers = new Set<Observer>();
  let isOpen = true;
  /** Whether an attempt has succeeded since a connection was lost. */
  let isProven = false;
  let first: PromiseWithResolvers<void> | null = null;
  let isTroubled = false;
  let recoveredAt = -Infinity;
  let heardAt = -Infinity;
  /** Time of the last answer on a connection that was open before the last recovery. */
  let survivorHeardAt = -Infinity;
  let askedAt = 0;
  const pauses = backoff(servers);
  const now = () => performance.now();

  function close(error: unknown) {
    if (!isOpen) return;
    isOpen = false;
    isTroubled = true;
    if (now() - recoveredAt > RELAPSE_MS) pauses.reset();
    for (const observer of observers) observer.closed?.(error);
    void recover();
  }

  /** Resolves to false also if the probe does not end. */
  const isReached = () =>
    Promise.race([
      probe().then(
        () => true,
        () => false,
      ),
      sleep(servers * PROBE_MS).then(() => false),
    ]);

  async function recover() {
    for (let began = now(); ; ) {
      const pause = pauses.next() - (now() - began);
      if (pause > 0) await sleep(pause);
      const isUnused = now() - askedAt > UNUSED_MS && observers.size === 0;
      began = now();
      if (isUnused || (await isReached())) break;
    }
    isOpen = true;
    isProven = false;
    recoveredAt = now();
    for (const observer of observers) observer.opened?.();
  }

  function prove() {
    isProven = true;
    if (isTroubled) recoveredAt = now();
    isTroubled = false;
  }

  function fail(error: unknown, startedAt: number) {
    if (now() - startedAt > SLOW_MS && heardAt > startedAt) isProven = false;
    else close(error);
  }

  const following = (startedAt: number): Attempt => ({
    succeeded() {},
    failed: (error) => fail(error, startedAt),
  });
  function leading(startedAt: number): Attempt {
    const leads = Promise.withResolvers<void>();
    first = leads;
    const ended = () => {
      first = null;
      leads.resolve();
    };
    return {
      succeeded() {
        prove();
        ended();
      },
      failed(error) {
        fail(error, startedAt);
        ended();
      },
    };
  }

  return {
    /** Called before each attempt to open a connection; the caller reports its result. */
    async enter(): Promise<Attempt> {
      askedAt = now();
      for (const until = now() + WAIT_MS; isOpen && now() < until; ) {
        if (isProven) return following(now());
        if (!first) return leading(now());
        await Promise.race([first.promise, sleep(until - now())]);
      }
      throw unreachable();
    },
    /** Reports that a connection opened at `openedAt` was lost, not closed by us. */
    lost(openedAt: number) {
      const isRelapse = openedAt >= recoveredAt && now() - recoveredAt < RELAPSE_MS;
      if (isRelapse && survivorHeardAt < recoveredAt) return close(unreachable());
      isProven = false;
      isTroubled = true;
    },
    /** Reports an answer on a connection that was opened at `openedAt`. */
    heard(openedAt: number) {
      heardAt = now();
      if (openedAt < recoveredAt) survivorHeardAt = heardAt;
    },
    isOpen() {
      askedAt = now();
      return isOpen;
    },
    /** Observes until the returned function is called. */
    observe(observer: Observer): () => void {
      observers.add(observer);
      return () => observers.delete(observer);
    },
  };
}
