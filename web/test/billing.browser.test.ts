// Who pays, in a real browser: a plan is chosen, paid at the provider's page and there when the browser is back; and what is shown to who decides nothing here.
import { afterAll, expect, test } from "vitest";
import { buyers } from "../../server/test/billing.ts";
import { browser } from "../../server/test/browser.ts";
import { stripeStandIn } from "../../server/test/stripe.ts";
import { newProject } from "../../server/test/work.ts";
import { service, world } from "../../server/test/world.ts";
import { looked, seat } from "./app.ts";

const stripe = await stripeStandIn();
const running = service({ ...stripe.config, roles: ["api", "worker", "realtime"] });
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
