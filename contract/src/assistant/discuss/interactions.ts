// Interactions: decisions that a pending answer needs from a person.
import Type from "typebox";
import { Version } from "../../history/captures/private-captures.ts";
import { Digest } from "../../history/proposals/change-sets.ts";
import { op, S } from "../../kit.ts";
import { Id, nullable, object } from "../../types.ts";
import { writing } from "./conversation-access.ts";
import { DiscussMessage, InteractionPart } from "./messages.ts";

export const DiscussDecision = object({
  interaction: InteractionPart,
  message: { ...DiscussMessage, description: "Current message of the interaction." },
  assistant_message: { ...nullable(DiscussMessage), description: "Answer that continues after the decision, if any." },
});

export const decideDiscussInteraction = op(
  "POST /workspaces/{workspace_id}/discuss/interactions/{interaction_id}/decision",
  "Decide an interaction of an answer",
  {
    description:
      "The first valid decision wins. An interaction that has expired, or whose message has changed " +
      "since, cannot be decided. An approval with a change_set concerns one version of that ChangeSet: " +
      "change_set_review confirms that you have reviewed exactly that version, and is required to " +
      "approve it. An approval without one, such as of a reminder, concerns its question. If the " +
      "ChangeSet was decided elsewhere or is stale, nothing is approved: the interaction becomes " +
      "`stale`, and assistant_message is an answer that explains the change and proposes it again.",
    ...writing,
    auth: [S],
    body: object({
      version: { ...Version, description: "Version of the interaction." },
      decision: Type.Enum(["approve", "reject", "choose"]),
      choice_id: Type.Optional(Type.String({ minLength: 1, maxLength: 100, format: "line", examples: ["retry"] })),
      change_set_review: Type.Optional(object({ change_set_id: Id, version: Version, digest: Digest })),
    }),
    example: { version: 1, decision: "choose", choice_id: "retry" },
    returns: DiscussDecision,
    errors: [
      ...["interaction_closed", "revision_conflict", "digest_mismatch", "turns_exceeded", "runs_exceeded"],
      "evidence_unavailable",
    ] as never,
  },
);
