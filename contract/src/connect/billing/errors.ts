// Codes of billing: part of the one catalogue (errors.ts).
import { entry } from "../../error-entry.ts";

export const billingErrors = {
  plan_limit: entry(
    403,
    "Beyond the plan",
    "The Workspace's plan gives no more of this. Remove some, or have an owner or admin choose another plan or " +
      "more seats.",
  ),
  billing_not_configured: entry(
    409,
    "Nothing is sold here",
    "This service has no billing provider: everything is included, and there is nothing to buy.",
  ),
  subscription_exists: entry(
    409,
    "Already subscribed",
    "The Workspace has a plan that is paid for: " +
      "change it through POST /workspaces/{workspace_id}/billing-portal-sessions.",
  ),
  credits_not_needed: entry(
    409,
    "Credits do nothing here",
    "Nothing here uses credits: the plan has no Knowledge or includes its answers, or the service has no " +
      "language model.",
  ),
  nothing_bought: entry(409, "Nothing bought yet", "Buy a plan first; there is nothing to manage before."),
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
