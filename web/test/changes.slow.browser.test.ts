// What waits for somebody's decision, and what became of a change, inside the application.

import { expect, test } from "vitest";
import { clientOf } from "../../client/test/client-of.ts";
import { asserted } from "../../server/test/asserts.ts";
import { browser } from "../../server/test/browser.ts";
import { propose } from "../../server/test/changes.ts";
import { eventually } from "../../server/test/eventually.ts";
import { newProject, newTask } from "../../server/test/work.ts";
import { newKey, service, world } from "../../server/test/world.ts";
import { looked, seat } from "./app.ts";

const running = service({});
const chromium = browser();

async function workshop() {
  const home = await world(running);
  const project = await newProject(home, { name: "Difference Engine", key: "ENG" });
  const task = await newTask(home.owner, project.id, { title: "Cut the gears" });
  return { home, project, task };
}

test("what an assistant proposed waits here, is approved and applied, and can be taken back", async () => {
  const { home, task } = await workshop();
  await propose(home.owner, home, [
    { action: "task.update", task_id: task.id, revision: "1", set: { priority: "urgent" } },
  ]);
  const ada = await seat(running, chromium, home);
  const { page } = ada;
  await ada.goTo("changes");
  await page.locator('[data-change-set="proposed"]').waitFor();
  await looked(ada, "changes");
  await page.getByRole("link", { name: /Tidy up/ }).click();
  await ada.heading("Tidy up");
  await looked(ada, "change-set");
  await ada.press("Approve");
  await ada.press("Apply all of it");
  await eventually(async () =>
    expect((await clientOf(home.owner).getTask({ task_id: task.id })).priority).toBe("urgent"),
  );
  await page.getByRole("link", { name: "All ChangeSets" }).click();
  await page.getByText("Nothing waits for your decision").waitFor();
  await page.getByRole("link", { name: "Decided" }).click();
  await page.locator('[data-change-set="applied"]').waitFor();
});

test("what happened to a change is found by its key and by its command, and is taken back there", async () => {
  const { home, task } = await workshop();
  const key = newKey();
  await clientOf(home.owner).updateTask({ task_id: task.id, priority: "high" }, { at: "1", key });
  const ada = await seat(running, chromium, home);
  const { page } = ada;
  await ada.goTo("receipts");
  await page.getByLabel("Id of the command, or key of the request").fill(key);
  await page.keyboard.press("Enter");
  await page.locator('[data-receipt="committed"]').waitFor();
  await page.getByRole("link", { name: "ENG-1" }).waitFor();
  await looked(ada, "receipt");
  await ada.press("Undo");
  await page.locator('[data-receipt="undone"]').waitFor();
  expect((await clientOf(home.owner).getTask({ task_id: task.id })).priority).toBe("none");
  await ada.press("Redo");
  await eventually(async () =>
    expect((await clientOf(home.owner).getTask({ task_id: task.id })).priority).toBe("high"),
  );
  await page.getByLabel("Id of the command, or key of the request").fill("nothing-like-this");
  await page.keyboard.press("Enter");
  await page.getByText("No such change was made here").waitFor();
});

test("nobody finds what became of somebody else's change", async () => {
  const { home, task } = await workshop();
  const key = newKey();
  await clientOf(home.owner).updateTask({ task_id: task.id, priority: "high" }, { at: "1", key });
  const eve = await seat(running, chromium, home, await home.member("member"));
  await eve.goTo(`receipts?id=${key}`);
  await asserted(eve.page.getByText("No such change was made here").waitFor());
});

test("Tasks come from a CSV file after a preview, each once, and what cannot be made is told by its row", async () => {
  const { home } = await workshop();
  const ada = await seat(running, chromium, home);
  const { page } = ada;
  await ada.goTo("start");
  await page.getByLabel("Name of the Project").fill("Imported");
  await page.getByLabel("Key").fill("IMP");
  const more = ["Axles", "Cams", "Bolts", "Cranks", "Rods"];
  const rows = [
    '"Gears, brass",high,Todo,2026-12-24',
    "Levers,very,,",
    "Cards,,Done,",
    ...more.map((one) => `${one},,Todo,`),
  ];
  const text = `Title,Priority,Status,Due\n${rows.join("\n")}\n`;
  await page
    .locator("input[type=file]")
    .setInputFiles({ name: "tasks.csv", mimeType: "text/csv", buffer: Buffer.from(text) });
  await page.locator('[data-import="7"]').waitFor();
  await page.getByText("Row 3: “very” is no priority").waitFor();
  await looked(ada, "import");
  await ada.press("Make 7 Tasks");
  await page.locator('[data-toast="done"]').getByText("7 Tasks created").waitFor();
  const imported = async () => {
    const { items } = await clientOf(home.owner).listWorkspaceTasks({ workspace_id: home.workspaceId, limit: 100 });
    return items.filter(({ code }) => code.startsWith("IMP-")).map(({ title, priority }) => `${title}: ${priority}`);
  };
  const others = ["Cards", ...more].map((title) => `${title}: none`);
  expect((await imported()).sort()).toEqual(["Gears, brass: high", ...others].sort());
  // In the order of the file, as the service has it.
  await page.reload();
  await eventually(async () => expect(await ada.column("Todo")).toEqual(["Gears, brass", ...more]));
  await ada.settled();
  await page.keyboard.press("ControlOrMeta+z");
  await eventually(async () => expect(await imported()).toEqual([]));
});
