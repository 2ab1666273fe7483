// Settings in a real browser: what somebody decides for themselves and for everybody, and what is shown to those who
// decide nothing here.

import { afterAll, expect, test } from "vitest";
import { clientOf } from "../../client/test/client-of.ts";
import { openSender } from "../../server/src/connect/webhooks/sender.ts";
import { egressTo } from "../../server/src/platform/outside/egress.ts";
import { createLog } from "../../server/src/platform/wire/log.ts";
import { secretBox } from "../../server/src/platform/wire/secret-box.ts";
import { browser } from "../../server/test/browser.ts";
import { eventually } from "../../server/test/eventually.ts";
import { BLUE, picture } from "../../server/test/pictures.ts";
import { webhookReceiver } from "../../server/test/webhook-receiver.ts";
import { joinWorkspace, newMilestone, newProject, newTask, sessionIn } from "../../server/test/work.ts";
import { service, testKeys, world } from "../../server/test/world.ts";
import { looked, seat } from "./app.ts";
import { visit } from "./visit.ts";

const receiver = await webhookReceiver();
afterAll(() => receiver.close());
const running = service({ webhookAllow: [receiver.origin] });
const chromium = browser();
/** Many work on this machine. */
const sections = [
  ...["profile", "notifications", "assistant", "security", "tokens", "workspace", "members", "billing", "projects"],
  ...["workflow", "lifecycle", "labels", "ai", "webhooks", "time"],
];

test("every section is shown without a fault, and an unknown one says so", async () => {
  const home = await world(running);
  await newProject(home, { name: "Difference Engine", key: "ENG" });
  const ada = await seat(running, chromium, home);
  for (const section of sections) {
    await ada.goTo(`settings/${section}`);
    await ada.page.locator("main h1").waitFor();
    await ada.page.locator("main:not(:has([aria-busy=true]))").waitFor();
    await looked(ada, `settings-${section}`);
  }
  await ada.goTo("settings/nothing");
  await ada.page.getByText("There is nothing at this address").waitFor();
});

test("a profile is changed, and the application speaks the chosen language at once", async () => {
  const home = await world(running);
  await newProject(home, { name: "Difference Engine", key: "ENG" });
  const ada = await seat(running, chromium, home);
  await ada.goTo("settings/profile");
  await ada.page.getByLabel("Your name").fill("Ada Lovelace");
  await ada.page.getByLabel("Language of the application").selectOption("de");
  await ada.page.getByLabel("The week begins on").selectOption("sunday");
  await ada.press("Save");
  await ada.page.getByRole("heading", { name: "Profil", exact: true }).waitFor();
  const { display_name, week_start } = await clientOf(home.owner).getMe();
  expect([display_name, week_start]).toEqual(["Ada Lovelace", "sunday"]);
});

test("the assistant is let do small things, in a time zone of its own", async () => {
  const home = await world(running);
  const ada = await seat(running, chromium, home);
  const { page } = ada;
  const preferences = () => clientOf(home.owner).getDiscussPreferences({ workspace_id: home.workspaceId });
  await ada.goTo("settings/assistant");
  const small = page.getByLabel("Small changes without asking");
  expect(await small.isChecked()).toBe(false);
  await small.check();
  expect(await page.getByLabel("Time zone in this conversation").isDisabled()).toBe(true);
  await page.getByLabel("The time zone of my account").uncheck();
  await page.getByLabel("Time zone in this conversation").fill("Nowhere/Land");
  await ada.press("Save");
  await page.locator('[data-refused="invalid_request"]').waitFor();
  expect((await preferences()).opt_in).toBe(false);
  await page.getByLabel("Time zone in this conversation").fill("Asia/Tokyo");
  await ada.press("Save");
  await page.getByText("Your hours and days here are now in Asia/Tokyo.").waitFor();
  expect(await preferences()).toMatchObject({
    opt_in: true,
    follow_account_timezone: false,
    effective_timezone: "Asia/Tokyo",
  });
});

