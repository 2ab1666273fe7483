// Integrations in the application: connected, through a provider and back too, bound to a Project, followed at a Task,
// asked for by those who may not, and disconnected.
import { afterAll, expect, test } from "vitest";
import { clientOf } from "../../client/test/client-of.ts";
import { signed } from "../../server/src/platform/wire/standard-webhooks.ts";
import { browser } from "../../server/test/browser.ts";
import { eventually } from "../../server/test/eventually.ts";
import { plantTracker, signedNow } from "../../server/test/integrations.ts";
import { standIn } from "../../server/test/providers/stand-in.ts";
import { webhookReceiver } from "../../server/test/webhook-receiver.ts";
import { newProject } from "../../server/test/work.ts";
import { service, world } from "../../server/test/world.ts";
import { looked, type Seat, seat } from "./app.ts";

const gitlab = await standIn();
afterAll(() => gitlab.close());
gitlab.on("POST /oauth/token", { access_token: "a-token", refresh_token: "another", expires_in: 7200 });
gitlab.on("GET /api/v4/user", { id: 7, username: "ada", web_url: `${gitlab.origin}/ada` });
gitlab.on("GET /api/v4/projects", [
  { id: 1, path_with_namespace: "ada/engine", web_url: `${gitlab.origin}/ada/engine`, name: "engine" },
]);
const own = await webhookReceiver();
afterAll(() => own.close());
const tracker = await standIn({
  "GET /api/0/organizations/": [{ slug: "acme", name: "Acme" }],
  "GET /api/0/organizations/acme/projects/": [{ id: "7", slug: "shop" }],
});
afterAll(() => tracker.close());
const app = { url: gitlab.origin, client_id: "client", client_secret: "a-client-secret" };
const running = service({
  roles: ["api", "worker", "realtime"],
  apps: { gitlab: app, private_connector: { url: own.origin }, errtrack: { url: tracker.origin } },
});
const chromium = browser();

async function workshop() {
  const home = await world(running);
  const project = await newProject(home, { name: "Difference Engine", key: "ENG" });
  const api = clientOf(home.owner);
  const installations = async () => (await api.listIntegrationInstallations({ workspace_id: home.workspaceId })).items;
  const tasks = async () => (await api.listProjectTasks({ project_id: project.id })).items;
  return { home, project, api, installations, tasks };
}

/** Through the form: where its deliveries go, and what they are signed with. */
async function connectWebhook({ page, goTo, press }: Seat, name: string) {
  await goTo("settings/integrations");
  await page.getByRole("button", { name: "Connect: Webhook" }).click();
  await page.getByRole("textbox", { name: /^Name/ }).fill(name);
  await press("Connect");
  const codes = page.locator('[data-provider="webhook"] code');
  await codes.nth(1).waitFor();
  const [address = "", secret = ""] = await codes.allInnerTexts();
  return { path: new URL(address).pathname.replace("/api/v1", ""), secret };
}

/** Goes to the provider, which sends back at once, as one does that somebody has agreed at. */
async function leave({ page }: Seat, button: string, answer: Record<string, string>) {
  await page.route(`${gitlab.origin}/oauth/authorize*`, (route) => {
    const asked = new URL(route.request().url()).searchParams;
    const query = new URLSearchParams({ state: asked.get("state") ?? "", ...answer });
    return route.fulfill({ status: 302, headers: { location: `${asked.get("redirect_uri")}?${query}` } });
  });
  await page.getByRole("button", { name: button, exact: true }).click();
}

