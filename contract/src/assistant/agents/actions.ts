// Actions that a run proposes. They belong to the run's initiator, who alone approves or rejects them.
import Type from "typebox";
import { Digest } from "../../history/proposals/change-sets.ts";
import { list, op, S } from "../../kit.ts";
import { Id, nullable, object, single, Timestamp } from "../../types.ts";
import { unheard } from "./runs.ts";

const RUN = "/workspaces/{workspace_id}/agents/{agent_id}/runs/{run_id}" as const;
export const AgentApproval = object({
  id: Id,
  digest: { ...Digest, description: "Of exactly what would be done." },
  state: Type.Enum(["open", "approved", "rejected", "expired", "cancelled"]),
  expires_at: Timestamp,
});
export const AgentActionRow = object({
  id: Id,
  run_id: Id,
  kind: Type.String({ description: "The tool that would do it.", examples: ["comment"] }),
  target: Type.String({
    description: "What it is about: the code of a Task, the key of a Project, or the path of a Document.",
    examples: ["ENG-12"],
  }),
  preview: Type.String({
    description:
      "What would be written, field by field (`title: …`): lines of a text behind its first are indented by two " +
      "spaces, and what is no text is JSON. Of a Document that is there, how it would differ.",
  }),
  state: Type.Enum(["planned", "waiting", "approved", "done", "refused", "rejected", "expired", "cancelled"], {
    description: "planned: of a dry run, which does nothing. refused: the service refused it when it was to be done.",
  }),
  receipt_id: { ...nullable(Id), description: "Its initiator reads it, or undoes what was done." },
  refusal: { ...nullable(Type.String()), description: "Why it was refused." },
  approval: { ...nullable(AgentApproval), description: "Null where it needs none." },
  created_at: Timestamp,
  ended_at: nullable(Timestamp),
});
export const AgentAction = single(AgentActionRow);

export const listAgentRunActions = list(`GET ${RUN}/actions`, "List what a run wants to change", {
  description:
    "In their order. They are its initiator's, as long as every Project that the run could read is open to them: " +
    "everybody else reads none.",
  auth: [S],
  items: AgentActionRow,
});

export const decideAgentApproval = op(
  `POST ${RUN}/actions/{action_id}/approvals/{approval_id}/decision`,
  "Decide on what a run wants to change",
  {
    description:
      "By the run's initiator and nobody else, on the digest of exactly what would be done. " +
      "The first valid decision wins; one that has expired cannot be decided. What is approved is done once, " +
      "under the Agent's name, with what you may do then.",
    auth: [S],
    private: true,
    body: object({ digest: Digest, decision: Type.Enum(["approve", "reject"]) }),
    example: { digest: "0".repeat(64), decision: "approve" },
    returns: AgentAction,
    quiet: unheard,
    errors: ["digest_mismatch", "approval_closed", "agent_not_active"],
  },
);
