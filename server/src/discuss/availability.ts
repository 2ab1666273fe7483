// Whether there is an assistant, and what it can do. Nothing is left to a model where the Workspace lets no AI in.
import * as contract from "@svc/contract/discuss/availability.ts";
import { implement } from "../kernel/implement.ts";
import { talking } from "./access.ts";

export const getDiscussAvailability = implement(
  contract.getDiscussAvailability,
  talking,
  async ({ hasModel }, { target: { open } }) => {
    if (hasModel && open) return { access: "full" as const, reason: null };
    const reason = hasModel ? ("ai_access_disabled" as const) : ("model_not_configured" as const);
    return { access: "limited" as const, reason };
  },
);
