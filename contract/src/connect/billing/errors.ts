// Codes of billing: part of the one catalogue (errors.ts).
import { entry } from "../../error-entry.ts";

export const billingErrors = {
  plan_limit: entry(
    403,
    "Beyond the plan",
    "The Workspace's plan does not allow more. Remove some, or ask an owner or admin to choose another " +
      "plan or more seats.",
  ),
  billing_not_configured: entry(
    409,
    "Nothing is sold here",
    "This service has no billing provider: everything is included, and there is nothing to buy.",
  ),
  subscription_exists: entry(
    409,
    "Already subscribed",
    "The Workspace already has a paid plan: change it through POST " +
      "/workspaces/{workspace_id}/billing-portal-sessions.",
  ),
  credits_not_needed: entry(
    409,
    "Credits have no effect here",
    "Nothing here uses credits: the plan has no Knowledge or includes its answers, or the service has no " +
      "language model.",
  ),
  nothing_bought: entry(409, "Nothing bought yet", "Buy a plan first; there is nothing to manage yet."),
  checkout_settling: entry(
    409,
    "A payment is being settled",
    "An earlier checkout was paid, or is being opened at this moment. Read it again in a few seconds.",
  ),
  billing_unavailable: entry(
    503,
    "The billing provider does not answer",
    "Retry after Retry-After seconds with the same Idempotency-Key; nothing is bought twice.",
  ),
} as const;
