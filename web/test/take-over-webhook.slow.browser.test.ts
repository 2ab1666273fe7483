// An endpoint whose creator has left, in the settings: whoever manages webhooks takes it over.
import { expect, test } from "vitest";
import { clientOf } from "../../client/test/client-of.ts";
import { browser } from "../../server/test/browser.ts";
import { newProject } from "../../server/test/work.ts";
import { service, world } from "../../server/test/world.ts";
import { looked, seat } from "./app.ts";

const running = service({});
const chromium = browser();

test("an endpoint whose creator has left is taken over, and enabled with that", async () => {
  const home = await world(running);
  await newProject(home, { name: "Difference Engine", key: "ENG" });
  const admin = await home.member("admin");
  const { workspaceId: workspace_id } = home;
  const body = { name: "Reports", url: "https://hooks.example.com/", actions: ["task.created"] };
  const made = await admin.call("POST", `/workspaces/${workspace_id}/webhook-endpoints`, { body });
  await running.asOwner("update memberships set state = 'removed' where workspace_id = $1 and actor_id = $2", [
    ...[workspace_id, admin.actorId],
  ]);
  await running.asOwner(
    "update webhook_endpoints set enabled = false, disabled_reason = 'creator_left' where id = $1",
    [made.body.id],
  );
  const ada = await seat(running, chromium, home);
  const { page } = ada;
  await ada.goTo("settings/webhooks");
  await page.getByText("Take it over to enable it again.").waitFor();
  await looked(ada, "settings-webhooks-left");
  await page.getByRole("button", { name: "Take over: Reports" }).click();
  await page
    .getByRole("button", { name: /: Reports$/ })
    .and(page.locator(".btn-bad"))
    .click();
  await expect.poll(() => page.getByRole("checkbox", { name: "Enabled: Reports" }).isChecked()).toBe(true);
  await expect.poll(() => page.getByRole("button", { name: "Take over: Reports" }).count()).toBe(0);
  const { items } = await clientOf(home.owner).listWebhookEndpoints({ workspace_id });
  expect(items).toMatchObject([{ enabled: true, created_by_actor_id: home.owner.actorId }]);
});
