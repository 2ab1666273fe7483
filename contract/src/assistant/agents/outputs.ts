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
    description: "What it is about.",
  },
  text: Type.String({ description: "Markdown, with no picture and no link that leads elsewhere." }),
  created_at: Timestamp,
});

export const listAgentRunOutputs = list(
  "GET /workspaces/{workspace_id}/agents/{agent_id}/runs/{run_id}/outputs",
  "List what a run gives back",
  {
    description:
      "In their order. They are its initiator's, as long as every Project that the run could read is open to " +
      "them: everybody else reads none.",
    auth: [S],
    items: AgentOutput,
  },
);
