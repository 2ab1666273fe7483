// Settings, overview, Milestones, timeline and calendar of a Project in a real browser: charts with their figures,
// dates moved by mouse and by keyboard alone.

import { expect, test } from "vitest";
import { clientOf } from "../../client/test/client-of.ts";
import { browser } from "../../server/test/browser.ts";
import { eventually } from "../../server/test/eventually.ts";
import { newMilestone, newProject, newTask } from "../../server/test/work.ts";
import { service, world } from "../../server/test/world.ts";
import { looked, offlineIsExpected, seat } from "./app.ts";
import { visit } from "./visit.ts";

const running = service({});
const chromium = browser();
/** Many work on this machine. */
const day = (from: number) => new Date(Date.now() + from * 86_400_000).toISOString().slice(0, 10);

async function workshop() {
  const home = await world(running);
  await running.sql("update users set timezone = 'UTC' where id = $1", [home.owner.userId]);
  const project = await newProject(home, { name: "Difference Engine", key: "ENG" });
  const milestone = await newMilestone(home.owner, project.id, { name: "First turn", target_date: day(5) });
  const gears = await newTask(home.owner, project.id, {
    title: "Cut the gears",
    start_date: day(0),
    due_date: day(2),
    milestone_id: milestone.id,
  });
  const axles = await newTask(home.owner, project.id, { title: "Oil the axles", due_date: day(3) });
  const crank = await newTask(home.owner, project.id, { title: "Turn the crank" });
  const datesOf = async (id: string) => {
    const { start_date, due_date } = await clientOf(home.owner).getTask({ task_id: id });
    return [start_date, due_date];
  };
  return { home, project, milestone, gears, axles, crank, datesOf };
}

test("the overview tells how far it is, with charts whose figures can be read as tables", async () => {
  const { home } = await workshop();
  const ada = await seat(running, chromium, home);
  await ada.goTo("projects/ENG/overview");
  await ada.page.getByText("0 % done").waitFor();
  const chart = ada.page.getByRole("figure", { name: "Work and what is done of it" });
  await expect.poll(() => chart.getByRole("row").last().innerText()).toContain("3");
  await looked(ada, "overview");
  await chart.getByRole("button", { name: "As a table" }).click();
  expect(await chart.getByRole("columnheader").allInnerTexts()).toEqual(["When", "All Tasks", "Done"]);
  await looked(ada, "overview-table");
});

test("a Milestone is made, changed, looked at and deleted, and each can be taken back", async () => {
  const { home, project } = await workshop();
  const ada = await seat(running, chromium, home);
  await ada.goTo("projects/ENG/milestones");
  const { page } = ada;
  await page.getByRole("heading", { name: "First turn" }).waitFor();
  await page.getByLabel("New Milestone", { exact: true }).last().fill("Second turn");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Second turn" }).waitFor();
  await ada.settled();
  const listed = async () =>
    (await clientOf(home.owner).listMilestones({ project_id: project.id })).items.map(
      ({ name }: { name: string }) => name,
    );
  expect(await listed()).toEqual(["First turn", "Second turn"]);
  await page.getByRole("button", { name: "First turn", exact: true }).click();
  await page.getByRole("button", { name: /ENG-1/ }).waitFor();
  await page.getByLabel("Name", { exact: true }).fill("Very first turn");
  await page.getByLabel("Name", { exact: true }).blur();
  await page.getByRole("heading", { name: "Very first turn" }).waitFor();
  await ada.settled();
  await looked(ada, "milestones");
  expect(await listed()).toEqual(["Very first turn", "Second turn"]);
  await page.keyboard.press("Escape");
  await page.locator("h1").click();
  await page.keyboard.press("ControlOrMeta+z");
  await page.getByRole("heading", { name: "First turn", exact: true }).waitFor();
  await page.getByRole("button", { name: "What to do with Second turn" }).click();
  await page
    .getByRole("menu")
    .getByRole("button", { name: "Delete" })
    .or(page.getByRole("menuitem", { name: "Delete" }))
    .click();
  await page.getByRole("heading", { name: "Second turn" }).waitFor({ state: "detached" });
  await ada.settled();
  expect(await listed()).toEqual(["First turn"]);
});

