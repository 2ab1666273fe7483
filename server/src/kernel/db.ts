// The database as the kernel and the handlers see it: named statements on one connection, sent at once and answered in order.
// Two statements started without awaiting the first share one round-trip, and round-trips are counted because they are the budget.
// Reads use connections whose default is read-only; both pools act as svc_app, so that row-level security holds.
import pg from "pg";

/** The ladder of time-outs: pool wait < lock < statement < request. The innermost fires first. */
export const timeouts = { poolMs: 1000, lockMs: 2000, statementMs: 5000, requestMs: 10_000 };

pg.types.setTypeParser(pg.types.builtins.DATE, (value) => value);

const names = new Map<string, string>();
function nameOf(sql: string): string {
  let name = names.get(sql);
  if (name === undefined) {
    name = `s${names.size}`;
    names.set(sql, name);
  }
  return name;
}

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
  private open = false;
  private readonly client: pg.PoolClient;
  constructor(client: pg.PoolClient) {
    this.client = client;
  }

  private async send<R extends pg.QueryResultRow>(query: string | pg.QueryConfig): Promise<pg.QueryResult<R>> {
    if (this.inFlight++ === 0) this.trips++;
    try {
      return await this.client.query<R>(query as pg.QueryConfig);
    } finally {
      this.inFlight--;
    }
  }

  async rows<R>(sql: string, values: unknown[] = []): Promise<R[]> {
    return (await this.send({ name: nameOf(sql), text: sql, values })).rows as R[];
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

  /** Rolls back what is still open; a connection that cannot is dropped. None returns to the pool within a transaction. */
  async release() {
    if (this.open) await this.rollback().catch(() => {});
    this.client.release(this.open);
  }
}

export interface Pool {
  /** Runs with a connection that is returned afterwards; a transaction that the work left open is rolled back. */
  use<T>(work: (connection: Connection) => Promise<T>): Promise<T>;
  waiting(): number;
  end(): Promise<void>;
}

function createPool(url: string, size: number, name: string, settings: string): Pool {
  const pool = new pg.Pool({
    connectionString: url,
    application_name: name,
    max: size,
    min: 2,
    connectionTimeoutMillis: timeouts.poolMs,
    idleTimeoutMillis: 30_000,
    pipeline: true,
    options: `-c role=svc_app -c search_path=public -c timezone=UTC -c plan_cache_mode=force_generic_plan -c lock_timeout=${timeouts.lockMs} -c statement_timeout=${timeouts.statementMs} -c idle_in_transaction_session_timeout=${timeouts.requestMs}${settings}`,
  } as pg.PoolConfig);
  // An idle connection that dies is replaced at the next use; without a listener it would end the process.
  pool.on("error", () => {});
  return {
    async use(work) {
      const connection = new Connection(await pool.connect());
      try {
        return await work(connection);
      } finally {
        await connection.release();
      }
    },
    waiting: () => pool.waitingCount,
    end: () => pool.end(),
  };
}

export interface Database {
  reader: Pool;
  writer: Pool;
  end(): Promise<void>;
}

export function openDatabase(url: string, size = 16): Database {
  const reader = createPool(url, size, "svc-read", " -c default_transaction_read_only=on");
  const writer = createPool(url, size, "svc-write", "");
  return {
    reader,
    writer,
    end: async () => {
      await Promise.all([reader.end(), writer.end()]);
    },
  };
}
