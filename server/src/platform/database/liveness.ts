// Connections to PostgreSQL that cannot die unnoticed. A network may swallow what is sent, and then nobody ever answers: every wait has an
// end here, and a connection that was silent for a second is asked about on a fresh one. Where its backend is idle or gone, the question or
// the answer was lost: the connection is destroyed, never used again, and the idle ones of its pool go with it. The backend of each connection
// destroyed here is ended once PostgreSQL can be reached, so that it holds no locks and no slot. Whether a lost commit has happened stays unknown.
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { CONNECT_MS, DatabaseClient, reachabilityOf, SilentError } from "./client.ts";
import { unreachable } from "./reachability.ts";
import { ownerSession, type Session } from "./session.ts";

const ROUND_MS = 500;
const SILENT_MS = 1000;
/** A fresh connection has so long for each step; a network that is slower than that is not judged. */
const PROBE_MS = 1000;
/** An answer that was on its way when its backend was looked at has arrived by then. */
const ON_ITS_WAY_MS = 250;

/** TCP keep-alive and the end of an attempt to connect, for every connection; the first does nothing on a socket of this machine. */
const KEPT = { keepAlive: true, keepAliveInitialDelayMillis: 10_000 };

/** What the driver does not declare. */
interface Wire {
  processID: number | null;
  connection: { stream: { bytesRead: number; destroy(error: Error): void } };
}
export type Client = pg.ClientBase;
const wireOf = (client: Client) => client as unknown as Wire;

/**
 * By this code whoever wants a connection knows that trying again helps. The library of the jobs would wait for seconds, and in the end for
 * minutes, after any of these others.
 */
const TRY_AGAIN = { code: "ECONNRESET" };
const TRIED_LATE = new Set(["ETIMEDOUT", "EHOSTUNREACH", "57P03"]);
interface Waiting {
  client: Client;
  until: number;
  since: number;
  bytes: number;
}

/** A backend that is gone has lost its connection, too: the network swallowed its good-bye. Behind a pooler no row is returned. */
const STATES = `
select asked.pid, activity.pid is null or activity.state like 'idle%' as lost
from unnest($1::int[]) asked (pid) left join pg_stat_activity activity using (pid) where pg_backend_pid() = $2`;
/** A backend that started after its connection was destroyed only has the same number. */
const END = `
select pg_terminate_backend(activity.pid)
from unnest($1::int[], $2::float[]) abandoned (pid, seconds) join pg_stat_activity activity using (pid)
where pg_backend_pid() = $3 and datname = current_database() and usename = current_user
  and backend_start < now() - make_interval(secs => seconds)`;

/** An idle connection that does not answer within this time while new ones fail is dead as well. */
const PING_MS = 500;

export function liveness(url: string) {
  const reach = reachabilityOf(url);
  const waiting = new Set<Waiting>();
  const pools = new Set<{ pool: pg.Pool; clients: Set<Client>; idle: Set<Client> }>();

  /** Process ids of the backends whose connections were destroyed, with the time of that. */
  const abandoned = new Map<number, number>();
  function destroy(client: Client) {
    const { processID, connection } = wireOf(client);
    if (processID !== null) abandoned.set(processID, performance.now());
    connection.stream.destroy(new SilentError());
  }
  function abandon({ client }: Waiting) {
    destroy(client);
    for (const { clients, idle } of pools) if (clients.has(client)) for (const other of idle) destroy(other);
  }

  /** Asks PostgreSQL itself what became of the questions. Behind a pooler of connections the numbers mean nothing, and nothing is found. */
  async function judge(silent: Waiting[]): Promise<void> {
    const client = new DatabaseClient({
      ...{ url, session: ownerSession("svc-liveness") },
      ...{ connectionTimeoutMillis: PROBE_MS, query_timeout: PROBE_MS },
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
      // Out of reach: asked again in the next round.
    } finally {
      void client.end().catch(() => {});
    }
  }
  async function endAbandoned(client: Client): Promise<void> {
    const ended = [...abandoned];
    const seconds = ended.map(([, at]) => (performance.now() - at) / 1000);
    await client.query(END, [ended.map(([pid]) => pid), seconds, wireOf(client).processID]);
    for (const [pid, at] of ended) if (abandoned.get(pid) === at) abandoned.delete(pid);
  }
  const isSilent = (wait: Waiting) =>
    waiting.has(wait) && wireOf(wait.client).connection.stream.bytesRead === wait.bytes;

  let judging = false;
  async function round() {
    // Answers that arrived while this process was busy are handled first.
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

  /** A server that answers with a refusal is there: the connections that it has given stay good. */
  const isAnswer = (error: unknown) => error instanceof pg.DatabaseError;
  const unobserve = reach.observe({
    // Before the slots of the abandoned backends are needed.
    opened: () => void round(),
    closed: (error) => {
      if (!isAnswer(error)) for (const { pool } of pools) for (let left = pool.idleCount; left > 0; left--) ping(pool);
    },
  });
  function ping(pool: pg.Pool) {
    pool.connect().then(
      async (client) => {
        let isAnswered = false;
        // After the answers that have arrived while this process was busy.
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

  /** An answer is awaited on this connection for so long at most, and until the function that is returned is called. */
  function awaiting(client: Client, mostMs: number): () => void {
    const now = Date.now();
    const { bytesRead } = wireOf(client).connection.stream;
    const wait = { client, until: now + mostMs, since: now, bytes: bytesRead };
    waiting.add(wait);
    return () => {
      waiting.delete(wait);
      if (wireOf(client).connection.stream.bytesRead > bytesRead) reach.heard((client as DatabaseClient).openedAt);
    };
  }

  /** A pool whose connections are looked after; `answerMs` where its own queries are used, which then end after so long. */
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
    const clients = new Set<Client>();
    const idle = new Set<Client>();
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
    // A connection that dies is replaced at the next use, and what is on it fails by itself; without listeners it would end the process, also
    // while somebody has it and asks nothing just then.
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
    /** Refuses at once while the pool has no connection and may not open one. */
    requireReachable(pool: pg.Pool): void {
      if (!reach.isOpen() && pool.idleCount === 0) throw unreachable();
    },
    /** Waits for what is under way for so long, and then destroys what is left. */
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
