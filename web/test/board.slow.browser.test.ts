// A board in a real browser: cards are moved by mouse and by keyboard, made, selected and changed, and others see it.

import { expect, test } from "vitest";
import { clientOf } from "../../client/test/client-of.ts";
import { browser } from "../../server/test/browser.ts";
import { eventually } from "../../server/test/eventually.ts";
import { newProject, newTask } from "../../server/test/work.ts";
import { type Person, service, world } from "../../server/test/world.ts";
import { looked, seat } from "./app.ts";

const running = service({});
const chromium = browser();

/** A Workspace with a Project and some Tasks. */
async function workshop(titles: readonly string[] = ["Gears", "Levers", "Cards"]) {
  const home = await world(running);
  const project = await newProject(home, { name: "Difference Engine", key: "ENG" });
  for (const title of [...titles].reverse()) await newTask(home.owner, project.id, { title });
  return { home, project };
}
const statusOf = async (person: Person, projectId: string, title: string) => {
  const { columns } = await clientOf(person).getProjectBoard({ project_id: projectId });
  for (const { status, items } of columns) for (const item of items) if (item.title === title) return status.name;
};

test("a card is dragged to another column and to another place, and stays there", async () => {
  const { home, project } = await workshop();
  const ada = await seat(running, chromium, home);
  await ada.goTo("projects/ENG");
  await eventually(async () => expect(await ada.column("Todo")).toEqual(["Gears", "Levers", "Cards"]));
  await ada.settled();
  await ada.drag("Cards", { above: "Gears" });
  expect(await ada.column("Todo")).toEqual(["Cards", "Gears", "Levers"]);
  await ada.drag("Gears", { column: "In Progress" });
  expect(await ada.column("In Progress")).toEqual(["Gears"]);
  await ada.settled();
  expect(await statusOf(home.owner, project.id, "Gears")).toBe("In Progress");
  await ada.page.reload();
  await eventually(async () => expect(await ada.column("Todo")).toEqual(["Cards", "Levers"]));
  await looked(ada, "board");
});

test("two people on one board: what one moves, the other sees move", async () => {
  const { home } = await workshop();
  const [ada, bob] = [
    await seat(running, chromium, home),
    await seat(running, chromium, home, await home.member("member")),
  ];
  for (const one of [ada, bob]) {
    await one.goTo("projects/ENG");
    await one.page.getByText("Gears").waitFor();
    await one.settled();
  }
  await ada.drag("Levers", { column: "Done" });
  await eventually(async () => expect(await bob.column("Done")).toEqual(["Levers"]));
  await bob.page.getByRole("button", { name: "Add a Task to Done" }).click();
  await bob.page.getByRole("textbox", { name: "Add a Task to Done" }).fill("From Bob");
  await bob.page.keyboard.press("Enter");
  await eventually(async () => expect(await ada.column("Done")).toEqual(["From Bob", "Levers"]));
});

test("a change is taken back and made again, by button and by key", async () => {
  const { home, project } = await workshop();
  const ada = await seat(running, chromium, home);
  await ada.goTo("projects/ENG");
  await ada.page.getByText("Gears").waitFor();
  await ada.settled();
  await ada.drag("Gears", { column: "Done" });
  await ada.toast("Task moved");
  await ada.press("Undo");
  await ada.toast("Taken back");
  await eventually(async () => expect(await ada.column("Todo")).toEqual(["Gears", "Levers", "Cards"]));
  await ada.settled();
  expect(await statusOf(home.owner, project.id, "Gears")).toBe("Todo");
  await ada.press("Redo");
  await eventually(async () => expect(await ada.column("Done")).toEqual(["Gears"]));
  await ada.settled();
  expect(await statusOf(home.owner, project.id, "Gears")).toBe("Done");
  await ada.page.keyboard.press("ControlOrMeta+z");
  await ada.settled();
  await eventually(async () => expect(await statusOf(home.owner, project.id, "Gears")).toBe("Todo"));
});

test("many are selected and changed at once, and one Undo takes all of it back", async () => {
  const { home, project } = await workshop();
  const ada = await seat(running, chromium, home);
  await ada.goTo("projects/ENG");
  await ada.page.getByText("Gears").waitFor();
  await ada.settled();
  for (const title of ["Gears", "Cards"]) await ada.page.getByRole("checkbox", { name: `Select ${title}` }).check();
  const bar = ada.page.getByRole("toolbar", { name: "2 selected" });
  await bar.getByRole("button", { name: /^Status/ }).click();
  await ada.page.getByRole("option", { name: "Done" }).click();
  await ada.toast("2 Tasks changed");
  await eventually(async () => expect((await ada.column("Done")).sort()).toEqual(["Cards", "Gears"]));
  await ada.settled();
  expect(await statusOf(home.owner, project.id, "Cards")).toBe("Done");
  await ada.press("Undo");
  await ada.settled();
  expect(await statusOf(home.owner, project.id, "Cards")).toBe("Todo");
  await eventually(async () => expect((await ada.column("Todo")).sort()).toEqual(["Cards", "Gears", "Levers"]));
});

