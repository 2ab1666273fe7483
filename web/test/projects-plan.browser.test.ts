// The journeys through the plan of a Project (overview, Milestones, timeline, calendar) and through its settings.
import { expect, test } from "vitest";
import { clientOf } from "../../client/test/client-of.ts";
import { browser } from "../../server/test/browser.ts";
import { eventually } from "../../server/test/eventually.ts";
import { newMilestone, newProject, newTask } from "../../server/test/work.ts";
import { service, world } from "../../server/test/world.ts";
import { seat } from "./app.ts";

const running = service();
const chromium = browser();
const day = (from: number) => new Date(Date.now() + from * 86_400_000).toISOString().slice(0, 10);
const key = "ENG";

test("a person reads the overview, creates a Milestone, and moves dates on the timeline and in the calendar", async () => {
  const home = await world(running);
  const { owner } = home;
  await running.sql("update users set timezone = 'UTC' where id = $1", [owner.userId]);
  const project = await newProject(home, { name: "Difference Engine", key });
  await newMilestone(owner, project.id, { name: "First turn", target_date: day(5) });
  const [from, to] = [day(0), day(2)];
  const task = await newTask(owner, project.id, { title: "Cut the gears", start_date: from, due_date: to });
  const api = clientOf(owner);
  const after = (date: string, days: number) =>
    new Date(Date.parse(date) + days * 86_400_000).toISOString().slice(0, 10);
  const dates = async () => {
    const { start_date, due_date } = await api.getTask({ task_id: task.id });
    return [start_date, due_date];
  };
  const ada = await seat(running, chromium, home);
  const { page } = ada;

  await ada.goTo("projects/ENG/overview");
  await ada.shows("projects/:key/overview");
  await page.getByText("0 % done").waitFor();
  const chart = page.getByRole("figure", { name: "Work and what is done of it" });
  await chart.getByRole("button", { name: "As a table" }).click();
  expect(await chart.getByRole("columnheader").allInnerTexts()).toEqual(["When", "All Tasks", "Done"]);

  await ada.reach("projects/:key/milestones", { key });
  await page.getByRole("heading", { name: "First turn" }).waitFor();
  await page.getByLabel("New Milestone", { exact: true }).last().fill("Second turn");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Second turn" }).waitFor();
  await ada.settled();
  const { items } = await api.listMilestones({ project_id: project.id });
  expect(items.map(({ name }) => name)).toEqual(["First turn", "Second turn"]);

  await ada.reach("projects/:key/timeline", { key }, "?zoom=week");
  const bar = page.locator('[data-bar="ENG-1"]');
  await bar.focus();
  await page.keyboard.press("Shift+ArrowRight");
  await expect.poll(() => bar.getAttribute("data-from")).toBe(after(from, 1));
  await page.keyboard.press("Alt+ArrowRight");
  await ada.settled();
  await eventually(async () => expect(await dates()).toEqual([after(from, 1), after(to, 2)]));

  await ada.reach("projects/:key/calendar", { key });
  await page.locator('[data-entry="ENG-1"]').focus();
  await page.keyboard.press("Shift+ArrowLeft");
  await ada.settled();
  await eventually(async () => expect(await dates()).toEqual([from, after(to, 1)]));
});

test("a Project gets a sign, a member, a Status and a label of its own; a member who does not lead it changes nothing", async () => {
  const home = await world(running);
  const project = await newProject(home, { name: "Difference Engine", key });
  const grace = await home.member("member");
  const api = clientOf(home.owner);
  const at = { project_id: project.id };
  const ada = await seat(running, chromium, home);
  const { page } = ada;

  await ada.goTo("projects/ENG/settings");
  await ada.shows("projects/:key/settings");
  await page.getByLabel("Name", { exact: true }).fill("Difference Engine No. 2");
  await page.getByLabel("Sign").fill("⚙️");
  await ada.press("Save");
  await page.getByRole("heading", { name: "Difference Engine No. 2" }).waitFor();
  await ada.settled();
  expect(await api.getProject(at)).toMatchObject({ name: "Difference Engine No. 2", icon: "⚙️" });
  await ada.reach("projects/:key/settings/general", { key });

  await ada.reach("projects/:key/settings/access", { key });
  await ada.press("Add somebody");
  await page.getByRole("listbox", { name: "Add somebody" }).getByRole("option").first().click();
  const memberIds = async () => (await api.listProjectMembers(at)).items.map(({ actor_id }) => actor_id);
  await eventually(async () => expect(await memberIds()).toContain(grace.actorId));

  await ada.reach("projects/:key/settings/workflow", { key });
  await ada.press("Add a Status to In progress");
  await page.getByRole("textbox", { name: "Add a Status to In progress" }).fill("In the workshop");
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Edit: In the workshop" }).waitFor();

  await ada.reach("projects/:key/settings/labels", { key });
  await page.getByRole("textbox", { name: "New label" }).fill("Brass");
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Edit: Brass" }).waitFor();
  await ada.settled();
  await ada.reach("projects/:key/settings/integrations", { key });
  await page.getByText("This Project is bound to nothing.").waitFor();
  await ada.reach("projects/:key", { key });
  await page.locator('[data-column="In the workshop"]').waitFor();

  const hers = await seat(running, chromium, home, grace);
  await hers.goTo("projects/ENG/settings");
  await hers.page.getByText("Whoever leads this Project decides this").waitFor();
  await hers.page.locator("main:not(:has([aria-busy=true]))").waitFor();
  const offers = hers.page
    .getByRole("main")
    .getByRole("button", { name: /Save|Add|Delete|Archive|Publish|Remove|Edit/ });
  expect(await offers.count()).toBe(0);
});
