// The journey through what an owner connects to the Workspace: an integration that a Project is bound to, a webhook
// endpoint, and a plan.
import { afterAll, expect, test } from "vitest";
import { clientOf } from "../../client/test/client-of.ts";
import { MODEL } from "../../server/test/billing.ts";
import { browser } from "../../server/test/browser.ts";
import { stripeStandIn } from "../../server/test/stripe.ts";
import { newProject } from "../../server/test/work.ts";
import { service, world } from "../../server/test/world.ts";
import { seat } from "./app.ts";

const stripe = await stripeStandIn();
const running = service({ ...stripe.config, model: MODEL });
const chromium = browser();
afterAll(() => stripe.close());

test("an owner connects and binds a webhook, creates an endpoint whose secret is shown once, and chooses a plan", async () => {
  const home = await world(running);
  await newProject(home, { name: "Difference Engine", key: "ENG" });
  const api = clientOf(home.owner);
  const of = { workspace_id: home.workspaceId };
  const ada = await seat(running, chromium, home);
  const { page } = ada;

  await ada.goTo("settings/integrations");
  await ada.shows("settings/integrations");
  await page.getByRole("button", { name: "Connect: Webhook" }).click();
  await page.getByRole("textbox", { name: /^Name/ }).fill("Alarm");
  await ada.press("Connect");
  const codes = page.locator('[data-provider="webhook"] code');
  await codes.nth(1).waitFor();
  const [, signingSecret = ""] = await codes.allInnerTexts();
  expect(signingSecret).toMatch(/^whsec_/);
  const [installation] = (await api.listIntegrationInstallations(of)).items;
  await ada.reach("projects/:key/settings/integrations", { key: "ENG" });
  await page.getByRole("button", { name: "Bind to …" }).click();
  await page.getByRole("option", { name: /Alarm/ }).click();
  await ada.press("Bind");
  await page.getByRole("region", { name: "Alarm", exact: true }).locator('[data-subscription="on"]').waitFor();
  await ada.reach("settings/:section/:id", { section: "integrations", id: installation?.id as string });
  await page.getByRole("list", { name: "What Projects can be bound to" }).getByText("Address for deliveries").waitFor();
  expect(await page.content(), "it is shown once").not.toContain(signingSecret);
  await page.getByRole("button", { name: "Disconnect: Alarm" }).click();
  await page.getByRole("button", { name: "Disconnect for good: Alarm" }).click();
  await page.getByText("Nothing is connected yet.").waitFor();
  expect((await api.listIntegrationInstallations(of)).items).toEqual([]);

  await ada.reach("settings/webhooks");
  const form = page.getByRole("form", { name: "New endpoint" });
  await form.getByLabel("Name").fill("Reports");
  await form.getByLabel("Address").fill("https://10.0.0.1/hook");
  await form.getByRole("button", { name: "Create the endpoint" }).click();
  await page.locator("[data-refused=webhook_url_refused]").waitFor();
  await form.getByLabel("Address").fill("https://hooks.example.com/");
  await form.getByLabel("task.trashed").check();
  await form.getByRole("button", { name: "Create the endpoint" }).click();
  const secret = await page.getByText(/^whsec_/).innerText();
  const [endpoint] = (await api.listWebhookEndpoints(of)).items;
  expect(endpoint).toMatchObject({ name: "Reports", actions: expect.arrayContaining(["task.trashed"]) });

  await page.route(/^https:\/\/checkout\.example\.com\//, (route) =>
    route.fulfill({ contentType: "text/html", body: "<title>Pay</title><main>Pay here</main>" }),
  );
  await ada.reach("settings/billing");
  await page.locator("[data-plan=free][data-state=active]").waitFor();
  expect(await page.content(), "it is shown once").not.toContain(secret);
  await ada.press("Choose Team");
  await page.getByText("Pay here").waitFor();
  expect(stripe.sessions.size).toBe(1);
});
