// Background work. A job is enqueued by the commit of the write that wants it and runs at least once; its id is the idempotency
// key of whatever it does outside. The jobs of a process that is gone are released at once (process-lock.ts). A worker refreshes the locks
// of its jobs while it lives, too: a lock that is 30 seconds old belongs to a dead one. graphile-worker alone would wait four hours.
import { EventEmitter } from "node:events";
import { setImmediate as afterInput, setTimeout as sleep } from "node:timers/promises";
import { Logger as JobLogger, run, type Task, type TaskList, type WorkerEvents } from "graphile-worker";
import type { Logger } from "pino";
import type { Database, Pool, Queries } from "../database/db.ts";
import { type Client, liveness } from "../database/liveness.ts";
import { duration, ownerSession } from "../database/session.ts";
import { patiently } from "../database/start-wait.ts";
import { isUnavailable } from "../database/translate.ts";
import type { Outside } from "../outside/outside.ts";
import type { Config } from "../settings/config.ts";
import type { Metrics } from "../wire/metrics.ts";
import { processId } from "../wire/process-id.ts";
import { countExhausted } from "./exhausted-jobs.ts";
import { unlessHeld } from "./held-objects.ts";
import { onPool } from "./job-connections.ts";
import { holdProcessLock } from "./process-lock.ts";
import { retryOnce } from "./retry-database.ts";

export const enqueue = (tx: Queries, name: string, payload: Record<string, unknown>) =>
  tx.rows("select enqueue_job($1, $2::json)", [name, JSON.stringify(payload)]);

export const TENANT = "select set_config('svc.workspace', $1, true)";
/** In one transaction of background work, as the application and in this Workspace alone. */
export const inWorkspace = <T>(writer: Pool, workspaceId: string, work: (tx: Queries) => Promise<T>): Promise<T> =>
  writer.use(async (tx) => {
    const [, , result] = await Promise.all([tx.begin(), tx.rows(TENANT, [workspaceId]), work(tx)]);
    await tx.commit();
    return result;
  });

/** How far a run has come through the events, page by page; as text, because a Date would lose the microseconds. */
export interface Position {
  after: string | null;
  settled: string | null;
}
export const BEGINNING: Position = { after: null, settled: null };

/** A rest of so many times the length of a page: whatever there is to do, it takes a fifth of a core. */
export const rest = { times: 4 };
/** Page after page until one says that it was the last, with a rest between. */
export async function inPages(page: () => Promise<boolean>): Promise<void> {
  for (let began = performance.now(); await page(); began = performance.now())
    await sleep(rest.times * (performance.now() - began));
}

/** Name -> work. A job may run twice, so its work must be safe to repeat. */
export type Jobs = TaskList;

/** What the work is done with. */
export interface Parts {
  config: Config;
  databaseUrl: string;
  database: Database;
  outside: Outside;
  metrics: Metrics;
  log: Logger;
}

/** Work that follows the journal. */
export interface Follower {
  /** Reads on in the named Workspaces, or in all. Resolves to true while an open transaction holds something back. */
  run(named: readonly string[] | null): Promise<unknown>;
  /** How long commits are collected before a run. */
  gatherMs: number;
  /** Open subscriptions show what a run writes. */
  notifies?: true;
}

/** What a domain does in the background. */
export interface Background {
  jobs?(parts: Parts): Jobs;
  /** When those are done that nobody asks for: lines of a crontab, in UTC. */
  schedule?: string;
  /** Done every ten seconds, each in a queue of its own: a run that takes longer must not fill every place with those behind it. */
  frequent?(parts: Parts): Record<string, () => Promise<void>>;
  /** Continues work that was interrupted: called when the worker starts, and when the leases of a process that is gone were released. */
  resume?(parts: Parts): Promise<unknown>;
  /** Followers of the journal: commits wake them (commit-triggers.ts), and they also run as frequent work. */
  follows?(parts: Parts): Record<string, Follower>;
  /** Those of its jobs that delete stored objects: they wait while a backup reads them. */
  deleting?: readonly string[];
}

export interface Work {
  jobs: Jobs;
  schedule?: string;
  frequent?: string[];
  /** Continues interrupted work of every domain. */
  resume?: () => void;
  /** PostgreSQL was started by this process, so no other one uses it. */
  isAlone?: boolean;
  /** Called with the name of each job that has ended. */
  ended?: (name: string) => void;
  /** Called with the error of each write of the worker itself that failed. */
  failed?: (error: unknown) => void;
}

