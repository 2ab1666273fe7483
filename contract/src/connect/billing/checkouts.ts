// Checkouts: each leads to a page of the billing provider, and the purchase takes effect when the provider confirms it.
// Card numbers and similar data never reach this service.
import Type from "typebox";
import { op, S } from "../../kit.ts";
import { Id, Name, nullable, object, PagePath, Slug, single, Timestamp } from "../../types.ts";
import { paidPlans } from "./plans.ts";

const PaidPlanName = Type.Enum([...paidPlans]);
export const ReturnPath = {
  ...PagePath,
  description: "Page of the application that the browser returns to, without a query.",
  examples: ["/workspaces/analytical-engines/settings/billing"],
};

export const Checkout = object({
  id: Id,
  state: Type.Enum(["open", "completed", "expired"], {
    description: "completed: the provider has confirmed the payment, and the purchase is available.",
  }),
  url: { ...nullable(Type.String()), description: "Payment page, while the checkout is open." },
  plan: nullable(PaidPlanName),
  credits: nullable(Type.Integer()),
  workspace_id: { ...nullable(Id), description: "Id of the new Workspace, once it exists." },
  created_at: Timestamp,
  expires_at: Timestamp,
});

const buying = {
  auth: [S],
  status: 201,
  creates: "/workspace-checkouts/{id}",
  idempotencyKey: "required",
  quiet: "Nothing changes until the provider confirms the payment.",
  returns: single(Checkout),
} as const;
const refusals = ["billing_not_configured", "billing_unavailable", "checkout_settling", "invalid_reference"] as const;

export const createWorkspaceCheckout = op("POST /workspace-checkouts", "Buy a new Workspace", {
  description:
    "Returns a page of the billing provider. The Workspace is created once, when the payment is " +
    "confirmed; if its slug is taken by then, it gets another one. An account has one open checkout: " +
    "the same request again returns it, and a different request ends it.",
  ...buying,
  body: object({ plan: PaidPlanName, name: Name(100), slug: Type.Optional(Slug), return_path: ReturnPath }),
  example: { plan: "team", name: "Analytical Engines", return_path: "/workspaces/new" },
  errors: [...refusals, "slug_taken"],
});

export const getWorkspaceCheckout = op(
  "GET /workspace-checkouts/{checkout_id}",
  "Read your checkout of a new Workspace",
  {
    auth: [S],
    returns: single(Checkout),
  },
);

export const createCheckoutSession = op(
  "POST /workspaces/{workspace_id}/checkout-sessions",
  "Buy a plan for a Workspace",
  {
    description:
      "Needs billing:manage. Returns a page of the billing provider, initially with as many seats as " +
      "there are members. A Workspace has one open checkout: the same request again returns it, and a " +
      "different request ends it.",
    ...buying,
    body: object({ plan: PaidPlanName, return_path: ReturnPath }),
    example: { plan: "team", return_path: "/workspaces/analytical-engines/settings/billing" },
    errors: [...refusals, "subscription_exists"],
  },
);

/** Credits in one pack. */
export const CREDITS_OF_PACK = 1000;
export const topUpKnowledgeCredits = op(
  "POST /workspaces/{workspace_id}/billing/knowledge-credit-top-ups",
  "Buy knowledge credits",
  {
    description:
      "Needs billing:manage. Returns a page of the billing provider; the credits are added once, when " +
      "the payment is confirmed. Refused if credits have no effect: without a model, and on a plan whose " +
      "answers cost none.",
    ...buying,
    body: object({
      credits: Type.Integer({ minimum: CREDITS_OF_PACK, maximum: 1000 * CREDITS_OF_PACK, multipleOf: CREDITS_OF_PACK }),
      return_path: Type.Optional(ReturnPath),
    }),
    example: { credits: 5000, return_path: "/workspaces/analytical-engines/settings/billing" },
    errors: [...refusals, "credits_not_needed"],
  },
);
