// Checkouts. A checkout is stored before the provider is called, under an id that the provider gets as well: a retry
// after any failure leads to the same page. An account and a Workspace have at most one open checkout each, so that
// nobody pays twice; a different request first ends the open one at the provider.
import * as contract from "@svc/contract/connect/billing/checkouts.ts";
import { lockAccount } from "../../accounts/account/store.ts";
import { isReservedSlug } from "../../accounts/workspaces/rules.ts";
import {
  account,
  type EffectsContext,
  type EffectsTransaction,
  implement,
  implementWithEffects,
} from "../../platform/kernel/implement-operation.ts";
import { render } from "../../platform/kernel/view.ts";
import type { Billing } from "../../platform/outside/external-systems.ts";
import { refuse, refuseAt } from "../../platform/wire/problem.ts";
import { buying, ownCheckout } from "./access.ts";
import { answered } from "./provider-call.ts";
import { isSame, type WantedPurchase } from "./rules.ts";
import * as store from "./store.ts";

const NOTHING = { plan: null, credits: null, name: null, slug: null };

export const createWorkspaceCheckout = implementWithEffects(
  contract.createWorkspaceCheckout,
  account(),
  (context, { body: { plan, name, slug = null, return_path: returnPath } }) => {
    if (slug !== null && isReservedSlug(slug)) refuseSlug();
    return lead(context, { ...NOTHING, kind: "workspace", workspaceId: null, plan, name, slug, returnPath });
  },
);

export const getWorkspaceCheckout = implement(
  contract.getWorkspaceCheckout,
  ownCheckout(),
  async (_context, { target }) => render(target, []),
);

export const createCheckoutSession = implementWithEffects(
  contract.createCheckoutSession,
  buying,
  (context, { params, body: { plan, return_path: returnPath } }) =>
    lead(context, { ...NOTHING, kind: "plan", workspaceId: params.workspace_id, plan, returnPath }),
);

export const topUpKnowledgeCredits = implementWithEffects(
  contract.topUpKnowledgeCredits,
  buying,
  (context, { params, body: { credits, return_path }, target }) => {
    if (context.outside.billing && !(context.outside.model && target.uses_credits)) refuse("credits_not_needed");
    // The application's page of plans and credits.
    const returnPath = return_path ?? `/workspaces/${target.slug}/settings/billing`;
    return lead(context, { ...NOTHING, kind: "credits", workspaceId: params.workspace_id, credits, returnPath });
  },
);

async function lead(context: EffectsContext, wanted: WantedPurchase) {
  const { outside, transaction, finish } = context;
  const provider = outside.billing ?? refuse("billing_not_configured");
  const item = wanted.plan ?? "credits";
  if (!provider.sold.includes(item))
    refuseAt(`/body/${wanted.plan ? "plan" : "credits"}`, "invalid_reference", "must be something that is sold here");
  const reserving = () => transaction((inside) => reserve(inside, wanted, provider));
  let checkout = await reserving();
  if (!isSame(checkout, wanted)) {
    await endCheckout(context, provider, checkout);
    checkout = await reserving();
  }
  if (!isSame(checkout, wanted)) return refuse("checkout_settling");
  const { id, json, url, checkout_ref, customer_ref: customer, email } = checkout;
  if (url !== null && checkout_ref !== null) return finish(async () => render({ json }, []));
  const back = outside.origin() + wanted.returnPath;
  const made = await answered(
    provider.beginCheckout({
      id,
      item,
      customer,
      email,
      successUrl: `${back}?checkout=${id}`,
      cancelUrl: back,
      quantity: checkout.seats ?? (wanted.credits as number) / contract.CREDITS_OF_PACK,
    }),
  );
  return finish(async ({ tx }) => render((await store.opened(tx, id, made)) ?? refuse("checkout_settling"), []));
}

/** Serialises requests for the same account or Workspace by a lock. */
async function reserve({ tx, principal }: EffectsTransaction, wanted: WantedPurchase, { provider }: Billing) {
  const isNew = wanted.kind === "workspace";
  const [isHeld, refused, checkout] = await Promise.all([
    isNew ? lockAccount(tx, principal.userId) : store.holdUnarchived(tx),
    isNew ? store.isTaken(tx, wanted.slug) : wanted.kind === "plan" && store.isPaidFor(tx),
    store.reserve(tx, wanted, provider),
  ]);
  if (isHeld === false) refuse("not_found");
  if (refused) return isNew ? refuseSlug() : refuse("subscription_exists");
  return checkout;
}

/** Ends a checkout at the provider so that nobody can pay it any more; one that was already paid is settled. */
async function endCheckout(
  { transaction }: EffectsContext,
  provider: Billing,
  { id, checkout_ref: ref }: store.OpenCheckout,
) {
  const end = ref === null ? "expired" : await answered(provider.endCheckout(ref));
  await transaction(({ tx }) => store.endCheckout(tx, id, end));
  if (end === "completed") refuse("checkout_settling");
}

function refuseSlug(): never {
  return refuseAt("/body/slug", "slug_taken", "is taken or reserved");
}