test("cards are selected with Shift: one, and all up to it in its column", async () => {
  const { home, project } = await workshop(["Gears", "Levers", "Cards", "Cranks"]);
  const columns = await clientOf(home.owner).getProjectBoard({ project_id: project.id });
  const doing = columns.columns.find(({ status }) => status.name === "In Progress")?.status.id ?? "";
  for (const title of ["Axles", "Cams", "Bolts"]) await newTask(home.owner, project.id, { title, status_id: doing });
  const done = columns.columns.find(({ status }) => status.name === "Done")?.status.id ?? "";
  await newTask(home.owner, project.id, { title: "Turn the crank ".repeat(8), status_id: done });
  const ada = await seat(running, chromium, home);
  const { page } = ada;
  await ada.goTo("projects/ENG");
  await ada.settled();
  const click = (title: string) =>
    page.getByRole("button", { name: title, exact: true }).click({ modifiers: ["Shift"] });
  const selected = (...titles: string[]) =>
    eventually(async () =>
      expect(await page.locator("article:has(input:checked) .card-title").allInnerTexts()).toEqual(titles),
    );
  await click("Levers");
  await selected("Levers");
  await click("Cranks");
  await selected("Levers", "Cards", "Cranks");
  // Another end of the same reach.
  await click("Gears");
  await selected("Gears", "Levers");
  // In another column it begins anew, and what was selected stays.
  await click("Cams");
  await selected("Gears", "Levers", "Cams");
  await page.getByRole("checkbox", { name: "Select Axles" }).click({ modifiers: ["Shift"] });
  await selected("Gears", "Levers", "Cams", "Axles");
  // Below a title of two lines there is room for what can be pressed.
  const isWhole = await page.locator('[data-column="Done"] article').evaluate((card) => {
    const [box, round] = [card.lastElementChild, card.querySelector(".rounded-full")].map((one) =>
      one?.getBoundingClientRect(),
    );
    return box && round && round.top >= box.top && round.bottom <= box.bottom && round.height > 0;
  });
  expect(isWhole).toBe(true);
  // Nothing was opened.
  expect(ada.at()).not.toContain("task=");
  const eve = await seat(running, chromium, home, await home.member("viewer"));
  await eve.goTo("projects/ENG");
  await eve.page.getByRole("button", { name: "Gears", exact: true }).click({ modifiers: ["Shift"] });
  await eve.page.waitForURL(/task=/);
  expect(await eve.page.getByRole("toolbar").count()).toBe(0);
});

test("more than one operation takes are changed at once, and one Undo takes all of it back, or says how many", async () => {
  const home = await world(running);
  const project = await newProject(home, { name: "Difference Engine", key: "ENG" });
  const api = clientOf(home.owner);
  for (let at = 0; at < 102; at++) await newTask(home.owner, project.id, { title: `Gear ${at}` });
  /** By priority, how many. */
  const counted = async () => {
    const found = { none: 0, low: 0, medium: 0, high: 0, urgent: 0 };
    for await (const { priority } of api.listProjectTasks({ project_id: project.id, limit: 100 })) found[priority]++;
    return [found.none, found.low, found.high];
  };
  const ada = await seat(running, chromium, home);
  const { page } = ada;
  await ada.goTo("projects/ENG/list");
  await page.getByRole("checkbox", { name: "Select Gear 101", exact: true }).check();
  await ada.settled();
  const last = page.getByRole("checkbox", { name: "Select Gear 0", exact: true });
  // The list grows when its second page arrives, which may be after the first scroll.
  await eventually(async () => {
    await page.getByRole("list", { name: "List" }).evaluate((list) => list.parentElement?.scrollTo(0, 1e6));
    expect(await last.count()).toBe(1);
  });
  await last.click({ modifiers: ["Shift"] });
  await page.getByRole("toolbar", { name: "102 selected" }).waitFor();
  await page.keyboard.press("p");
  await page.getByRole("option", { name: "High" }).click();
  await ada.toast("102 Tasks changed");
  expect(await counted()).toEqual([0, 0, 102]);
  await ada.press("Undo");
  await ada.toast("Taken back");
  expect(await counted()).toEqual([102, 0, 0]);
  await ada.press("Redo");
  await ada.toast("Done again");
  expect(await counted()).toEqual([0, 0, 102]);
  const { items } = await api.listProjectTasks({ project_id: project.id, limit: 100 });
  const one = items.find(({ title }) => title === "Gear 50") ?? expect.fail("there is none");
  await api.updateTask({ task_id: one.id, priority: "low" }, { at: one });
  await page.keyboard.press("ControlOrMeta+z");
  await page.locator('[data-toast="refused"]').getByText("2 of 102 were taken back.").waitFor();
  expect(await counted()).toEqual([2, 1, 99]);
});

