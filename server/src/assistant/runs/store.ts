// SQL of runs, for their worker: held with a lease, and written only while the fence is still its own. Background jobs
// have no caller, so that every statement names the run. Each kind of run has tables of its own, with the same columns.

import { letsAiIn } from "../../accounts/workspaces/access.ts";
import { inWorkspace } from "../../platform/background/jobs.ts";
import type { Pool } from "../../platform/database/db.ts";
import { checked } from "../../platform/database/sql.ts";
import { processId } from "../../platform/wire/process-id.ts";
import { LEASE_SECONDS, StaleProducer } from "./rules.ts";

export interface RunLease {
  workspaceId: string;
  id: string;
  fence: number;
}
export interface StepRow {
  number: number;
  kind: "model" | "tool";
  asked: string;
  answered: string | null;
}
interface Ended {
  number: number;
  answered: string;
  usage: { input: number; output: number };
  readOthers: boolean;
}

/** Assignments of a lease that the process of this parameter claims or renews. */
export const leasedBy = (parameter: string) =>
  `lease_until = now() + interval '${LEASE_SECONDS} seconds', lease_process = ${parameter}`;
export const NO_LEASE = "lease_until = null, lease_process = null";
/** Condition that nobody holds a run r. */
export const unheld = "(r.lease_until is null or r.lease_until < now())";
export const AT_WORK = "('running', 'cancel_requested')";
/** Selects and locks columns of a run that this worker still holds: $1 is its id, $2 the fence. */
export const holding = (runs: string, columns: string) => `
select ${columns} from ${runs} r
where r.workspace_id = current_workspace() and r.id = $1 and r.fence = $2
  and ${checked(`r.state in ${AT_WORK}`)} for no key update`;

export const still = (rows: readonly unknown[]) => {
  if (rows.length === 0) throw new StaleProducer("somebody else is at work on this run");
};

export interface RunStore {
  /** State of the run; undefined if another process holds it, or it has ended. */
  keepLease(writer: Pool, held: RunLease): Promise<{ state: string } | undefined>;
  leaveRun(writer: Pool, held: RunLease): Promise<unknown>;
  stepsOf(writer: Pool, held: RunLease): Promise<StepRow[]>;
  beginStep(writer: Pool, held: RunLease, step: Pick<StepRow, "number" | "kind" | "asked">): Promise<void>;
  endStep(writer: Pool, held: RunLease, ended: Ended): Promise<void>;
}
export function runStore(runs: string, steps: string): RunStore {
  const KEEP = `
update ${runs} set ${leasedBy("$3")}
where workspace_id = current_workspace() and id = $1 and fence = $2 and ${checked(`state in ${AT_WORK}`)}
returning state`;
  const LEAVE = `update ${runs} set ${NO_LEASE} where workspace_id = current_workspace() and id = $1 and fence = $2`;
  const STEPS = `select number, kind, asked, answered from ${steps}
    where workspace_id = current_workspace() and run_id = $1 order by number`;
  const BEGIN = `
with run as (${holding(runs, "r.id")})
insert into ${steps} (workspace_id, run_id, number, kind, asked) select current_workspace(), $1, $3, $4, $5 from run
returning number`;
  const END = `
with run as (${holding(runs, "r.id")}), counted as (
  update ${runs} r set input_tokens = r.input_tokens + $5, output_tokens = r.output_tokens + $6,
    read_others = r.read_others or $7, steps = r.steps + 1
  from run where r.workspace_id = current_workspace() and r.id = $1
)
update ${steps} s set answered = $4 from run
where s.workspace_id = current_workspace() and s.run_id = $1 and s.number = $3 returning s.number`;
  return {
    keepLease: (writer, { workspaceId, id, fence }) =>
      inWorkspace(writer, workspaceId, (tx) => tx.maybe<{ state: string }>(KEEP, [id, fence, processId])),
    leaveRun: (writer, { workspaceId, id, fence }) =>
      inWorkspace(writer, workspaceId, (tx) => tx.rows(LEAVE, [id, fence])),
    stepsOf: (writer, { workspaceId, id }) => inWorkspace(writer, workspaceId, (tx) => tx.rows<StepRow>(STEPS, [id])),
    beginStep: (writer, { workspaceId, id, fence }, { number, kind, asked }) =>
      inWorkspace(writer, workspaceId, (tx) => tx.rows(BEGIN, [id, fence, number, kind, asked])).then(still),
    endStep: (writer, { workspaceId, id, fence }, { number, answered, usage, readOthers }) =>
      inWorkspace(writer, workspaceId, (tx) =>
        tx.rows(END, [id, fence, number, answered, usage.input, usage.output, readOthers]),
      ).then(still),
  };
}

const LET_IN = `select ${letsAiIn("current_workspace()")} as open`;
/** Checked before each model request. */
export const aiLetIn = async (writer: Pool, workspaceId: string) =>
  (await inWorkspace(writer, workspaceId, (tx) => tx.one<{ open: boolean }>(LET_IN))).open;
