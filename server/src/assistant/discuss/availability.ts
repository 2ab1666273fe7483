// Whether the assistant is available, and its abilities. No model is used if the Workspace does not allow AI.
import * as contract from "@svc/contract/assistant/discuss/availability.ts";
import { implement } from "../../platform/kernel/implement-operation.ts";
import { asking } from "./access.ts";

export const getDiscussAvailability = implement(
  contract.getDiscussAvailability,
  asking,
  async ({ hasModel }, { target: { open, included } }) => {
    if (!included) return { access: "none" as const, reason: "not_included" as const };
    if (hasModel && open) return { access: "full" as const, reason: null };
    const reason = hasModel ? ("ai_access_disabled" as const) : ("model_not_configured" as const);
    return { access: "limited" as const, reason };
  },
);
