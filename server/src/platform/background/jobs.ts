// The job queue and its worker. A write enqueues a job within its own commit; the job runs at least once, and its id is
// the idempotency key of its calls to other services. Jobs of a dead process are released at once (process-lock.ts). A
// worker also refreshes the locks of its jobs: one older than 30 seconds belongs to a dead worker. graphile-worker
// would wait four hours.
import { EventEmitter } from "node:events";
import { setImmediate as afterInput, setTimeout as sleep } from "node:timers/promises";
import { Logger as JobLogger, run, type Task, type TaskList, type WorkerEvents } from "graphile-worker";
import type { Logger } from "pino";
import { liveness, type PgClient } from "../database/connections/liveness.ts";
import { duration, ownerSession } from "../database/connections/session.ts";
import type { Database, Pool, Queries } from "../database/db.ts";
import { patiently } from "../database/start/start-wait.ts";
import { isUnavailable } from "../database/translate-error.ts";
import type { ExternalSystems } from "../outside/external-systems.ts";
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
/** Runs background work in one transaction, with the application's role and in this Workspace alone. */
export const inWorkspace = <T>(writer: Pool, workspaceId: string, work: (tx: Queries) => Promise<T>): Promise<T> =>
  writer.use(async (tx) => {
    const [, , result] = await Promise.all([tx.begin(), tx.rows(TENANT, [workspaceId]), work(tx)]);
    await tx.commit();
    return result;
  });

/** Position of a run in the events, saved after each page. Text, because a Date would lose the microseconds. */
export interface FollowerPosition {
  after: string | null;
  settled: string | null;
}
export const BEGINNING: FollowerPosition = { after: null, settled: null };

/** Each page is followed by a rest of `times` its duration, so that background work uses a fifth of a core. */
export const rest = { times: 4 };
/** Runs page after page, with a rest between, until `page` resolves to false. */
export async function inPages(page: () => Promise<boolean>): Promise<void> {
  for (let began = performance.now(); await page(); began = performance.now())
    await sleep(rest.times * (performance.now() - began));
}

/** Job handlers by name. A job may run twice, so its work must be idempotent. */
export type Jobs = TaskList;

/** Dependencies passed to the background work of every domain. */
export interface JobParts {
  config: Config;
  databaseUrl: string;
  database: Database;
  outside: ExternalSystems;
  metrics: Metrics;
  log: Logger;
}

/** Work that follows the journal. */
export interface JournalFollower {
  /** Processes new events of the named Workspaces, or of all; true while an open transaction holds some back. */
  run(named: readonly string[] | null): Promise<unknown>;
  /** How long commits are collected before a run. */
  gatherMs: number;
  /** Set if open subscriptions show the results of a run. */
  notifies?: true;
}

/** Background work that a domain registers. */
export interface Background {
  jobs?(parts: JobParts): Jobs;
  /** Crontab lines, in UTC, for jobs that no write enqueues. */
  schedule?: string;
  /** Runs every ten seconds, each name in its own queue, so that slow runs do not occupy all slots with successors. */
  frequent?(parts: JobParts): Record<string, () => Promise<void>>;
  /** Continues interrupted work: called when the worker starts, and when the leases of a dead process were released. */
  resume?(parts: JobParts): Promise<unknown>;
  /** Followers of the journal: commits wake them (commit-triggers.ts), and they also run as frequent work. */
  follows?(parts: JobParts): Record<string, JournalFollower>;
  /** Names of jobs that delete stored objects: they are postponed while a backup runs. */
  deleting?: readonly string[];
}

export interface Work {
  jobs: Jobs;
  schedule?: string;
  frequent?: string[];
  /** Continues interrupted work of every domain. */
  resume?: () => void;
  /** Set if this process started PostgreSQL, so that no other process uses it. */
  isAlone?: boolean;
  /** Called with the name of each job that completed. */
  ended?: (name: string) => void;
  /** Called with the error of each failed write of the worker itself. */
  failed?: (error: unknown) => void;
}

