// Starts a run for a member, manually or by delegating a Task, after checking its target and its budgets.
import { permits } from "../../../planning/projects/access.ts";
import { insideTask } from "../../../planning/tasks/access.ts";
import type { Context } from "../../../platform/kernel/implement-operation.ts";
import { requirePermission } from "../../../platform/kernel/steps.ts";
import { render } from "../../../platform/kernel/view.ts";
import { newId } from "../../../platform/wire/ids.ts";
import { refuse, refuseAt } from "../../../platform/wire/problem.ts";
import { isCrowded, RETRY_SECONDS } from "../../runs/budget-store.ts";
import type { TriggerKind } from "../rules.ts";
import { addUsage, agentToRun } from "../store.ts";
import * as store from "./run-store.ts";

interface Asked {
  trigger: "manual" | "delegation";
  taskId: string | undefined;
  input: string | undefined;
  dryRun?: boolean;
}
const startedBy: Record<Asked["trigger"], readonly TriggerKind[]> = {
  manual: ["manual"],
  delegation: ["manual", "assignment"],
};
export async function begin(context: Context, agentId: string, { trigger, taskId, input, dryRun }: Asked) {
  const { tx, member, enqueue, defer } = context;
  const [agent = refuse("not_found"), task, begun, crowded] = await Promise.all([
    agentToRun(tx, { id: agentId }),
    taskId === undefined ? null : insideTask("work:write").load(tx, { task_id: taskId }, false),
    store.holdAgent(tx, agentId),
    isCrowded(tx, member.actorId, context.runLimits),
  ]);
  if (agent.state !== "active") return refuse("agent_not_active");
  if (!agent.triggers.some(({ kind }) => startedBy[trigger].includes(kind))) return refuse("agent_not_started_so");
  // An unusable Task is not found if the path names it, and an invalid reference if the body does.
  const unusable = (detail: string) =>
    trigger === "delegation" ? refuse("not_found") : refuseAt("/body/task_id", "invalid_reference", detail);
  if (task === undefined) return unusable("must be a Task that you see");
  if (task) requirePermission(permits("work:write")(context, task));
  if (task && agent.project_ids.length > 0 && !agent.project_ids.includes(task.project_id))
    return unusable("must be in a Project of the Agent");
  const { definition_id: definitionId, version } = agent;
  if (begun >= agent.budgets.runs_per_hour) return refuse("agent_runs_exceeded");
  if (crowded) return refuse("runs_exceeded", { retry_after: RETRY_SECONDS });
  const run = {
    agentId,
    definitionId,
    version,
    initiatorActorId: member.actorId,
    trigger,
    input,
    dryRun,
    taskId: taskId ?? null,
    projectId: task?.project_id ?? null,
  };
  const id = newId();
  const [, made] = await Promise.all([store.insertRun(tx, run, id), store.readRun(tx, agentId, id)]);
  defer(addUsage(tx, definitionId, { runs: 1 }));
  enqueue("agents", {});
  return render(made as store.RunTarget, ["agent_run:cancel"]);
}
