// A stand-in for Stripe's API (stripe 23.1.0): the few requests that the service makes, answered in the shapes that the
// package's types publish, with Stripe's idempotency, and everything that goes wrong with a network. It remembers what
// it was asked. Somebody pays at it with `pay`, and it signs events as Stripe does.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import Stripe from "stripe";
import type { BillingConfig } from "../src/platform/settings/billing-config.ts";

type SessionField = "id" | "object" | "mode" | "status" | "payment_status" | "url" | "created" | "expires_at";
type Session = Pick<
  Stripe.Checkout.Session,
  SessionField | "customer" | "subscription" | "client_reference_id" | "livemode"
> & { payment_intent: string | null };
type Payment = Pick<Stripe.PaymentIntent, "id" | "object"> & {
  latest_charge: Pick<Stripe.Charge, "id" | "object" | "amount" | "amount_refunded">;
};
type Subscription = Pick<
  Stripe.Subscription,
  "id" | "object" | "status" | "customer" | "created" | "cancellation_details"
> & {
  items: { object: "list"; data: { id: string; price: { id: string }; quantity: number }[]; has_more: boolean };
};
type InvoiceField = "id" | "object" | "amount_due" | "currency" | "status" | "hosted_invoice_url" | "created";
type Invoice = Pick<Stripe.Invoice, InvoiceField> & { of: string };

/**
 * reset: the connection ends before anything is done; after: it is done, and the answer is lost; silence: nothing is
 * said. A number is a status.
 */
export type StripeFault = "reset" | "after" | "silence" | number;

const prices = { team: "price_team", business: "price_business", credits: "price_credits" };
const amounts: Record<string, number> = { price_team: 800, price_business: 1500, price_credits: 900 };
const now = () => Math.floor(Date.now() / 1000);

