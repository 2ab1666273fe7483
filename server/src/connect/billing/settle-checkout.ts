// Settles a checkout: reads its state and its subscription from the provider and applies them in one transaction.
// Idempotent for any number of processes in any order: a purchase is granted once, and an older answer never replaces a
// newer one. Open checkouts of an archived Workspace are ended.

import { createBought } from "../../accounts/workspaces/change.ts";
import { addCredits, refundCredits } from "../../knowledge/retrieval/credit-store.ts";
import { TENANT } from "../../platform/background/jobs.ts";
import type { Connection, Pool } from "../../platform/database/db.ts";
import type { Fact } from "../../platform/kernel/events.ts";
import { writeEvents } from "../../platform/kernel/ledger.ts";
import type {
  Billing,
  InvoiceAtProvider,
  PaymentAtProvider,
  SubscriptionAtProvider,
} from "../../platform/outside/external-systems.ts";
import { newId } from "../../platform/wire/ids.ts";
import { billingChanged } from "./events.ts";
import { creditsRefunded, planAfter } from "./rules.ts";
import * as store from "./store.ts";

interface Told {
  /** Sequence number of the query. */
  asked: string;
  state: "open" | "completed" | "expired";
  customer: string | null;
  subscriptionRef: string | null;
  paymentRef: string | null;
  /** Payment of credits that are already granted. */
  payment: PaymentAtProvider | null;
  subscription: SubscriptionAtProvider | null;
  invoices: readonly InvoiceAtProvider[];
}

export async function settleCheckout(writer: Pool, billing: Billing, id: string): Promise<void> {
  const row = await writer.use((tx) => store.askAbout(tx, id, billing.provider));
  if (!row || row.checkout_ref === null || row.state === "expired") return;
  const isHere = row.kind === "credits" && row.state === "completed";
  const isAsked = row.state === "open" || (isHere && row.payment_ref === null);
  const session = isAsked ? await billing.checkout(row.checkout_ref) : null;
  const paymentRef = row.payment_ref ?? session?.payment ?? null;
  const payment = isHere && paymentRef !== null ? await billing.payment(paymentRef) : null;
  const state = session?.state ?? row.state;
  const subscriptionRef = row.subscription_ref ?? session?.subscription ?? null;
  const [subscription, invoices] =
    state === "completed" && subscriptionRef !== null
      ? await Promise.all([billing.subscription(subscriptionRef), billing.invoices(subscriptionRef)])
      : [null, []];
  const told = {
    asked: row.asked,
    state,
    customer: session?.customer ?? null,
    subscriptionRef,
    paymentRef,
    payment,
    subscription,
    invoices,
  };
  await writer.use((tx) => keep(tx, id, told));
}

/** Ends the open checkouts of an archived Workspace at the provider, and settles those that were paid before. */
export async function endCheckouts(writer: Pool, billing: Billing, workspaceId: string): Promise<void> {
  for (const { id, checkout_ref: ref } of await writer.use((tx) => store.openIn(tx, workspaceId, billing.provider))) {
    const end = ref === null ? "expired" : await billing.endCheckout(ref);
    await writer.use((tx) => store.endCheckout(tx, id, end));
  }
}

async function keep(tx: Connection, id: string, told: Told): Promise<void> {
  const [, held] = await Promise.all([tx.begin(), store.holdCheckout(tx, id)]);
  if (BigInt(held.told) < BigInt(told.asked)) {
    const isPaidNow = held.state === "open" && told.state === "completed";
    const row: store.CheckoutRow = {
      ...held,
      state: held.state === "open" ? told.state : held.state,
      asked: told.asked,
      customer_ref: told.customer,
      subscription_ref: told.subscriptionRef,
      payment_ref: told.paymentRef,
    };
    const created = isPaidNow && row.kind === "workspace" ? await createBought(tx, boughtWith(row)) : null;
    row.workspace_id = created?.id ?? row.workspace_id;
    if (row.workspace_id !== null) {
      await tx.rows(TENANT, [row.workspace_id]);
      const facts = created ? [created.fact] : [];
      if (await changed(tx, row, told, isPaidNow))
        facts.push(billingChanged({ kind: "workspace", id: row.workspace_id }));
      if (facts.length > 0) await tell(tx, row, created?.actorId ?? null, facts);
    }
    await store.toldOf(tx, row);
    // Settles again: deliveries about the subscription that came before it was known here are read after this.
    if (isPaidNow && row.subscription_ref !== null) await store.settleAgain(tx, id);
  }
  await tx.commit();
}

const boughtWith = ({ user_id: userId, name, slug, plan }: store.CheckoutRow) => ({
  userId,
  slug,
  name: name as string,
  plan: plan as "team" | "business",
});

/** Whether members can see a change. An old subscription changes nothing in a Workspace that has a newer one. */
async function changed(
  tx: Connection,
  row: store.CheckoutRow,
  { subscription, invoices, payment }: Told,
  isPaidNow: boolean,
): Promise<boolean> {
  if (row.kind === "credits") {
    if (isPaidNow) return addCredits(tx, row.id, row.credits as number);
    return payment !== null && refunded(tx, row, payment);
  }
  if (subscription === null) return false;
  const before = await store.standingBefore(tx);
  if (before.checkout_id !== null && before.checkout_id > row.id) return false;
  const plan = planAfter(subscription.plan, row.plan, before.plan);
  await store.keepStanding(tx, row, { ...subscription, plan }, invoices);
  const { standing, seats } = subscription;
  return (
    before.standing !== standing || before.seats !== seats || before.plan !== plan || before.checkout_id !== row.id
  );
}

/** Seconds within which reserved credits are used or released. */
const RESERVED = 60;
async function refunded(
  tx: Connection,
  { id, credits }: store.CheckoutRow,
  payment: PaymentAtProvider,
): Promise<boolean> {
  const outcome = await refundCredits(tx, id, creditsRefunded(credits as number, payment));
  if (outcome === "reserved") await store.settleAgain(tx, id, RESERVED);
  return outcome === "changed";
}

const tell = (
  tx: Connection,
  { user_id: userId, workspace_id }: store.CheckoutRow,
  actorId: string | null,
  facts: Fact[],
) =>
  writeEvents(
    tx,
    { commandId: newId(), author: { userId: actorId === null ? null : userId, credentialKind: null } },
    workspace_id as string,
    actorId,
    facts,
  );
