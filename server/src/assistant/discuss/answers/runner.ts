// Background job that answers turns: those of one member in order, one at a time.
import type { Background } from "../../../platform/background/jobs.ts";
import { STEP_DAYS } from "../../runs/rules.ts";
import { openRunner } from "../../runs/runner.ts";
import type { DiscussDependencies } from "./dependencies.ts";
import { carryOut } from "./run.ts";
import { claimRun, discussRuns, dueRuns } from "./run-store.ts";

const SWEEP = `delete from discuss_steps where created_at < now() - interval '${STEP_DAYS} days'`;

export function openDiscuss(kit: DiscussDependencies): { background: Background; close(): Promise<void> } {
  const { look, close } = openRunner({
    what: "Discuss",
    log: kit.log,
    due: (most) => dueRuns(kit.writer, most),
    claim: (workspaceId, id) => claimRun(kit.writer, workspaceId, id),
    keep: (held) => discussRuns.keepLease(kit.writer, held),
    carryOut: (run, held, stop) => carryOut(kit, run, held, stop),
    release: (held) => discussRuns.leaveRun(kit.writer, held),
  });
  return {
    background: {
      resume: look,
      schedule: "29 * * * * sweep_discuss_steps",
      jobs: () => ({
        discuss: look,
        sweep_discuss_steps: (_payload, { query }) => query(SWEEP).then(() => {}),
      }),
      frequent: () => ({ discuss_left_runs: look }),
    },
    close,
  };
}
