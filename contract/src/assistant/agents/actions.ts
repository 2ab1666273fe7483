// Actions that a run proposes. They belong to the run's initiator, who alone approves or rejects them.
import Type from "typebox";
import { Digest } from "../../history/proposals/change-sets.ts";
import { list, op, S } from "../../kit.ts";
import { Id, nullable, object, single, Timestamp } from "../../types.ts";
import { unheard } from "./runs.ts";

const RUN = "/workspaces/{workspace_id}/agents/{agent_id}/runs/{run_id}" as const;
export const AgentApproval = object({
  id: Id,
  digest: { ...Digest, description: "Digest of the exact action." },
  state: Type.Enum(["open", "approved", "rejected", "expired", "cancelled"]),
  expires_at: Timestamp,
});
export const AgentActionRow = object({
  id: Id,
  run_id: Id,
  kind: Type.String({ description: "Tool of the action.", examples: ["comment"] }),
  target: Type.String({
    description: "Target of the action: the code of a Task, the key of a Project, or the path of a Document.",
    examples: ["ENG-12"],
  }),
  preview: Type.String({
    description:
      "Values to be written, field by field (`title: …`): further lines of a text are indented by two " +
      "spaces, and values other than text are JSON. For an existing Document, the difference.",
  }),
  state: Type.Enum(["planned", "waiting", "approved", "done", "refused", "rejected", "expired", "cancelled"], {
    description:
      "planned: part of a dry run, which changes nothing. refused: the service refused it when it was " +
      "carried out.",
  }),
  receipt_id: { ...nullable(Id), description: "Receipt, which its initiator can read and undo." },
  refusal: { ...nullable(Type.String()), description: "Reason of the refusal." },
  approval: { ...nullable(AgentApproval), description: "Approval of the action; null if it needs none." },
  created_at: Timestamp,
  ended_at: nullable(Timestamp),
});
export const AgentAction = single(AgentActionRow);

export const listAgentRunActions = list(`GET ${RUN}/actions`, "List the actions of a run", {
  description:
    "Lists actions in their order. Only the initiator can read them, while they can access every " +
    "Project that the run could read; everybody else gets none.",
  auth: [S],
  items: AgentActionRow,
});

export const decideAgentApproval = op(
  `POST ${RUN}/actions/{action_id}/approvals/{approval_id}/decision`,
  "Approve or reject an action of a run",
  {
    description:
      "Only the run's initiator can decide, with the digest of the exact action. The first valid " +
      "decision wins; an expired action cannot be decided. An approved action is carried out once, under " +
      "the Agent's name and with your rights at that time.",
    auth: [S],
    private: true,
    body: object({ digest: Digest, decision: Type.Enum(["approve", "reject"]) }),
    example: { digest: "0".repeat(64), decision: "approve" },
    returns: AgentAction,
    quiet: unheard,
    errors: ["digest_mismatch", "approval_closed", "agent_not_active"],
  },
);