test("a webhook is connected and bound in three steps; what it sends makes a Task, stands at it and changes there; then it ends", async () => {
  const { home, installations, tasks } = await workshop();
  const ada = await seat(running, chromium, home);
  const { page } = ada;
  const { path, secret } = await connectWebhook(ada, "Alarm");
  const [made] = await installations();
  expect(made).toMatchObject({ provider_key: "webhook", account_name: "Alarm", state: "active" });
  expect([path, secret]).toEqual([`/webhooks/integrations/webhook/${made?.id}`, expect.stringMatching(/^whsec_/)]);
  await looked(ada, "integrations");
  await page.reload();
  await page.getByRole("link", { name: "Webhook · Alarm" }).waitFor();
  expect(await page.content(), "it is shown once").not.toContain(secret);
  await ada.goTo("projects/ENG/settings/integrations");
  await page.getByRole("button", { name: "Bind to …" }).click();
  await page.getByRole("option", { name: /Alarm/ }).click();
  await looked(ada, "integration-bind");
  await ada.press("Bind");
  const bound = page.getByRole("region", { name: "Alarm", exact: true });
  await bound.locator('[data-subscription="on"]').waitFor();
  expect(await bound.getByLabel("What comes in makes a new Task").isChecked()).toBe(true);
  await looked(ada, "integration-bound");
  const deliver = async (data: Record<string, string>) => {
    const raw = JSON.stringify({ type: "alarm", data });
    const headers = { "content-type": "application/json", ...signedNow(raw, undefined, secret) };
    expect((await running.send("POST", path, { raw, headers })).status).toBe(200);
  };
  const alarm = { id: "7", title: "The mill has stopped", url: "https://ci.example.com/7", state: "open" };
  await deliver(alarm);
  const [task] = await eventually(async () => {
    const found = await tasks();
    expect(found).toHaveLength(1);
    return found;
  });
  await ada.goTo(`tasks/${task?.code}`);
  const line = page.getByRole("list", { name: "Elsewhere" }).getByRole("listitem");
  await line.locator('[data-state="open"]').waitFor();
  expect(await line.getByRole("link", { name: alarm.title }).getAttribute("href")).toBe(alarm.url);
  await looked(ada, "task-elsewhere");
  // Realtime tells of it. What would be run in this page is no link.
  await ada.settled();
  await deliver({ ...alarm, title: "It turns again", state: "resolved", url: "javascript:alert(1)" });
  await line.locator('[data-state="resolved"]').waitFor();
  await line.getByText("It turns again").waitFor();
  expect(await line.getByRole("link").count()).toBe(0);
  // Its last kind switched off, nothing is followed any more.
  await ada.goTo("projects/ENG/settings/integrations");
  await bound.getByLabel("messages").click();
  await bound.getByText("Nothing is followed").waitFor();
  await bound.getByRole("button", { name: "Follow it" }).click();
  await bound.locator('[data-subscription="on"]').waitFor();
  await ada.goTo(`settings/integrations/${made?.id}`);
  await page.getByRole("list", { name: "What Projects can be bound to" }).getByText("Address for deliveries").waitFor();
  // What came is listed without a word of it, and worked again.
  const came = page.getByRole("list", { name: "Last deliveries" }).getByRole("listitem");
  await came.nth(1).locator('[data-delivery="done"]').waitFor();
  expect(await came.count()).toBe(2);
  expect(await came.allInnerTexts()).not.toContain(alarm.title);
  const shown = page.getByRole("combobox", { name: "Show", exact: true });
  await shown.selectOption("Failed");
  await page.getByText("Nothing of this within the last 90 days.").waitFor();
  await shown.selectOption("Done");
  await came.nth(1).locator('[data-delivery="done"]').waitFor();
  await shown.selectOption("Everything");
  await came
    .nth(0)
    .getByRole("button", { name: /^Work it again: / })
    .click();
  await came.nth(0).locator('[data-delivery="done"][data-replays="1"]').waitFor();
  await came.nth(0).getByText("It is worked again.").waitFor();
  expect(await tasks(), "what is there is not made twice").toHaveLength(1);
  await looked(ada, "integration");
  await page.getByRole("button", { name: "Disconnect: Alarm" }).click();
  await page.getByRole("button", { name: "Disconnect for good: Alarm" }).click();
  await page.getByText("Nothing is connected yet.").waitFor();
  expect(await installations()).toEqual([]);
  await ada.goTo("projects/ENG/settings/integrations");
  await page.getByText("This Project is bound to nothing.").waitFor();
});

