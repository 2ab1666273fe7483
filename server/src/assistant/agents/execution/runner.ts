// Background jobs of Agents: carry out runs, and start them by triggers.
import type { Background } from "../../../platform/background/jobs.ts";
import { STEP_DAYS } from "../../runs/rules.ts";
import { openRunner } from "../../runs/runner.ts";
import { EXPIRE } from "./action-store.ts";
import type { AgentDependencies } from "./dependencies.ts";
import { carryOut } from "./run.ts";
import { agentRuns, claimRun, dueRuns } from "./run-store.ts";
import { startFromEvents, startOnSchedule } from "./triggers.ts";

const SWEEP = `delete from agent_steps where created_at < now() - interval '${STEP_DAYS} days'`;

export function openAgents(kit: AgentDependencies): { background: Background; close(): Promise<void> } {
  const { look, close } = openRunner({
    what: "Agents",
    log: kit.log,
    due: (most) => dueRuns(kit.writer, most),
    claim: (workspaceId, id) => claimRun(kit.writer, workspaceId, id),
    keep: (held) => agentRuns.keepLease(kit.writer, held),
    carryOut: (run, held, stop) => carryOut(kit, run, held, stop),
    release: (held) => agentRuns.leaveRun(kit.writer, held),
  });
  return {
    background: {
      resume: look,
      schedule: `
* * * * * start_agents_on_schedule
*/5 * * * * expire_agent_approvals
27 * * * * sweep_agent_steps`,
      jobs: ({ database }) => ({
        agents: look,
        start_agents_on_schedule: () => startOnSchedule(database, kit.runLimits),
        expire_agent_approvals: (_payload, { query }) => query(EXPIRE).then(() => {}),
        sweep_agent_steps: (_payload, { query }) => query(SWEEP).then(() => {}),
      }),
      frequent: () => ({ agent_left_runs: look }),
      follows: ({ database }) => ({
        start_agents_from_events: {
          run: () => startFromEvents(database, kit.runLimits),
          gatherMs: 200,
          notifies: true,
        },
      }),
    },
    close,
  };
}
