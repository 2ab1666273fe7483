// Time in a real browser: a week typed cell by cell, a clock that survives a reload, reports with their figures, and a
// Workspace that records none.

import { expect, test } from "vitest";
import { clientOf } from "../../client/test/client-of.ts";
import { browser } from "../../server/test/browser.ts";
import { eventually } from "../../server/test/eventually.ts";
import { newProject, newTask } from "../../server/test/work.ts";
import { service, world } from "../../server/test/world.ts";
import { looked, seat } from "./app.ts";

const running = service({});
const chromium = browser();
/** Many work on this machine. */
const now = () => new Date().toISOString().slice(0, 10);

async function workshop() {
  const home = await world(running);
  await running.sql("update users set timezone = 'UTC' where id = $1", [home.owner.userId]);
  const project = await newProject(home, { name: "Difference Engine", key: "ENG" });
  const task = await newTask(home.owner, project.id, { title: "Cut the gears" });
  const recorded = async (person = home.owner) =>
    (await clientOf(person).listTimesheet({ from: now(), to: now() })).items.map(
      ({ seconds }: { seconds: number }) => seconds,
    );
  return { home, project, task, recorded };
}

test("a cell is typed, corrected, refused, emptied and taken back", async () => {
  const { home, task, recorded } = await workshop();
  await clientOf(home.owner).createTimeEntry({ task_id: task.id, duration: "1h", work_date: now() });
  const ada = await seat(running, chromium, home);
  await ada.goTo("time");
  await ada.heading("Time");
  const weekday = new Intl.DateTimeFormat("en", { weekday: "long", timeZone: "UTC" }).format(new Date());
  const cell = ada.page.getByRole("textbox", { name: new RegExp(`^ENG-1 .*${weekday}`) });
  await cell.waitFor();
  await expect.poll(() => cell.inputValue()).toBe("1:00");
  await looked(ada, "time");
  await cell.fill("1h 30m");
  await cell.press("Enter");
  await ada.settled();
  expect(await recorded()).toEqual([5400]);
  await cell.fill("25h");
  await cell.press("Enter");
  await ada.page.getByText("Type a duration such as").waitFor({ state: "attached" });
  await cell.press("Escape");
  expect(await cell.inputValue()).toBe("1:30");
  await cell.fill("");
  await cell.press("Enter");
  await ada.settled();
  expect(await recorded()).toEqual([]);
  await ada.page.locator("h1").click();
  await ada.page.keyboard.press("ControlOrMeta+z");
  await ada.settled();
  await eventually(async () => expect(await recorded()).toEqual([5400]));
});

test("a Task that no page has shown yet is found, and time is recorded on it", async () => {
  const { home, project, recorded } = await workshop();
  await newTask(home.owner, project.id, { title: "Oil the axles", assignee_actor_id: home.owner.actorId });
  const ada = await seat(running, chromium, home);
  const { page } = ada;
  await ada.goTo("time");
  await ada.press("Add a Task");
  // One's own first, and any other by its words.
  await page.getByRole("option").first().getByText("Oil the axles").waitFor();
  await page.getByRole("combobox", { name: "Add a Task" }).fill("gears");
  await page.getByRole("option", { name: "Cut the gears" }).click();
  const weekday = new Intl.DateTimeFormat("en", { weekday: "long", timeZone: "UTC" }).format(new Date());
  const cell = page.getByRole("textbox", { name: new RegExp(`^ENG-1 .*${weekday}`) });
  await cell.fill("45m");
  await cell.press("Enter");
  await ada.settled();
  expect(await recorded()).toEqual([2700]);
});

test("a clock runs through a reload, and stopping it records the time", async () => {
  const { home, task, recorded } = await workshop();
  const ada = await seat(running, chromium, home);
  await ada.goTo(`projects/ENG?task=${task.id}`);
  await ada.page.getByRole("complementary", { name: "Task ENG-1" }).waitFor();
  await ada.settled();
  const runs = ada.page.getByRole("region", { name: "The clock runs" });
  await ada.page.keyboard.press("Shift+T");
  await runs.waitFor();
  // Wait: a clock records whole seconds, and may record more of them.
  await ada.page.waitForTimeout(1100);
  await ada.page.reload();
  await ada.page.getByRole("button", { name: "Stop and record" }).click();
  await runs.waitFor({ state: "detached" });
  await ada.settled();
  const [seconds = 0, ...more] = await recorded();
  expect([seconds >= 1, more]).toEqual([true, []]);
  // The same from the Task itself, in the panel and on its page.
  await ada.press("Start the clock");
  await runs.waitFor();
  await ada.page.getByRole("link", { name: "Open as a page" }).click();
  await ada.page.getByRole("heading", { level: 1, name: /ENG-1/ }).waitFor();
  // Wait: a clock records whole seconds, and may record more of them.
  await ada.page.waitForTimeout(1100);
  await ada.press("Stop the clock and record the time");
  await runs.waitFor({ state: "detached" });
  await ada.page.getByRole("button", { name: "Start the clock", exact: true }).waitFor();
  await ada.settled();
  expect(await recorded()).toHaveLength(2);
});

test("a report adds up what was recorded, and hides who did it from those who do not manage the Project", async () => {
  const { home, task } = await workshop();
  const grace = await home.member("member");
  for (const [person, duration] of [
    [home.owner, "1h"],
    [grace, "30m"],
  ] as const)
    await clientOf(person).createTimeEntry({ task_id: task.id, duration, work_date: now() });
  const ada = await seat(running, chromium, home);
  await ada.goTo("time/report");
  await ada.page.locator("[data-total]").waitFor();
  await expect.poll(() => ada.page.locator("[data-total]").innerText()).toContain("1:30");
  await ada.page.getByRole("figure", { name: "By person" }).waitFor();
  await looked(ada, "time-report");
  const seen = await seat(running, chromium, home, grace);
  await seen.goTo("time/report");
  await seen.page.getByText("Who recorded it is shown to those who manage the Project.").waitFor();
  const csv = await seen.page.getByRole("link", { name: "Own time as CSV" }).getAttribute("href");
  expect((await seen.page.request.get(running.url + csv)).status()).toBe(200);
});

test("where no time is recorded the week says so and takes nothing new", async () => {
  const { home } = await workshop();
  await clientOf(home.owner).updateTimeTracking({ enabled: false, rounding_mode: "exact" }, { at: "0" });
  const ada = await seat(running, chromium, home);
  await ada.goTo("time");
  await ada.page.getByText("Nothing new is recorded in this Workspace.").waitFor();
  expect(await ada.page.getByRole("button", { name: "Add a Task" }).count()).toBe(0);
});
