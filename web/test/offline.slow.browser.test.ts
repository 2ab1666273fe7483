// Nothing is lost and nothing happens twice: offline, with a reload in the middle, with answers that never come, and
// with others who change the same.

import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { clientOf } from "../../client/test/client-of.ts";
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
  (await clientOf(owner).listProjectTasks({ project_id: projectId, limit: 100 })).items.map(
    ({ title }: { title: string }) => title,
  );
/** On the board itself: a further visit shows a picture of it first. */
const cardOf = (page: Page, title: string) => page.locator("[data-column] article", { hasText: title });
async function add({ page }: Pick<Seat, "page">, column: string, ...titles: string[]) {
  const field = page.getByRole("textbox", { name: `Add a Task to ${column}` });
  if (!(await field.isVisible())) await page.getByRole("button", { name: `Add a Task to ${column}` }).click();
  for (const title of titles) {
    await field.fill(title);
    await field.press("Enter");
  }
}
test("what keeps the conversation up to date cannot be fetched: the page stays, and it is asked for again", async () => {
  const { home } = await workshop("First");
  // A service worker would ask in its own name, past the route below.
  const ada = await seat(running, chromium, home, home.owner, { serviceWorkers: "block" });
  let asked = 0;
  await ada.page.route("**/assets/load-*.js*", (route) =>
    asked++ === 0 ? route.abort("internetdisconnected") : route.continue(),
  );
  await ada.goTo("projects/ENG");
  await expect.poll(() => asked).toBeGreaterThan(1);
  await ada.page.getByText("First").waitFor();
  await ada.settled();
  offlineIsExpected(ada);
});

