// Retries work across a temporary outage of the database.
import { setTimeout as sleep } from "node:timers/promises";
import type { Task, TaskList } from "graphile-worker";
import { isTransient, isUnavailable } from "../database/translate-error.ts";

const RETRY_MS = [250, 500, 1000, 2000];

/** Retries transient errors with back-off until the signal aborts; the work must be safe to repeat. */
export async function untilReachable<T>(work: () => Promise<T>, signal: AbortSignal): Promise<T> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (!isTransient(error) || signal.aborted) throw error;
      await sleep(RETRY_MS[attempt] ?? RETRY_MS.at(-1), null, { signal }).catch(() => {});
    }
  }
}

const SOON_MS = 250;
/**
 * Repeats a job once on another connection, after 250 ms, if its connection had died unnoticed; the queue's next
 * attempt would come seconds later.
 */
export const retryOnce = (jobs: TaskList): TaskList =>
  Object.fromEntries(
    Object.entries(jobs as Record<string, Task>).map(([name, work]): [string, Task] => [
      name,
      async (payload, helpers) => {
        try {
          return await work(payload, helpers);
        } catch (error) {
          if (!isUnavailable(error)) throw error;
          await sleep(SOON_MS);
          return work(payload, helpers);
        }
      },
    ]),
  );
