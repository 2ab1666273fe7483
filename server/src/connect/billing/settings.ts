// Plans and credits for sale, the billing state of a Workspace, and the link to the provider's portal.
import { CREDITS_OF_PACK } from "@svc/contract/connect/billing/checkouts.ts";
import { paidPlans, plans } from "@svc/contract/connect/billing/plans.ts";
import * as contract from "@svc/contract/connect/billing/settings.ts";
import { managing } from "../../accounts/workspaces/rules.ts";
import { account, implement, implementWithEffects } from "../../platform/kernel/implement-operation.ts";
import { render } from "../../platform/kernel/view.ts";
import { refuse } from "../../platform/wire/problem.ts";
import { billing } from "./access.ts";
import { answered } from "./provider-call.ts";
import { entitlementsOf } from "./rules.ts";

export const listBillingPlans = implementWithEffects(contract.listBillingPlans, account(), async ({ outside }) => {
  const prices = outside.billing ? await answered(outside.billing.prices()) : new Map();
  const credits = outside.model && prices.get("credits");
  return {
    items: paidPlans.flatMap((key) => {
      const { interval = null, ...price } = prices.get(key) ?? {};
      return interval === null
        ? []
        : [{ key, name: plans[key].name, ...price, interval, entitlements: entitlementsOf(plans[key]) }];
    }),
    credits: credits ? { credits: CREDITS_OF_PACK, amount: credits.amount, currency: credits.currency } : null,
  };
});

export const getBillingSettings = implement(
  contract.getBillingSettings,
  billing("workspace:read"),
  async ({ member }, { target }) => render(target, managing(member.role, "billing:manage")),
);

export const createBillingPortalSession = implementWithEffects(
  contract.createBillingPortalSession,
  billing("billing:manage"),
  async ({ outside, finish }, { body, target }) => {
    const provider = outside.billing ?? refuse("billing_not_configured");
    const customer = target.customer_ref ?? refuse("nothing_bought");
    const portal = await answered(provider.openPortal(customer, outside.origin() + body.return_path));
    return finish(async () => portal);
  },
);
