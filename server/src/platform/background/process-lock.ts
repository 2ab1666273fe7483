// Proves that this process lives, and finds processes that died. A process registers itself and holds a session-level
// advisory lock; if it loses its connection it takes the lock again at once. A lock that stays free proves that its
// process died; the required time is longer if a failover or crash of PostgreSQL may have freed the locks of living
// processes.
import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";
import type { Logger } from "pino";
import { releaseLeases } from "./release-leases.ts";

/**
 * Poll intervals for the locks of other processes, while the database answers and while it does not, and the interval
 * at which this process confirms its own.
 */
const LOOK_MS = 250;
const LOOK_AGAIN_MS = 2000;
const CONFIRM_MS = 1000;
/** Pauses between attempts to take the lock: doubled after each failure. */
const RETRY_MS = { first: 50, most: 500 };
/**
 * Time for which a lock must be free before its process counts as dead. `settled` ms exceed three retries of a living
 * process that lost its connection. After a failover or crash of PostgreSQL, living processes have `failover` ms to
 * reconnect and take their locks.
 */
const FREE_MS = { settled: 1500, failover: 8000 };

const LOCK = "select pg_try_advisory_lock(process_lock(), $1) as mine";
/** A registration lost in a crash does no harm: the process is gone too. */
const UNHURRIED = "set synchronous_commit = off";
/**
 * Earliest moment at which a lock can have been taken. The crash of one backend frees the locks of all backends but
 * does not change the start time of the postmaster; the recovery after it resets the statistics.
 */
export const LOCKS_SINCE = "(select greatest(pg_postmaster_start_time(), w.stats_reset) from pg_catalog.pg_stat_wal w)";
/** Registers again if another process declared this one gone. */
const REGISTER = `
insert into processes (id, server, workers) values ($1, ${LOCKS_SINCE}, $2)
on conflict (id) do update set server = excluded.server, workers = excluded.workers, confirmed_at = now()`;
const FREE = `
select p.id, p.server = ${LOCKS_SINCE} as same_server
from processes p where p.id <> $1 and not process_lives(p.id)`;

interface Free {
  id: number;
  same_server: boolean;
}

export interface ProcessLock {
  /** Resolves once this process is registered: only then can another process release its leases at once. */
  registered: Promise<void>;
  /** Registers the names under which this process locks jobs, or retries taking the lock at once. */
  confirm(): void;
  close(): Promise<void>;
}
export interface ProcessLockOptions {
  id: number;
  log: Logger;
  /** Names under which this process locks jobs. */
  workers(): string[];
  /** Called after leases of a dead process were released. */
  released(): void;
  /** Set if this process started PostgreSQL: no other living process can hold a lock. */
  isAlone: boolean;
  freeMs?: typeof FREE_MS;
}

export function holdProcessLock(pool: pg.Pool, options: ProcessLockOptions): ProcessLock {
  const { id, log, workers, released, isAlone, freeMs = FREE_MS } = options;
  const closing = new AbortController();
  const registered = Promise.withResolvers<void>();
  let wake = () => {};
  const pause = (ms: number) =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      wake = () => {
        clearTimeout(timer);
        resolve();
      };
      if (closing.signal.aborted) wake();
    });

  /** Holds the lock until the connection ends. */
  async function holdOnce(client: pg.PoolClient, held: () => void) {
    client.once("end", () => wake());
    // An earlier connection of this process may still hold the lock, in which case the process still counts as alive.
    while (!closing.signal.aborted && !(await client.query(LOCK, [id])).rows[0].mine) await pause(LOOK_MS);
    await client.query(UNHURRIED);
    while (!closing.signal.aborted) {
      await client.query(REGISTER, [id, workers()]);
      held();
      registered.resolve();
      await pause(CONFIRM_MS);
    }
  }
  async function hold() {
    for (let retryMs = RETRY_MS.first; !closing.signal.aborted; retryMs = Math.min(2 * retryMs, RETRY_MS.most)) {
      const client = await pool.connect().catch(() => null);
      try {
        if (client)
          await holdOnce(client, () => {
            retryMs = RETRY_MS.first;
          });
      } catch {
        // The connection is lost: the next iteration takes the lock on another one.
      } finally {
        client?.release(true);
      }
      if (!closing.signal.aborted) await pause(retryMs * (0.5 + Math.random() / 2));
    }
  }

  /** Time at which each lock was first seen free, and the last time the database failed to answer. */
  const freeSince = new Map<number, number>();
  let failedAt = Number.NEGATIVE_INFINITY;
  async function lookOnce() {
    const found = (await pool.query<Free>(FREE, [id])).rows;
    const now = performance.now();
    for (const known of freeSince.keys()) if (!found.some(({ id: other }) => other === known)) freeSince.delete(known);
    for (const { id: other, same_server } of found) {
      const since = freeSince.get(other) ?? now;
      freeSince.set(other, since);
      const isSettled = same_server && now - failedAt > freeMs.failover;
      const isGone = isAlone || now - since >= (isSettled ? freeMs.settled : freeMs.failover);
      if (!isGone) continue;
      if (!(await releaseLeases(pool, other))) continue;
      log.info({ process: other }, "released the leases of a process that is gone");
      released();
    }
  }
  async function look() {
    while (!closing.signal.aborted) {
      const answered = await lookOnce().then(
        () => true,
        () => false,
      );
      if (!answered) {
        failedAt = performance.now();
        freeSince.clear();
      }
      await sleep(answered ? LOOK_MS : LOOK_AGAIN_MS, null, { signal: closing.signal }).catch(() => {});
    }
  }

  const ended = Promise.all([hold(), look()]);
  return {
    registered: registered.promise,
    confirm: () => wake(),
    async close() {
      closing.abort();
      wake();
      await ended;
    },
  };
}