/** Refuses two jobs of one name. */
export function gather(domains: readonly Background[], parts: Parts) {
  const follows: Record<string, Follower> = Object.assign({}, ...domains.map((domain) => domain.follows?.(parts)));
  const following = Object.entries(follows).map(([name, { run }]) => ({ [name]: () => run(null).then(() => {}) }));
  const often = [...domains.map((domain) => domain.frequent?.(parts) ?? {}), ...following];
  const frequent = often.flatMap(Object.keys);
  const ask = {
    [ASK_FREQUENT]: () => parts.database.writer.use(async (tx) => void (await tx.rows(AGAIN, [frequent]))),
  };
  const all = [...domains.map((domain) => domain.jobs?.(parts) ?? {}), ...often, ask];
  const names = all.flatMap(Object.keys);
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice) throw new Error(`two jobs have the name ${twice}`);
  const jobs: Record<string, Task> = Object.assign({}, ...all);
  for (const name of domains.flatMap(({ deleting = [] }) => deleting))
    jobs[name] = unlessHeld(name, jobs[name] as Task);
  return {
    jobs,
    schedule: [`* * * * * ${ASK_FREQUENT}`, ...domains.map(({ schedule }) => schedule ?? "")].join("\n"),
    frequent,
    resume() {
      for (const domain of domains)
        void domain
          .resume?.(parts)
          .catch((error) => parts.log.warn({ err: error }, "interrupted work is continued later"));
    },
    follows,
  };
}

const EVERY_SECONDS = 10;
/** Asks for them once a minute, because the schedule knows minutes only. */
const ASK_FREQUENT = "ask_frequent";
/** Those of a minute, spread over each ten seconds: all of them at the same moment would take both cores from whoever is being answered. */
const AGAIN = `
select enqueue_job(name, '{}', now() + make_interval(secs => ${EVERY_SECONDS} * (n + (at - 1)::float / cardinality($1::text[]))), name, name || ' ' || n)
from unnest($1::text[]) with ordinality as asked (name, at), generate_series(0, ${60 / EVERY_SECONDS - 1}) n`;
/** The same when a worker starts, but what is due already stays due: a worker that is killed every few seconds would put it off for ever. */
const AGAIN_AT_START = `
select from unnest($1::text[]) with ordinality as asked (name, at), generate_series(0, ${60 / EVERY_SECONDS - 1}) n,
  graphile_worker.add_job(name, '{}', queue_name => name, job_key => name || ' ' || n,
    run_at => now() + make_interval(secs => ${EVERY_SECONDS} * (n + (at - 1)::float / cardinality($1::text[]))),
    job_key_mode => case n when 0 then 'preserve_run_at' else 'replace' end)`;

/** graphile-worker logs every job; what matters comes through its events. */
const quiet = new JobLogger(() => () => {});
/** Enough that mail goes out while the frequent jobs and a long one are at work. */
const CONCURRENCY = 4;
/** The process lock and the listener keep one each; the others are used for one statement at a time. */
const OWN_CONNECTIONS = CONCURRENCY + 2;
export const WORKER_CONNECTIONS = OWN_CONNECTIONS + CONCURRENCY;
const HEARTBEAT_MS = 10_000;
const RESTART_MS = 200;
/** A start does not wait longer for its own lock. */
const REGISTER_MS = 2000;
const HEARTBEAT =
  "update graphile_worker._private_jobs set locked_at = now() where locked_by = any($1::text[]) and id = any($2::bigint[])";
const GIVE_BACK = `
select graphile_worker.force_unlock_workers(array(
  select distinct locked_by from graphile_worker.jobs where locked_at < now() - interval '30 seconds'))`;

/**
 * A job that was handed to us while the answer was lost is locked by a worker that lives and knows nothing of it. An answer that is a second late
 * is lost, as liveness.ts has it. A job that has ended is known for a while longer, until that has been noted.
 */
const LINGER_MS = 10_000;
const GIVE_BACK_LOST = `
with lost as (
  update graphile_worker._private_jobs set locked_by = null, locked_at = null, attempts = greatest(0, attempts - 1)
  where locked_by = any($1::text[]) and not id = any($2::bigint[]) and locked_at < now() - interval '1 second' returning job_queue_id
), queues as (
  update graphile_worker._private_job_queues set locked_by = null, locked_at = null
  where locked_by = any($1::text[]) and id in (select job_queue_id from lost)
)
select from lost`;