test("labels and Statuses are made, changed and taken back, and a Status that is used is not deleted", async () => {
  const home = await world(running);
  const project = await newProject(home, { name: "Difference Engine", key: "ENG" });
  await newTask(home.owner, project.id, { title: "Cut the gears" });
  const ada = await seat(running, chromium, home);
  const { page } = ada;
  const labels = async () =>
    (await clientOf(home.owner).listWorkspaceLabels({ workspace_id: home.workspaceId })).items.map(
      ({ name }: { name: string }) => name,
    );
  await ada.goTo("settings/labels");
  await page.getByRole("textbox", { name: "New label" }).fill("Brass");
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Edit: Brass" }).click();
  await page.getByLabel("Name", { exact: true }).fill("Steel");
  await page.keyboard.press("Enter");
  await ada.settled();
  await expect.poll(labels).toContain("Steel");
  await page.getByRole("button", { name: "Delete: Steel" }).click();
  await ada.settled();
  await expect.poll(labels).not.toContain("Steel");
  await page.locator("h1").click();
  await page.keyboard.press("ControlOrMeta+z");
  await page.getByRole("button", { name: "Edit: Steel" }).waitFor();
  await ada.settled();
  await ada.goTo("settings/workflow");
  await ada.press("Add a Status to In progress");
  await page.getByRole("textbox", { name: "Add a Status to In progress" }).fill("Polishing");
  await page.keyboard.press("Enter");
  await page.getByText("Polishing").first().waitFor();
  await ada.settled();
  await page.getByRole("button", { name: "Move up: Polishing" }).click();
  await ada.settled();
  const lastStarted = async () => {
    const { items } = await clientOf(home.owner).listWorkspaceStatuses({ workspace_id: home.workspaceId });
    return items.findLast(({ category }) => category === "started")?.name;
  };
  await expect.poll(lastStarted).toBe("In Review");
  await page.getByRole("button", { name: "Delete: Todo" }).click();
  await page.locator('[data-toast="refused"]').waitFor();
  await page.getByText("Todo", { exact: true }).first().waitFor();
});

test("a picture and an icon are set, replaced and removed, and what is no picture is refused", async () => {
  const home = await world(running);
  await newProject(home, { name: "Difference Engine", key: "ENG" });
  const ada = await seat(running, chromium, home);
  const { page } = ada;
  const colour = (name: string) =>
    page.getByRole("img", { name }).evaluate(async (image: HTMLImageElement) => {
      await image.decode();
      const drawn = new OffscreenCanvas(1, 1).getContext("2d") as OffscreenCanvasRenderingContext2D;
      drawn.drawImage(image, 0, 0, 1, 1);
      const [red = 0, , blue = 0] = drawn.getImageData(0, 0, 1, 1).data;
      return red > blue ? "red" : "blue";
    });
  const file = async (background?: typeof BLUE) => ({
    name: "me.png",
    mimeType: "image/png",
    buffer: await picture("png", 40, 40, background),
  });
  await ada.goTo("settings/profile");
  const chooser = page.locator("input[type=file]");
  await chooser.setInputFiles({ name: "me.txt", mimeType: "text/plain", buffer: Buffer.from("hello") });
  await page.getByText("This is no PNG, JPEG, WebP or GIF.").waitFor();
  await chooser.setInputFiles({ name: "me.png", mimeType: "image/png", buffer: Buffer.from("hello") });
  await page.locator('[data-refused="invalid_picture"]').waitFor();
  await chooser.setInputFiles(await file());
  await expect.poll(() => colour("Picture")).toBe("red");
  await chooser.setInputFiles(await file(BLUE));
  await expect.poll(() => colour("Picture")).toBe("blue");
  await looked(ada, "settings-picture");
  await page.getByRole("button", { name: "Remove", exact: true }).click();
  await page.getByRole("img", { name: "Picture" }).waitFor({ state: "detached" });
  expect((await clientOf(home.owner).getMe()).has_picture).toBe(false);
  await ada.goTo("settings/workspace");
  await chooser.setInputFiles(await file());
  await expect.poll(() => colour("Icon")).toBe("red");
  await expect.poll(() => page.locator("img[src$='/icon/content' i]").count()).toBe(2);
  await page.getByRole("button", { name: "Remove", exact: true }).click();
  await expect.poll(() => page.locator("img[src$='/icon/content' i]").count()).toBe(0);
});

