// Buying: what is led where, what comes of a payment, and that nothing is bought twice.
import pg from "pg";
import { afterAll, afterEach, describe, expect, test } from "vitest";
import { buyers, MODEL } from "../../../test/billing.ts";
import { eventually } from "../../../test/eventually.ts";
import { newcomer } from "../../../test/fixtures/fixture.ts";
import type { Home } from "../../../test/home.ts";
import { stripeStandIn } from "../../../test/stripe.ts";
import { joinWorkspace, sessionIn } from "../../../test/work.ts";
import { newKey, type Person, service, type World, world } from "../../../test/world.ts";
import { egressTo } from "../../platform/outside/egress.ts";
import { openStripe } from "../../platform/outside/stripe.ts";
import { newId } from "../../platform/wire/ids.ts";
import { settleCheckout } from "./settle-checkout.ts";

const stripe = await stripeStandIn();
const running = service({ ...stripe.config, model: MODEL, roles: ["api", "worker"] });
const { settings, checkout, tell, completed, buy } = buyers(running, stripe);
afterAll(() => stripe.close());
afterEach(() => {
  stripe.faults.length = 0;
});
const withoutModel = service(stripe.config);
const WAITING = "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'";
const begun = () => stripe.asked.filter(({ route }) => route === "POST /v1/checkout/sessions");

