// Background worker of runs, each run by one process at a time. A worker leases a run and renews the lease; a run whose
// process has died is resumed by another from its last step. Runs use no slots of other background work, because they
// wait for models.
import { setTimeout as sleep } from "node:timers/promises";
import { untilReachable } from "../../platform/background/retry-database.ts";
import { isTransient } from "../../platform/database/translate-error.ts";
import type { Log } from "../../platform/wire/log.ts";
import { RunEnded, StaleProducer, Stopped } from "./rules.ts";
import type { RunLease } from "./store.ts";

const AT_ONCE = 32;
const KEEP_MS = 1000;
/** Pause before a run that met a database error is released to be claimed again. */
const RETRY_MS = 250;

export interface Runs<Row extends { fence: number }> {
  /** Kind of runs, for the log. */
  what: string;
  log: Log;
  due(most: number): Promise<{ workspace_id: string; id: string }[]>;
  /** Undefined if another worker holds it, or it is not its turn. */
  claim(workspaceId: string, id: string): Promise<Row | undefined>;
  keep(held: RunLease): Promise<{ state: string } | undefined>;
  /** Rejects with a transient error if the run is to be retried. */
  carryOut(run: Row, held: RunLease, stop: AbortController): Promise<void>;
  /** Ends the lease, so that the run can be claimed at once. */
  release(held: RunLease): Promise<unknown>;
}
export interface RunWorker {
  /** Claims due runs until none is left; a call meanwhile makes it poll once more. */
  look(): Promise<void>;
  /** Releases running runs to other processes. */
  close(): Promise<void>;
}

export function openRunner<Row extends { fence: number }>({ what, log, ...runs }: Runs<Row>): RunWorker {
  const active = new Map<string, { stop: AbortController; done: Promise<void> }>();
  const closing = new AbortController();
  let looking: Promise<void> | null = null;
  let again = false;

  const look = (): Promise<void> => {
    again = true;
    looking ??= (async () => {
      while (again && !closing.signal.aborted) {
        again = false;
        await lookOnce();
      }
    })().finally(() => {
      looking = null;
    });
    return looking;
  };
  async function lookOnce() {
    const room = AT_ONCE - active.size;
    if (room <= 0) return;
    for (const { workspace_id: workspaceId, id } of await runs.due(room)) {
      if (closing.signal.aborted || active.has(id)) continue;
      const run = await runs.claim(workspaceId, id);
      if (!run) continue;
      const stop = new AbortController();
      const held = { workspaceId, id, fence: run.fence };
      const done = Promise.race([runs.carryOut(run, held, stop), lost(stop.signal)])
        .catch((error) => {
          if (error instanceof StaleProducer) return;
          if (isTransient(error)) return retryLater(held, error);
          log.error({ run_id: id, err: error }, `a run of ${what} was left`);
        })
        .finally(() => {
          stop.abort(new Stopped("ended"));
          active.delete(id);
          if (!closing.signal.aborted) void look().catch(failed);
        });
      active.set(id, { stop, done });
      void keep(held, stop);
    }
  }
  const failed = (error: unknown) => log.warn({ err: error }, `runs of ${what} are looked for again later`);

  /** Releases a run that met a database error once the database answers; the next poll claims it under a new fence. */
  async function retryLater(held: RunLease, cause: unknown) {
    log.warn({ run_id: held.id, err: cause }, `a run of ${what} met a database error and is retried`);
    await sleep(RETRY_MS, null, { signal: closing.signal }).catch(() => {});
    await untilReachable(() => runs.release(held), closing.signal).catch(failed);
  }

  /** Rejects when the lease is lost: then the run writes nothing more. */
  const lost = (signal: AbortSignal) =>
    new Promise<never>((_resolve, reject) =>
      signal.addEventListener("abort", () => signal.reason instanceof StaleProducer && reject(signal.reason)),
    );
  async function keep(held: RunLease, stop: AbortController) {
    for (;;) {
      await sleep(KEEP_MS, null, { signal: stop.signal, ref: false }).catch(() => {});
      if (stop.signal.aborted) return;
      const kept = await runs.keep(held).catch(() => ({ state: "unknown" }));
      if (!kept) stop.abort(new StaleProducer("the lease is somebody else's"));
      else if (kept.state === "cancel_requested") stop.abort(new RunEnded("cancelled"));
    }
  }

  return {
    look,
    async close() {
      closing.abort();
      await looking?.catch(() => {});
      for (const { stop } of active.values()) stop.abort(new Stopped("the process ends", true));
      await Promise.all([...active.values()].map(({ done }) => done));
    },
  };
}
