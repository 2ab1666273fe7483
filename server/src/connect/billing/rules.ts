// Entitlements of a plan, comparison of checkouts, and refunded credits. Pure.
import { type PaidPlan, type Plan, type PlanKey, planFeatures, planKeys } from "@svc/contract/connect/billing/plans.ts";
import type { PaymentAtProvider } from "../../platform/outside/external-systems.ts";

export const entitlementsOf = ({ members, storage, agents, features }: Plan) => ({
  members,
  storage,
  agents,
  ...(Object.fromEntries(planFeatures.map((each) => [each, features.includes(each)])) as Record<
    (typeof planFeatures)[number],
    boolean
  >),
});

/** Purchase that a checkout is requested for. */
export interface WantedPurchase {
  kind: "workspace" | "plan" | "credits";
  workspaceId: string | null;
  plan: "team" | "business" | null;
  credits: number | null;
  name: string | null;
  slug: string | null;
  returnPath: string;
}
/** Whether an open checkout fits the request exactly and can be reused. */
export const isSame = (
  open: { plan: string | null; name: string | null; slug: string | null; return_path: string; stale: boolean },
  { plan, name, slug, returnPath }: WantedPurchase,
) => !open.stale && open.plan === plan && open.name === name && open.slug === slug && open.return_path === returnPath;

/** A price that is unknown or retired never lowers a plan: the higher of the bought plan and the present one stays. */
export function planAfter(sold: PaidPlan | null, bought: PaidPlan | null, present: string): string {
  if (sold !== null) return sold;
  const rank = (key: string | null) => planKeys.indexOf(key as PlanKey);
  return bought !== null && rank(bought) > rank(present) ? bought : present;
}

/** Credits to take back for a refund: all for a full refund, rounded down for a partial one. */
export const creditsRefunded = (credits: number, { amount, refunded }: PaymentAtProvider): number =>
  amount <= 0 ? 0 : Number((BigInt(credits) * BigInt(Math.min(refunded, amount))) / BigInt(amount));
