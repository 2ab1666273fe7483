// Billing webhooks: signatures; late, repeated and reordered deliveries; and the resulting billing state of a
// Workspace.
import { randomBytes } from "node:crypto";
import pg from "pg";
import { afterAll, describe, expect, test } from "vitest";
import type { Answer } from "../../../test/answer.ts";
import { buyers, HOOK } from "../../../test/billing.ts";
import { eventually } from "../../../test/eventually.ts";
import { stripeStandIn } from "../../../test/stripe.ts";
import { newKey, service, type World, world } from "../../../test/world.ts";
import { egressTo } from "../../platform/outside/egress.ts";
import type { Billing } from "../../platform/outside/external-systems.ts";
import { openStripe } from "../../platform/outside/stripe.ts";
import { settleCheckout } from "./settle-checkout.ts";
import { SWEEPS } from "./store.ts";

const stripe = await stripeStandIn();
const running = service({ ...stripe.config, roles: ["api", "worker"] });
const { settings, checkout, tell, buy, becomes, completed } = buyers(running, stripe);
afterAll(() => stripe.close());

const kept = async (event: string) =>
  (await running.asOwner("select from billing_deliveries where event_ref = $1", [event])).length;
const send = (delivery: { raw: string | Buffer; headers: Record<string, string> }, path = HOOK) =>
  running.send("POST", path, delivery);
const subscription = (id: string) => ({ id, object: "subscription" });

test("what is not signed by the provider a moment ago is refused, all in the same way, and leaves nothing behind", async () => {
  const at = Math.floor(Date.now() / 1000);
  const good = stripe.event("invoice.paid", { id: "in_1" });
  const [time, mac] = good.headers["stripe-signature"].split(",") as [string, string];
  const signed = (signature: string) => ({ ...good, headers: { ...good.headers, "stripe-signature": signature } });
  const object = { id: "cs_1" };
  const event = "checkout.session.completed";
  const refused = [
    { raw: good.raw, headers: { "content-type": "application/json" } },
    signed(""),
    signed(time),
    signed(`${time},v0=${mac.slice(3)}`),
    signed(`${time},v1=${randomBytes(32).toString("hex")}`),
    signed(`t=${at - 1},${mac}`),
    { ...good, raw: `${good.raw} ` },
    { ...good, raw: good.raw.replace("in_1", "in_2") },
    stripe.event(event, object, { id: "evt_old", at: at - 301 }),
    stripe.event(event, object, { id: "evt_foreign", secret: "whsec_other" }),
  ];
  const answers: Answer[] = [];
  for (const delivery of refused) answers.push(await send(delivery));
  answers.push(await send(good, "/webhooks/billing/paypal"));
  answers.push(await send({ raw: "{", headers: good.headers }));
  answers.push(await send({ raw: "", headers: good.headers }));
  answers.push(await send({ ...good, headers: { ...good.headers, "content-type": "text/plain" } }));
  answers.push(await send({ ...good, raw: "x".repeat(600_000) }));
  expect(answers.map(({ status, body }) => [status, body.code, body.detail])).toEqual(
    answers.map(() => [404, "not_found", answers[0]?.body.detail]),
  );
  expect((await kept("evt_old")) + (await kept("evt_foreign"))).toBe(0);
});

test("what is signed is kept once, whichever of two secrets signed it, and what nobody follows not at all", async () => {
  const told = { id: "cs_nobodys" };
  for (const [id, secret] of Object.entries({ evt_one: "whsec_new", evt_two: "whsec_old" }))
    for (let times = 0; times < 3; times++) await tell("checkout.session.completed", told, { id, secret });
  expect([await kept("evt_one"), await kept("evt_two")]).toEqual([1, 1]);
  await tell("customer.created", { id: "cus_1" }, { id: "evt_other" });
  expect(await kept("evt_other")).toBe(0);
});

