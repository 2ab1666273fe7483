// The journeys through the settings: what a person decides for themselves, and what an owner decides for the Workspace.
import { expect, test } from "vitest";
import { clientOf } from "../../client/test/client-of.ts";
import { browser } from "../../server/test/browser.ts";
import { eventually } from "../../server/test/eventually.ts";
import { newProject, newTask } from "../../server/test/work.ts";
import { service, world } from "../../server/test/world.ts";
import { seat } from "./app.ts";

const running = service();
const chromium = browser();

async function workshop() {
  const home = await world(running);
  const project = await newProject(home, { name: "Difference Engine", key: "ENG" });
  await newTask(home.owner, project.id, { title: "Cut the gears" });
  return { home, api: clientOf(home.owner), of: { workspace_id: home.workspaceId } };
}

test("a person sets notifications, the assistant, an API token that is shown once, and the language", async () => {
  const { home, api, of } = await workshop();
  const ada = await seat(running, chromium, home);
  const { page } = ada;
  await ada.goTo("settings/notifications");
  await ada.shows("settings/notifications");
  const box = page.getByRole("checkbox", { name: "Comments on what you follow: Mail" });
  const before = await box.isChecked();
  await box.click();
  await expect.poll(() => box.isChecked()).toBe(!before);
  const { items } = await api.listNotificationPreferences(of);
  expect(items.find(({ category }) => category === "commented")?.email).toBe(!before);

  await ada.reach("settings/assistant");
  await page.getByLabel("Small changes without asking").check();
  await ada.press("Save");
  await eventually(async () => expect((await api.getDiscussPreferences(of)).opt_in).toBe(true));

  await ada.reach("settings/security");
  await page.getByRole("button", { name: "Set up an authenticator" }).waitFor();

  await ada.reach("settings/tokens");
  await page.getByLabel("Name", { exact: true }).fill("nightly import");
  await ada.press("Create");
  const token = await page.locator("code").innerText();
  expect(token).toMatch(/^svc_pat_/);
  await ada.reach("settings/identities");
  await page.getByText("You have linked no account.").waitFor();
  await ada.reach("settings/tokens");
  await page.getByText("nightly import").waitFor();
  expect(await page.getByText(token).count(), "it is shown once").toBe(0);

  await ada.reach("settings");
  await ada.reach("settings/profile");
  await page.getByLabel("Your name").fill("Ada Lovelace");
  await page.getByLabel("Language of the application").selectOption("de");
  await ada.press("Save");
  await page.getByRole("heading", { name: "Profil", exact: true }).waitFor();
  expect((await api.getMe()).display_name).toBe("Ada Lovelace");
});

test("an owner sets the Workspace, its members, Projects, workflow, stages, labels, time and AI; a viewer is offered nothing", async () => {
  const { home, api, of } = await workshop();
  const eve = await home.member("viewer");
  const ada = await seat(running, chromium, home);
  const { page } = ada;
  await ada.goTo("settings/workspace");
  await ada.shows("settings/workspace");
  await page.getByRole("textbox", { name: "Name", exact: true }).fill("Analytical Engines");
  await page.getByRole("form", { name: "Name" }).getByRole("button", { name: "Save" }).click();
  await eventually(async () => expect((await api.getWorkspace(of)).name).toBe("Analytical Engines"));

  await ada.reach("settings/members");
  await page.getByLabel("Mail address").fill("grace@example.com");
  await ada.press("Send the invitation");
  await page.getByText("grace@example.com").waitFor();

  await ada.reach("settings/projects");
  await page.getByRole("link", { name: "Settings: Difference Engine" }).waitFor();

  await ada.reach("settings/workflow");
  await ada.press("Add a Status to In progress");
  await page.getByRole("textbox", { name: "Add a Status to In progress" }).fill("Polishing");
  await page.keyboard.press("Enter");
  await page.getByText("Polishing").first().waitFor();
  await ada.settled();
  await page.getByRole("button", { name: "Delete: Todo" }).click();
  await page.locator('[data-toast="refused"]').waitFor();

  await ada.reach("settings/lifecycle");
  await ada.press("Add a stage to In progress");
  await page.getByRole("textbox", { name: "Add a stage to In progress" }).fill("In the workshop");
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Edit: In the workshop" }).waitFor();

  await ada.reach("settings/labels");
  const labels = async () => (await api.listWorkspaceLabels(of)).items.map(({ name }) => name);
  await page.getByRole("textbox", { name: "New label" }).fill("Brass");
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Delete: Brass" }).click();
  await ada.settled();
  await expect.poll(labels).not.toContain("Brass");
  await page.locator("h1").click();
  await page.keyboard.press("ControlOrMeta+z");
  await expect.poll(labels).toContain("Brass");

  await ada.reach("settings/time");
  await page.getByRole("checkbox").first().uncheck();
  await ada.press("Save");
  await eventually(async () => expect((await api.getTimeTracking()).enabled).toBe(false));

  await ada.reach("settings/ai");
  const tick = page.getByRole("checkbox").first();
  const enabled = await tick.isChecked();
  await tick.click();
  await eventually(async () => expect((await api.getAiAccessPolicy(of)).enabled).toBe(!enabled));

  const theirs = await seat(running, chromium, home, eve);
  await theirs.goTo("settings/members");
  await theirs.shows("settings/members");
  const offers = theirs.page
    .getByRole("main")
    .getByRole("button", { name: /Save|Add|Delete|Create|Remove|invitation/ });
  for (const section of ["settings/members", "settings/workflow", "settings/labels"]) {
    await theirs.reach(section);
    expect(await offers.count(), section).toBe(0);
  }
});