describe("a plan for a Workspace", () => {
  test("is paid at the provider's page, with a seat for each member, and counts once that is confirmed", async () => {
    const home = await world(running);
    await home.member("viewer");
    const { status, body, headers, trips } = await checkout(home);
    expect(status).toBe(201);
    expect(trips).toBeLessThanOrEqual(5);
    expect(headers.get("location")).toBe(`/api/v1/workspace-checkouts/${body.id}`);
    expect(body).toMatchObject({ state: "open", plan: "team", credits: null, workspace_id: home.workspaceId });
    expect(body.url).toBe(stripe.sessionOf(body.id).url);
    const { form } = begun().at(-1) as { form: URLSearchParams };
    expect(Object.fromEntries(form)).toMatchObject({
      mode: "subscription",
      "line_items[0][price]": "price_team",
      "line_items[0][quantity]": "2",
      customer_email: home.owner.email,
      cancel_url: `${running.url}/workspaces/acme/settings/billing`,
      success_url: `${running.url}/workspaces/acme/settings/billing?checkout=${body.id}`,
    });
    expect(await settings(home)).toMatchObject({ plan: "free", seats: { used: 2, limit: 10 } });
    const paid = stripe.pay(body.id, 7);
    await tell("checkout.session.completed", { id: paid.session, object: "checkout.session" });
    expect(await completed(home.owner, body.id)).toMatchObject({ url: null });
    expect(await settings(home)).toMatchObject({
      provider: "stripe",
      plan: "team",
      state: "active",
      seats: { used: 2, limit: 7 },
      credits: 0,
      subscription_ref: paid.subscription,
      entitlements: { workspace_knowledge: true, agents: 20 },
      invoices: [{ amount: 5600, currency: "eur", state: "paid", url: expect.stringMatching(/^https:/) }],
    });
    const again = await checkout(home, "business");
    expect([again.status, again.body.code]).toEqual([409, "subscription_exists"]);
    const portal = await home.owner.call("POST", `/workspaces/${home.workspaceId}/billing-portal-sessions`, {
      key: newKey(),
      body: { return_path: "/workspaces/acme/settings/billing" },
    });
    expect([portal.status, portal.body.url]).toEqual([201, "https://billing.example.com/p/1"]);
    expect(stripe.asked.at(-1)?.form.get("return_url")).toBe(`${running.url}/workspaces/acme/settings/billing`);
  });

  test("is one thing however often it is asked for, and another wish ends it first", async () => {
    const home = await world(running);
    const [one, two] = await Promise.all([checkout(home), checkout(home)]);
    expect(two.body.id).toBe(one.body.id);
    expect([...stripe.sessions.values()].filter((each) => each.client_reference_id === one.body.id)).toHaveLength(1);
    const other = await checkout(home, "business");
    expect(other.status).toBe(201);
    expect(stripe.sessionOf(one.body.id).status).toBe("expired");
    expect((await home.owner.call("GET", `/workspace-checkouts/${one.body.id}`)).body.state).toBe("expired");
    // Paid, and not heard of yet: nobody is led to pay once more.
    stripe.pay(other.body.id);
    const late = await checkout(home, "team");
    expect([late.status, late.body.code]).toEqual([409, "checkout_settling"]);
    await completed(home.owner, other.body.id);
    expect(await settings(home)).toMatchObject({ plan: "business" });
  });

  test("is begun once where the provider fails, or its answer is lost", async () => {
    for (const fault of ["after", "reset", 500] as const) {
      const home = await world(running);
      const before = begun().length;
      stripe.faults.push(fault);
      const { status, body } = await checkout(home);
      expect(status, String(fault)).toBe(201);
      expect([...stripe.sessions.values()].filter((each) => each.client_reference_id === body.id)).toHaveLength(1);
      expect(
        new Set(
          begun()
            .slice(before)
            .map(({ key }) => key),
        ).size,
      ).toBe(1);
    }
    const home = await world(running);
    stripe.faults.push(429);
    const limited = await checkout(home);
    expect([limited.status, limited.body.code]).toEqual([503, "billing_unavailable"]);
    expect(limited.headers.get("retry-after")).toBe("5");
    // The same wish under another key of the caller is the same at the provider.
    stripe.faults.push("after", "after", "after");
    expect((await checkout(home)).status).toBe(503);
    const { id } = (await checkout(home)).body;
    expect([...stripe.sessions.values()].filter((each) => each.client_reference_id === id)).toHaveLength(1);
    expect(JSON.stringify(limited.body)).not.toContain("canary");
  });

  test("belongs to those who manage billing, and its checkout to whoever began it", async () => {
    const home = await world(running);
    const [admin, member, stranger] = await Promise.all([home.member("admin"), home.member("member"), world(running)]);
    const path = `/workspaces/${home.workspaceId}`;
    const body = { plan: "team", return_path: "/" };
    const buying = (person: Person) => person.call("POST", `${path}/checkout-sessions`, { body, key: newKey() });
    expect((await buying(member)).status).toBe(403);
    expect((await buying(stranger.owner)).status).toBe(404);
    const { id } = (await buying(admin)).body;
    expect((await admin.call("GET", `/workspace-checkouts/${id}`)).status).toBe(200);
    for (const person of [home.owner, member, stranger.owner])
      expect((await person.call("GET", `/workspace-checkouts/${id}`)).status).toBe(404);
    const portal = { body: { return_path: "/" }, key: newKey() };
    expect((await member.call("POST", `${path}/billing-portal-sessions`, portal)).status).toBe(403);
    expect((await admin.call("POST", `${path}/billing-portal-sessions`, portal)).body.code).toBe("nothing_bought");
    await buy(home);
    expect(await settings(home, member)).toMatchObject({ plan: "team", subscription_ref: null, invoices: [] });
    expect((await settings(home, admin)).invoices).toHaveLength(1);
  });

  test("is not for an archived Workspace, nor are credits; its owners still reach the provider's page", async () => {
    const home = await world(running);
    await buy(home);
    await running.sql("update workspaces set archived_at = now() where id = $1", [home.workspaceId]);
    const other = await world(running);
    await joinWorkspace(running, other.workspaceId, home.owner.userId, "member");
    const { call: owner } = await sessionIn(running, other.workspaceId, home.owner.userId);
    const path = `/workspaces/${home.workspaceId}`;
    const bodies = {
      "checkout-sessions": { plan: "team", return_path: "/" },
      "billing/knowledge-credit-top-ups": { credits: 1000 },
    };
    for (const [name, body] of Object.entries(bodies)) {
      const { status, body: answer } = await owner("POST", `${path}/${name}`, { body, key: newKey() });
      expect([status, answer.code], name).toEqual([404, "not_found"]);
    }
    expect((await owner("GET", `${path}/billing-settings`)).status).toBe(200);
    expect(
      (await owner("POST", `${path}/billing-portal-sessions`, { body: { return_path: "/" }, key: newKey() })).status,
    ).toBe(201);
  });

  test("that is archived ends its open checkouts at the provider, and settles one that was paid before", async () => {
    const [free, paid, settling] = [await world(running), await world(running), await world(running)];
    const topUp = { body: { credits: 1000 }, key: newKey() };
    await buy(paid);
    const credits = await paid.owner.call(
      "POST",
      `/workspaces/${paid.workspaceId}/billing/knowledge-credit-top-ups`,
      topUp,
    );
    const checkouts = [await checkout(free), credits, await checkout(settling)];
    expect(checkouts.map(({ body }) => stripe.sessionOf(body.id).status)).toEqual(["open", "open", "open"]);
    stripe.pay(checkouts[2]?.body.id);
    const states = await Promise.all(
      [free, paid, settling].map(async (home, at) => {
        const other = await world(running);
        await joinWorkspace(running, other.workspaceId, home.owner.userId, "member");
        expect((await home.owner.call("DELETE", `/workspaces/${home.workspaceId}`)).status).toBe(204);
        const { call } = await sessionIn(running, other.workspaceId, home.owner.userId);
        return eventually(async () => {
          const { state } = (await call("GET", `/workspace-checkouts/${checkouts[at]?.body.id}`)).body;
          expect(state).not.toBe("open");
          return state;
        });
      }),
    );
    expect(states).toEqual(["expired", "expired", "completed"]);
    expect(checkouts.map(({ body }) => stripe.sessionOf(body.id).status)).toEqual(["expired", "expired", "complete"]);
  });

  test("that is archived while somebody begins to buy it is not sold", async () => {
    const home = await world(running);
    const archiving = new pg.Client(running.databaseUrl);
    await archiving.connect();
    try {
      await archiving.query("begin");
      await archiving.query("update workspaces set archived_at = now() where id = $1", [home.workspaceId]);
      const buying = checkout(home);
      await expect.poll(async () => (await archiving.query(WAITING)).rowCount).toBeGreaterThan(0);
      await archiving.query("commit");
      const { status, body } = await buying;
      expect([status, body.code]).toEqual([404, "not_found"]);
    } finally {
      await archiving.end();
    }
  });

  test("leads back to a page of the application and nowhere else", async () => {
    const home = await world(running);
    for (const return_path of [
      "https://evil.example",
      "//evil.example",
      "/\\evil.example",
      "/..//evil.example",
      "/a/../b",
      "settings",
      "/%2f/evil",
      "/a?b=c",
      "/a#b",
      "/ a",
      "/a\n",
      "/settings/billing",
      "/api/v1/me",
      "/docs",
    ]) {
      const { status } = await checkout(home, "team", { body: { plan: "team", return_path } });
      expect(status, return_path).toBe(400);
    }
    const { status } = await checkout(home, "team", {
      body: { plan: "team", return_path: "/workspaces/a-b/settings/billing" },
    });
    expect(status).toBe(201);
  });
});

