// Client of Stripe as the billing provider. The library is loaded with the first request and never sees the key, which
// is sent only to the origin of STRIPE_URL. Every change has an idempotency key that is the same at each attempt, so
// that nothing is bought twice. Errors are reworded.
import type Stripe from "stripe";
import type { BillingConfig } from "../settings/billing-config.ts";
import type {
  Billing,
  BillingDelivery,
  CheckoutAtProvider,
  Egress,
  Price,
  SubscriptionAtProvider,
} from "./external-systems.ts";

/** rejected: Stripe refused the request; unavailable: anything else, possibly after the change was made. */
export type BillingFault = "rejected" | "unavailable";
export class BillingError extends Error {
  readonly fault: BillingFault;
  readonly status: number | undefined;
  constructor(fault: BillingFault, status?: number) {
    super(`the billing provider did not answer: ${fault}${status === undefined ? "" : ` (${status})`}`);
    this.name = "BillingError";
    this.fault = fault;
    this.status = status;
  }
}

/** Time limit of an answer; the whole request ends after ten seconds. */
const ANSWER_MS = 2_000;
const RETRIES = 2;
const MOST_BYTES = 4 * 1024 * 1024;
const PRICES_MS = 600_000;
/** Maximum age of a signed delivery in seconds. */
const TOLERANCE = 300;
/** A link to Stripe's portal can be opened for five minutes. */
const PORTAL_MS = 300_000;
const NEWEST = 24;

export function openStripe(config: BillingConfig, egress: Egress, answerMs = ANSWER_MS): Billing {
  let loading: Promise<Stripe> | undefined;
  let cached: { prices: Map<keyof BillingConfig["prices"], Price>; until: number } | undefined;
  const sold = Object.keys(config.prices) as Billing["sold"];
  const loaded = () => {
    loading ??= load(config, egress, answerMs).catch((error) => {
      loading = undefined;
      throw error;
    });
    return loading;
  };
  const ask = async <T>(work: (stripe: Stripe) => Promise<T>): Promise<T> => {
    const stripe = await loaded();
    try {
      return await work(stripe);
    } catch (error) {
      throw faultOf(error);
    }
  };
  const planOf = (price: string) =>
    (["team", "business"] as const).find((plan) => config.prices[plan] === price) ?? null;
  return {
    provider: "stripe",
    sold,
    async prices() {
      if (cached && cached.until > Date.now()) return cached.prices;
      const found = await ask((stripe) =>
        Promise.all(sold.map(async (ware) => [ware, await priceOf(stripe, config.prices[ware] as string)] as const)),
      );
      cached = { prices: new Map(found), until: Date.now() + PRICES_MS };
      return cached.prices;
    },
    beginCheckout: ({ id, item, quantity, customer, email, successUrl, cancelUrl }) =>
      ask(async (stripe) => {
        const isPlan = item !== "credits";
        const session = await stripe.checkout.sessions.create(
          {
            mode: isPlan ? "subscription" : "payment",
            line_items: [
              {
                price: config.prices[item] as string,
                quantity,
                ...(isPlan && { adjustable_quantity: { enabled: true, minimum: quantity, maximum: 100_000 } }),
              },
            ],
            client_reference_id: id,
            ...(customer === null ? { customer_email: email } : { customer }),
            success_url: successUrl,
            cancel_url: cancelUrl,
          },
          { idempotencyKey: `svc-checkout-${id}` },
        );
        if (session.url === null) throw new BillingError("rejected");
        return { ref: session.id, url: session.url, expires_at: timeOf(session.expires_at) };
      }),
    endCheckout: (ref) =>
      ask(async (stripe) => {
        try {
          await stripe.checkout.sessions.expire(ref, {}, { idempotencyKey: `svc-end-${ref}` });
          return "expired";
        } catch (error) {
          // Stripe refuses to expire a closed checkout: return how it ended.
          const { status } = await stripe.checkout.sessions.retrieve(ref);
          if (status === "open") throw error;
          return status === "expired" ? "expired" : "completed";
        }
      }),
    checkout: (ref) => ask(async (stripe) => checkoutOf(await stripe.checkout.sessions.retrieve(ref))),
    payment: (ref) =>
      ask(async (stripe) => {
        const { latest_charge } = await stripe.paymentIntents.retrieve(ref, { expand: ["latest_charge"] });
        if (!latest_charge || typeof latest_charge === "string") return { amount: 0, refunded: 0 };
        return { amount: latest_charge.amount, refunded: latest_charge.amount_refunded };
      }),
    subscription: (ref) => ask(async (stripe) => subscriptionOf(await stripe.subscriptions.retrieve(ref), planOf)),
    invoices: (subscription) =>
      ask(async (stripe) => {
        const { data } = await stripe.invoices.list({ subscription, limit: NEWEST });
        return data.map(({ id, amount_due, currency, status, hosted_invoice_url, created }) => ({
          ref: id as string,
          amount: amount_due,
          currency,
          state: known(invoiceStates, status) ?? "draft",
          url: hosted_invoice_url ?? null,
          issued_at: timeOf(created),
        }));
      }),
    openPortal: (customer, returnUrl) =>
      ask(async (stripe) => {
        const { url, created } = await stripe.billingPortal.sessions.create({ customer, return_url: returnUrl });
        return { url, expires_at: new Date(created * 1000 + PORTAL_MS).toISOString() };
      }),
    async delivery(body, { "stripe-signature": signature }) {
      if (typeof signature !== "string") return null;
      const stripe = await loaded();
      for (const secret of config.webhookSecrets)
        try {
          return deliveryOf(stripe.webhooks.constructEvent(body, signature, secret, TOLERANCE));
        } catch {
          // Signed with another secret, too old, or not from Stripe: try the next secret.
        }
      return null;
    },
  };
}

