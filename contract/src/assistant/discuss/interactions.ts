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
  message: { ...DiscussMessage, description: "That it belongs to, as it is now." },
  assistant_message: { ...nullable(DiscussMessage), description: "The answer that goes on from it, where one does." },
});

export const decideDiscussInteraction = op(
  "POST /workspaces/{workspace_id}/discuss/interactions/{interaction_id}/decision",
  "Decide what an answer waits for",
  {
    description:
      "The first valid decision wins. One that has expired, or whose message has changed since, " +
      "cannot be decided. An approval that has a change_set is about one version of that ChangeSet: " +
      "with change_set_review you say that you have looked at exactly that one, which is needed to approve " +
      "it. One without, such as of a reminder, is about what its question says. " +
      "If the ChangeSet was decided elsewhere or builds on something that has changed, " +
      "nothing is approved: the interaction becomes `stale`, and assistant_message is an answer that " +
      "says what changed and proposes it again.",
    ...writing,
    auth: [S],
    body: object({
      version: { ...Version, description: "Of the interaction." },
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
