// Billing settings: purchasable plans, the Workspace's subscription, and the link to the provider's billing portal.
import Type from "typebox";
import { op, S } from "../../kit.ts";
import { Id, nullable, object, single, Timestamp } from "../../types.ts";
import { ReturnPath } from "./checkouts.ts";
import { Entitlements, planKeys } from "./plans.ts";

const PlanName = Type.Enum(planKeys);
const Amount = Type.Integer({ description: "In the smallest unit of the currency: cents.", examples: [800] });
const Currency = Type.String({ description: "ISO 4217, in lowercase.", examples: ["eur"] });

export const BillingPlan = object({
  key: PlanName,
  name: Type.String(),
  amount: { ...Amount, description: "Of one seat for one interval, in the smallest unit of the currency: cents." },
  currency: Currency,
  interval: Type.Enum(["day", "week", "month", "year"]),
  entitlements: Entitlements,
});

export const listBillingPlans = op("GET /me/billing-plans", "List what can be bought", {
  description:
    "With prices as the billing provider has them, at most ten minutes old. Without a provider there are none, " +
    "and everything is included.",
  auth: [S],
  returns: object({
    items: Type.Array(BillingPlan),
    credits: {
      ...nullable(
        object({
          credits: Type.Integer({ description: "So many for one amount." }),
          amount: Amount,
          currency: Currency,
        }),
      ),
      description: "What knowledge credits cost; null: they are not sold, or no model is configured that uses them.",
    },
  }),
  errors: ["billing_unavailable"],
});

export const Invoice = object({
  ref: Type.String({ description: "As the provider calls it.", examples: ["in_1"] }),
  amount: Amount,
  currency: Currency,
  state: Type.Enum(["draft", "open", "paid", "void", "uncollectible"]),
  url: { ...nullable(Type.String()), description: "The provider's own page of it." },
  issued_at: Timestamp,
});

export const BillingSettings = object({
  workspace_id: Id,
  provider: Type.Enum(["none", "stripe"], { description: "none: nothing is sold here, and everything is included." }),
  plan: { ...PlanName, description: "What was bought last; state says whether it still counts." },
  state: Type.Enum(["active", "past_due", "grace", "ended"], {
    description:
      "past_due: a payment failed, and the provider tries again. grace: it has given up, or two weeks are over. " +
      "ended: the limits of Free count. Nothing is deleted.",
  }),
  seats: object({
    used: Type.Integer({ description: "Active members." }),
    limit: { ...nullable(Type.Integer()), description: "null: any number." },
  }),
  subscription_ref: { ...nullable(Type.String()), description: "For those who manage billing." },
  invoices: Type.Array(Invoice, { description: "The newest 24, for those who manage billing." }),
  credits: { ...nullable(Type.Integer()), description: "Knowledge credits that are left; null: they are not counted." },
  entitlements: Entitlements,
});

export const getBillingSettings = op("GET /workspaces/{workspace_id}/billing-settings", "Read who pays, and for what", {
  description: "For every member. What the provider calls it, and its invoices, need billing:manage.",
  auth: [S],
  returns: single(BillingSettings),
});

export const createBillingPortalSession = op(
  "POST /workspaces/{workspace_id}/billing-portal-sessions",
  "Change or cancel what was bought",
  {
    description:
      "Needs billing:manage. Leads to the billing provider's own page: seats, plan, cards, invoices, " +
      "cancellation. Of an archived Workspace too, for its owners.",
    auth: [S],
    status: 201,
    creates: null,
    secret: true,
    quiet: "it only leads elsewhere",
    body: object({ return_path: ReturnPath }),
    example: { return_path: "/workspaces/analytical-engines/settings/billing" },
    returns: object({ url: Type.String(), expires_at: { ...Timestamp, description: "Open it before." } }),
    errors: ["billing_not_configured", "billing_unavailable", "nothing_bought"],
  },
);
