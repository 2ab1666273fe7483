// The journeys through the work itself: a first Project, its board that others follow, its list, and a Task on its
// page.
import { expect, test } from "vitest";
import { clientOf } from "../../client/test/client-of.ts";
import { browser } from "../../server/test/browser.ts";
import { eventually } from "../../server/test/eventually.ts";
import { newProject, newTask, relationsOf } from "../../server/test/work.ts";
import { service, world } from "../../server/test/world.ts";
import { offlineIsExpected, seat } from "./app.ts";
import { watched } from "./xss.ts";

const running = service();
const chromium = browser();

test("a person begins with a Project, and its first card is moved by keyboard", async () => {
  const home = await world(running);
  const ada = await seat(running, chromium, home);
  const { page } = ada;
  await ada.goTo("start");
  await ada.shows("start");
  await page.getByLabel("Name of the Project").fill("Difference Engine");
  await page.keyboard.press("Enter");
  await ada.shows("projects/:key");
  const title = page.getByRole("textbox", { name: "Title" });
  await expect.poll(() => title.inputValue()).toBe("Write down the first thing to do");
  await page.keyboard.press("ControlOrMeta+Enter");
  const card = page.locator("article", { hasText: "Write down the first thing to do" });
  await card.getByText("DE-1").waitFor();
  await card.locator(".card-title").focus();
  await page.keyboard.press("Shift+ArrowRight");
  await page.locator('[data-column="In Progress"] article').waitFor();
  await ada.settled();
  const { items } = await clientOf(home.owner).listWorkspaceTasks({ workspace_id: home.workspaceId });
  expect(items).toMatchObject([{ code: "DE-1", title: "Write down the first thing to do" }]);
});

test("cards are dragged, undone and moved without a connection, and others follow; a list filters and changes", async () => {
  const home = await world(running);
  const project = await newProject(home, { name: "Difference Engine", key: "ENG" });
  for (const title of ["Cards", "Levers", "Gears"]) await newTask(home.owner, project.id, { title });
  await newTask(home.owner, project.id, { title: "<img src=x onerror=ran()>", priority: "high" });
  const [ada, bob] = [
    await seat(running, chromium, home),
    await seat(running, chromium, home, await home.member("viewer")),
  ];
  const { page } = ada;
  const ran = await watched(page);
  for (const one of [ada, bob]) {
    await one.goTo("projects/ENG");
    await one.page.getByText("Gears").waitFor();
    await one.settled();
  }
  await ada.drag("Cards", { above: "Gears" });
  await eventually(async () =>
    expect(await ada.column("Todo")).toEqual([expect.anything(), "Cards", "Gears", "Levers"]),
  );
  await ada.drag("Gears", { column: "In Progress" });
  await eventually(async () => expect(await bob.column("In Progress")).toEqual(["Gears"]));
  await page.keyboard.press("ControlOrMeta+z");
  await eventually(async () => expect(await bob.column("In Progress")).toEqual([]));
  await ada.settled();
  await ada.offline(true);
  await ada.drag("Levers", { column: "Done" });
  expect(await ada.column("Done")).toEqual(["Levers"]);
  await ada.offline(false);
  await ada.settled();
  await eventually(async () => expect(await bob.column("Done")).toEqual(["Levers"]));
  offlineIsExpected(ada);
  // A viewer is offered no change, and a key makes none.
  expect(await bob.page.getByRole("button", { name: /^Add a Task/ }).count()).toBe(0);
  await bob.page.getByText("Levers").focus();
  await bob.page.keyboard.press("Shift+ArrowLeft");
  expect(await bob.column("Done")).toEqual(["Levers"]);

  await ada.reach("projects/:key/list", { key: "ENG" }, "?priority=high");
  const lines = page.locator("[data-task]");
  await expect.poll(() => lines.count()).toBe(1);
  await lines.getByText("<img src=x onerror=ran()>").waitFor();
  await lines.getByRole("button", { name: "Status: Todo" }).click();
  await page.getByRole("option", { name: "In Progress" }).click();
  await ada.settled();
  await eventually(async () => expect(await bob.column("In Progress")).toEqual(["<img src=x onerror=ran()>"]));
  await ada.press("Clear all");
  await expect.poll(() => lines.count()).toBe(4);
  expect(await ran()).toBe(0);
});

test("a Task is described, divided, related, discussed and timed on its page, then moved to the trash and back", async () => {
  const home = await world(running);
  const { owner } = home;
  const project = await newProject(home, { name: "Difference Engine", key: "ENG" });
  const task = await newTask(owner, project.id, { title: "Cut the gears", description_markdown: "All of **brass**" });
  const other = await newTask(owner, project.id, { title: "Buy brass" });
  const api = clientOf(owner);
  const now = () => api.getTask({ task_id: task.id });
  const ada = await seat(running, chromium, home);
  const { page } = ada;
  const ran = await watched(page);
  await ada.goTo(`tasks/${task.code}`);
  await ada.shows("tasks/:code");
  await page.locator(".rich strong", { hasText: "brass" }).waitFor();
  await ada.settled();
  await page.getByRole("button", { name: "Add a sub-task" }).click();
  await page.getByRole("textbox", { name: "Add a sub-task" }).fill("Cut the first");
  await page.keyboard.press("Enter");
  await page.keyboard.press("Escape");
  await page.getByText("0 of 1 done").waitFor();
  await page.getByRole("button", { name: "Relate to a Task" }).click();
  await page.getByRole("combobox", { name: "Relate to a Task" }).fill(other.code);
  await page.getByRole("option", { name: /Buy brass/ }).click();
  await page.locator("li", { hasText: "Blocked by" }).getByText("Buy brass").waitFor();
  await page.getByRole("button", { name: /^Assignee/ }).click();
  await page.getByRole("option", { name: /^Person/ }).click();
  await page.getByRole("textbox", { name: "Comment" }).fill("Done *soon* <img src=x onerror=ran()>");
  await page.keyboard.press("ControlOrMeta+Enter");
  await page.locator("[data-comment] em", { hasText: "soon" }).waitFor();
  await page.getByRole("tab", { name: "Time" }).click();
  await page.getByRole("textbox", { name: "Duration" }).fill("1h 30m");
  await page.getByRole("button", { name: "Record" }).click();
  await page.getByText("1:30 in total").waitFor();
  await ada.settled();
  expect(await relationsOf(owner, task)).toContain(`blocked_by ${other.id}`);
  expect((await now()).assignee_actor_id).toBe(owner.actorId);
  expect((await api.listTaskComments({ task_id: task.id })).items).toHaveLength(1);
  expect((await api.getTaskTimeTotals({ task_id: task.id })).seconds).toBe(5400);
  await page.getByRole("button", { name: "Task ENG-1" }).click();
  await page.getByRole("menuitem", { name: "Put into the trash" }).click();
  await ada.settled();
  await ada.reach("tasks/:code", { code: task.code });
  await page.getByText("This Task is in the trash.").waitFor();
  await ada.press("Restore");
  await page.getByText("This Task is in the trash.").waitFor({ state: "detached" });
  await ada.settled();
  expect((await now()).trashed_at).toBeNull();
  expect(await ran()).toBe(0);
});
