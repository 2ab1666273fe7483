// What a plan entitles to, as it is told, and which of two checkouts are the same. Pure.
import { type PaidPlan, type Plan, type PlanKey, planFeatures, planKeys } from "@svc/contract/connect/billing/plans.ts";
import type { PaymentAtProvider } from "../../platform/outside/outside.ts";

export const entitlementsOf = ({ members, storage, agents, features }: Plan) => ({
  ...{ members, storage, agents },
  ...(Object.fromEntries(planFeatures.map((each) => [each, features.includes(each)])) as Record<
    (typeof planFeatures)[number],
    boolean
  >),
});

/** What somebody wants to be led to pay for. */
export interface Wanted {
  kind: "workspace" | "plan" | "credits";
  workspaceId: string | null;
  plan: "team" | "business" | null;
  credits: number | null;
  name: string | null;
  slug: string | null;
  returnPath: string;
}
/** An open one answers to the same wish, and to no other. */
export const isSame = (
  open: { plan: string | null; name: string | null; slug: string | null; return_path: string; stale: boolean },
  { plan, name, slug, returnPath }: Wanted,
) => !open.stale && open.plan === plan && open.name === name && open.slug === slug && open.return_path === returnPath;

/** A price that is not ours, or not any more, never lowers a plan: the higher of the plan that was bought and the present one stays. */
export function planAfter(sold: PaidPlan | null, bought: PaidPlan | null, present: string): string {
  if (sold !== null) return sold;
  const rank = (key: string | null) => planKeys.indexOf(key as PlanKey);
  return bought !== null && rank(bought) > rank(present) ? bought : present;
}

/** Of so many credits, those whose price was given back: all with all of it, and of a part the whole ones. */
export const creditsRefunded = (credits: number, { amount, refunded }: PaymentAtProvider): number =>
  amount <= 0 ? 0 : Number((BigInt(credits) * BigInt(Math.min(refunded, amount))) / BigInt(amount));
