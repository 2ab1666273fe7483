// Tracks whether PostgreSQL accepts writes. A full disk, a broken disk or a read-only server refuses them while reads
// still work. A failed write sets the state at once; a periodic probe sets it on an idle service, and clears it when
// writes work again. The probe may succeed where a write finds no space, if temporary files are on another disk or a
// limit applies to one table: so the state lasts a while after each refused write.

const REASONS: Record<string, string> = {
  "53100": "the database's disk is full",
  "58030": "the database cannot write to its disk",
  "25006": "the database is read-only",
};
const READ_ONLY = "25006";
export interface ProbeIntervals {
  normalMs: number;
  /** Interval between two probes while writes are refused. */
  refusedMs: number;
  /**
   * Time for which the state lasts after a write that found no space. A server that reports itself read-only, and later
   * not, is trusted.
   */
  holdMs: number;
}
/** The state lasts as long as the alert waits (operate/alerts.yml). */
const USUAL: ProbeIntervals = { normalMs: 5000, refusedMs: 1000, holdMs: 15_000 };

/** Marks an error of a writing connection as temporary: `isUnavailable` answers it with 503. */
export interface RefusedWrite {
  writeRefused?: true;
}

/** Sorts about 500 kB with 64 kB of memory, so that PostgreSQL needs disk space for a temporary file. */
const NEEDS_DISK = "/* background */ select count(distinct md5(n::text)) from generate_series(1, 10000) n";
const IS_READ_ONLY =
  "/* background */ select pg_is_in_recovery() or current_setting('transaction_read_only')::boolean as read_only";
const LITTLE_MEMORY = "/* background */ select set_config('work_mem', '64kB', true)";

/** The part of a pool that this file needs: db.ts imports it, not the other way round. */
interface Pool {
  use<T>(work: (connection: Probed) => Promise<T>): Promise<T>;
}
interface Probed {
  begin(): Promise<unknown>;
  rows<R>(sql: string): Promise<R[]>;
}

export interface WriteHealth {
  /** The reason why writes are refused, or null. */
  refusal(): string | null;
  note(error: unknown): void;
  /** Probes until the returned function is called. */
  probe(pool: Pool, intervals?: ProbeIntervals): () => void;
}

export function writeHealth(): WriteHealth {
  let reason: string | null = null;
  let noRoomAt = Number.NEGATIVE_INFINITY;
  const note = (error: unknown) => {
    const { code = "" } = error as { code?: string };
    const found = REASONS[code];
    if (!found) return;
    reason = found;
    if (code !== READ_ONLY) noRoomAt = performance.now();
    (error as RefusedWrite).writeRefused = true;
  };

  async function probeOnce(pool: Pool, holdMs: number): Promise<void> {
    try {
      const [{ read_only }] = await pool.use(async (connection) => {
        const [, , rows] = await Promise.all([
          connection.begin(),
          connection.rows(LITTLE_MEMORY),
          connection.rows<{ read_only: boolean }>(IS_READ_ONLY),
          connection.rows(NEEDS_DISK),
        ]);
        return rows as [{ read_only: boolean }];
      });
      if (read_only) reason = REASONS[READ_ONLY] as string;
      else if (performance.now() - noRoomAt >= holdMs) reason = null;
    } catch (error) {
      // Any other error means that the database is out of reach, which the readiness check reports by itself.
      note(error);
    }
  }

  return {
    refusal: () => reason,
    note,
    probe(pool, { normalMs, refusedMs, holdMs } = USUAL) {
      let stopped = false;
      let timer: NodeJS.Timeout;
      const schedule = () => {
        timer = setTimeout(
          () => void probeOnce(pool, holdMs).then(() => stopped || schedule()),
          reason ? refusedMs : normalMs,
        );
        timer.unref();
      };
      schedule();
      return () => {
        stopped = true;
        clearTimeout(timer);
      };
    },
  };
}