/** Limits of the worker's own statements and of those of jobs, which may take long: each have a pool, so that the worker waits for no job. */
const [OWN_STATEMENT_MS, JOB_STATEMENT_MS] = [10_000, 600_000];
const LOOK_MS = 500;
/** After one at which something was wrong. */
const LOOK_AGAIN_MS = 250;
/**
 * Looks in a row at which nothing listens, or no job could be asked for, while the database answers, before background work begins anew: where
 * its first question is lost, the library keeps that failure for good.
 */
const MOST_DEAF = 3;
const LISTENER_MS = 2000;
const STOP_MS = 3000;
const UNLOCK_MS = 500;
/** A database that is lost while background work starts may take so long to come back. */
const START = { seconds: 60, say: console.error };
const LISTENS = "select from pg_listening_channels() channel where channel = 'jobs:insert'";

export interface Worker {
  /** Whether jobs are looked for, and somebody listens for new ones. */
  alive(): Promise<boolean>;
  /** How many jobs have failed for good. */
  exhausted(): Promise<number>;
  /** `others` hold leases of this process as well: its lock is released once they have ended. */
  stop(others?: Promise<unknown>): Promise<void>;
}

export async function startWorker(
  databaseUrl: string,
  { jobs, schedule = "", frequent = [], resume = () => {}, isAlone = false, ended = () => {}, failed = () => {} }: Work,
  log: Logger,
  heartbeatMs = HEARTBEAT_MS,
): Promise<Worker> {
  const lives = liveness(databaseUrl);
  const openPool = (name: string, statementMs: number, max: number) => {
    const session = ownerSession(name, { statement_timeout: duration(statementMs) });
    return lives.openPool(session, { max, answerMs: statementMs + 1000 });
  };
  const pool = openPool("svc-worker", OWN_STATEMENT_MS, OWN_CONNECTIONS);
  const jobPool = openPool("svc-jobs", JOB_STATEMENT_MS, CONCURRENCY);
  /** Under which names jobs are locked here. */
  const holders = new Set<string>();
  const known = new Map<string, unknown>();
  /** What was handed over in vain is not left until the next look: of the five seconds after a failure the connection has taken two. */
  let lookNow: () => unknown = () => {};
  let nudge = () => {};
  const lock = holdProcessLock(pool, {
    ...{ id: processId, log, isAlone, workers: () => [...holders] },
    released() {
      nudge();
      resume();
    },
  });
  // Work that is leased before would wait for the time limit of its lease if this process is killed now.
  await Promise.race([lock.registered, sleep(REGISTER_MS)]);
  // Before anything slow: a process that is killed soon has done some of the waiting work.
  resume();
  const begin = async () => {
    const events: WorkerEvents = new EventEmitter();
    const turn = {
      deaf: Promise.withResolvers<void>(),
      listener: null as Client | null,
      nudge: (_count: number) => {},
      /** Whoever could not ask for a job would ask again only after the interval. */
      missed: false,
    };
    events.on("pool:create", ({ workerPool }) => {
      holders.add(workerPool.id);
      lock.confirm();
      turn.nudge = (count) => workerPool.nudge(count);
      const forget = () => {
        holders.delete(workerPool.id);
        // A nudge to a pool that has ended throws.
        turn.nudge = () => {};
      };
      workerPool.promise.then(forget, forget);
    });
    events.on("pool:listen:success", ({ client }) => {
      turn.listener = client;
    });
    events.on("pool:listen:release", () => {
      turn.listener = null;
    });
    events.on("worker:getJob:error", () => {
      turn.missed = true;
      lookNow();
    });
    events.on("job:start", ({ job }) => known.set(job.id, job));
    events.on("job:complete", ({ job }) => {
      ended(job.task_identifier);
      // Unless it has been started again meanwhile.
      const forget = () => known.get(job.id) === job && known.delete(job.id);
      setTimeout(forget, LINGER_MS).unref();
    });
    events.on("job:failed", ({ job, error }) =>
      log.error(
        { job: job.task_identifier, job_id: job.id, err: error },
        "job failed for good; npm run jobs lists such jobs and has them tried again",
      ),
    );
    events.on("job:error", ({ job, error }) =>
      log.warn({ job: job.task_identifier, job_id: job.id, attempt: job.attempts, err: error }, "job will be retried"),
    );
    const runner = await run({
      events,
      pgPool: pool,
      concurrency: CONCURRENCY,
      pollInterval: 2000,
      noHandleSignals: true,
      // What became of a job is noted by a batch of one, because that is waited for when it stops, and its failure is told.
      preset: { worker: { completeJobBatchDelay: 0, failJobBatchDelay: 0 } },
      taskList: onPool(jobPool, retryOnce(jobs)),
      crontab: schedule,
      logger: quiet,
    });
    return Object.assign(turn, { runner });
  };
  // The library prints each worker that ends with an error, beside reporting it.
  const trace = console.trace;
  console.trace = () => {};
  let current: Awaited<ReturnType<typeof begin>>;
  // It leaves promises to nobody, which would end the process, and holds the job for ever: then it has to begin anew.
  const outlive = (error: unknown) => {
    if (!isUnavailable(error)) throw error;
    log.warn({ err: error }, "the database has gone away while a job ended");
    void current?.runner.stop().catch(() => {});
  };
  process.on("unhandledRejection", outlive);
  current = await patiently("Starting background work", databaseUrl, begin, START);
  nudge = () => current.nudge(CONCURRENCY);
  let stopped = false;

  /** Whether jobs are found, and somebody listens for new ones; null where the database is out of reach. */
  const ask = async () => {
    const turn = current;
    const { missed } = turn;
    turn.missed = false;
    const giveBack = async () => {
      try {
        // What came while this process was busy with something else is not lost.
        await afterInput();
        const { rowCount } = await pool.query(GIVE_BACK_LOST, [[...holders], [...known.keys()]]);
        if (rowCount || missed) turn.nudge(CONCURRENCY);
      } catch (error) {
        turn.missed = true;
        failed(error);
        throw error;
      }
    };
    const [heard] = await Promise.all([turn.listener && askListener(turn.listener), giveBack()]);
    return heard?.rowCount === 1 && !missed;
  };
  /** It may hear of new jobs all the time and still be dead for questions: the answer alone counts. */
  const askListener = (listener: Client) => {
    const answered = lives.awaiting(listener, LISTENER_MS);
    return listener.query(LISTENS).finally(answered);
  };
  let asking: Promise<boolean | null> | null = null;
  /** Asked once at a time, however many want to know. */
  const listens = () => {
    asking ??= ask()
      .catch(() => null)
      .finally(() => {
        asking = null;
      });
    return asking;
  };
  lookNow = listens;
  // The library waits for up to a minute before it listens again.
  const unobserve = lives.reach.observe({
    opened() {
      lock.confirm();
      void listens().then((hears) => hears === false && current.deaf.resolve());
    },
  });

  // It gives up when it cannot say of a job what became of it, because the database has gone away. Its jobs are then given back. And when
  // nothing listens any more it would wait for up to a minute before it tries again.
  const supervise = async () => {
    while (!stopped) {
      await Promise.race([current.runner.promise.catch(() => {}), current.deaf.promise]);
      if (stopped) return;
      log.warn("background work has lost the database and begins anew");
      void current.runner.stop().catch(() => {});
      await sleep(RESTART_MS);
      current = await begin().catch(() => current);
    }
  };
  const lookAfter = async () => {
    for (let deaf = 0; !stopped; await sleep(deaf > 0 ? LOOK_AGAIN_MS : LOOK_MS)) {
      deaf = (await listens()) === false ? deaf + 1 : 0;
      if (deaf >= MOST_DEAF) current.deaf.resolve();
    }
  };
  const supervised = Promise.all([supervise(), lookAfter()]);
  const beat = async () => {
    await pool.query(HEARTBEAT, [[...holders], [...known.keys()]]);
    await pool.query(GIVE_BACK);
  };
  await beat().catch(() => {});
  // Not only from the next minute on: somebody may be waiting.
  await patiently("Starting background work", databaseUrl, () => pool.query(AGAIN_AT_START, [frequent]), START);
  const timer = setInterval(() => void beat().catch(() => {}), heartbeatMs);
  return {
    alive: async () => (await listens()) === true,
    exhausted: () => countExhausted(pool),
    /**
     * The lock is released last: while it is free, another process runs the jobs that are still at work here. Jobs that are at work after a while are
     * given back as those of a dead worker.
     */
    async stop(others) {
      stopped = true;
      unobserve();
      clearInterval(timer);
      const ended = current.runner.stop().catch(() => {});
      await Promise.race([Promise.allSettled([ended, supervised, others]), sleep(STOP_MS)]);
      await Promise.race([lock.close(), sleep(UNLOCK_MS)]);
      await lives.end(1000);
      process.off("unhandledRejection", outlive);
      console.trace = trace;
    },
  };
}
