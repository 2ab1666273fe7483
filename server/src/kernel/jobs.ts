// Background work. A job is enqueued by the commit of the write that wants it, and runs at least once; its id is the idempotency
// key of whatever it does outside. A worker that dies takes its session-level advisory lock with it, and within 30 seconds the
// others give its jobs back: graphile-worker alone would wait four hours.
import type { Queries } from "./db.ts";

export const enqueue = (tx: Queries, name: string, payload: Record<string, unknown>) =>
  tx.rows("select enqueue_job($1, $2::json)", [name, JSON.stringify(payload)]);
