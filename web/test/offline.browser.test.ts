// Nothing is lost and nothing happens twice: offline, with a reload in the middle, with answers that never come, and with others who change the same.
import { expect, test } from "vitest";
import { browser } from "../../server/test/browser.ts";
import { eventually } from "../../server/test/eventually.ts";
import { newProject, newTask } from "../../server/test/work.ts";
import { service, type World, world } from "../../server/test/world.ts";
import { looked, offlineIsExpected, type Seat, seat } from "./app.ts";

const running = service({});
const chromium = browser();

async function workshop(...titles: string[]) {
  const home = await world(running);
  const project = await newProject(home, { name: "Difference Engine", key: "ENG" });
  const tasks = [];
  for (const title of titles) tasks.push(await newTask(home.owner, project.id, { title }));
  return { home, project, tasks };
}
const titlesOf = async ({ owner }: World, projectId: string): Promise<string[]> =>
  (await owner.call("GET", `/projects/${projectId}/tasks?limit=100`)).body.items.map(
    ({ title }: { title: string }) => title,
  );
async function add(ada: Seat, column: string, ...titles: string[]) {
  const field = ada.page.getByRole("textbox", { name: `Add a Task to ${column}` });
  if (!(await field.isVisible())) await ada.press(`Add a Task to ${column}`);
  for (const title of titles) {
    await field.fill(title);
    await field.press("Enter");
  }
}
test("twenty changes without a connection survive a reload and happen once each", async () => {
  const { home, project } = await workshop("First");
  const ada = await seat(running, chromium, home);
  await ada.goTo("projects/ENG");
  await ada.page.getByText("First").waitFor();
  await ada.settled();
  // The address stays reachable for the document itself, as a shell that is kept would be; the interface does not.
  await ada.page.route("**/api/**", (route) => route.abort("internetdisconnected"));
  const names = Array.from({ length: 19 }, (_, at) => `Offline ${at + 1}`);
  await add(ada, "Todo", ...names.slice(0, 10));
  await ada.page.getByText("No connection. You can go on working.").waitFor();
  await ada.page.reload();
  await ada.page.getByText("Offline 10", { exact: true }).waitFor();
  expect(await ada.column("Todo")).toContain("First");
  await add(ada, "Todo", ...names.slice(10));
  await ada.page.keyboard.press("Escape");
  await ada.page.getByRole("button", { name: "Priority: No priority" }).first().click();
  await ada.page.getByRole("option", { name: "High" }).click();
  await eventually(async () =>
    expect(await ada.page.locator("[data-pending]").getAttribute("data-pending")).toBe("20"),
  );
  await ada.page.getByText("20 changes wait to be sent").waitFor();
  await looked(ada, "offline");
  expect(await titlesOf(home, project.id)).toEqual(["First"]);
  await ada.page.unroute("**/api/**");
  await ada.page.evaluate(() => dispatchEvent(new Event("online")));
  await ada.settled();
  const titles = await titlesOf(home, project.id);
  expect(titles.sort()).toEqual(["First", ...names].sort());
  await ada.page.locator('[data-column="Todo"] header', { hasText: "20" }).waitFor();
  offlineIsExpected(ada);
});

test("a change whose answer is lost while the tab is closed has happened once", async () => {
  const { home, project } = await workshop("First");
  const ada = await seat(running, chromium, home);
  await ada.goTo("projects/ENG");
  await ada.settled();
  // It reaches the service, and nobody hears the answer.
  await ada.page.route("**/projects/*/tasks", async (route) => {
    if (route.request().method() !== "POST") return route.continue();
    await route.fetch();
    await route.abort("connectionreset");
  });
  await add(ada, "Todo", "Once");
  await eventually(async () => expect(await titlesOf(home, project.id)).toContain("Once"));
  await ada.page.unrouteAll({ behavior: "ignoreErrors" });
  await ada.page.reload();
  await ada.settled();
  expect((await titlesOf(home, project.id)).filter((title) => title === "Once")).toHaveLength(1);
  await ada.page.getByText("First").waitFor();
  await eventually(async () => expect((await ada.column("Todo")).sort()).toEqual(["First", "Once"]));
  offlineIsExpected(ada);
});

test("two tabs write to one queue, and both show what came of it", async () => {
  const { home, project } = await workshop("First");
  const ada = await seat(running, chromium, home);
  await ada.goTo("projects/ENG");
  await ada.settled();
  const second = await ada.page.context().newPage();
  await second.goto(ada.page.url());
  await second.getByText("First").waitFor();
  await second.getByRole("button", { name: "Add a Task to Todo" }).click();
  await second.getByRole("textbox", { name: "Add a Task to Todo" }).fill("From the second tab");
  await second.keyboard.press("Enter");
  await ada.page.getByText("From the second tab").waitFor();
  await ada.settled();
  // The tab that sent is closed: the other one takes over.
  await ada.page.close();
  await second.getByRole("textbox", { name: "Add a Task to Todo" }).fill("After it was closed");
  await second.keyboard.press("Enter");
  await eventually(async () =>
    expect((await titlesOf(home, project.id)).sort()).toEqual(["After it was closed", "First", "From the second tab"]),
  );
});

test("where two people change the same field both versions are shown, and the person decides", async () => {
  const { home, tasks } = await workshop("Before");
  const ada = await seat(running, chromium, home);
  await ada.goTo(`projects/ENG?task=${tasks[0].id}`);
  const title = ada.page.getByRole("textbox", { name: "Title", exact: true });
  await title.waitFor();
  await ada.settled();
  await ada.page.route("**/api/**", (route) => route.abort("internetdisconnected"));
  await title.fill("Mine");
  await title.press("Enter");
  await home.owner.call("PATCH", `/tasks/${tasks[0].id}`, { body: { title: "Theirs" }, ifMatch: "1" });
  await ada.page.unroute("**/api/**");
  await ada.page.evaluate(() => dispatchEvent(new Event("online")));
  await ada.page.getByText("1 change needs your decision").waitFor();
  await ada.press("Show");
  const dialog = ada.page.getByRole("dialog");
  await dialog.getByRole("cell", { name: "Mine" }).waitFor();
  await dialog.getByRole("cell", { name: "Theirs" }).waitFor();
  await looked(ada, "conflict");
  await ada.press("Keep yours");
  await dialog.getByRole("button", { name: "Close" }).click();
  await ada.settled();
  expect((await home.owner.call("GET", `/tasks/${tasks[0].id}`)).body).toMatchObject({ title: "Mine", revision: "3" });
  offlineIsExpected(ada);
});

test("an ended session keeps what was changed, and after signing in one is where one was", async () => {
  const { home, project, tasks } = await workshop("First");
  const ada = await seat(running, chromium, home);
  await ada.goTo(`projects/ENG?task=${tasks[0].id}`);
  await ada.settled();
  const cookies = await ada.page.context().cookies();
  await ada.page.context().clearCookies();
  await add(ada, "Todo", "Kept");
  await ada.page.getByText("Your session has ended. Your changes are kept.").waitFor();
  expect(await titlesOf(home, project.id)).toEqual(["First"]);
  await ada.page.context().addCookies(cookies);
  await ada.page.reload();
  await ada.settled();
  expect((await titlesOf(home, project.id)).sort()).toEqual(["First", "Kept"]);
  expect(ada.at()).toContain(`?task=${tasks[0].id}`);
});