test("a Workspace is found by our own checkout, and never by what a delivery says", async () => {
  const [home, other] = [await world(running), await world(running)];
  const { id } = (await checkout(home)).body;
  const paid = stripe.pay(id);
  const theirs = { metadata: { workspace_id: other.workspaceId }, client_reference_id: other.workspaceId };
  await tell("checkout.session.completed", { id: paid.session, object: "checkout.session", ...theirs });
  await completed(home.owner, id);
  expect(await settings(other)).toMatchObject({ plan: "free", subscription_ref: null });
  // Somebody else's subscription at the same provider is nobody's here.
  await tell("customer.subscription.deleted", { ...subscription("sub_elsewhere"), ...theirs });
  await becomes(home, { plan: "team", state: "active" });
});

describe("how a Workspace stands", () => {
  const age = (home: World, days: number) =>
    running.asOwner(
      "update billing_accounts set standing_since = now() - make_interval(days => $2) where workspace_id = $1",
      [home.workspaceId, days],
    );

  test("past due, then grace, then the limits of Free; paying brings everything back, and nothing is deleted", async () => {
    const home = await world(running);
    const { subscription: id } = await buy(home, "business", 3);
    stripe.become(id, { status: "past_due" });
    stripe.invoice(id, "open");
    // As older versions of the interface name it, and as the newest does.
    await tell("invoice.payment_failed", { id: "in_x", object: "invoice", subscription: id });
    await becomes(home, { plan: "business", state: "past_due", entitlements: { unlimited_knowledge_credits: true } });
    expect((await settings(home)).invoices[0].state).toBe("open");
    await age(home, 15);
    expect(await settings(home)).toMatchObject({ state: "grace", entitlements: { discuss: true } });
    await age(home, 29);
    expect(await settings(home)).toMatchObject({
      plan: "business",
      state: "ended",
      credits: 0,
      seats: { used: 1, limit: 10 },
      entitlements: { agents: 1, storage: 1024 ** 3, workspace_knowledge: false, discuss: false },
    });
    const portal = { key: newKey(), body: { return_path: "/" } };
    const path = `/workspaces/${home.workspaceId}/billing-portal-sessions`;
    expect((await home.owner.call("POST", path, portal)).status).toBe(201);
    stripe.become(id, { status: "active" });
    await tell("invoice.paid", { object: "invoice", parent: { subscription_details: { subscription: id } } });
    await becomes(home, { state: "active", seats: { used: 1, limit: 3 } });
  });

  test("who cancels has no grace, who cannot pay has, and either can buy again", async () => {
    const [cancelled, unpaid] = [await world(running), await world(running)];
    const [one, two] = [await buy(cancelled), await buy(unpaid)];
    stripe.become(one.subscription, { status: "canceled" });
    stripe.become(two.subscription, { status: "canceled", gaveUp: true });
    for (const { subscription: id } of [one, two]) await tell("customer.subscription.deleted", subscription(id));
    await becomes(cancelled, { plan: "team", state: "ended" });
    await becomes(unpaid, { plan: "team", state: "grace" });
    const customer = stripe.sessions.get(one.session)?.customer;
    const again = await buy(cancelled, "business", 2);
    expect(stripe.sessions.get(again.session)?.customer).toBe(customer);
    expect(await settings(cancelled)).toMatchObject({
      plan: "business",
      state: "active",
      subscription_ref: again.subscription,
    });
    // What is told of the old one now says nothing about the new one.
    await tell("customer.subscription.updated", subscription(one.subscription));
    await tell("customer.subscription.updated", subscription(again.subscription), { id: "evt_newer" });
    await eventually(async () =>
      expect(
        await running.asOwner(
          "select from billing_checkouts where subscription_ref = $1 and asked > 2 and told = asked",
          [one.subscription],
        ),
      ).toHaveLength(1),
    );
    expect(await settings(cancelled)).toMatchObject({ plan: "business", state: "active" });
  });

  test("another plan or more seats, chosen at the provider, count here", async () => {
    const home = await world(running);
    const { subscription: id } = await buy(home, "team", 2);
    stripe.become(id, { seats: 9, price: "price_business" });
    await tell("customer.subscription.updated", subscription(id));
    await becomes(home, { plan: "business", seats: { limit: 9 } });
    stripe.become(id, { price: "price_of_another_time" });
    await tell("customer.subscription.updated", subscription(id));
    const { checkout_id } = (
      await running.sql<{ checkout_id: string }>(
        "select checkout_id from billing_accounts where workspace_id = $1",
        [home.workspaceId],
        home.workspaceId,
      )
    )[0] as { checkout_id: string };
    const asked = async () =>
      (
        await running.asOwner<{ told: string }>("select told::text from billing_checkouts where id = $1", [checkout_id])
      )[0]?.told;
    const before = await asked();
    stripe.become(id, { seats: 11 });
    await tell("customer.subscription.updated", subscription(id));
    await becomes(home, { seats: { limit: 11 }, plan: "business" });
    expect(await asked(), "the unknown price was read, and the plan stayed").not.toBe(before);
  });

  test("an older answer of the provider never replaces a newer one", async () => {
    const home = await world(running);
    const { id } = (await checkout(home)).body;
    const paid = stripe.pay(id, 4);
    const direct = openStripe(stripe.billing, egressTo({ allow: [stripe.billing.url] }));
    await settleCheckout(running.database.writer, direct, id);
    const gate = Promise.withResolvers<void>();
    const read = Promise.withResolvers<void>();
    const slow: Billing = {
      ...direct,
      async subscription(ref) {
        const old = await direct.subscription(ref);
        read.resolve();
        await gate.promise;
        return old;
      },
    };
    const settling = settleCheckout(running.database.writer, slow, id);
    await read.promise;
    stripe.become(paid.subscription, { seats: 5 });
    await settleCheckout(running.database.writer, direct, id);
    gate.resolve();
    await settling;
    expect((await settings(home)).seats.limit).toBe(5);
  });

  test.each([
    ["open", 2],
    ["completed", 3],
  ])(
    "a sweep of more than 1,000 %s purchases begins with those that nothing was heard of for the longest time",
    async (state, at) => {
      const home = await world(running);
      const client = new pg.Client(running.databaseUrl);
      await client.connect();
      try {
        // Rolled back, so that no job of them runs.
        await client.query("begin");
        await client.query(
          `insert into billing_checkouts (id, kind, user_id, workspace_id, credits, return_path, provider, checkout_ref,
          state, told_at)
         select gen_random_uuid(), 'credits', $1, $2, 1000, '/', 'stripe', 'cs_swept_' || n, $3,
           now() - interval '1 day' - n * interval '1 hour'
         from generate_series(1, 1001) n`,
          [home.owner.userId, home.workspaceId, state],
        );
        await client.query(SWEEPS[at] ?? "");
        const { rows } = await client.query(
          `select c.checkout_ref from billing_checkouts c where c.checkout_ref like 'cs_swept_%'
           and not exists (select from graphile_worker._private_jobs j where j.key = 'settle ' || c.id)`,
        );
        expect(rows).toEqual([{ checkout_ref: "cs_swept_1" }]);
        await client.query("rollback");
      } finally {
        await client.end();
      }
    },
  );

  test("what was told in vain is found within the hour, and the provider may be away meanwhile", async () => {
    const home = await world(running);
    const { id } = (await checkout(home)).body;
    stripe.pay(id);
    await running.asOwner("update billing_checkouts set told_at = now() - interval '1 hour' where id = $1", [id]);
    stripe.faults.push(500, 500, 500);
    await running.asOwner(SWEEPS.join(";"));
    await eventually(() => expect(stripe.faults).toEqual([]));
    await running.asOwner("update graphile_worker._private_jobs set run_at = now() where attempts > 0");
    await completed(home.owner, id);
  });
});