describe("a new Workspace", () => {
  const wanted = (more = {}) => ({ plan: "team", name: "Analytical Engines", return_path: "/workspaces/new", ...more });
  const person = () => newcomer({ running, owner: {} } as unknown as Home);
  const wish = (caller: Person, more = {}) =>
    caller.call("POST", "/workspace-checkouts", { body: wanted(more), key: newKey() });

  test("is there once, when it is paid for, however often that is told and whoever settles it", async () => {
    const buyer = await person();
    const slug = `engines-${newId().slice(-8)}`;
    const { status, body } = await wish(buyer, { slug });
    expect([status, body.workspace_id]).toEqual([201, null]);
    const paid = stripe.pay(body.id);
    const told = { id: paid.session, object: "checkout.session" };
    const direct = openStripe(stripe.billing, egressTo({ allow: [stripe.billing.url] }));
    await Promise.all([
      ...[1, 2, 3].map(() => settleCheckout(running.database.writer, direct, body.id)),
      ...[1, 2].map(() => tell("checkout.session.completed", told)),
    ]);
    const { workspace_id: workspaceId } = await completed(buyer, body.id);
    const { items } = (await buyer.call("GET", "/workspaces")).body;
    expect(items.map(({ id, plan, role, slug: its }: Record<string, string>) => [id, plan, role, its])).toEqual([
      [workspaceId, "team", "owner", slug],
    ]);
    // It is nobody's Free Workspace.
    expect((await buyer.call("GET", "/workspace-creation-options")).body.free.claimed).toBe(false);
    const facts = await running.asOwner<{ type: string }>(
      "select type from domain_events where workspace_id = $1 order by type",
      [workspaceId],
    );
    expect(facts.map(({ type }) => type)).toEqual(["workspace.billing_changed", "workspace.created"]);
  });

  test("has another slug where somebody took it meanwhile, and one that is taken before is refused", async () => {
    const buyer = await person();
    const slug = `engines-${newId().slice(-8)}`;
    const { id } = (await wish(buyer, { slug })).body;
    await running.sql("update workspaces set slug = $1 where id = $2", [slug, (await world(running)).workspaceId]);
    stripe.pay(id);
    await tell("checkout.session.completed", { id: stripe.sessionOf(id).id });
    await completed(buyer, id);
    expect((await buyer.call("GET", "/workspaces")).body.items[0].slug).toMatch(/^analytical-engines/);
    const taken = await wish(await person(), { slug });
    expect([taken.status, taken.body.code]).toEqual([409, "slug_taken"]);
    expect((await wish(await person(), { slug: "admin" })).body.code).toBe("slug_taken");
  });

  test("is not there where nobody has paid: the page expired, or the money is still on its way", async () => {
    const buyer = await person();
    const { id } = (await wish(buyer)).body;
    const session = stripe.sessionOf(id);
    Object.assign(session, { status: "complete", payment_status: "unpaid" });
    await tell("checkout.session.completed", session);
    Object.assign(session, { status: "expired" });
    await tell("checkout.session.expired", session);
    await expect.poll(async () => (await buyer.call("GET", `/workspace-checkouts/${id}`)).body.state).toBe("expired");
    expect((await buyer.call("GET", "/workspaces")).body.items).toEqual([]);
  });
});

