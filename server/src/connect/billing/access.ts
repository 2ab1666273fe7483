// Members read the billing settings of a Workspace; those with billing:manage buy and manage. Owners of an archived
// Workspace still manage its subscription, so that nobody pays for what they cannot reach, but cannot buy. A checkout
// is visible only to the account that began it.

import { Checkout } from "@svc/contract/connect/billing/checkouts.ts";
import * as contract from "@svc/contract/connect/billing/settings.ts";
import { callerManages, ownWorkspaces } from "../../accounts/workspaces/access.ts";
import { may, type WorkspaceCapability } from "../../accounts/workspaces/rules.ts";
import { view } from "../../platform/database/view.ts";
import type { Access } from "../../platform/kernel/implement-operation.ts";

export interface BillingTarget {
  json: string;
  slug: string;
  /** Whether the plan includes model answers, which cost credits. */
  uses_credits: boolean;
  /** Customer id of the Workspace at the provider. */
  customer_ref: string | null;
}
const feature = (name: string) => `'${name}', entitled(w.id, '${name}')`;
const SHOWN = view(contract.BillingSettings, "w", {
  workspace_id: "w.id",
  provider: "coalesce((select min(p.sold_by) from billing_plans p), 'none')",
  state: "coalesce(billing_state(a.standing, a.standing_since), 'active')",
  seats: "json_build_object('used', plan_use(w.id, 'members'), 'limit', plan_limit(w.id, 'members'))",
  subscription_ref: `case when ${callerManages} then a.subscription_ref end`,
  invoices: `coalesce((select json_agg((${view(contract.Invoice, "i")})::json order by i.issued_at desc) from (
    select * from billing_invoices i where i.workspace_id = w.id and ${callerManages} order by i.issued_at desc
    limit 24) i), '[]')`,
  credits: "case when not entitled(w.id, 'unlimited_knowledge_credits') then coalesce(k.balance, 0) end",
  entitlements: `json_build_object('members', plan_limit(w.id, 'members'), 'storage', plan_limit(w.id, 'storage'),
    'agents', plan_limit(w.id, 'agents'),
    ${["workspace_knowledge", "discuss", "unlimited_knowledge_credits"].map(feature).join(", ")})`,
});
const READ = `
select ${SHOWN} as json, w.slug, a.customer_ref, entitled(w.id, 'workspace_knowledge')
  and not entitled(w.id, 'unlimited_knowledge_credits') as uses_credits from ${ownWorkspaces}
left join billing_accounts a on a.workspace_id = w.id left join knowledge_credits k on k.workspace_id = w.id
where w.id = current_workspace()`;

export const billing = (capability: WorkspaceCapability): Access<BillingTarget> => ({
  reach: "own",
  load: (tx) => tx.maybe<BillingTarget>(READ),
  permits: ({ member }) => may(member.role, capability),
});
const READ_OPEN = `${READ} and w.archived_at is null`;
/** An archived Workspace cannot be paid for: buyers do not find it. */
export const buying: Access<BillingTarget> = {
  ...billing("billing:manage"),
  load: (tx) => tx.maybe<BillingTarget>(READ_OPEN),
};

export const checkoutView = view(Checkout, "c", { url: "case when c.state = 'open' then c.url end" });
const CHECKOUT = `select ${checkoutView} as json from billing_checkouts c
  where c.id = $1 and c.user_id = current_account()`;
export const ownCheckout = (): Access<{ json: string }> => ({
  reach: "account",
  load: (tx, params) => tx.maybe<{ json: string }>(CHECKOUT, [params.checkout_id]),
  permits: () => true,
});
