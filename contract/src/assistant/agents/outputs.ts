// Outputs that a run returns to its initiator.
import Type from "typebox";
import { list, S } from "../../kit.ts";
import { Id, nullable, object, Timestamp } from "../../types.ts";

export const AgentOutput = object({
  id: Id,
  run_id: Id,
  kind: Type.Enum(["text", "document_draft"]),
  resource: {
    ...nullable(object({ kind: Type.Enum(["task", "project"]), id: Id })),
    description: "Resource of the output.",
  },
  text: Type.String({ description: "Markdown without pictures or links to other sites." }),
  created_at: Timestamp,
});

export const listAgentRunOutputs = list(
  "GET /workspaces/{workspace_id}/agents/{agent_id}/runs/{run_id}/outputs",
  "List the outputs of a run",
  {
    description:
      "Lists outputs in their order. Only the initiator can read them, while they can access every " +
      "Project that the run could read; everybody else gets none.",
    auth: [S],
    items: AgentOutput,
  },
);
