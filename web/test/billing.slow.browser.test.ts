// Who pays, in a real browser: a plan is chosen, paid at the provider's page and there when the browser is back; and
// what is shown to who decides nothing here.
import { afterAll, expect, test } from "vitest";
import { clientOf } from "../../client/test/client-of.ts";
import { buyers, MODEL } from "../../server/test/billing.ts";
import { browser } from "../../server/test/browser.ts";
import { stripeStandIn } from "../../server/test/stripe.ts";
import { newProject } from "../../server/test/work.ts";
import { service, type World, world } from "../../server/test/world.ts";
import { looked, seat } from "./app.ts";

const stripe = await stripeStandIn();
const running = service({ ...stripe.config, model: MODEL, roles: ["api", "worker", "realtime"] });
const { tell } = buyers(running, stripe);
const chromium = browser();
afterAll(() => stripe.close());

test("a plan is chosen, paid for and there, with its invoice; credits and changes lead to the provider too", async () => {
  const home = await world(running);
  await newProject(home, { name: "Difference Engine", key: "ENG" });
  const ada = await seat(running, chromium, home);
  const { page } = ada;
  // The provider's pages are somewhere else.
  await page.route(/^https:\/\/(?:checkout|billing)\.example\.com\//, (route) =>
    route.fulfill({ contentType: "text/html", body: "<title>Pay</title><main>Pay here</main>" }),
  );
  await ada.goTo("settings/billing");
  await page.locator("[data-plan=free][data-state=active]").waitFor();
  await page.getByText("1 of 10 used").waitFor();
  await looked(ada, "billing-free");
  await ada.press("Choose Team");
  await page.getByText("Pay here").waitFor();
  const checkout = stripe.sessions.values().next().value as { id: string; client_reference_id: string | null };
  const id = checkout.client_reference_id as string;
  const back = stripe.asked.findLast(({ form }) => form.has("success_url"))?.form.get("success_url") as string;
  stripe.pay(id, 4);
  await page.goto(back);
  await page.locator("[data-checkout=open]").waitFor();
  await tell("checkout.session.completed", { id: checkout.id, object: "checkout.session" });
  await page.locator("[data-checkout=completed]").waitFor();
  await page.locator("[data-plan=team][data-state=active]").waitFor();
  await page.getByText("1 of 4 used").waitFor();
  expect(new URL(page.url()).search).toBe("");
  await page.getByRole("list", { name: "Invoices" }).getByRole("link").waitFor();
  await looked(ada, "billing-team");
  await page.getByLabel("How many").selectOption("5000");
  await ada.press("Buy credits");
  await page.getByText("Pay here").waitFor();
  expect(stripe.asked.at(-1)?.form.get("line_items[0][quantity]")).toBe("5");
  await ada.goTo("settings/billing");
  await ada.press("Manage");
  await page.getByText("Pay here").waitFor();
  expect(page.url()).toContain("https://billing.example.com/");
});

test("a member reads how the Workspace stands, and buys nothing", async () => {
  const home = await world(running);
  await newProject(home, { name: "Difference Engine", key: "ENG" });
  const grace = await seat(running, chromium, home, await home.member("member"));
  await grace.goTo("settings/billing");
  await grace.page.locator("[data-plan=free]").waitFor();
  await grace.page.getByText("Owners and admins decide this").waitFor();
  expect(await grace.page.getByRole("button", { name: /Choose|Manage|Buy/ }).count()).toBe(0);
});

/** Who has a Free Workspace already. */
async function owner() {
  const home = await world(running);
  await newProject(home, { name: "Difference Engine", key: "ENG" });
  const ada = await seat(running, chromium, home);
  await ada.page.route(/^https:\/\/checkout\.example\.com\//, (route) =>
    route.fulfill({ contentType: "text/html", body: "<title>Pay</title><main>Pay here</main>" }),
  );
  return { home, ada, page: ada.page };
}
/** As if they had given it up. */
const unclaimed = ({ owner: { userId } }: World) =>
  running.asOwner("delete from free_claims where user_id = $1", [userId]);

test("a further Workspace is bought from the switcher: paid at the provider, waited for, and entered", async () => {
  const { ada, page } = await owner();
  await ada.goTo("");
  await page.getByRole("button", { name: /^Workspace/ }).click();
  await page.getByRole("menuitem", { name: "New Workspace" }).click();
  await ada.heading("Create a Workspace");
  await page.getByText("You have your one Free Workspace already").waitFor();
  await page.locator("[data-plan=team]").getByText("€8.00 a seat and month").waitFor();
  expect(await page.locator("[data-plan=free]").count()).toBe(0);
  await looked(ada, "workspace-buy");
  await ada.fill("Name", "Analytical Engines");
  await page.locator("[data-plan=business] input").check();
  await ada.press("Continue to payment");
  await page.getByText("Pay here").waitFor();
  const form = stripe.asked.findLast(({ form }) => form.has("success_url"))?.form;
  const id = form?.get("client_reference_id") as string;
  const { session } = stripe.pay(id, 2);
  await page.goto(form?.get("success_url") as string);
  await page.locator("[data-checkout=open]").getByText("Your payment is being confirmed").waitFor();
  await looked(ada, "workspace-confirming");
  await tell("checkout.session.completed", { id: session, object: "checkout.session" });
  await page.waitForURL(/\/workspaces\/analytical-engines(?:\/|$)/);
  await page.getByRole("button", { name: /Analytical Engines/ }).waitFor();
});

test("where nothing was paid it says so, and offers to choose again; a Free one is made where the account has none", async () => {
  const { home, ada, page } = await owner();
  await unclaimed(home);
  await ada.open("/workspaces/new");
  await page.locator("[data-plan=free]").waitFor();
  await ada.fill("Name", "Paid Engines");
  await page.locator("[data-plan=team] input").check();
  await ada.press("Continue to payment");
  await page.getByText("Pay here").waitFor();
  const form = stripe.asked.findLast(({ form }) => form.has("success_url"))?.form;
  await running.asOwner("update billing_checkouts set state = 'expired', url = null where id = $1", [
    form?.get("client_reference_id"),
  ]);
  await page.goto(form?.get("success_url") as string);
  await page.locator("[data-checkout=expired]").waitFor();
  await looked(ada, "workspace-expired");
  await page.getByRole("link", { name: "Choose again" }).click();
  const slug = `free-${Date.now()}`;
  await ada.fill("Name", slug);
  await page.locator("[data-plan=free] input").check();
  await ada.press("Create Workspace");
  await page.waitForURL(new RegExp(`/workspaces/${slug}`));
});

test("the page speaks German, and a checkout that is nobody's is not found", async () => {
  const { home, ada, page } = await owner();
  await unclaimed(home);
  await clientOf(home.owner).replaceInterfaceLanguage({ language: "de" });
  await ada.open("/workspaces/new");
  await page.getByText(/in den Grenzen von Free/).waitFor();
  await page.locator("[data-plan=team] input").check();
  await page.getByRole("button", { name: "Weiter zur Zahlung" }).waitFor();
  await looked(ada, "workspace-buy-de");
  await ada.open("/workspaces/new?checkout=01890000-0000-7000-8000-000000000001");
  await ada.heading("Ihr neuer Workspace");
  await page.getByRole("alert").waitFor();
});