test("twenty changes without a connection survive a reload and happen once each", async () => {
  const { home, project } = await workshop("First");
  // High enough for eleven cards: what is not seen is not drawn.
  const ada = await seat(running, chromium, home, home.owner, { viewport: { width: 2080, height: 1200 } });
  await ada.goTo("projects/ENG");
  await ada.page.getByText("First").waitFor();
  await ada.settled();
  // The address stays reachable for the document itself, as a shell that is kept would be; the interface does not.
  await ada.page.route("**/api/**", (route) => route.abort("internetdisconnected"));
  const names = Array.from({ length: 19 }, (_, at) => `Offline ${at + 1}`);
  await add(ada, "Todo", ...names.slice(0, 10));
  await ada.page.getByText("No connection. You can go on working.").waitFor();
  await ada.page.reload();
  await cardOf(ada.page, "Offline 10").waitFor();
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

/** Runs in every tab before the application does. */
type Plant = () => void;
async function board(plant?: Plant) {
  const { home, project } = await workshop("First");
  const ada = await seat(running, chromium, home);
  if (plant) await ada.page.context().addInitScript(plant);
  await ada.goTo("projects/ENG");
  await ada.page.getByText("First").waitFor();
  await ada.settled();
  const count = async (title: string) => (await titlesOf(home, project.id)).filter((each) => each === title).length;
  return { ada, page: ada.page, home, project, count };
}

const promises: Record<string, (plant?: Plant) => Promise<void>> = {
  async "what waits survives a reload"(plant) {
    const { ada, page, count } = await board(plant);
    await page.route("**/api/**", (route) => route.abort("internetdisconnected"));
    await add(ada, "Todo", "Kept");
    await page.getByText("No connection. You can go on working.").waitFor();
    await page.reload();
    await cardOf(page, "First").waitFor();
    await page.unroute("**/api/**");
    await page.evaluate(() => dispatchEvent(new Event("online")));
    await ada.settled();
    offlineIsExpected(ada);
    expect(await count("Kept"), "how often it happened").toBe(1);
  },

  async "a change whose answer is lost while the tab is closed has happened once"(plant) {
    const { ada, page, count } = await board(plant);
    // It reaches the service, and nobody hears the answer.
    let isLost = false;
    await page.route("**/projects/*/tasks", async (route) => {
      if (route.request().method() !== "POST") return route.continue();
      await route.fetch();
      await route.abort("connectionreset");
      isLost = true;
    });
    await add(ada, "Todo", "Once");
    // What is still held when the way is opened would go on, and be answered after all.
    await eventually(() => expect(isLost).toBe(true));
    expect(await count("Once")).toBeGreaterThan(0);
    await page.unrouteAll({ behavior: "ignoreErrors" });
    await page.reload();
    await ada.settled();
    offlineIsExpected(ada);
    expect(await count("Once"), "how often it happened").toBe(1);
    await eventually(async () => expect((await ada.column("Todo")).sort()).toEqual(["First", "Once"]));
  },

  async "two tabs write to one queue, one of them sends, and both show what came of it"(plant) {
    const { ada, page, count } = await board(plant);
    const second = await page.context().newPage();
    await second.goto(page.url());
    await cardOf(second, "First").waitFor();
    const sent: (string | undefined)[] = [];
    let answer = () => {};
    const asked = new Promise<void>((go) => {
      answer = go;
    });
    await page.context().route("**/projects/*/tasks", async (route) => {
      if (route.request().method() !== "POST") return route.continue();
      sent.push(route.request().headers()["idempotency-key"]);
      await asked;
      await route.continue();
    });
    await add({ page: second }, "Todo", "From the second tab");
    await page.getByText("From the second tab").waitFor();
    await eventually(() => expect(sent).not.toEqual([]));
    // What either tab was about to write or to send has been written and sent.
    for (const tab of [page, second]) await tab.evaluate(passedBy);
    answer();
    await ada.settled();
    expect(new Set(sent).size, "as many requests as changes").toBe(sent.length);
    // The tab that sent is closed: the other one takes over.
    await page.close();
    await add({ page: second }, "Todo", "After it was closed");
    await eventually(async () => expect(await count("After it was closed")).toBe(1));
    expect(await count("From the second tab")).toBe(1);
  },
};
/** Ends behind what this tab writes, and behind what it then asks of the service. */
async function passedBy() {
  for (const { name = "" } of await indexedDB.databases()) {
    if (!name.startsWith("svc:")) continue;
    const opening = indexedDB.open(name);
    await new Promise((opened) => {
      opening.onsuccess = opened;
    });
    const writing = opening.result.transaction("queue", "readwrite");
    writing.objectStore("queue").delete("");
    await new Promise((written) => {
      writing.oncomplete = written;
    });
    opening.result.close();
  }
  await fetch("/api/v1/me");
}

for (const [name, holds] of Object.entries(promises)) test(name, () => holds());

const planted: { fault: string; breaks: string; shows: RegExp; plant: Plant }[] = [
  {
    fault: "a change that is dropped on reload",
    breaks: "what waits",
    shows: /how often it happened/,
    plant: () => {
      const put = IDBObjectStore.prototype.put;
      IDBObjectStore.prototype.put = function (this: IDBObjectStore, ...given: Parameters<typeof put>) {
        return this.name === "queue" ? (this.get("") as IDBRequest) : put.apply(this, given);
      };
    },
  },
  {
    fault: "a key that changes on repetition",
    breaks: "a change whose",
    shows: /how often it happened/,
    plant: () => {
      const send = fetch;
      globalThis.fetch = (input, init = {}) => {
        const headers = new Headers(init.headers);
        if (headers.has("idempotency-key")) headers.set("idempotency-key", crypto.randomUUID());
        return send(input, { ...init, headers });
      };
    },
  },
  {
    fault: "two tabs that send the same change",
    breaks: "two tabs",
    shows: /as many requests as changes/,
    plant: () => {
      const all = (...given: unknown[]) => Promise.resolve((given.at(-1) as () => unknown)());
      Object.defineProperty(navigator.locks, "request", { value: all });
    },
  },
];
describe("planted", () => {
  for (const { fault, breaks, shows, plant } of planted)
    test(`${fault} is noticed`, async () => {
      const [, holds] = Object.entries(promises).find(([name]) => name.startsWith(breaks)) ?? [];
      await expect(holds?.(plant)).rejects.toThrow(shows);
    });
});

test("a tab that is killed once a change is written down leaves no change undone, and none done twice", async () => {
  const { ada, page, count } = await board();
  const address = page.url();
  await page.close();
  const isSending = (method: string) => method === "POST";
  const moments: Record<string, (tab: Page, kill: () => Promise<void>) => Promise<unknown>> = {
    "It was about to leave": (tab, kill) =>
      tab.route("**/projects/*/tasks", (route) => (isSending(route.request().method()) ? kill() : route.continue())),
    "It had arrived": (tab, kill) =>
      tab.route("**/projects/*/tasks", async (route) => {
        if (!isSending(route.request().method())) return route.continue();
        await route.fetch();
        await kill();
      }),
    "It was answered": async (tab, kill) =>
      tab.on("response", (answer) => {
        if (isSending(answer.request().method()) && answer.url().endsWith("/tasks")) void kill();
      }),
  };
  for (const [title, moment] of Object.entries(moments)) {
    const tab = await page.context().newPage();
    await tab.goto(address);
    // The change of the tab before is sent by then: this one is killed for its own.
    await tab.locator('[data-connection="live"][data-pending="0"]').waitFor({ state: "attached" });
    const field = tab.getByRole("textbox", { name: "Add a Task to Todo" });
    await tab.getByRole("button", { name: "Add a Task to Todo" }).click();
    await field.fill(title);
    const closed = tab.waitForEvent("close");
    await moment(tab, () => tab.close());
    await field.press("Enter").catch(() => {});
    await closed;
  }
  const next = await page.context().newPage();
  await next.goto(address);
  await next.locator('[data-connection="live"][data-pending="0"]').waitFor({ state: "attached" });
  for (const title of Object.keys(moments)) expect(await count(title), title).toBe(1);
  offlineIsExpected(ada);
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
  await clientOf(home.owner).updateTask({ task_id: tasks[0].id, title: "Theirs" }, { at: "1" });
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
  expect(await clientOf(home.owner).getTask({ task_id: tasks[0].id })).toMatchObject({ title: "Mine", revision: "3" });
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
