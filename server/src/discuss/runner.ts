// Runs in the background, each in its order and by one process at a time. A run is taken with a lease, which is kept while its process lives; one whose process has died is
// taken up by another from its last step. Runs do not occupy the places of other background work: they wait for models.
import { setTimeout as sleep } from "node:timers/promises";
import type { Background } from "../background/jobs.ts";
import { RunEnded } from "./gate.ts";
import type { Kit } from "./kit.ts";
import { STEP_DAYS } from "./rules.ts";
import { carryOut, Stopped } from "./run.ts";
import { claimRun, dueRuns, type Held, keepLease, StaleProducer } from "./run-store.ts";

const AT_ONCE = 32;
const KEEP_MS = 1000;
const SWEEP = `delete from discuss_steps where created_at < now() - interval '${STEP_DAYS} days'`;

export interface Runner {
  background: Background;
  /** Leaves what is under way to others. */
  close(): Promise<void>;
}

export function openRunner(kit: Kit): Runner {
  const active = new Map<string, { stop: AbortController; done: Promise<void> }>();
  let closed = false;
  let looking: Promise<void> | null = null;
  let again = false;

  /** Looks for what is due until there is nothing more; asked meanwhile, it looks once more. */
  const look = (): Promise<void> => {
    again = true;
    looking ??= (async () => {
      while (again && !closed) {
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
    for (const { workspace_id: workspaceId, id } of await dueRuns(kit.writer, room)) {
      if (closed || active.has(id)) continue;
      const run = await claimRun(kit.writer, workspaceId, id);
      if (!run) continue;
      const stop = new AbortController();
      const held = { workspaceId, id, fence: run.fence };
      const done = Promise.race([carryOut(kit, run, held, stop), lost(stop.signal)])
        .catch((error) => {
          if (!(error instanceof StaleProducer)) kit.log.error({ run_id: id, err: error }, "a run of Discuss was left");
        })
        .finally(() => {
          stop.abort(new Stopped("ended"));
          active.delete(id);
          if (!closed) void look().catch(failed);
        });
      active.set(id, { stop, done });
      void keep(held, stop);
    }
  }
  const failed = (error: unknown) => kit.log.warn({ err: error }, "runs of Discuss are looked for again later");

  /** Whoever lost the lease says nothing more. */
  const lost = (signal: AbortSignal) =>
    new Promise<never>((_resolve, reject) =>
      signal.addEventListener("abort", () => signal.reason instanceof StaleProducer && reject(signal.reason)),
    );
  async function keep(held: Held, stop: AbortController) {
    for (;;) {
      await sleep(KEEP_MS, null, { signal: stop.signal, ref: false }).catch(() => {});
      if (stop.signal.aborted) return;
      const kept = await keepLease(kit.writer, held).catch(() => ({ state: "unknown" }));
      if (!kept) stop.abort(new StaleProducer("the lease is somebody else's"));
      else if (kept.state === "cancel_requested") stop.abort(new RunEnded("cancelled"));
    }
  }

  return {
    background: {
      schedule: "29 * * * * sweep_discuss_steps",
      jobs: () => ({
        discuss: () => look(),
        sweep_discuss_steps: (_payload, { query }) => query(SWEEP).then(() => {}),
      }),
      frequent: () => ({ discuss_left_runs: () => look() }),
    },
    async close() {
      closed = true;
      await looking?.catch(() => {});
      for (const { stop } of active.values()) stop.abort(new Stopped("the process ends", true));
      await Promise.all([...active.values()].map(({ done }) => done));
    },
  };
}