test("a Workspace is archived by its name, and restored from the account", async () => {
  const home = await world(running);
  await newProject(home, { name: "Difference Engine", key: "ENG" });
  const other = await world(running);
  const ada = await seat(running, chromium, home);
  const { page } = ada;
  await ada.goTo("settings/workspace");
  const name = await page.getByRole("textbox", { name: "Name", exact: true }).inputValue();
  await ada.press("Archive the Workspace");
  const field = page.getByLabel(`Type its name: ${name}`);
  await field.fill("something else");
  expect(await page.getByRole("button", { name: "Archive it now" }).isDisabled()).toBe(true);
  await field.fill(name);
  await ada.press("Archive it now");
  // It is their last one.
  await page.locator('[data-refused="last_workspace"]').waitFor();
  await joinWorkspace(running, other.workspaceId, home.owner.userId);
  await ada.press("Archive it now");
  await ada.heading("Sign in");
  const { session } = await sessionIn(running, other.workspaceId, home.owner.userId);
  const again = await seat(running, chromium, other, { ...home.owner, session });
  await again.open("/account");
  await again.press(`Restore ${name}`);
  await again.page.getByRole("button", { name: `Restore ${name}` }).waitFor({ state: "detached" });
  await expect.poll(() => again.page.getByRole("link", { name, exact: true }).count()).toBe(2);
});

test("stages of Projects and of Milestones are added, put in order and replaced", async () => {
  const home = await world(running);
  const project = await newProject(home, { name: "Difference Engine", key: "ENG" });
  const milestone = await newMilestone(home.owner, project.id);
  const ada = await seat(running, chromium, home);
  const { page } = ada;
  const [api, at] = [clientOf(home.owner), { workspace_id: home.workspaceId }];
  await ada.goTo("settings/lifecycle");
  await ada.press("Add a stage to In progress");
  await page.getByRole("textbox", { name: "Add a stage to In progress" }).fill("In the workshop");
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Edit: In the workshop" }).waitFor();
  await ada.settled();
  await page.getByLabel("They begin in").selectOption({ label: "In the workshop" });
  const states = (await api.listProjectStates(at)).items;
  const workshop = states.find(({ name }) => name === "In the workshop") ?? expect.fail("no such state");
  await eventually(async () => expect((await api.getProjectLifecycle(at)).default_state_id).toBe(workshop.id));
  const made = await newProject(home, { name: "Analytical Engine" });
  expect(made.state_id).toBe(workshop.id);
  await page.getByRole("button", { name: "Replace: In the workshop" }).click();
  const other = states.find(({ category }) => category === "completed") ?? expect.fail("no such state");
  await page.getByLabel("What is in it goes to").selectOption({ label: other.name });
  await ada.press("Replace it for good");
  // What is in it would count as done.
  await page.locator('[data-refused="lifecycle_acknowledgement_required"]').waitFor();
  await page.getByLabel("I have seen that they will behave differently").check();
  await ada.press("Replace it for good");
  await page.getByRole("button", { name: "Edit: In the workshop" }).waitFor({ state: "detached" });
  await eventually(async () =>
    expect((await clientOf(home.owner).getProject({ project_id: made.id })).state_id).toBe(other.id),
  );
  // The stages are one list: what goes away names its heir.
  const stages = page.getByRole("form", { name: "Stages of Milestones" });
  const { stages: before } = await api.getMilestoneLifecycle(at);
  const stage = before.find(({ id }) => id === milestone.stage_id) ?? expect.fail("no such stage");
  await stages.getByRole("button", { name: `Delete: ${stage.name}` }).click();
  await stages.getByText(`Takes over from: ${stage.name}`).waitFor();
  await stages.getByRole("button", { name: "Add a stage" }).click();
  await stages.getByLabel("Name", { exact: true }).last().fill("Celebrated");
  await stages.getByRole("button", { name: "Save" }).click();
  await eventually(async () => {
    const names = (await api.getMilestoneLifecycle(at)).stages.map(({ name }) => name);
    expect(names.at(-1)).toBe("Celebrated");
    expect(names).not.toContain(stage.name);
  });
  await looked(ada, "settings-lifecycle-changed");
});

