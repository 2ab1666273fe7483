// Runs: started manually or by delegating a Task, readable by everybody who reads Agents, cancelled by their initiator
// and by those who manage Agents.
import * as contract from "@svc/contract/assistant/agents/runs.ts";
import { may } from "../../accounts/workspaces/rules.ts";
import { type Access, type Context, implement, implementList } from "../../platform/kernel/implement-operation.ts";
import { render } from "../../platform/kernel/view.ts";
import { agent } from "./access.ts";
import type { AgentTarget } from "./agent-store.ts";
import { begin } from "./execution/run-change.ts";
import { isOpen } from "./execution/run-rules.ts";
import * as store from "./execution/run-store.ts";

export const listAgentRuns = implementList(
  contract.listAgentRuns,
  agent("agents:read"),
  (tx, { params, query, page }) => store.listRuns(tx, params.agent_id, query.state, page),
);

/** A run of an Agent that the caller sees. */
const run = (permits: Access<store.RunTarget>["permits"]): Access<store.RunTarget> => ({
  reach: "membership",
  load: async (tx, params, change) => {
    const [seen, found] = await Promise.all([
      agent("agents:read").load(tx, params, false),
      store.readRun(tx, params.agent_id as string, params.run_id as string, change),
    ]);
    return seen && found;
  },
  permits,
});
export const anyRun = run(({ member }) => may(member.role, "agents:read"));

const mayCancel = ({ member }: Context, { own }: store.RunTarget) =>
  (own && may(member.role, "agents:run")) || may(member.role, "agents:manage");
const shown = (context: Context, target: store.RunTarget) =>
  render(target, isOpen(target) && mayCancel(context, target) ? ["agent_run:cancel"] : []);

export const getAgentRun = implement(contract.getAgentRun, anyRun, async (context, { target }) =>
  shown(context, target),
);

export const cancelAgentRun = implement(
  contract.cancelAgentRun,
  run(mayCancel),
  async (context, { target, params }) => {
    await store.cancelRun(context.tx, target.id);
    return shown(context, (await store.readRun(context.tx, params.agent_id, target.id)) as store.RunTarget);
  },
);

export const startAgentRun = implement(
  contract.startAgentRun,
  agent("agents:run"),
  async (context, { target, body: { input, task_id, dry_run } }) =>
    begin(context, (target as AgentTarget).id, {
      trigger: "manual",
      taskId: task_id,
      input,
      dryRun: dry_run,
    }),
);