test("on the timeline a bar is moved and stretched by keyboard and by mouse, and what blocks is drawn", async () => {
  const { home, gears, axles, datesOf } = await workshop();
  await clientOf(home.owner).createTaskRelation({ task_id: gears.id, type: "blocks", related_task_id: axles.id });
  const ada = await seat(running, chromium, home);
  await ada.goTo("projects/ENG/timeline?zoom=week");
  const bar = ada.page.locator('[data-bar="ENG-1"]');
  await bar.waitFor();
  await bar.focus();
  await ada.page.keyboard.press("Shift+ArrowRight");
  await expect.poll(() => bar.getAttribute("data-from")).toBe(day(1));
  await ada.page.keyboard.press("Alt+ArrowRight");
  await expect.poll(() => bar.getAttribute("data-to")).toBe(day(4));
  await ada.settled();
  expect(await datesOf(gears.id)).toEqual([day(1), day(4)]);
  const box = await bar.boundingBox();
  if (!box) throw new Error("the bar is not shown");
  await ada.page.mouse.move(box.x + box.width / 2, box.y + 8);
  await ada.page.mouse.down();
  await ada.page.mouse.move(box.x + box.width / 2 + 60, box.y + 8, { steps: 4 });
  await ada.page.mouse.up();
  await expect.poll(() => bar.getAttribute("data-from")).toBe(day(3));
  await ada.settled();
  expect(await datesOf(gears.id)).toEqual([day(3), day(6)]);
  // The end alone.
  const end = (await bar.boundingBox()) as { x: number; y: number; width: number };
  await ada.page.mouse.move(end.x + end.width - 3, end.y + 8);
  await ada.page.mouse.down();
  await ada.page.mouse.move(end.x + end.width - 33, end.y + 8, { steps: 4 });
  await ada.page.mouse.up();
  await expect.poll(() => bar.getAttribute("data-to")).toBe(day(5));
  await ada.settled();
  expect(await datesOf(gears.id)).toEqual([day(3), day(5)]);
  await expect.poll(() => ada.page.locator("svg g path").count()).toBeGreaterThan(0);
  expect(await ada.page.locator("[data-mark]").allInnerTexts()).toEqual(["First turn"]);
  await ada.page.getByRole("button", { name: "1 Task without dates" }).click();
  await ada.page.getByText("Turn the crank").waitFor();
  await looked(ada, "timeline");
});

test("where two people change several fields each is decided by itself", async () => {
  const { home, gears, datesOf } = await workshop();
  const ada = await seat(running, chromium, home);
  await ada.goTo("projects/ENG/timeline?zoom=week");
  const bar = ada.page.locator('[data-bar="ENG-1"]');
  await bar.waitFor();
  await ada.settled();
  await ada.page.route("**/api/**", (route) => route.abort("internetdisconnected"));
  await bar.focus();
  await ada.page.keyboard.press("Shift+ArrowRight");
  await expect.poll(() => bar.getAttribute("data-from")).toBe(day(1));
  const theirs = { start_date: day(-3), due_date: day(5) };
  await clientOf(home.owner).updateTask({ task_id: gears.id, ...theirs }, { at: "1" });
  await ada.page.unroute("**/api/**");
  await ada.page.evaluate(() => dispatchEvent(new Event("online")));
  await ada.page.getByText("1 change needs your decision").waitFor();
  await ada.press("Show");
  await ada.page.getByRole("radio", { name: /^Due.*Theirs/ }).check();
  await looked(ada, "conflict-fields");
  await ada.press("Keep what is chosen");
  await ada.settled();
  expect(await datesOf(gears.id)).toEqual([day(1), day(5)]);
  offlineIsExpected(ada);
});

test("in the calendar a Task goes to another day by keyboard and by mouse, and takes its start along", async () => {
  const { home, gears, axles, datesOf } = await workshop();
  const ada = await seat(running, chromium, home);
  await ada.goTo("projects/ENG/calendar");
  const entry = ada.page.locator('[data-entry="ENG-1"]');
  await entry.waitFor();
  await looked(ada, "calendar");
  await entry.focus();
  await ada.page.keyboard.press("Shift+ArrowLeft");
  await ada.settled();
  await eventually(async () => expect(await datesOf(gears.id)).toEqual([day(-1), day(1)]));
  // A day that is surely shown, whatever the month.
  const other = ada.page.locator(`[data-day="${day(1)}"]`);
  await ada.page.locator('[data-entry="ENG-2"]').dragTo(other);
  await ada.settled();
  await eventually(async () => expect(await datesOf(axles.id)).toEqual([null, day(1)]));
  await ada.page.keyboard.press("n");
  await eventually(() => expect(ada.at()).toContain("month="));
  await ada.page.getByRole("link", { name: "Today" }).click();
  expect(ada.at()).not.toContain("month=");
});

test("a viewer sees the plan and moves nothing", async () => {
  const { home, gears, datesOf } = await workshop();
  const before = await datesOf(gears.id);
  const eve = await seat(running, chromium, home, await home.member("viewer"));
  await eve.goTo("projects/ENG/timeline");
  await eve.page.locator('[data-bar="ENG-1"]').focus();
  await eve.page.keyboard.press("Shift+ArrowRight");
  await eve.goTo("projects/ENG/milestones");
  await eve.page.getByRole("heading", { name: "First turn" }).waitFor();
  expect(await eve.page.getByRole("button", { name: "Create" }).count()).toBe(0);
  expect(await datesOf(gears.id)).toEqual(before);
});