test("everything is moved to another Status after a preview, and the job tells how far it is", async () => {
  const home = await world(running);
  const project = await newProject(home, { name: "Difference Engine", key: "ENG" });
  for (const title of ["Gears", "Levers"]) await newTask(home.owner, project.id, { title });
  const ada = await seat(running, chromium, home);
  await ada.goTo("settings/workflow");
  await ada.page.getByLabel("Out of").selectOption({ label: "Todo" });
  await ada.page.getByLabel("Into").selectOption({ label: "Done" });
  await ada.press("Show what would happen");
  await ada.page.getByText("2 Tasks move from Todo to Done.").waitFor();
  expect(await ada.page.getByText("Saved").count(), "it was only looked at").toBe(0);
  // It cannot be done unseen: they would count as done.
  expect(await ada.page.getByRole("button", { name: "Move them" }).isDisabled()).toBe(true);
  await ada.page.getByLabel("I have seen that they will behave differently").check();
  await looked(ada, "settings-mapping");
  await ada.press("Move them");
  await ada.page.locator('[data-job="completed"]').waitFor();
  const { items } = await clientOf(home.owner).listProjectTasks({ project_id: project.id });
  expect(items.every(({ completed_at }) => completed_at !== null)).toBe(true);
});

test("somebody is invited, a role is changed, and a token is shown once", async () => {
  const home = await world(running);
  await newProject(home, { name: "Difference Engine", key: "ENG" });
  const grace = await home.member("member");
  const ada = await seat(running, chromium, home);
  const { page } = ada;
  await ada.goTo("settings/members");
  await page.getByLabel("Mail address").fill("grace@example.com");
  await ada.press("Send the invitation");
  await page.getByText("grace@example.com").waitFor();
  await page.getByRole("button", { name: "Revoke: grace@example.com" }).click();
  await page.getByRole("button", { name: "Revoke for good: grace@example.com" }).click();
  await page.getByText("grace@example.com").waitFor({ state: "detached" });
  const roleOf = async () =>
    (await clientOf(home.owner).listMembers({ workspace_id: home.workspaceId })).items.find(
      ({ actor_id }) => actor_id === grace.actorId,
    )?.role;
  await page
    .getByRole("combobox", { name: /^Role of/ })
    .first()
    .selectOption("viewer");
  await eventually(async () => expect(await roleOf()).toBe("viewer"));
  await ada.goTo("settings/tokens");
  await page.getByLabel("Name", { exact: true }).fill("nightly import");
  await ada.press("Create");
  const token = await page.locator("code").innerText();
  expect(token).toMatch(/^svc_pat_/);
  await page.getByText("nightly import").waitFor();
  await page.reload();
  await page.getByText("nightly import").waitFor();
  expect(await page.getByText(token).count()).toBe(0);
});

