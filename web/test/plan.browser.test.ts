// Overview, Milestones, timeline and calendar of a Project in a real browser: charts with their figures, dates moved by mouse and by keyboard alone.
import { expect, test } from "vitest";
import { browser } from "../../server/test/browser.ts";
import { eventually } from "../../server/test/eventually.ts";
import { newMilestone, newProject, newTask } from "../../server/test/work.ts";
import { newKey, service, world } from "../../server/test/world.ts";
import { looked, offlineIsExpected, seat } from "./app.ts";

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
    ...{ title: "Cut the gears", start_date: day(0), due_date: day(2), milestone_id: milestone.id },
  });
  const axles = await newTask(home.owner, project.id, { title: "Oil the axles", due_date: day(3) });
  const crank = await newTask(home.owner, project.id, { title: "Turn the crank" });
  const datesOf = async (id: string) => {
    const { body } = await home.owner.call("GET", `/tasks/${id}`);
    return [body.start_date, body.due_date];
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
    (await home.owner.call("GET", `/projects/${project.id}/milestones`)).body.items.map(
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
  await home.owner.call("POST", `/tasks/${gears.id}/relations`, {
    body: { type: "blocks", related_task_id: axles.id },
    key: newKey(),
  });
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
  await home.owner.call("PATCH", `/tasks/${gears.id}`, { body: theirs, ifMatch: "1" });
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
