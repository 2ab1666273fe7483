// Detects connections to PostgreSQL that died silently. A network may drop packets without an error, so every wait has
// a time limit, and after a second of silence a fresh connection queries the state of the backend. If that backend is
// idle or gone, the query or the answer was lost: the connection is destroyed, never used again, and the idle ones of
// its pool with it. The backend of each destroyed connection is terminated once PostgreSQL can be reached, so that it
// holds no locks and no slot. Whether a lost commit took effect remains unknown.
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { CONNECT_MS, DatabaseClient, reachabilityOf, SilentError } from "./client.ts";
import { unreachable } from "./reachability.ts";
import { ownerSession, type Session } from "./session.ts";

const ROUND_MS = 500;
const SILENT_MS = 1000;
/** Time limit of each step of a fresh connection. A network that is slower than this is not judged. */
const PROBE_MS = 1000;
/** Grace period after the backend was found idle, in which an answer that was in transit arrives. */
const ON_ITS_WAY_MS = 250;

/** TCP keep-alive, for every connection; it has no effect on a socket of this machine. */
const KEPT = { keepAlive: true, keepAliveInitialDelayMillis: 10_000 };

/** Internals of pg that its types do not declare. */
interface Wire {
  processID: number | null;
  connection: { stream: { bytesRead: number; destroy(error: Error): void } };
}
export type PgClient = pg.ClientBase;
const wireOf = (client: PgClient) => client as unknown as Wire;

/**
 * Error code that marks a connection error as worth an immediate retry. The job library would wait seconds, and in the
 * end minutes, after the codes below.
 */
const TRY_AGAIN = { code: "ECONNRESET" };
const TRIED_LATE = new Set(["ETIMEDOUT", "EHOSTUNREACH", "57P03"]);
interface Waiting {
  client: PgClient;
  until: number;
  since: number;
  bytes: number;
}

/**
 * A missing backend counts as lost too: the network dropped its terminate message. Behind a pooler the query returns no
 * row.
 */
const STATES = `
select asked.pid, activity.pid is null or activity.state like 'idle%' as lost
from unnest($1::int[]) asked (pid) left join pg_stat_activity activity using (pid) where pg_backend_pid() = $2`;
/** Terminates only backends older than the destroyed connection; a younger one merely reuses the process id. */
const END = `
select pg_terminate_backend(activity.pid)
from unnest($1::int[], $2::float[]) abandoned (pid, seconds) join pg_stat_activity activity using (pid)
where pg_backend_pid() = $3 and datname = current_database() and usename = current_user
  and backend_start < now() - make_interval(secs => seconds)`;

/** An idle connection that does not answer within this time while new connections fail counts as dead. */
const PING_MS = 500;

