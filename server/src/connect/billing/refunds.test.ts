// Credits whose payment was given back: what is left of them is taken back, once, whatever is told how often.
import { afterAll, expect, test } from "vitest";
import { buyers, MODEL } from "../../../test/billing.ts";
import { eventually } from "../../../test/eventually.ts";
import { stripeStandIn } from "../../../test/stripe.ts";
import { newKey, service, type World, world } from "../../../test/world.ts";
import { reserveCredits, settleCredits } from "../../knowledge/retrieval/credit-store.ts";
import { inWorkspace } from "../../platform/background/jobs.ts";
import { egressTo } from "../../platform/outside/egress.ts";
import { openStripe } from "../../platform/outside/stripe.ts";
import { newId } from "../../platform/wire/ids.ts";
import { creditsRefunded } from "./rules.ts";
import { settleCheckout } from "./settle-checkout.ts";
import { SWEEPS } from "./store.ts";

const stripe = await stripeStandIn();
const running = service({ ...stripe.config, model: MODEL, roles: ["api", "worker"] });
const { settings, tell, completed, buy } = buyers(running, stripe);
afterAll(() => stripe.close());

async function bought(home: World, credits = 3000) {
  const path = `/workspaces/${home.workspaceId}/billing/knowledge-credit-top-ups`;
  if ((await settings(home)).plan === "free") await buy(home);
  const { body } = await home.owner.call("POST", path, { body: { credits }, key: newKey() });
  const { session } = stripe.pay(body.id);
  await tell("checkout.session.completed", { id: session });
  await completed(home.owner, body.id);
  return body.id as string;
}
const balance = async (home: World) => (await settings(home)).credits;
const has = (home: World, credits: number) => eventually(async () => expect(await balance(home)).toBe(credits));
const spend = (home: World, credits: number) =>
  inWorkspace(running.database.writer, home.workspaceId, async (tx) => {
    const id = newId();
    expect(await reserveCredits(tx, id, credits)).toBe(true);
    await settleCredits(tx, id, credits);
  });
const billing = () => openStripe(stripe.billing, egressTo({ allow: stripe.config.egressAllow }));
const settle = (id: string) => settleCheckout(running.database.writer, billing(), id);
const kept = async (id: string) =>
  (await running.asOwner("select refunded::int, taken_back::int from knowledge_credit_top_ups where id = $1", [id]))[0];

test("what is given back whole takes all of it back, once, however often and in whatever words it is told", async () => {
  const home = await world(running);
  const [id, other] = [await bought(home), await bought(home, 1000)];
  const charge = stripe.refund(id);
  await tell("charge.refunded", charge);
  await has(home, 1000);
  await tell("charge.refunded", charge);
  await tell("refund.updated", { id: "re_1", object: "refund", payment_intent: charge.payment_intent });
  await Promise.all([settle(id), settle(id), settle(other)]);
  expect([await balance(home), await kept(id), await kept(other)]).toEqual([
    ...[1000, { refunded: 3000, taken_back: 3000 }, { refunded: 0, taken_back: 0 }],
  ]);
});

test("what is used stays used: never below nothing, and not from what is bought later", async () => {
  const home = await world(running);
  const id = await bought(home);
  await spend(home, 2500);
  stripe.refund(id);
  await settle(id);
  expect([await balance(home), await kept(id)]).toEqual([0, { refunded: 3000, taken_back: 500 }]);
  await bought(home, 1000);
  await settle(id);
  expect(await balance(home)).toBe(1000);
});

test("a part takes its part, more of it the rest, and what fails at the provider comes back", async () => {
  const home = await world(running);
  const id = await bought(home);
  for (const [part, left] of [
    [1 / 3, 2000],
    [2 / 3, 1000],
    [1, 0],
    [1 / 3, 2000],
    [0, 3000],
  ] as const) {
    stripe.refund(id, part);
    await settle(id);
    expect(await balance(home), String(part)).toBe(left);
  }
  await spend(home, 2000);
  stripe.refund(id);
  await settle(id);
  stripe.refund(id, 1 / 3);
  await settle(id);
  expect([await balance(home), await kept(id)], "of 1000 that were taken, 1000 are still refunded").toEqual([
    ...[0, { refunded: 1000, taken_back: 1000 }],
  ]);
});

test("a key that may not read payments still gets what is paid for", async () => {
  const home = await world(running);
  const asked = stripe.asked.length;
  const id = await bought(home, 1000);
  expect(await balance(home)).toBe(1000);
  expect(stripe.asked.slice(asked).map(({ route }) => route)).not.toContain("GET /v1/payment_intents/:id");
  stripe.faults.push(403, 403, 403);
  await expect(settle(id)).rejects.toThrow("rejected (403)");
  stripe.faults.length = 0;
  expect(await balance(home)).toBe(1000);
});

test("what is reserved is waited for", async () => {
  const home = await world(running);
  const id = await bought(home, 1000);
  const reserved = newId();
  const within = <T>(work: Parameters<typeof inWorkspace<T>>[2]) =>
    inWorkspace(running.database.writer, home.workspaceId, work);
  await within((tx) => reserveCredits(tx, reserved, 600));
  stripe.refund(id);
  await settle(id);
  expect(await kept(id)).toEqual({ refunded: 0, taken_back: 0 });
  await within((tx) => settleCredits(tx, reserved, 100));
  await settle(id);
  expect([await balance(home), await kept(id)]).toEqual([0, { refunded: 1000, taken_back: 900 }]);
});

test("those who are spending at the same time have what was there, and no more", async () => {
  const home = await world(running);
  const id = await bought(home, 1000);
  stripe.refund(id);
  const [, ...spent] = await Promise.all([
    settle(id),
    ...Array.from({ length: 10 }, () =>
      spend(home, 100).then(
        () => 100,
        () => 0,
      ),
    ),
  ]);
  await settle(id);
  const used = spent.reduce((sum, each) => sum + each, 0);
  expect([await balance(home), (await kept(id))?.taken_back]).toEqual([0, 1000 - used]);
});

test("what was lost is asked for once a day; what was bought before payments were remembered is found by it, too", async () => {
  const home = await world(running);
  const id = await bought(home, 1000);
  stripe.refund(id);
  const old = "update billing_checkouts set payment_ref = null, told_at = now() - interval '2 days' where id = $1";
  await running.asOwner(old, [id]);
  await running.asOwner(SWEEPS.join(";"));
  await has(home, 0);
});

test("of a part whole credits are counted, and nothing of what cost nothing", () => {
  const of = (refunded: number, amount = 900) => creditsRefunded(1000, { amount, refunded });
  expect([of(0), of(1), of(899), of(900), of(1000), of(0, 0)]).toEqual([0, 1, 998, 1000, 1000, 0]);
});
