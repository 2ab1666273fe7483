// Delegates a Task to an Agent.
import Type from "typebox";
import { op, S } from "../../kit.ts";
import { object } from "../../types.ts";
import { AgentRun, startErrors, unheard } from "./runs.ts";

export const delegateTask = op(
  "POST /workspaces/{workspace_id}/agents/studio/definitions/{definition_id}/delegations/{task_id}",
  "Delegate a Task to an Agent",
  {
    description:
      "Starts a run of the definition's Agent about the Task, on your behalf, within the Task's Project. " +
      "Needs agents:run, and a Task that you may change. The assignee does not change.",
    auth: [S],
    status: 201,
    creates: "/workspaces/{workspace_id}/agents/{agent_id}/runs/{id}",
    idempotencyKey: "required",
    body: object({
      note: Type.Optional(
        Type.String({ maxLength: 20_000, format: "body", description: "Instruction for this Task." }),
      ),
    }),
    example: { note: "Look for duplicates." },
    returns: AgentRun,
    quiet: unheard,
    errors: [...startErrors, "definition_not_published"],
  },
);