export function liveness(url: string) {
  const reach = reachabilityOf(url);
  const waiting = new Set<Waiting>();
  const pools = new Set<{ pool: pg.Pool; clients: Set<PgClient>; idle: Set<PgClient> }>();

  /** Process ids of the backends whose connections were destroyed, with the time of the destruction. */
  const abandoned = new Map<number, number>();
  function destroy(client: PgClient) {
    const { processID, connection } = wireOf(client);
    if (processID !== null) abandoned.set(processID, performance.now());
    connection.stream.destroy(new SilentError());
  }
  function abandon({ client }: Waiting) {
    destroy(client);
    for (const { clients, idle } of pools) if (clients.has(client)) for (const other of idle) destroy(other);
  }

  /**
   * Asks PostgreSQL for the state of the silent connections' backends. Behind a pooler the process ids mean nothing,
   * and nothing is found.
   */
  async function judge(silent: Waiting[]): Promise<void> {
    const client = new DatabaseClient({
      url,
      session: ownerSession("svc-liveness"),
      connectionTimeoutMillis: PROBE_MS,
      query_timeout: PROBE_MS,
    });
    try {
      await client.connect();
      const pids = silent.map(({ client: asked }) => wireOf(asked).processID);
      const { rows } = await client.query(STATES, [pids, wireOf(client).processID]);
      const lost = new Set(rows.filter((row) => row.lost).map(({ pid }) => pid));
      if (lost.size > 0) await sleep(ON_ITS_WAY_MS);
      for (const wait of silent) if (lost.has(wireOf(wait.client).processID) && isSilent(wait)) abandon(wait);
      if (abandoned.size > 0) await endAbandoned(client);
    } catch {
      // The database is out of reach: the next round asks again.
    } finally {
      void client.end().catch(() => {});
    }
  }
  async function endAbandoned(client: PgClient): Promise<void> {
    const ended = [...abandoned];
    const seconds = ended.map(([, at]) => (performance.now() - at) / 1000);
    await client.query(END, [ended.map(([pid]) => pid), seconds, wireOf(client).processID]);
    for (const [pid, at] of ended) if (abandoned.get(pid) === at) abandoned.delete(pid);
  }
  const isSilent = (wait: Waiting) =>
    waiting.has(wait) && wireOf(wait.client).connection.stream.bytesRead === wait.bytes;

  let judging = false;
  async function round() {
    // Handles the answers first that arrived while this process was busy.
    await new Promise(setImmediate);
    const now = Date.now();
    for (const wait of waiting) {
      if (now > wait.until) abandon(wait);
      const { bytesRead } = wireOf(wait.client).connection.stream;
      if (bytesRead === wait.bytes) continue;
      wait.bytes = bytesRead;
      wait.since = now;
    }
    const silent = [...waiting].filter(({ since }) => now - since >= SILENT_MS);
    if (judging || (silent.length === 0 && abandoned.size === 0)) return;
    judging = true;
    await judge(silent);
    judging = false;
  }
  const timer = setInterval(() => void round(), ROUND_MS);
  timer.unref();

  /** A server that answers with an error is reachable, so its existing connections stay valid. */
  const isAnswer = (error: unknown) => error instanceof pg.DatabaseError;
  const unobserve = reach.observe({
    // Terminates the abandoned backends before their slots are needed.
    opened: () => void round(),
    closed: (error) => {
      if (!isAnswer(error)) for (const { pool } of pools) for (let left = pool.idleCount; left > 0; left--) ping(pool);
    },
  });
  function ping(pool: pg.Pool) {
    pool.connect().then(
      async (client) => {
        let isAnswered = false;
        // Runs after the answers that arrived while this process was busy.
        const limit = setTimeout(() => setImmediate(() => isAnswered || destroy(client)), PING_MS);
        await client.query("select 1").then(
          () => {
            isAnswered = true;
          },
          () => {},
        );
        clearTimeout(limit);
        client.release(!isAnswered);
      },
      () => {},
    );
  }

  /** Limits the wait for an answer on this connection, until the returned function is called. */
  function awaiting(client: PgClient, mostMs: number): () => void {
    const now = Date.now();
    const { bytesRead } = wireOf(client).connection.stream;
    const wait = { client, until: now + mostMs, since: now, bytes: bytesRead };
    waiting.add(wait);
    return () => {
      waiting.delete(wait);
      if (wireOf(client).connection.stream.bytesRead > bytesRead) reach.heard((client as DatabaseClient).openedAt);
    };
  }

  /** Opens a pool of monitored connections. `answerMs` limits queries through the pool itself. */
  function openPool(
    session: Session,
    { answerMs, ...options }: pg.PoolConfig & { answerMs?: number; attemptMs?: number },
  ): pg.Pool {
    const pool = new pg.Pool({
      url,
      connectionTimeoutMillis: CONNECT_MS,
      session,
      ...KEPT,
      Client: answerMs === undefined ? DatabaseClient : watchedClient(answerMs),
      ...options,
    } as pg.PoolConfig);
    const clients = new Set<PgClient>();
    const idle = new Set<PgClient>();
    const connect = pool.connect.bind(pool) as () => Promise<pg.PoolClient>;
    const late = (error: Error & { code?: string }) =>
      /timeout/.test(error.message) || TRIED_LATE.has(error.code ?? "") ? Object.assign(error, TRY_AGAIN) : error;
    pool.connect = ((taken?: (error?: Error, client?: pg.PoolClient, release?: () => void) => void) => {
      const connecting = connect().catch((error) => Promise.reject(late(error)));
      if (!taken) return connecting;
      connecting.then(
        (client) => taken(undefined, client, client.release),
        (error) => taken(error),
      );
    }) as typeof pool.connect;
    // The next use replaces a dead connection, and its running queries fail by themselves; without listeners the event
    // would end the process, also while a user holds an idle connection.
    pool.on("error", () => {});
    pool.on("connect", (client) => clients.add(client));
    pool.on("acquire", (client) => idle.delete(client));
    pool.on("release", (_error, client) => idle.add(client));
    pool.on("remove", (client) => {
      clients.delete(client);
      idle.delete(client);
    });
    pools.add({ pool, clients, idle });
    return pool;
  }
  const watchedClient = (answerMs: number) =>
    class extends DatabaseClient {
      // biome-ignore lint/suspicious/noExplicitAny: every form in which the driver takes a query.
      override query(...args: any[]): any {
        const answered = awaiting(this, answerMs);
        const callback = args.at(-1);
        if (typeof callback === "function")
          args[args.length - 1] = (...result: unknown[]) => {
            answered();
            callback(...result);
          };
        // biome-ignore lint/suspicious/noExplicitAny: likewise.
        const result = (super.query as any)(...args);
        if (result instanceof Promise) result.then(answered, answered);
        return result;
      }
    };

  return {
    awaiting,
    openPool,
    reach,
    /** Throws at once if the pool has no idle connection and may not open one. */
    requireReachable(pool: pg.Pool): void {
      if (!reach.isOpen() && pool.idleCount === 0) throw unreachable();
    },
    /** Waits that long for running queries, then destroys the remaining connections. */
    async end(patienceMs = 1000): Promise<void> {
      const ending = Promise.all([...pools].map(({ pool }) => pool.end()));
      const impatient = setTimeout(() => {
        for (const { clients } of pools) for (const client of clients) destroy(client);
      }, patienceMs);
      await ending;
      clearTimeout(impatient);
      clearInterval(timer);
      unobserve();
    },
  };
}
export type Liveness = ReturnType<typeof liveness>;