test("through a provider and back a Workspace is connected, an account linked and unlinked, and what fails says so once", async () => {
  const { home, installations } = await workshop();
  const ada = await seat(running, chromium, home);
  const { page } = ada;
  await ada.goTo("settings/integrations");
  await leave(ada, "Connect: GitLab", { error: "access_denied" });
  await page.locator('[data-back="failed"]').waitFor();
  await eventually(() => expect(new URL(page.url()).search).toBe(""));
  expect(await installations()).toEqual([]);
  await leave(ada, "Connect: GitLab", { code: "good" });
  await page.locator('[data-back="connected"]').waitFor();
  await page.getByRole("link", { name: "GitLab · ada" }).waitFor();
  await looked(ada, "integrations-connected");
  await ada.goTo("settings/identities");
  await page.getByRole("list", { name: "Linked accounts" }).getByText("ada").waitFor();
  await looked(ada, "integration-identities");
  await page.getByRole("button", { name: "Unlink: ada" }).click();
  await page.getByRole("button", { name: "Unlink for good: ada" }).click();
  await page.getByText("You have linked no account.").waitFor();
  await leave(ada, "Link GitLab", { code: "good" });
  await page.locator('[data-back="connected"]').waitFor();
  await page.getByRole("list", { name: "Linked accounts" }).getByText("ada").waitFor();
});

test("whoever may not connect asks for it, and hears that it is connected", async () => {
  const { home } = await workshop();
  const bob = await seat(running, chromium, home, await home.member("member"));
  await bob.goTo("settings/integrations");
  const offer = bob.page.locator('[data-provider="webhook"]');
  await offer.getByRole("button", { name: "Ask for it: Webhook" }).click();
  await offer.getByLabel("Why").fill("Our alarms should make Tasks.");
  await looked(bob, "integration-asked");
  await offer.getByRole("button", { name: "Ask for it", exact: true }).click();
  await offer.getByText("You have asked.").waitFor();
  expect(await bob.page.getByRole("button", { name: /^Connect/ }).count()).toBe(0);
  // Asked twice it is refused, in words.
  await bob.page.reload();
  await offer.getByRole("button", { name: "Ask for it: Webhook" }).click();
  await offer.getByRole("button", { name: "Ask for it", exact: true }).click();
  await offer.locator('[data-refused="integration_requested"]').waitFor();
  const ada = await seat(running, chromium, home);
  await connectWebhook(ada, "Alarm");
  await bob.page.getByRole("link", { name: "Webhook · Alarm" }).waitFor();
  await bob.goTo("inbox");
  await bob.page.getByText("connected it, as you asked").waitFor();
});

test("what a member asks for stands in the inbox of who decides it, and what is declined in theirs", async () => {
  const { home } = await workshop();
  const member = await home.member("member");
  await clientOf(member).createIntegrationRequest({
    workspace_id: home.workspaceId,
    provider_key: "webhook",
    note: "For our alarms",
  });
  const ada = await seat(running, chromium, home);
  await ada.goTo("inbox");
  await ada.page.getByText("asks you to connect it").waitFor();
  await looked(ada, "inbox-request");
  await ada.page.getByText("For our alarms").click();
  const asked = ada.page.getByRole("list", { name: "What members ask for" });
  await asked.getByText("For our alarms").waitFor();
  await looked(ada, "integration-requests");
  await asked.getByRole("button", { name: /^Decline: Webhook/ }).click();
  await asked.getByRole("button", { name: /^Decline for good: Webhook/ }).click();
  await asked.waitFor({ state: "detached" });
  await ada.goTo("inbox");
  await ada.page.getByText("You have seen everything").waitFor();
  const bob = await seat(running, chromium, home, member);
  await bob.goTo("inbox");
  await bob.page.getByText("declined your request").waitFor();
});