/** Merges the background work of all domains; throws if two jobs have the same name. */
export function gather(domains: readonly Background[], parts: JobParts) {
  const followers = domains.map((domain) => domain.follows?.(parts));
  const follows: Record<string, JournalFollower> = Object.assign({}, ...followers);
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
/** Enqueues the frequent jobs once a minute, because a crontab has no seconds. */
const ASK_FREQUENT = "ask_frequent";
/** Enqueues a minute's frequent runs, spread over each ten seconds: all at once would take both cores from requests. */
const AGAIN = `
select enqueue_job(name, '{}', now() + make_interval(secs => ${EVERY_SECONDS} * (n + (at - 1)::float / cardinality($1::text[]))), name, name || ' ' || n)
from unnest($1::text[]) with ordinality as asked (name, at), generate_series(0, ${60 / EVERY_SECONDS - 1}) n`;
/** The same at a start, but a due job stays due: a worker killed every few seconds would postpone it for ever. */
const AGAIN_AT_START = `
select from unnest($1::text[]) with ordinality as asked (name, at), generate_series(0, ${60 / EVERY_SECONDS - 1}) n,
  graphile_worker.add_job(name, '{}', queue_name => name, job_key => name || ' ' || n,
    run_at => now() + make_interval(secs => ${EVERY_SECONDS} * (n + (at - 1)::float / cardinality($1::text[]))),
    job_key_mode => case n when 0 then 'preserve_run_at' else 'replace' end)`;

/** graphile-worker logs every job; its events report the important ones. */
const quiet = new JobLogger(() => () => {});
/** Slots for jobs: enough that mail goes out while frequent jobs and a long one run. */
const CONCURRENCY = 4;
/** The process lock and the listener hold one connection each; the others run one statement at a time. */
const OWN_CONNECTIONS = CONCURRENCY + 2;
export const WORKER_CONNECTIONS = OWN_CONNECTIONS + CONCURRENCY;
const HEARTBEAT_MS = 10_000;
const RESTART_MS = 200;
/** Longest wait for the process lock at a start. */
const REGISTER_MS = 2000;
const HEARTBEAT =
  "update graphile_worker._private_jobs set locked_at = now() where locked_by = any($1::text[]) and id = any($2::bigint[])";
const GIVE_BACK = `
select graphile_worker.force_unlock_workers(array(
  select distinct locked_by from graphile_worker.jobs where locked_at < now() - interval '30 seconds'))`;

/**
 * A job whose response was lost is locked by a living worker that does not know of it. liveness.ts treats a response
 * that is a second late as lost. A completed job stays in `known` this long, until its completion is recorded.
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

/** Statement time-outs of the worker and of jobs. Each has its own pool, so that the worker never waits for a job. */
const [OWN_STATEMENT_MS, JOB_STATEMENT_MS] = [10_000, 600_000];
const LOOK_MS = 500;
/** Interval after a check that failed. */
const LOOK_AGAIN_MS = 250;
/**
 * Failed checks in a row, while the database answers, after which background work is restarted. A check fails if
 * nothing listens or no job could be fetched; if the library's first query is lost, it caches that failure for good.
 */
const MOST_DEAF = 3;
const LISTENER_MS = 2000;
const STOP_MS = 3000;
const UNLOCK_MS = 500;
/** Longest wait for a database that is lost during the start of background work. */
const START = { seconds: 60, say: console.error };
const LISTENS = "select from pg_listening_channels() channel where channel = 'jobs:insert'";

export interface Worker {
  /** Whether the worker fetches jobs and listens for new ones. */
  alive(): Promise<boolean>;
  /** Number of jobs that failed for good. */
  exhausted(): Promise<number>;
  /** Stops the worker. `others` also hold leases of this process: its lock is released after they have ended. */
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
  /** Names under which this process locks jobs. */
  const holders = new Set<string>();
  const known = new Map<string, unknown>();
  // Runs the next check at once when fetching a job failed, so that jobs whose response was lost return early: of the
  // five seconds after a failure the connection has already taken two.
  let lookNow: () => unknown = () => {};
  let nudge = () => {};
  const lock = holdProcessLock(pool, {
    ...{ id: processId, log, isAlone, workers: () => [...holders] },
    released() {
      nudge();
      resume();
    },
  });
  // Takes the process lock first: leases acquired before it would have to expire if this process is killed now.
  await Promise.race([lock.registered, sleep(REGISTER_MS)]);
  // Starts before anything slow, so that even a process that is killed soon makes progress on waiting work.
  resume();
  const begin = async () => {
    const events: WorkerEvents = new EventEmitter();
    const turn = {
      deaf: Promise.withResolvers<void>(),
      listener: null as PgClient | null,
      nudge: (_count: number) => {},
      /** Set if a worker failed to fetch a job; on its own it would retry only after the poll interval. */
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
      // Skips a job that has been started again meanwhile.
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
      // Records each job's result in a batch of one: the library awaits it when it stops, and reports its failure.
      preset: { worker: { completeJobBatchDelay: 0, failJobBatchDelay: 0 } },
      taskList: onPool(jobPool, retryOnce(jobs)),
      crontab: schedule,
      logger: quiet,
    });
    return Object.assign(turn, { runner });
  };
  // The library prints a trace of each worker that ends with an error, in addition to the event.
  const trace = console.trace;
  console.trace = () => {};
  let current: Awaited<ReturnType<typeof begin>>;
  // graphile-worker holds the job for ever and leaves an unhandled rejection, which would end the process: restart.
  const outlive = (error: unknown) => {
    if (!isUnavailable(error)) throw error;
    log.warn({ err: error }, "the database has gone away while a job ended");
    void current?.runner.stop().catch(() => {});
  };
  process.on("unhandledRejection", outlive);
  current = await patiently("Starting background work", databaseUrl, begin, START);
  nudge = () => current.nudge(CONCURRENCY);
  let stopped = false;

  /** Whether jobs are fetched and a listener is up; null if the database is out of reach. */
  const ask = async () => {
    const turn = current;
    const { missed } = turn;
    turn.missed = false;
    const giveBack = async () => {
      try {
        // Handles the events that arrived while this process was busy, so that their jobs do not count as lost.
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
  /** A listener may receive notifications and still not answer queries: only an answer counts. */
  const askListener = (listener: PgClient) => {
    const answered = lives.awaiting(listener, LISTENER_MS);
    return listener.query(LISTENS).finally(answered);
  };
  let asking: Promise<boolean | null> | null = null;
  /** Shares one check between all callers. */
  const listens = () => {
    asking ??= ask()
      .catch(() => null)
      .finally(() => {
        asking = null;
      });
    return asking;
  };
  lookNow = listens;
  // Checks the listener once the database can be reached: the library waits up to a minute before it listens again.
  const unobserve = lives.reach.observe({
    opened() {
      lock.confirm();
      void listens().then((hears) => hears === false && current.deaf.resolve());
    },
  });

  // Restarts the runner when it stops because it could not record a job's result (the database was lost; its jobs are
  // then returned), or when nothing listens any more: the library would wait up to a minute.
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
  // Enqueues the frequent jobs now instead of at the next full minute, because a user may be waiting.
  await patiently("Starting background work", databaseUrl, () => pool.query(AGAIN_AT_START, [frequent]), START);
  const timer = setInterval(() => void beat().catch(() => {}), heartbeatMs);
  return {
    alive: async () => (await listens()) === true,
    exhausted: () => countExhausted(pool),
    /** Releases the lock last: once it is free, another process runs these jobs. Late jobs are returned as lost. */
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