test("a Project gets a sign, a member, a Status and a label of its own, is archived, restored, deleted and taken back", async () => {
  const { home, project } = await workshop();
  const grace = await home.member("member");
  const api = clientOf(home.owner);
  await api.createWorkspaceLabel({ workspace_id: home.workspaceId, name: "Oily", color: "gray" });
  const ada = await seat(running, chromium, home);
  const { page } = ada;
  const at = { project_id: project.id };
  await ada.goTo("projects/ENG/settings");
  await page.getByLabel("Name", { exact: true }).fill("Difference Engine No. 2");
  await page.getByLabel("Sign").fill("⚙️");
  await ada.press("Save");
  await page.getByRole("heading", { name: "Difference Engine No. 2" }).waitFor();
  await ada.settled();
  expect(await api.getProject(at)).toMatchObject({ name: "Difference Engine No. 2", icon: "⚙️" });
  await looked(ada, "project-general");
  await page.getByRole("link", { name: "Access" }).click();
  await page.getByRole("button", { name: "Add somebody" }).click();
  await page.getByRole("listbox", { name: "Add somebody" }).getByRole("option").first().click();
  await page
    .getByRole("combobox", { name: /^Role of/ })
    .nth(1)
    .selectOption("viewer");
  await eventually(async () =>
    expect(
      (await api.listProjectMembers(at)).items.find((each: { actor_id: string }) => each.actor_id === grace.actorId),
    ).toMatchObject({ role: "viewer" }),
  );
  // Taken back, all three of it.
  const roleOf = async () =>
    (await api.listProjectMembers(at)).items.find((each: { actor_id: string }) => each.actor_id === grace.actorId)
      ?.role;
  await page
    .getByRole("button", { name: /^Remove: / })
    .nth(1)
    .click();
  await eventually(async () => expect(await roleOf()).toBeUndefined());
  for (const role of ["viewer", "member", undefined]) {
    await page.locator("main h1").click();
    await page.keyboard.press("ControlOrMeta+z");
    await eventually(async () => expect(await roleOf()).toBe(role));
  }
  await ada.press("Publish");
  const link = page.getByRole("link", { name: /\/p\/projects\// });
  await link.waitFor();
  const stranger = await visit(running, chromium, { javaScriptEnabled: false });
  await stranger.open(new URL(await link.innerText()).pathname);
  await stranger.heading("⚙️ Difference Engine No. 2");
  await stranger.page.getByText("First turn").waitFor();
  await looked(ada, "project-access");
  await page.getByLabel("It is seen by").selectOption("private");
  await link.waitFor({ state: "detached" });
  await page.getByRole("link", { name: "Workflow", exact: true }).click();
  await ada.press("Add a Status to In progress");
  await page.getByRole("textbox", { name: "Add a Status to In progress" }).fill("In the workshop");
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Edit: In the workshop" }).waitFor();
  await page.getByLabel("What is done is reviewed first").check();
  await ada.press("Save");
  await eventually(async () => expect((await api.getCompletionPolicy(at)).review_required).toBe(true));
  await looked(ada, "project-workflow");
  await page.getByRole("link", { name: "Labels", exact: true }).click();
  await page.getByRole("textbox", { name: "New label" }).fill("Brass");
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Edit: Brass" }).waitFor();
  // One of the Workspace's is called otherwise here, and is called as everywhere again.
  await ada.press("Edit: Oily");
  await page.getByRole("form", { name: "Oily" }).getByLabel("Name", { exact: true }).fill("Slippery");
  await page.keyboard.press("Enter");
  await page.getByText("elsewhere: Oily").waitFor();
  await ada.settled();
  await looked(ada, "project-labels");
  const shown = async () => (await api.listLabelOverrides(at)).items.map(({ name }) => name);
  expect(await shown()).toEqual(["Slippery"]);
  await ada.press("As everywhere: Slippery");
  await eventually(async () => expect(await shown()).toEqual([]));
  for (const names of [["Slippery"], []]) {
    await page.locator("main h1").click();
    await page.keyboard.press("ControlOrMeta+z");
    await eventually(async () => expect(await shown()).toEqual(names));
  }
  await page.getByRole("button", { name: "Edit: Oily" }).waitFor();
  // Its column stands on its board.
  await page.getByRole("link", { name: "Board" }).click();
  await page.locator('[data-column="In the workshop"]').waitFor();
  await page.getByRole("link", { name: "Settings" }).click();
  await ada.press("Archive the Project");
  await page.getByText("This Project is archived").waitFor();
  await ada.settled();
  expect((await api.getProject(at)).archived_at).not.toBeNull();
  await page
    .getByRole("navigation", { name: "Navigation" })
    .getByText("Difference Engine No. 2")
    .waitFor({ state: "detached" });
  await ada.goTo("settings/projects");
  await ada.press("Restore: Difference Engine No. 2");
  await page.getByRole("link", { name: "Settings: Difference Engine No. 2" }).click();
  await ada.press("Delete the Project");
  await ada.press("Delete Difference Engine No. 2 and everything in it");
  await page.getByText("There are no Projects yet.").waitFor();
  // At once, whatever the service has answered by then.
  await page.keyboard.press("ControlOrMeta+z");
  await page.getByRole("link", { name: "Settings: Difference Engine No. 2" }).waitFor();
  await ada.goTo("projects/ENG");
  await page.getByText("Cut the gears").waitFor();
});

test("Projects are put in order by keyboard and by mouse, kept at hand, and both are taken back", async () => {
  const home = await world(running);
  for (const [name, key] of [
    ["First", "ONE"],
    ["Second", "TWO"],
    ["Third", "THR"],
  ])
    await newProject(home, { name, key });
  const ada = await seat(running, chromium, home);
  const { page } = ada;
  await ada.goTo("projects/ONE");
  const section = page.getByRole("region", { name: "Projects" });
  const order = () => section.getByRole("link").allInnerTexts();
  await expect.poll(order).toEqual(["First", "Second", "Third"]);
  await section.getByRole("link", { name: "Third" }).focus();
  await page.keyboard.press("Alt+ArrowUp");
  await expect.poll(order).toEqual(["First", "Third", "Second"]);
  await section.getByText("Third is now at place 2 of 3").waitFor();
  await section.getByRole("link", { name: "Second" }).dragTo(section.getByRole("link", { name: "First" }));
  await expect.poll(order).toEqual(["Second", "First", "Third"]);
  await ada.settled();
  const listed = async () =>
    (await clientOf(home.owner).listProjects({ workspace_id: home.workspaceId })).items.map(
      ({ name }: { name: string }) => name,
    );
  expect(await listed()).toEqual(["Second", "First", "Third"]);
  await page.locator("main h1").click();
  await page.keyboard.press("ControlOrMeta+z");
  await expect.poll(order).toEqual(["First", "Third", "Second"]);
  await ada.settled();
  expect(await listed()).toEqual(["First", "Third", "Second"]);
  await ada.press("Shortcut: First");
  await page.getByRole("region", { name: "Shortcuts" }).getByRole("link", { name: "First" }).waitFor();
  await page.reload();
  await page.getByRole("region", { name: "Shortcuts" }).getByRole("link", { name: "First" }).waitFor();
  // The order is everybody's: whoever does not decide here moves nothing.
  const eve = await seat(running, chromium, home, await home.member("member"));
  await eve.goTo("projects/ONE");
  const theirs = eve.page.getByRole("region", { name: "Projects" });
  await theirs.getByRole("link", { name: "Second" }).focus();
  await eve.page.keyboard.press("Alt+ArrowUp");
  expect(await theirs.getByRole("link").allInnerTexts()).toEqual(["First", "Third", "Second"]);
});

test("whoever does not lead a Project reads its settings, and what two change meanwhile is shown to both", async () => {
  const { home, project } = await workshop();
  const eve = await seat(running, chromium, home, await home.member("member"));
  for (const section of ["", "/access", "/workflow", "/labels"]) {
    await eve.goTo(`projects/ENG/settings${section}`);
    await eve.page.getByText("Whoever leads this Project decides this").waitFor();
    await eve.page.locator("main:not(:has([aria-busy=true]))").waitFor();
    expect(
      await eve.page
        .locator("main")
        .getByRole("button", { name: /Save|Add|Delete|Archive|Publish|Remove|Edit/ })
        .count(),
      section,
    ).toBe(0);
  }
  const ada = await seat(running, chromium, home);
  await ada.goTo("projects/ENG/settings");
  const name = ada.page.getByLabel("Name", { exact: true });
  await name.waitFor();
  await ada.settled();
  await ada.offline(true);
  await name.fill("Mine");
  await ada.press("Save");
  await ada.page.getByRole("heading", { name: "Mine" }).waitFor();
  const { revision } = await clientOf(home.owner).getProject({ project_id: project.id });
  await clientOf(home.owner).updateProject({ project_id: project.id, name: "Theirs" }, { at: revision });
  await ada.offline(false);
  await ada.page.getByText("1 change needs your decision").waitFor();
  await ada.press("Show");
  await ada.press("Take theirs");
  await ada.page.getByRole("heading", { name: "Theirs" }).waitFor();
  offlineIsExpected(ada);
});
