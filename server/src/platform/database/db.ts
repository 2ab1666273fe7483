// Connections, pools and transactions for the kernel and the handlers: statements on one connection are answered in
// order. Statements that start without awaiting the first share one round-trip, and round-trips are counted because
// they are the budget. Reads use connections whose default is read-only; both pools act as svc_app, so that row-level
// security applies.
import { availableParallelism } from "node:os";
import pg from "pg";
import { BACKGROUND, places } from "./connections/connection-scheduler.ts";
import { type Liveness, liveness } from "./connections/liveness.ts";
import { appSession, duration, type Session } from "./connections/session.ts";
import { type WriteHealth, writeHealth } from "./connections/write-health.ts";
import { Batch, type Execution, statementOf } from "./statement.ts";

/**
 * The time-outs form a ladder: place < connection < lock < statement < answer < request. The innermost fires first; the
 * answer's runs on our side.
 */
export const timeouts = {
  placeMs: 500,
  poolMs: 1900,
  lockMs: 2000,
  statementMs: 5000,
  answerMs: 6000,
  requestMs: 10_000,
  /**
   * A request with a large body: parsing 262,144 characters of Markdown takes seconds of processor time, and others may
   * be queued.
   */
  largeRequestMs: 30_000,
};
/** Statement and answer time-outs for work that handles many rows at once, and its plan cache mode. */
export const AT_LENGTH = { statementMs: 60_000, answerMs: 61_000, plans: "force_custom_plan" };

pg.types.setTypeParser(pg.types.builtins.DATE, (value) => value);

export interface Queries {
  rows<R>(sql: string, values?: unknown[]): Promise<R[]>;
  /** The first row, or undefined. */
  maybe<R>(sql: string, values?: unknown[]): Promise<R | undefined>;
  /** The first row of a statement that always has one. */
  one<R>(sql: string, values?: unknown[]): Promise<R>;
}

export class Connection implements Queries {
  trips = 0;
  private inFlight = 0;
  private pending: Execution[] = [];
  private open = false;
  private reading = false;
  private answerMs = timeouts.answerMs;
  private readonly client: pg.PoolClient;
  private readonly lives: Liveness;
  constructor(client: pg.PoolClient, lives: Liveness) {
    this.client = client;
    this.lives = lives;
  }

  /** Statements that start within one tick form one batch: one write, one answer, one round-trip. */
  private send(sql: string, values: readonly unknown[] = []): Promise<Execution> {
    return new Promise((resolve, reject) => {
      this.pending.push({ statement: statementOf(sql), values, rows: [], command: "", resolve, reject });
      if (this.pending.length === 1) process.nextTick(() => this.flush());
    });
  }
  /** Sends the batch now instead of at the end of this tick. */
  flush() {
    if (this.pending.length === 0) return;
    if (this.inFlight++ === 0) this.trips++;
    const answered = this.lives.awaiting(this.client, this.answerMs);
    const batch = new Batch(this.pending, () => {
      this.inFlight--;
      answered();
    });
    this.pending = [];
    this.client.query(batch as never);
  }

  async rows<R>(sql: string, values: unknown[] = []): Promise<R[]> {
    return (await this.send(sql, values)).rows as R[];
  }
  async maybe<R>(sql: string, values: unknown[] = []): Promise<R | undefined> {
    return (await this.rows<R>(sql, values))[0];
  }
  async one<R>(sql: string, values: unknown[] = []): Promise<R> {
    const row = await this.maybe<R>(sql, values);
    if (row === undefined) throw new Error(`no row from: ${sql.slice(0, 120)}`);
    return row;
  }

  begin() {
    this.open = true;
    return this.send("begin");
  }
  /** Begins a read-only snapshot of the whole database; it ends when the connection is returned. */
  snapshot() {
    this.open = true;
    this.reading = true;
    return this.send("begin isolation level repeatable read, read only");
  }
  /**
   * Called first in a transaction that handles many rows at once: raises its time-outs and plans each statement for the
   * current size of the tables. A plan cached while they were small made pages of events take a hundred times as long.
   */
  atLength() {
    this.answerMs = AT_LENGTH.answerMs;
    return this.send(
      `select set_config('statement_timeout', '${AT_LENGTH.statementMs}', true),
        set_config('plan_cache_mode', '${AT_LENGTH.plans}', true)`,
    );
  }
  /** A transaction that failed answers COMMIT with the tag ROLLBACK and no error. */
  async commit() {
    const { command } = await this.send("commit");
    this.open = false;
    if (command !== "COMMIT") throw new Error("the transaction was rolled back instead of committed");
  }
  async rollback() {
    await this.send("rollback");
    this.open = false;
  }

