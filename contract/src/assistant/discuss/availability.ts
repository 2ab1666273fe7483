// Availability of the assistant in a Workspace, and its features.
import Type from "typebox";
import { op } from "../../kit.ts";
import { nullable, object } from "../../types.ts";
import { reading } from "./conversation-access.ts";

export const DiscussAvailability = object({
  access: Type.Enum(["full", "limited", "none"], {
    description:
      "full: a language model answers. limited: passages are found and quoted, and plain requests are " +
      "understood, without a model. none: there are no answers.",
  }),
  reason: {
    ...nullable(Type.Enum(["model_not_configured", "ai_access_disabled", "not_included"])),
    description:
      "Reason why access is not full: no model is configured, the Workspace does not allow external AI, " +
      "or the plan does not include it. Null if it is full.",
    examples: ["model_not_configured"],
  },
});

export const getDiscussAvailability = op(
  "GET /workspaces/{workspace_id}/discuss/availability",
  "Read the availability of Discuss",
  {
    description: "Base your logic on access and reason, not on the name of a plan.",
    ...reading,
    baseline: true,
    returns: DiscussAvailability,
  },
);
