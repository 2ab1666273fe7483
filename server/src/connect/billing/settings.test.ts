// How a Workspace stands, and what can be bought: where nothing is sold, and where something is.
import { afterAll, expect, test } from "vitest";
import { MODEL } from "../../../test/billing.ts";
import { stripeStandIn } from "../../../test/stripe.ts";
import { newKey, service, world } from "../../../test/world.ts";
import { egressTo } from "../../platform/outside/egress.ts";
import { BillingError, openStripe } from "../../platform/outside/stripe.ts";

const stripe = await stripeStandIn();
const none = service();
const running = service({ ...stripe.config, model: MODEL });
afterAll(() => stripe.close());

test(`where nothing is sold everything is included, there is nothing to buy, and nobody's delivery is taken`, async () => {
  const { owner, workspaceId, member } = await world(none);
  for (let people = 0; people < 11; people++) await member("member");
  const { body, trips } = await owner.call("GET", `/workspaces/${workspaceId}/billing-settings`);
  expect(body).toEqual({
    workspace_id: workspaceId,
    provider: "none",
    plan: "free",
    state: "active",
    seats: { used: 12, limit: null },
    subscription_ref: null,
    invoices: [],
    credits: null,
    capabilities: ["billing:manage"],
    entitlements: {
      members: null,
      storage: null,
      agents: null,
      workspace_knowledge: true,
      discuss: true,
      unlimited_knowledge_credits: true,
    },
  });
  expect(trips).toBe(1);
  expect((await owner.call("GET", "/me/billing-plans")).body).toEqual({ items: [], credits: null });
  const buying = [
    ["/workspace-checkouts", { plan: "team", name: "New", return_path: "/" }],
    [`/workspaces/${workspaceId}/checkout-sessions`, { plan: "team", return_path: "/" }],
    [`/workspaces/${workspaceId}/billing/knowledge-credit-top-ups`, { credits: 1000 }],
    [`/workspaces/${workspaceId}/billing-portal-sessions`, { return_path: "/" }],
  ] as const;
  for (const [path, sent] of buying) {
    const answer = await owner.call("POST", path, { body: sent, key: newKey() });
    expect([answer.status, answer.body.code], path).toEqual([409, "billing_not_configured"]);
  }
  const delivered = await none.send("POST", "/webhooks/billing/stripe", stripe.event("invoice.paid", { id: "in_1" }));
  expect([delivered.status, delivered.body.code]).toEqual([404, "not_found"]);
});

test("what is sold is told with its price, and a new Workspace can be bought", async () => {
  const { owner } = await world(running);
  const { items, credits } = (await owner.call("GET", "/me/billing-plans")).body;
  expect(
    items.map(({ key, amount, currency, interval }: Record<string, unknown>) => [key, amount, currency, interval]),
  ).toEqual([
    ["team", 800, "eur", "month"],
    ["business", 1500, "eur", "month"],
  ]);
  expect(items[0].entitlements).toMatchObject({ workspace_knowledge: true, unlimited_knowledge_credits: false });
  expect(credits).toEqual({ credits: 1000, amount: 900, currency: "eur" });
  expect((await owner.call("GET", "/workspace-creation-options")).body.paid).toEqual([
    { plan: "team" },
    { plan: "business" },
  ]);
});

test("a provider that is silent or refuses is no answer: whoever asks is told to ask again, in words that hold nothing of it", async () => {
  const impatient = openStripe(stripe.billing, egressTo({ allow: [stripe.billing.url] }), 50);
  stripe.faults.push("silence", "silence", "silence");
  await expect(impatient.subscription("sub_1")).rejects.toThrow(new BillingError("unavailable"));
  expect(stripe.faults).toEqual([]);
  await expect(impatient.subscription("sub_test_0")).rejects.toThrow(new BillingError("rejected", 404));
  const stranger = openStripe({ ...stripe.billing, key: "wrong" }, egressTo({ allow: [stripe.billing.url] }));
  await expect(stranger.prices()).rejects.toThrow("rejected (401)");
  // The way out leads to the configured origin and takes the key nowhere else.
  const away = openStripe(stripe.billing, egressTo());
  await expect(away.subscription("sub_1")).rejects.toThrow(new BillingError("unavailable"));
});