  /**
   * Rolls back an open transaction, and drops the connection if that fails: none returns to the pool within a
   * transaction. The rollback of a read needs no answer: the next user's statements are queued behind it.
   */
  async release() {
    if (this.open && this.reading) {
      this.rollback().catch(() => {});
      this.flush();
      this.open = false;
    } else if (this.open) await this.rollback().catch(() => {});
    this.client.release(this.open);
  }
}

export interface Pool {
  /** Runs `work` with a connection and returns it afterwards; rolls back a transaction that `work` left open. */
  use<T>(work: (connection: Connection) => Promise<T>, tenant?: string): Promise<T>;
  waiting(): number;
}

/**
 * Plans are made once and cached. A plan made while a table is empty would scan it for ever after; every query has an
 * index, so sequential scans are off (measured: a write took 1.4 ms of database time with such a plan, 0.4 ms without).
 * Ids grow with time and queries mostly ask for the newest rows, but a merge join begins at the oldest and reads every
 * row up to there (measured: 100,000 Tasks for one comment).
 */
const SETTINGS = {
  plan_cache_mode: "force_generic_plan",
  enable_seqscan: "off",
  enable_mergejoin: "off",
  lock_timeout: duration(timeouts.lockMs),
  statement_timeout: duration(timeouts.statementMs),
  idle_in_transaction_session_timeout: duration(timeouts.requestMs),
};
export const sessions = {
  reader: appSession("svc-read", { ...SETTINGS, default_transaction_read_only: "on" }),
  writer: appSession("svc-write", SETTINGS),
  counter: appSession("svc-numbers", { ...SETTINGS, synchronous_commit: "off" }),
};

function createPool(lives: Liveness, size: number, session: Session): Pool {
  const pool = lives.openPool(session, {
    max: size,
    min: 2,
    connectionTimeoutMillis: timeouts.poolMs,
    idleTimeoutMillis: 30_000,
    pipeline: true,
  } as pg.PoolConfig);
  const queue = places(size, timeouts.placeMs);
  return {
    async use(work, tenant = BACKGROUND) {
      lives.requireReachable(pool);
      const leave = await queue.enter(tenant);
      try {
        const connection = new Connection(await pool.connect(), lives);
        try {
          return await work(connection);
        } finally {
          await connection.release();
        }
      } finally {
        leave();
      }
    },
    waiting: queue.waiting,
  };
}

/** Wraps a pool so that failed writes update the write health. */
const observed = (pool: Pool, { note }: WriteHealth): Pool => ({
  ...pool,
  use: (work, tenant) =>
    pool.use(work, tenant).catch((error) => {
      note(error);
      throw error;
    }),
});

export interface Database {
  reader: Pool;
  writer: Pool;
  /** Pool for numbers.ts. Commits without waiting for the disk, because the writes that use a number commit later. */
  counter: Pool;
  writes: WriteHealth;
  end(): Promise<void>;
}

/**
 * A small pool performs better: with 16 instead of 5 connections on two cores the database used a fifth more CPU for
 * the same writes.
 */
export const poolSize = { most: Math.max(8, availableParallelism() * 4) };
const COUNTERS = 2;
/** Connections of all pools of a process at peak load. */
export const pooledConnections = () => 2 * poolSize.most + COUNTERS;

export function openDatabase(url: string, size = poolSize.most): Database {
  const lives = liveness(url);
  const writes = writeHealth();
  return {
    reader: createPool(lives, size, sessions.reader),
    writer: observed(createPool(lives, size, sessions.writer), writes),
    counter: observed(createPool(lives, COUNTERS, sessions.counter), writes),
    writes,
    end: () => lives.end(),
  };
}

/** Opens the database for a start; closes it again if the first connection of a pool cannot prove its session. */
export async function openProvedDatabase(url: string): Promise<Database> {
  const database = openDatabase(url);
  const { reader, writer, counter } = database;
  try {
    await Promise.all([reader, writer, counter].map((pool) => pool.use((tx) => tx.rows("select 1"))));
    return database;
  } catch (error) {
    await database.end();
    throw error;
  }
}