test("lines of a list are selected by box, with Shift and by key, changed with one key, and one Undo takes all of it back", async () => {
  const { home, project } = await workshop(["Gears", "Levers", "Cards", "Cranks", "Axles"]);
  const ada = await seat(running, chromium, home);
  const { page } = ada;
  await ada.goTo("projects/ENG/list");
  await page.getByText("Gears").waitFor();
  await ada.settled();
  const box = (title: string) => page.getByRole("checkbox", { name: `Select ${title}` });
  const chosen = () =>
    page
      .locator("[data-task]:has(input:checked)")
      .evaluateAll((lines) => lines.map((line) => line.querySelector("[data-open]")?.textContent));
  const selected = (...titles: string[]) => eventually(async () => expect(await chosen()).toEqual(titles));
  await box("Levers").check();
  await box("Cranks").click({ modifiers: ["Shift"] });
  await selected("Levers", "Cards", "Cranks");
  // Another end of the same reach, on the title, and the focus is no longer in the box.
  await page.getByRole("button", { name: "Gears" }).click({ modifiers: ["Shift"] });
  await selected("Gears", "Levers");
  await page.getByRole("button", { name: "Axles" }).click({ modifiers: ["ControlOrMeta"] });
  await selected("Gears", "Levers", "Axles");
  await page.keyboard.press("Escape");
  await selected();
  // A box that has just been clicked does not take the keys away.
  await box("Levers").check();
  await page.keyboard.press("Escape");
  await selected();
  await page.getByRole("button", { name: "Levers" }).focus();
  await page.keyboard.press("x");
  await page.keyboard.press("Shift+ArrowDown");
  await selected("Levers", "Cards");
  await page.keyboard.press("Shift+ArrowDown");
  await selected("Levers", "Cards", "Cranks");
  await page.keyboard.press("Shift+ArrowUp");
  await selected("Levers", "Cards");
  await page.keyboard.press("s");
  await page.getByRole("dialog").getByText("2 selected").waitFor();
  await page.getByRole("option", { name: "Done" }).click();
  await ada.settled();
  const statuses = () =>
    Promise.all(["Gears", "Levers", "Cards", "Cranks"].map((title) => statusOf(home.owner, project.id, title)));
  expect(await statuses()).toEqual(["Todo", "Done", "Done", "Todo"]);
  await page.keyboard.press("ControlOrMeta+z");
  await eventually(async () => expect(await statuses()).toEqual(["Todo", "Todo", "Todo", "Todo"]));
  // Who may not write has nothing to select for.
  const eve = await seat(running, chromium, home, await home.member("viewer"));
  await eve.goTo("projects/ENG/list");
  await eve.page.getByRole("button", { name: "Gears" }).focus();
  await eve.page.keyboard.press("x");
  await eve.page.keyboard.press("Shift+ArrowDown");
  expect(await eve.page.getByRole("toolbar").count()).toBe(0);
  expect(await eve.page.getByRole("checkbox", { name: /^Select/ }).count()).toBe(0);
});

test("a Project that is made private while somebody looks at it is gone for them, with its Tasks, also from what is kept", async () => {
  const { home, project } = await workshop();
  const bob = await seat(running, chromium, home, await home.member("member"));
  await bob.goTo("projects/ENG");
  await bob.page.getByText("Gears").waitFor();
  await bob.settled();
  const at = await clientOf(home.owner).getProject({ project_id: project.id });
  await clientOf(home.owner).updateProject({ project_id: project.id, visibility: "private" }, { at });
  await bob.page.getByText("There is nothing at this address").waitFor();
  expect(await bob.page.getByText("Gears").count()).toBe(0);
  expect(await bob.page.getByRole("link", { name: "Difference Engine" }).count()).toBe(0);
  const kept = () =>
    bob.page.evaluate(async () => {
      const [{ name }] = (await indexedDB.databases()) as [{ name: string }];
      const opened = await new Promise<IDBDatabase>((resolve) => {
        const request = indexedDB.open(name);
        request.onsuccess = () => resolve(request.result);
      });
      return new Promise<string>((resolve) => {
        const request = opened.transaction("chunks").objectStore("chunks").getAll();
        request.onsuccess = () => resolve(JSON.stringify(request.result));
      });
    });
  await expect.poll(kept).not.toContain("Gears");
  await bob.page.reload();
  await bob.page.getByText("There is nothing at this address").waitFor();
  expect(await kept()).not.toContain("Gears");
});

