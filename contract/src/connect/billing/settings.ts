// Billing settings: purchasable plans, the Workspace's subscription, and the link to the provider's billing portal.
import Type from "typebox";
import { op, S } from "../../kit.ts";
import { Id, nullable, object, single, Timestamp } from "../../types.ts";
import { ReturnPath } from "./checkouts.ts";
import { Entitlements, planKeys } from "./plans.ts";

const PlanName = Type.Enum(planKeys);
const Amount = Type.Integer({ description: "Amount in the smallest unit of the currency: cents.", examples: [800] });
const Currency = Type.String({ description: "ISO 4217 code, in lowercase.", examples: ["eur"] });

export const BillingPlan = object({
  key: PlanName,
  name: Type.String(),
  amount: {
    ...Amount,
    description: "Price of one seat for one interval, in the smallest unit of the currency: cents.",
  },
  currency: Currency,
  interval: Type.Enum(["day", "week", "month", "year"]),
  entitlements: Entitlements,
});

export const listBillingPlans = op("GET /me/billing-plans", "List the plans for sale", {
  description:
    "Returns the prices of the billing provider, at most ten minutes old. Without a provider there are " +
    "no plans, and everything is included.",
  auth: [S],
  returns: object({
    items: Type.Array(BillingPlan),
    credits: {
      ...nullable(
        object({
          credits: Type.Integer({ description: "Number of credits for one amount." }),
          amount: Amount,
          currency: Currency,
        }),
      ),
      description: "Price of knowledge credits; null: they are not sold, or no model is configured that uses them.",
    },
  }),
  errors: ["billing_unavailable"],
});

export const Invoice = object({
  ref: Type.String({ description: "Reference at the provider.", examples: ["in_1"] }),
  amount: Amount,
  currency: Currency,
  state: Type.Enum(["draft", "open", "paid", "void", "uncollectible"]),
  url: { ...nullable(Type.String()), description: "Page of the invoice at the provider." },
  issued_at: Timestamp,
});

export const BillingSettings = object({
  workspace_id: Id,
  provider: Type.Enum(["none", "stripe"], { description: "none: nothing is sold here, and everything is included." }),
  plan: { ...PlanName, description: "Last plan that was bought; state indicates whether it still applies." },
  state: Type.Enum(["active", "past_due", "grace", "ended"], {
    description:
      "past_due: a payment failed, and the provider tries again. grace: the provider has given up, or " +
      "two weeks are over. ended: the limits of Free apply. Nothing is deleted.",
  }),
  seats: object({
    used: Type.Integer({ description: "Number of active members." }),
    limit: { ...nullable(Type.Integer()), description: "null: any number." },
  }),
  subscription_ref: {
    ...nullable(Type.String()),
    description: "Reference of the subscription, visible to those who manage billing.",
  },
  invoices: Type.Array(Invoice, { description: "Newest 24 invoices, visible to those who manage billing." }),
  credits: { ...nullable(Type.Integer()), description: "Remaining knowledge credits; null: they are not counted." },
  entitlements: Entitlements,
});

export const getBillingSettings = op(
  "GET /workspaces/{workspace_id}/billing-settings",
  "Read the plan and billing settings",
  {
    description: "Every member can read it. The provider's references and the invoices need billing:manage.",
    auth: [S],
    returns: single(BillingSettings),
  },
);

export const createBillingPortalSession = op(
  "POST /workspaces/{workspace_id}/billing-portal-sessions",
  "Open the billing provider's portal",
  {
    description:
      "Needs billing:manage. Returns the billing provider's own page: seats, plan, cards, invoices, " +
      "cancellation. Owners can also open it for an archived Workspace.",
    auth: [S],
    status: 201,
    creates: null,
    secret: true,
    quiet: "The operation only returns an address.",
    body: object({ return_path: ReturnPath }),
    example: { return_path: "/workspaces/analytical-engines/settings/billing" },
    returns: object({
      url: Type.String(),
      expires_at: { ...Timestamp, description: "Time until which the page can be opened." },
    }),
    errors: ["billing_not_configured", "billing_unavailable", "nothing_bought"],
  },
);
