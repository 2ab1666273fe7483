// What tests of billing stand on: a service that sells, at a stand-in for Stripe, and somebody who buys.
import { expect } from "vitest";
import { eventually } from "./eventually.ts";
import type { StripeStandIn } from "./stripe.ts";
import { newKey, type Options, type Person, type TestService, type World } from "./world.ts";

/** A configured model that nobody asks: credits are sold only where there is one. */
export const MODEL = { provider: "openai", url: "http://127.0.0.1:9/v1", name: "unused", key: null } as const;
export const HOOK = "/webhooks/billing/stripe";

export function buyers(running: TestService, stripe: StripeStandIn) {
  const settings = async ({ owner, workspaceId }: World, person: Person = owner) =>
    (await person.call("GET", `/workspaces/${workspaceId}/billing-settings`)).body;
  const checkout = ({ owner, workspaceId }: World, plan = "team", options: Options = {}) =>
    owner.call("POST", `/workspaces/${workspaceId}/checkout-sessions`, {
      key: newKey(),
      body: { plan, return_path: "/workspaces/acme/settings/billing" },
      ...options,
    });
  /** Stripe tells, and is told that it was heard. */
  const tell = async (type: string, object: object, options?: Parameters<StripeStandIn["event"]>[2]) => {
    const { status } = await running.send("POST", HOOK, stripe.event(type, object, options));
    expect(status).toBe(204);
  };
  const completed = (person: Person, id: string) =>
    eventually(async () => {
      const { body } = await person.call("GET", `/workspace-checkouts/${id}`);
      expect(body.state).toBe("completed");
      return body;
    });
  return {
    settings,
    checkout,
    tell,
    completed,
    /** A Workspace that is paid for, with so many seats. */
    async buy(home: World, plan = "team", seats?: number) {
      const { id } = (await checkout(home, plan)).body;
      const paid = stripe.pay(id, seats);
      await tell("checkout.session.completed", { id: paid.session, object: "checkout.session" });
      await completed(home.owner, id);
      return paid;
    },
    /** As it is once the provider has told. */
    becomes: (home: World, expected: object) =>
      eventually(async () => expect(await settings(home)).toMatchObject(expected)),
  };
}

/**
 * For tests that are about something else: plans are sold, and all of them give everything; answers of a model cost
 * credits.
 */
export const sellWithoutLimits = ({ asOwner }: TestService) =>
  asOwner(
    `update billing_plans b set members = null, storage = null, agents = null,
      features = (select array_remove(p.features, 'unlimited_knowledge_credits') from billing_plans p
      where p.key = 'business')`,
  );
