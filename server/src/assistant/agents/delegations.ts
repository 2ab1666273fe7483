// Delegates a Task to an Agent: a run about it, for the delegating member.
import * as contract from "@svc/contract/assistant/agents/delegations.ts";
import { implement } from "../../platform/kernel/implement-operation.ts";
import { refuse } from "../../platform/wire/problem.ts";
import { definition } from "./access.ts";
import { begin } from "./execution/run-change.ts";
import { agentToRun } from "./store.ts";

export const delegateTask = implement(
  contract.delegateTask,
  definition("agents:run"),
  async (context, { params, body: { note } }) => {
    const found = await agentToRun(context.tx, { definition_id: params.definition_id });
    if (!found) return refuse("definition_not_published");
    return begin(context, found.id, { trigger: "delegation", taskId: params.task_id, input: note });
  },
);