export async function stripeStandIn() {
  const sessions = new Map<string, Session & { price: string; quantity: number }>();
  const subscriptions = new Map<string, Subscription>();
  const invoices: Invoice[] = [];
  const payments = new Map<string, Payment>();
  const kept = new Map<string, { request: string; status: number; body: unknown }>();
  const asked: { route: string; key: string | undefined; form: URLSearchParams }[] = [];
  const faults: StripeFault[] = [];
  let count = 0;
  const named = (kind: string) => `${kind}_test_${++count}`;

  const routes: Record<string, (form: URLSearchParams, id: string, query: URLSearchParams) => unknown> = {
    "POST /v1/checkout/sessions": (form) => {
      const id = named("cs");
      const session = {
        id,
        object: "checkout.session" as const,
        mode: form.get("mode") as Session["mode"],
        livemode: false,
        status: "open" as const,
        payment_status: "unpaid" as const,
        url: `https://checkout.example.com/c/${id}`,
        created: now(),
        expires_at: now() + 24 * 60 * 60,
        customer: form.get("customer"),
        subscription: null,
        payment_intent: null,
        client_reference_id: form.get("client_reference_id"),
        price: form.get("line_items[0][price]") ?? "",
        quantity: Number(form.get("line_items[0][quantity]")),
      };
      sessions.set(id, session);
      return session;
    },
    "GET /v1/checkout/sessions/:id": (_form, id) => sessions.get(id),
    "POST /v1/checkout/sessions/:id/expire": (_form, id) => {
      const session = sessions.get(id);
      if (session?.status !== "open") return undefined;
      return Object.assign(session, { status: "expired", url: null });
    },
    "GET /v1/payment_intents/:id": (_form, id) => payments.get(id),
    "GET /v1/subscriptions/:id": (_form, id) => subscriptions.get(id),
    "GET /v1/invoices": (_form, _id, query) => ({
      object: "list",
      url: "/v1/invoices",
      has_more: false,
      data: invoices.filter(({ of }) => of === query.get("subscription")).toReversed(),
    }),
    "POST /v1/billing_portal/sessions": (form) => ({
      id: named("bps"),
      object: "billing_portal.session",
      created: now(),
      livemode: false,
      customer: form.get("customer"),
      return_url: form.get("return_url"),
      url: "https://billing.example.com/p/1",
    }),
    "GET /v1/prices/:id": (_form, id) =>
      amounts[id] && {
        id,
        object: "price",
        currency: "eur",
        unit_amount: amounts[id],
        active: true,
        recurring: id === prices.credits ? null : { interval: "month", interval_count: 1 },
      },
  };

  function reply(request: IncomingMessage, text: string): { status: number; body: unknown } {
    const { pathname, searchParams } = new URL(request.url ?? "", "http://stripe");
    if (request.headers.authorization !== "Bearer canary-stripe-key") return failed(401, "invalid_request_error");
    const id = /\/((?:cs|sub|pi)_test_\d+|price_\w+)/.exec(pathname)?.[1] ?? "";
    const route = `${request.method} ${id ? pathname.replace(id, ":id") : pathname}`;
    const key = request.headers["idempotency-key"] as string | undefined;
    asked.push({ route, key, form: new URLSearchParams(text) });
    const before = key === undefined ? undefined : kept.get(key);
    if (before) return before.request === `${route} ${text}` ? before : failed(400, "idempotency_error");
    const body = routes[route]?.(new URLSearchParams(text), id, searchParams);
    const answer = body ? { status: 200, body } : failed(route.startsWith("GET") ? 404 : 400, "invalid_request_error");
    // As it stands now: what is changed later is not what was answered then.
    if (key !== undefined) kept.set(key, { request: `${route} ${text}`, ...structuredClone(answer) });
    return answer;
  }
  const failed = (status: number, type: string) => ({
    status,
    body: { error: { type, message: "as the stand-in says" } },
  });

  const server = createServer(async (request, response) => {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece as Buffer);
    const fault = faults.shift();
    if (fault === "silence") return;
    if (fault === "reset") return void request.socket.destroy();
    if (typeof fault === "number") return send(response, failed(fault, "api_error"));
    const answer = reply(request, Buffer.concat(pieces).toString());
    if (fault === "after") return void request.socket.destroy();
    send(response, answer);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const billing: BillingConfig = {
    provider: "stripe",
    url: origin,
    key: "canary-stripe-key",
    prices,
    webhookSecrets: ["whsec_new", "whsec_old"],
  };
  const library = new Stripe("sk_test_unused");

  /** The newest checkout that was begun with this id of ours. */
  const sessionOf = (checkoutId: string) =>
    [...sessions.values()].findLast((each) => each.client_reference_id === checkoutId) as Session & {
      price: string;
      quantity: number;
    };
  return {
    billing,
    /** For the configuration of a service that uses it. */
    config: { billing, egressAllow: [origin] },
    asked,
    faults,
    sessions,
    sessionOf,
    /** Somebody pays; seats may be others than those it began with. */
    pay(checkoutId: string, seats?: number) {
      const session = sessionOf(checkoutId);
      const customer = (session.customer as string | null) ?? named("cus");
      Object.assign(session, { status: "complete", payment_status: "paid", url: null, customer });
      if (session.mode === "payment") {
        const amount = (amounts[session.price] ?? 0) * session.quantity;
        const latest_charge = { id: named("ch"), object: "charge" as const, amount, amount_refunded: 0 };
        const id = named("pi");
        payments.set(id, { id, object: "payment_intent", latest_charge });
        session.payment_intent = id;
        return { session: session.id, subscription: "" };
      }
      const id = named("sub");
      const item = { id: named("si"), price: { id: session.price }, quantity: seats ?? session.quantity };
      subscriptions.set(id, {
        id,
        object: "subscription",
        status: "active",
        customer,
        created: now(),
        cancellation_details: null,
        items: { object: "list", data: [item], has_more: false },
      });
      session.subscription = id;
      this.invoice(id, "paid");
      return { session: session.id, subscription: id };
    },
    /** So much of what was paid is given back in all; what Stripe tells of it. */
    refund(checkoutId: string, part = 1) {
      const { id, latest_charge } = payments.get(sessionOf(checkoutId).payment_intent ?? "") as Payment;
      latest_charge.amount_refunded = Math.floor(latest_charge.amount * part);
      return { ...latest_charge, payment_intent: id };
    },
    invoice(of: string, status: Stripe.Invoice.Status) {
      const id = named("in");
      const amount_due = 800 * (subscriptions.get(of)?.items.data[0]?.quantity ?? 1);
      const page = { hosted_invoice_url: `https://invoice.example.com/${id}`, created: now() + count };
      invoices.push({ id, object: "invoice", of, amount_due, currency: "eur", status, ...page });
    },
    /** What happens to a subscription at Stripe. */
    become(id: string, change: { status?: Stripe.Subscription.Status; seats?: number; price?: string; gaveUp?: true }) {
      const subscription = subscriptions.get(id) as Subscription;
      const [item] = subscription.items.data as [Subscription["items"]["data"][0]];
      if (change.status) subscription.status = change.status;
      if (change.seats) item.quantity = change.seats;
      if (change.price) item.price.id = change.price;
      if (change.gaveUp)
        subscription.cancellation_details = {
          comment: null,
          feedback: null,
          feedback_option: null,
          reason: "payment_failed",
        };
    },
    /** An event as Stripe sends it: body and headers. */
    event(
      type: string,
      object: object,
      { id = named("evt"), secret = "whsec_new", at = now() }: { id?: string; secret?: string; at?: number } = {},
    ) {
      const payload = JSON.stringify({
        id,
        object: "event",
        type,
        created: at,
        livemode: false,
        api_version: Stripe.API_VERSION,
        data: { object },
        pending_webhooks: 1,
        request: { id: null, idempotency_key: null },
      });
      const signature = library.webhooks.generateTestHeaderString({ payload, secret, timestamp: at });
      return { raw: payload, headers: { "stripe-signature": signature, "content-type": "application/json" } };
    },
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
export type StripeStandIn = Awaited<ReturnType<typeof stripeStandIn>>;

function send(response: ServerResponse, { status, body }: { status: number; body: unknown }) {
  response
    .writeHead(status, { "content-type": "application/json", "request-id": "req_test" })
    .end(JSON.stringify(body));
}