test("a webhook endpoint is made, its secret is shown once, a test is sent and sent again, and it is disabled and deleted", async () => {
  const home = await world(running);
  await newProject(home, { name: "Difference Engine", key: "ENG" });
  const ada = await seat(running, chromium, home);
  const { page } = ada;
  await ada.goTo("settings/webhooks");
  await page.getByText("No program is told anything yet.").waitFor();
  const form = page.getByRole("form", { name: "New endpoint" });
  await form.getByLabel("Name").fill("Reports");
  await form.getByLabel("Address").fill("https://10.0.0.1/hook");
  await form.getByRole("button", { name: "Create the endpoint" }).click();
  await page.locator("[data-refused=webhook_url_refused]").waitFor();
  await form.getByLabel("Address").fill(`${receiver.origin}/hook`);
  await form.getByLabel("task.trashed").check();
  await form.getByLabel("Difference Engine").check();
  await form.getByRole("button", { name: "Create the endpoint" }).click();
  await page.getByText(/^whsec_/).waitFor();
  const { items } = await clientOf(home.owner).listWebhookEndpoints({ workspace_id: home.workspaceId });
  expect(
    items.map(({ name, actions, project_ids }) => [name, actions.includes("task.trashed"), project_ids.length]),
  ).toEqual([["Reports", true, 1]]);
  const outside = { webhooks: egressTo({ allow: [receiver.origin] }), secrets: secretBox(testKeys) };
  const sender = openSender({ database: running.database, outside, log: createLog("silent") });
  const sent = (count: number) =>
    eventually(async () => {
      await sender.look();
      expect(receiver.received).toHaveLength(count);
    });
  await page.getByRole("button", { name: "Send a test: Reports" }).click();
  await sent(1);
  await page.locator("[data-tested=delivered]").getByText("The test was accepted: 200").waitFor();
  const row = page.getByRole("list", { name: "Endpoints" });
  expect(await row.getByText("Saved").count(), "nothing was saved").toBe(0);
  const log = page.getByRole("region", { name: "Log: Reports" });
  await log.locator("[data-delivery=delivered]").getByText("Accepted").waitFor();
  await looked(ada, "settings-webhooks-log");
  await log.getByRole("button", { name: "Send again" }).click();
  await sent(2);
  await sender.close();
  expect(new Set(receiver.received.map(({ headers }) => headers["webhook-id"])).size).toBe(1);
  await page.getByRole("checkbox", { name: "Enabled: Reports" }).click();
  await expect.poll(() => page.getByRole("button", { name: "Send a test: Reports" }).count()).toBe(0);
  await page.getByRole("button", { name: "Change: Reports" }).click();
  const change = page.getByRole("form", { name: "Change: Reports" });
  await change.getByLabel("Name").fill("Others");
  await change.getByRole("button", { name: "Save" }).click();
  await page.getByRole("button", { name: "Delete: Others" }).click();
  await page
    .getByRole("button", { name: /: Others$/ })
    .and(page.locator(".btn-bad"))
    .click();
  await page.getByText("No program is told anything yet.").waitFor();
});

test("whoever decides nothing here reads the same pages and is offered nothing", async () => {
  const home = await world(running);
  await newProject(home, { name: "Difference Engine", key: "ENG" });
  const eve = await seat(running, chromium, home, await home.member("viewer"));
  for (const section of ["workspace", "members", "projects", "workflow", "lifecycle", "labels", "ai", "time"]) {
    await eve.goTo(`settings/${section}`);
    await eve.page.locator("main h1").waitFor();
    await eve.page.locator("main:not(:has([aria-busy=true]))").waitFor();
    expect(
      await eve.page
        .locator("main")
        .getByRole("button", { name: /Save|Add|Delete|Create|Remove|invitation/ })
        .count(),
      section,
    ).toBe(0);
  }
});

test("what is told, and how, is kept for each category", async () => {
  const home = await world(running);
  await newProject(home, { name: "Difference Engine", key: "ENG" });
  const ada = await seat(running, chromium, home);
  await ada.goTo("settings/notifications");
  const box = ada.page.getByRole("checkbox", { name: "Comments on what you follow: Mail" });
  await box.waitFor();
  const before = await box.isChecked();
  await box.click();
  await expect.poll(() => box.isChecked()).toBe(!before);
  const { items } = await clientOf(home.owner).listNotificationPreferences({ workspace_id: home.workspaceId });
  expect(items.find(({ category }) => category === "commented")?.email).toBe(!before);
});

test("the pages of the account speak German to whoever's browser does, refusals included", async () => {
  const gast = await visit(running, chromium, { locale: "de-CH" });
  await gast.open("/login");
  await gast.heading("Anmelden");
  expect(await gast.page.evaluate(() => document.documentElement.lang)).toBe("de");
  await gast.fill("E-Mail", "ada@example.com");
  await gast.fill("Passwort", "certainly the wrong one");
  await gast.press("Anmelden");
  await gast.page.getByText("Das passte nicht").waitFor();
  await gast.open("/register");
  await gast.heading("Konto anlegen");
});
