// The journey through what is recorded and decided: a week of time, its report, what an assistant proposed, and what
// became of a change.
import { expect, test } from "vitest";
import { clientOf } from "../../client/test/client-of.ts";
import { browser } from "../../server/test/browser.ts";
import { propose } from "../../server/test/changes.ts";
import { eventually } from "../../server/test/eventually.ts";
import { newProject, newTask } from "../../server/test/work.ts";
import { newKey, service, world } from "../../server/test/world.ts";
import { seat } from "./app.ts";

const running = service();
const chromium = browser();
const today = () => new Date().toISOString().slice(0, 10);

test("a person records time, reads the report, approves a proposal, and finds and undoes a change by its key", async () => {
  const home = await world(running);
  const { owner } = home;
  await running.sql("update users set timezone = 'UTC' where id = $1", [owner.userId]);
  const project = await newProject(home, { name: "Difference Engine", key: "ENG" });
  const task = await newTask(owner, project.id, { title: "Cut the gears" });
  const api = clientOf(owner);
  const day = today();
  const recorded = async () => (await api.listTimesheet({ from: day, to: day })).items.map(({ seconds }) => seconds);
  const priority = async () => (await api.getTask({ task_id: task.id })).priority;
  await api.createTimeEntry({ task_id: task.id, duration: "1h", work_date: day });
  const ada = await seat(running, chromium, home);
  const { page } = ada;

  await ada.goTo("time");
  await ada.shows("time");
  const weekday = new Intl.DateTimeFormat("en", { weekday: "long", timeZone: "UTC" }).format(new Date(day));
  const cell = page.getByRole("textbox", { name: new RegExp(`^ENG-1 .*${weekday}`) });
  await expect.poll(() => cell.inputValue()).toBe("1:00");
  await cell.fill("25h");
  await cell.press("Enter");
  await page.getByText("Type a duration such as").waitFor({ state: "attached" });
  await cell.fill("1h 30m");
  await cell.press("Enter");
  await ada.settled();
  await eventually(async () => expect(await recorded()).toEqual([5400]));
  await ada.reach("time/report");
  await expect.poll(() => page.locator("[data-total]").innerText()).toContain("1:30");
  await page.getByRole("figure", { name: "By person" }).waitFor();

  await propose(owner, home, [{ action: "task.update", task_id: task.id, revision: "1", set: { priority: "urgent" } }]);
  await ada.reach("changes");
  await page.locator('[data-change-set="proposed"]').waitFor();
  await page.getByRole("link", { name: /Tidy up/ }).click();
  await ada.heading("Tidy up");
  await ada.shows("changes/:id");
  await ada.press("Approve");
  expect(await priority()).toBe("none");
  await ada.press("Apply all of it");
  await eventually(async () => expect(await priority()).toBe("urgent"));
  await page.getByRole("link", { name: "All ChangeSets" }).click();
  await page.getByText("Nothing waits for your decision").waitFor();

  const key = newKey();
  const { revision } = await api.getTask({ task_id: task.id });
  await api.updateTask({ task_id: task.id, priority: "low" }, { at: revision, key });
  await ada.reach("receipts");
  await page.getByLabel("Id of the command, or key of the request").fill(key);
  await page.keyboard.press("Enter");
  await page.locator('[data-receipt="committed"]').waitFor();
  // The notice of the ChangeSet may still offer its own.
  await page.locator("#main").getByRole("button", { name: "Undo", exact: true }).click();
  await page.locator('[data-receipt="undone"]').waitFor();
  expect(await priority()).toBe("urgent");
});