test("filters stand in the address, hold on the list too, and a list changes a Task in place", async () => {
  const { home, project } = await workshop();
  await newTask(home.owner, project.id, { title: "Brass", priority: "high", due_date: "2026-01-01" });
  const ada = await seat(running, chromium, home);
  await ada.goTo("projects/ENG?priority=high");
  await eventually(async () => expect(await ada.column("Todo")).toEqual(["Brass"]));
  await ada.page.getByRole("link", { name: "List" }).click();
  const line = ada.page.locator("[data-task]", { hasText: "Brass" });
  await line.waitFor();
  expect(ada.at()).toContain("priority=high");
  expect(await ada.page.locator("[data-task]").count()).toBe(1);
  await ada.press("Clear all");
  await eventually(async () => expect(await ada.page.locator("[data-task]").count()).toBe(4));
  await ada.press("Filter");
  await ada.page.getByRole("option", { name: "Overdue" }).click();
  await eventually(async () => expect(await ada.page.locator("[data-task]").count()).toBe(1));
  await ada.press("Due date is");
  await eventually(async () => expect(await ada.page.locator("[data-task]").count()).toBe(3));
  expect(ada.at()).toContain("due=%21overdue");
  await ada.press("Clear all");
  await line.getByRole("button", { name: "Status: Todo" }).click();
  await ada.page.getByRole("option", { name: "In Progress" }).click();
  await ada.settled();
  expect(await statusOf(home.owner, project.id, "Brass")).toBe("In Progress");
  await looked(ada, "list");
  await ada.page.getByRole("link", { name: "Overview" }).click();
  await ada.page.getByText("0 % done").waitFor();
  await looked(ada, "overview");
  await ada.page.getByRole("link", { name: "My Work" }).click();
  await ada.page.getByText("Nothing here").waitFor();
  await ada.page.getByRole("link", { name: "Created" }).click();
  // Beside it the change may still be told.
  await ada.page.getByRole("main").getByText("Brass").waitFor();
  await looked(ada, "my-work");
});

test("a column is collapsed and has a limit, both after a reload too, and a view is saved, opened, changed and deleted", async () => {
  const home = await world(running);
  const project = await newProject(home, { name: "Difference Engine", key: "ENG" });
  await newTask(home.owner, project.id, { title: "Cut the gears", priority: "high" });
  await newTask(home.owner, project.id, { title: "Oil the axles" });
  const ada = await seat(running, chromium, home);
  const { page } = ada;
  await ada.goTo("projects/ENG");
  await page.getByText("Cut the gears").waitFor();
  await page.getByRole("button", { name: "2 Limit of Todo" }).click();
  await page.getByLabel("At most this many Tasks").fill("1");
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "2 / 1 over the limit of Todo" }).waitFor();
  await ada.press("Collapse Done");
  await page.reload();
  await page.getByRole("button", { name: "2 / 1 over the limit of Todo" }).waitFor();
  await page.getByRole("button", { name: "Expand Done" }).waitFor();
  await looked(ada, "board-limit");
  await ada.goTo("projects/ENG/list?priority=high&group=assignee");
  await page.getByText("Cut the gears").waitFor();
  await ada.press("Saved views");
  await page.getByText("You have saved no view of this Project yet.").waitFor();
  await page.getByLabel("Name of this view").fill("Urgent things");
  await page.keyboard.press("Enter");
  const saved = page.getByRole("link", { name: /Urgent things/ });
  await saved.waitFor();
  await looked(ada, "views");
  const kept = async () => (await clientOf(home.owner).listTaskSavedViews({ workspace_id: home.workspaceId })).items;
  expect(await kept()).toMatchObject([
    {
      name: "Urgent things",
      query: { project_id: project.id, priority: "high" },
      layout: { kind: "list", group_by: "assignee" },
    },
  ]);
  await ada.goTo("projects/ENG");
  await page.getByText("Oil the axles").waitFor();
  await ada.press("Saved views");
  await saved.click();
  await page.getByText("Oil the axles").waitFor({ state: "detached" });
  expect(ada.at()).toMatch(/\/projects\/ENG\/list\?priority=high&group=assignee$/);
  await ada.press("Saved views");
  await ada.press("Delete: Urgent things");
  await saved.waitFor({ state: "detached" });
  expect(await kept()).toEqual([]);
});