describe("knowledge credits", () => {
  test("are added once for each payment, and are bought by thousands", async () => {
    const home = await world(running);
    const path = `/workspaces/${home.workspaceId}/billing/knowledge-credit-top-ups`;
    const topUp = (credits: number) => home.owner.call("POST", path, { body: { credits }, key: newKey() });
    await buy(home);
    for (const credits of [0, 999, 1500, 1_001_000]) expect((await topUp(credits)).status, String(credits)).toBe(400);
    const { status, body } = await topUp(3000);
    expect([status, body.credits, body.state]).toEqual([201, 3000, "open"]);
    expect(begun().at(-1)?.form.get("line_items[0][quantity]")).toBe("3");
    const { session } = stripe.pay(body.id);
    await Promise.all([1, 2, 3].map(() => tell("checkout.session.completed", { id: session })));
    await completed(home.owner, body.id);
    await running.asOwner("update billing_checkouts set state = 'open', told = 0 where id = $1", [body.id]);
    await tell("checkout.session.async_payment_succeeded", { id: session });
    await completed(home.owner, body.id);
    expect(await settings(home)).toMatchObject({ credits: 3000, plan: "team" });
  });

  test("are sold only where something uses them: not on Free, not on Business, and not without a model", async () => {
    const topUp = ({ owner, workspaceId }: Pick<World, "owner" | "workspaceId">) =>
      owner.call("POST", `/workspaces/${workspaceId}/billing/knowledge-credit-top-ups`, {
        body: { credits: 1000 },
        key: newKey(),
      });
    const [free, team, business] = [await world(running), await world(running), await world(running)];
    await buy(team);
    await buy(business, "business");
    for (const home of [free, business]) {
      const { status, body } = await topUp(home);
      expect([status, body.code]).toEqual([409, "credits_not_needed"]);
    }
    expect((await topUp(team)).status).toBe(201);
    expect((await team.owner.call("GET", "/me/billing-plans")).body.credits).toMatchObject({ credits: 1000 });
    const home = await world(withoutModel);
    await withoutModel.asOwner("update workspaces set plan = 'team' where id = $1", [home.workspaceId]);
    expect((await topUp(home)).body.code).toBe("credits_not_needed");
    expect((await home.owner.call("GET", "/me/billing-plans")).body.credits).toBeNull();
  });
});
