// Availability of the assistant in a Workspace, and its features.
import Type from "typebox";
import { op } from "../../kit.ts";
import { nullable, object } from "../../types.ts";
import { reading } from "./conversation-access.ts";

export const DiscussAvailability = object({
  access: Type.Enum(["full", "limited", "none"], {
    description:
      "full: a language model answers. limited: passages are found and quoted, and plain requests are understood, " +
      "without a model. none: nothing is answered.",
  }),
  reason: {
    ...nullable(Type.Enum(["model_not_configured", "ai_access_disabled", "not_included"])),
    description:
      "Why it is not full: no model is configured, the Workspace lets no AI in from outside, or the plan does not " +
      "include it. Null where it is.",
    examples: ["model_not_configured"],
  },
});

export const getDiscussAvailability = op(
  "GET /workspaces/{workspace_id}/discuss/availability",
  "Whether Discuss answers",
  {
    description: "Branch on access and reason, and on no name of a plan.",
    ...reading,
    baseline: true,
    returns: DiscussAvailability,
  },
);