test("a service of one's own is connected with what it declares, tried, changed, and read in German", async () => {
  const { home, installations, api } = await workshop();
  const ada = await seat(running, chromium, home);
  const { page } = ada;
  await ada.goTo("settings/integrations");
  await page.getByRole("button", { name: "Connect: Private connector" }).click();
  const form = page.getByRole("form", { name: "Connect Private connector" });
  await form.getByLabel("Name", { exact: true }).fill("Deployments");
  await form.getByLabel("Address").fill("https://10.0.0.1/svc");
  await form.getByLabel("Key").fill("deploy");
  await form.getByLabel("What people read").fill("Deploy it");
  await form.getByLabel("Field: Action 1, field 1", { exact: true }).fill("version");
  await form.getByLabel("Required: Action 1, field 1", { exact: true }).check();
  await form.getByRole("button", { name: "Add a field: Action 1" }).click();
  const second = form.getByLabel("Field: Action 1, field 2", { exact: true });
  await second.fill("version");
  await form.getByText("Another field of this action has this name.").waitFor();
  expect(await second.getAttribute("aria-invalid")).toBe("true");
  await form.getByRole("button", { name: "Connect" }).click();
  expect(await second.evaluate((element) => element === document.activeElement), "it is not sent").toBe(true);
  await second.fill("force");
  await form.getByText("Another field of this action has this name.").waitFor({ state: "detached" });
  await form.getByLabel("Type: Action 1, field 2", { exact: true }).selectOption("boolean");
  await form.getByRole("button", { name: "Add an action" }).click();
  await form.getByLabel("Key").nth(1).fill("deploy");
  await form.getByText("Another action has this key.").waitFor();
  await form.getByRole("button", { name: "Remove the action: Action 2" }).click();
  await looked(ada, "connector-new");
  await form.getByRole("button", { name: "Connect" }).click();
  await form.locator('[data-refused="provider_refused"]').waitFor();
  await form.getByLabel("Address").fill(`${own.origin}/svc`);
  await form.getByRole("button", { name: "Connect" }).click();
  const secret = await page.locator('[data-provider="private_connector"] code').innerText();
  expect(secret).toMatch(/^whsec_/);
  const [made] = await installations();
  const id = made?.id as string;
  const declared = async () => (await api.listInstallationActions({ installation_id: id })).items;
  const version = { type: "string" };
  expect(await declared()).toEqual([
    {
      key: "deploy",
      name: "Deploy it",
      input_schema: { type: "object", properties: { version, force: { type: "boolean" } }, required: ["version"] },
    },
  ]);
  await ada.goTo(`settings/integrations/${id}`);
  const tries = page.getByRole("main").getByRole("button", { name: "Test", exact: true });
  own.says((response) => void response.end("{}"));
  await tries.click();
  await page.locator('[data-tested="failed"]').getByText("its answer was not signed").waitFor();
  own.says((response, { headers }) => {
    const answer = signed([secret], `answer-${headers["webhook-id"]}`, Buffer.from("{}"), new Date());
    response.writeHead(200, answer).end("{}");
  });
  await tries.click();
  await page.locator('[data-tested="answered"]').waitFor();
  await looked(ada, "connector");
  expect(await page.content(), "it is shown once").not.toContain(secret);
  await ada.press("Change");
  const change = page.getByRole("form", { name: "Change Deployments" });
  await change.getByLabel("Name", { exact: true }).fill("Releases");
  // The database keeps the fields of an object in an order of its own.
  expect(await change.getByLabel("Field: Action 1, field 1", { exact: true }).inputValue()).toBe("force");
  await change.getByRole("button", { name: "Remove the field: Action 1, field 1" }).click();
  await looked(ada, "connector-change");
  await change.getByRole("button", { name: "Save" }).click();
  await page.getByRole("heading", { name: "Private connector · Releases" }).waitFor();
  expect((await declared())[0]?.input_schema).toEqual({
    type: "object",
    properties: { version },
    required: ["version"],
  });
  await api.replaceInterfaceLanguage({ language: "de" });
  await page.reload();
  await page.getByRole("button", { name: "Testen", exact: true }).waitFor();
  await page.getByRole("heading", { name: "Letzte Lieferungen" }).waitFor();
});

