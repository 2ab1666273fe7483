// Measures the time until work that a kill interrupted takes its next step. It counts from the moment when all servers
// are ready again; on a busy machine the limit grows with the servers' start-up time.
import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";
import { slownessOf } from "./patience.ts";

const LATEST_MS = 2000;
const EVERY_MS = 20;
const GIVE_UP_MS = 60_000;
/** Time for PostgreSQL to notice that a process was killed. */
const NOTICE_MS = 100;

const INTERRUPTED = `
select 'turn ' || id as what, fence::text as token from discuss_runs
where state in ('running', 'cancel_requested') and lease_process is not null and not process_lives(lease_process)
union all
select 'webhook endpoint ' || id, lease_id::text from webhook_endpoints
where lease_process is not null and not process_lives(lease_process)`;
/** Interrupted work that no server has claimed since. */
const WAITING = `
select what from unnest($1::text[], $2::text[]) as interrupted (what, token)
where exists (select from discuss_runs
  where 'turn ' || id = what and fence::text = token and state in ('running', 'cancel_requested'))
  or exists (select from webhook_endpoints
    where 'webhook endpoint ' || id = what and due_at <= now() and coalesce(lease_id::text, token) = token)`;

export class Resumptions {
  /** Waiting time of each interrupted item, in ms. */
  private readonly waited: number[] = [];
  readonly broken: string[] = [];
  private readonly client: pg.Pool;
  constructor(client: pg.Pool) {
    this.client = client;
  }

  /**
   * Call it once the servers are killed; `restart` resolves when all are ready. Resolves to the restart time, after all
   * work was resumed.
   */
  async after(restart: () => Promise<unknown>): Promise<number> {
    await sleep(NOTICE_MS);
    const { rows } = await this.client.query<{ what: string; token: string }>(INTERRUPTED);
    const resumedAt = new Map<string, number>();
    const began = performance.now();
    let readyAt = Number.POSITIVE_INFINITY;
    const ready = restart().finally(() => {
      readyAt = performance.now();
    });
    const values = [rows.map(({ what }) => what), rows.map(({ token }) => token)];
    while (resumedAt.size < rows.length && performance.now() < readyAt + GIVE_UP_MS) {
      const waiting = new Set(
        (await this.client.query<{ what: string }>(WAITING, values)).rows.map(({ what }) => what),
      );
      const now = performance.now();
      for (const { what } of rows) if (!waiting.has(what) && !resumedAt.has(what)) resumedAt.set(what, now);
      await sleep(EVERY_MS);
    }
    await ready;
    const latestMs = LATEST_MS * slownessOf(readyAt - began);
    for (const { what } of rows) {
      const ms = Math.max(0, (resumedAt.get(what) ?? Number.POSITIVE_INFINITY) - readyAt);
      this.waited.push(ms);
      if (ms > latestMs)
        this.broken.push(`${what} was resumed ${ms.toFixed(0)} ms after ready, and not within ${latestMs.toFixed(0)}`);
    }
    return readyAt - began;
  }
  counts(): Record<string, number> {
    return {
      "interrupted work resumed": this.waited.length,
      "  slowest after ready, ms": Math.round(Math.max(0, ...this.waited)),
    };
  }
}