async function load({ url, key }: BillingConfig, egress: Egress, ms: number): Promise<Stripe> {
  const { default: Library } = await import("stripe");
  const { origin, hostname, port, protocol } = new URL(url);
  const credential = { origin, headers: { authorization: `Bearer ${key}` } };
  const way: typeof fetch = async (address, init = {}) => {
    const headers = Object.fromEntries(new Headers(init.headers));
    delete headers.authorization;
    const limits = { method: init.method as "GET" | "POST", headers, bytes: MOST_BYTES, ms, credential };
    const answer = await egress.stream(String(address), {
      ...limits,
      ...(typeof init.body === "string" && { body: Buffer.from(init.body) }),
    });
    const pieces: Buffer[] = [];
    for await (const piece of answer.body) pieces.push(piece);
    return new Response(Buffer.concat(pieces), { status: answer.status, headers: answer.headers });
  };
  return new Library("set_by_the_way_out", {
    host: hostname,
    port: port || (protocol === "https:" ? "443" : "80"),
    protocol: protocol === "https:" ? "https" : "http",
    httpClient: Library.createFetchHttpClient(way),
    maxNetworkRetries: RETRIES,
    timeout: ms,
    telemetry: false,
  });
}

const invoiceStates = ["draft", "open", "paid", "void", "uncollectible"] as const;
const intervals = ["day", "week", "month", "year"] as const;
/** Returns null for unknown words, because Stripe may add some at any time. */
const known = <const T extends string>(words: readonly T[], word: string | null | undefined): T | null =>
  words.find((each) => each === word) ?? null;
const timeOf = (seconds: number) => new Date(seconds * 1000).toISOString();
const idOf = (value: string | { id: string } | null | undefined) =>
  typeof value === "string" ? value : (value?.id ?? null);

async function priceOf(stripe: Stripe, id: string): Promise<Price> {
  const { unit_amount, currency, recurring } = await stripe.prices.retrieve(id);
  // A tiered price has no single amount: the provider's page shows it.
  return { amount: unit_amount ?? 0, currency, interval: known(intervals, recurring?.interval) };
}

/** A complete but unpaid checkout counts as open: some payment methods take days. */
function checkoutOf(session: Stripe.Checkout.Session): CheckoutAtProvider {
  const { status, payment_status, customer, subscription, payment_intent } = session;
  const state =
    status === "expired" ? "expired" : status === "complete" && payment_status !== "unpaid" ? "completed" : "open";
  return { state, customer: idOf(customer), subscription: idOf(subscription), payment: idOf(payment_intent) };
}

function subscriptionOf(
  { status, items, customer, cancellation_details }: Stripe.Subscription,
  planOf: (price: string) => SubscriptionAtProvider["plan"],
): SubscriptionAtProvider {
  const [item] = items.data;
  const gaveUp = cancellation_details?.reason === "payment_failed";
  const standing =
    status === "active" || status === "trialing"
      ? "paid"
      : status === "past_due"
        ? "past_due"
        : status === "unpaid" || status === "paused" || (status === "canceled" && gaveUp)
          ? "unpaid"
          : "cancelled";
  return {
    standing,
    plan: item ? planOf(item.price.id) : null,
    seats: Math.max(1, item?.quantity ?? 1),
    customer: idOf(customer) as string,
  };
}

/** Older API versions name the subscription of an invoice in another member. */
type Told = {
  object?: string;
  id?: string;
  subscription?: string | { id: string } | null;
  parent?: Stripe.Invoice.Parent | null;
  payment_intent?: string | { id: string } | null;
};
/** A payment was refunded, or its refund failed. */
const REFUNDS = /^(?:charge\.refunded|charge\.refund\.updated|refund\.\w+)$/;
function deliveryOf({ id, type, data }: Stripe.Event): BillingDelivery {
  const told = data.object as Told;
  const ofInvoice = idOf(told.parent?.subscription_details?.subscription ?? told.subscription);
  const refunded = REFUNDS.test(type) ? idOf(told.payment_intent) : null;
  const subject =
    refunded !== null
      ? ({ kind: "payment", ref: refunded } as const)
      : type.startsWith("checkout.session.") && told.id
        ? ({ kind: "checkout", ref: told.id } as const)
        : type.startsWith("customer.subscription.") && told.id
          ? ({ kind: "subscription", ref: told.id } as const)
          : type.startsWith("invoice.") && ofInvoice !== null
            ? ({ kind: "subscription", ref: ofInvoice } as const)
            : null;
  return { event: id, kind: type, subject };
}

/** Replaces the library's errors, which contain the request. Any other error is a bug of ours and passes unchanged. */
function faultOf(error: unknown): unknown {
  const { type, statusCode } = error as { type?: string; statusCode?: number };
  if (!type?.startsWith("Stripe")) return error;
  const isRejected = statusCode !== undefined && statusCode >= 400 && statusCode < 500;
  return new BillingError(
    isRejected && statusCode !== 409 && statusCode !== 429 ? "rejected" : "unavailable",
    statusCode,
  );
}