test("an error tracker that signs as Sentry does is connected with its own secret", async () => {
  const { home, installations } = await workshop();
  const ada = await seat(running, chromium, home);
  const { page } = ada;
  await ada.goTo("settings/integrations");
  await page.getByRole("button", { name: "Connect: Error tracker" }).click();
  await page.getByLabel(/^Address/).fill(tracker.origin);
  await page.getByLabel(/^Access token/).fill("a-token");
  await page.getByLabel(/^Secret of its own/).fill("a-secret-of-its-own");
  await page.getByLabel(/^What it calls the installation/).fill("installation-1");
  await looked(ada, "integration-own-signing");
  await ada.press("Connect");
  const codes = page.locator('[data-provider="errtrack"] code');
  await codes.first().waitFor();
  const [made] = await installations();
  expect(await codes.allInnerTexts(), "no secret of ours").toEqual([
    expect.stringContaining(`/webhooks/integrations/errtrack/${made?.id}`),
  ]);
  const kept = "select signs_as from integration_installations where id = $1";
  expect(await running.sql(kept, [made?.id], home.workspaceId)).toEqual([{ signs_as: "installation-1" }]);
});

test("of an error tracker whoever manages it learns what is left to do", async () => {
  const { home, project } = await workshop();
  await plantTracker(running, home.workspaceId, home.owner.actorId, project.id);
  const ada = await seat(running, chromium, home);
  await ada.goTo("projects/ENG/settings/integrations");
  const { page } = ada;
  await page.getByRole("button", { name: "What is left to do: Planted" }).click();
  await page.locator('[data-ready="false"]').waitFor();
  const shown = page.locator("[data-check]");
  expect(await shown.evaluateAll((all) => all.map((each) => each.getAttribute("data-check")))).toEqual([
    ...["deliveries", "create_tasks", "resolve_there", "resolve_here"],
  ]);
  expect(await shown.first().innerText()).toContain("tracker");
  expect(await page.getByText("Saved").count(), "it was only asked").toBe(0);
  await looked(ada, "integration-readiness");
});

test("what does not work says why, and an address that leads to nothing says so", async () => {
  const { home, project, api, installations } = await workshop();
  const ada = await seat(running, chromium, home);
  await connectWebhook(ada, "Alarm");
  const [made] = await installations();
  const { items } = await api.listIntegrationResources({ installation_id: made?.id ?? "" });
  const bound = { installation_id: made?.id ?? "", resource_id: items[0]?.id ?? "" };
  await api.createIntegrationBinding({ project_id: project.id, ...bound });
  const refused = "update integration_resources set error_code = 'refused' where id = $1";
  await running.sql(refused, [bound.resource_id], home.workspaceId);
  await ada.goTo("projects/ENG/settings/integrations");
  await ada.page.getByText("Give the connected account the right to manage webhooks").waitFor();
  await running.sql(
    `update integration_installations set state = 'degraded', error_code = 'credential_refused', revision = revision + 1
      where id = $1`,
    [made?.id],
    home.workspaceId,
  );
  await ada.goTo("settings/integrations");
  await ada.page.getByText("It refuses the credential. Connect it again.").waitFor();
  await ada.goTo(`settings/integrations/${made?.id}`);
  await ada.page.locator('[data-error="credential_refused"]').waitFor();
  await ada.page.locator('[data-state="degraded"]').waitFor();
  await looked(ada, "integration-degraded");
  await ada.goTo("settings/integrations/nothing");
  await ada.page.getByText("There is nothing at this address").waitFor();
});
