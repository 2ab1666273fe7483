// The application kept by the browser: it opens without a connection, and the worker answers for nothing that people
// wrote.
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { browser } from "../../server/test/browser.ts";
import { eventually } from "../../server/test/eventually.ts";
import { newProject, newTask } from "../../server/test/work.ts";
import { service, world } from "../../server/test/world.ts";
import { offlineIsExpected, seat } from "./app.ts";

/** The worker is active, and answers for this page and those that follow. */
const controlled = (page: Page) => page.waitForFunction(() => navigator.serviceWorker.controller !== null);
const running = service({});
const chromium = browser();

/** The names of what the browser keeps of the Workspace's rows. */
const keptChunks = (page: Page) =>
  page.evaluate(async () => {
    const of = <T>(asked: IDBRequest<T>) =>
      new Promise<T>((told) => asked.addEventListener("success", () => told(asked.result)));
    const names: IDBValidKey[] = [];
    for (const { name = "" } of await indexedDB.databases()) {
      const database = await of(indexedDB.open(name));
      if (database.objectStoreNames.contains("chunks"))
        names.push(...(await of(database.transaction("chunks").objectStore("chunks").getAllKeys())));
      database.close();
    }
    return names;
  });

test("after one visit the application opens without a connection, and shows what was kept", async () => {
  const home = await world(running);
  const project = await newProject(home, { name: "Difference Engine", key: "ENG" });
  await newTask(home.owner, project.id, { title: "Cut the gears" });
  const ada = await seat(running, chromium, home, home.owner, { serviceWorkers: "allow" });
  await ada.goTo("projects/ENG");
  await ada.page.getByText("Cut the gears").waitFor();
  await ada.settled();
  await ada.page.evaluate(() => navigator.serviceWorker.ready.then(() => {}));
  // Once more, so that the worker has seen every file of the page.
  await ada.page.reload();
  await ada.page.getByText("Cut the gears").waitFor();
  await ada.settled();
  // Rows are written a moment after they are shown.
  await expect.poll(() => keptChunks(ada.page)).toContainEqual(expect.stringMatching(/^task:/));
  await ada.offline(true);
  await ada.page.reload();
  await ada.page.getByText("Cut the gears").waitFor();
  await ada.offline(false);
  await ada.settled();
  offlineIsExpected(ada);
  const kept = await ada.page.evaluate(async () => {
    const cache = await caches.open("shell-1");
    return (await cache.keys()).map(({ url }) => new URL(url).pathname);
  });
  expect(kept).toContain("/");
  const document = await ada.page.evaluate(async () => {
    const headers = (await caches.match("/"))?.headers;
    return { policy: headers?.get("content-security-policy"), beside: headers?.get("link") };
  });
  expect(document.policy).toMatch(/^default-src 'none'/);
  expect(document.beside, "what is shown first waits for nothing else").toBe(null);
  expect(kept.filter((path) => path !== "/" && !path.startsWith("/assets/"))).toEqual([]);
});

test("a second visit shows what the last one did before the service has answered anything", async () => {
  const home = await world(running);
  const project = await newProject(home, { name: "Difference Engine", key: "ENG" });
  await newTask(home.owner, project.id, { title: "Cut the gears" });
  const ada = await seat(running, chromium, home, home.owner, { serviceWorkers: "allow" });
  const { page } = ada;
  await ada.goTo("projects/ENG");
  await page.getByText("Cut the gears").waitFor();
  await ada.settled();
  const kept = () => page.evaluate(async () => (await (await caches.open("shell-1")).keys()).map(({ url }) => url));
  // The files that came before there was a worker are kept too: the next visit finds the document and all of them here.
  await expect.poll(kept).toContainEqual(expect.stringMatching(/\/assets\/app-[\w-]+\.js$/));
  await expect.poll(kept).toContainEqual(`${running.url}/`);
  await controlled(page);
  const waiting: (() => void)[] = [];
  const asked: string[] = [];
  await page.context().route("**/*", async (route) => {
    asked.push(new URL(route.request().url()).pathname);
    await new Promise<void>((go) => waiting.push(go));
    await route.continue().catch(() => {});
  });
  await page.reload({ waitUntil: "commit" });
  await page.locator("[data-column] article", { hasText: "Cut the gears" }).waitFor();
  expect(asked).toContain("/api/v1/me");
  await page.context().unrouteAll({ behavior: "ignoreErrors" });
  for (const go of waiting) go();
  await ada.settled();
});

test("files come out of the cache without the worker, and those that came later are kept too", async () => {
  const home = await world(running);
  await newProject(home, { name: "Difference Engine", key: "ENG" });
  const ada = await seat(running, chromium, home, home.owner, { serviceWorkers: "allow" });
  const { page } = ada;
  await ada.goTo("projects/ENG");
  await ada.settled();
  const kept = () => page.evaluate(async () => (await (await caches.open("shell-1")).keys()).map(({ url }) => url));
  await expect.poll(kept).toContainEqual(expect.stringMatching(/\/assets\/app-[\w-]+\.js$/));
  await controlled(page);
  await page.reload();
  await ada.settled();
  const sources = await page.evaluate(() =>
    performance
      .getEntriesByType("resource")
      .filter(({ name }) => /\/assets\/(?:start|pages|app)-/.test(name))
      .map((entry) => (entry as unknown as { workerFinalSourceType: string }).workerFinalSourceType),
  );
  expect(sources.length).toBeGreaterThanOrEqual(4);
  expect(new Set(sources)).toEqual(new Set(["cache"]));
  expect(await kept()).not.toContainEqual(expect.stringMatching(/\/assets\/inbox-/));
  await page.getByRole("link", { name: /^Inbox/ }).click();
  await page.getByRole("heading", { name: "Inbox" }).waitFor();
  await page.evaluate(() => {
    Object.defineProperty(document, "visibilityState", { value: "hidden" });
    document.dispatchEvent(new Event("visibilitychange"));
  });
  await expect.poll(kept).toContainEqual(expect.stringMatching(/\/assets\/inbox-/));
});

test("what is pushed is shown as the service sends it, and replaces what was shown of the same", async () => {
  const home = await world(running);
  await newProject(home, { name: "Difference Engine", key: "ENG" });
  const ada = await seat(running, chromium, home, home.owner, { serviceWorkers: "allow" });
  const context = ada.page.context();
  const started = context.waitForEvent("serviceworker");
  await ada.goTo("projects/ENG");
  const worker = await started;
  await ada.page.evaluate(() => navigator.serviceWorker.ready.then(() => {}));
  // A headless browser has no place to show it: what the worker asks it to show is looked at.
  await worker.evaluate(() => {
    const shown: unknown[] = [];
    const showNotification = async (title: string, { body, data, tag }: NotificationOptions) => {
      shown.push([title, body, data, tag]);
    };
    Object.assign(globalThis, { shown });
    Object.assign((globalThis as unknown as { registration: object }).registration, { showNotification });
  });
  const wire = await context.newCDPSession(ada.page);
  const registration = new Promise<string>((found) =>
    wire.on("ServiceWorker.workerRegistrationUpdated", ({ registrations: [first] }) => {
      if (first) found(first.registrationId);
    }),
  );
  await wire.send("ServiceWorker.enable");
  const registrationId = await registration;
  const push = (data: string) =>
    wire.send("ServiceWorker.deliverPushMessage", { origin: running.url, registrationId, data });
  const path = "/workspaces/x/tasks/ENG-1";
  const told = { title: "ENG-1 Cut the gears", body: "Grace: <b>Brass</b>?", path, id: "one" };
  await push(JSON.stringify(told));
  await push(JSON.stringify({ id: "two" }));
  await expect
    .poll(() => worker.evaluate(() => (globalThis as unknown as { shown: unknown[] }).shown))
    .toEqual([
      ["ENG-1 Cut the gears", "Grace: <b>Brass</b>?", path, "one"],
      ["svc", "", "/", "two"],
    ]);
});

test("the page trusts no other worker than its own", async () => {
  const home = await world(running);
  await newProject(home, { name: "Difference Engine", key: "ENG" });
  const ada = await seat(running, chromium, home, home.owner, { serviceWorkers: "allow" });
  await ada.goTo("projects/ENG");
  await ada.settled();
  const refused = await ada.page.evaluate(async () => {
    try {
      await navigator.serviceWorker.register("/assets/other.js");
      return "registered";
    } catch (error) {
      return (error as Error).name;
    }
  });
  expect(refused).toBe("TypeError");
  // It is told by the policy, and in the console, in whichever order.
  for (const told of [/^policy refused/, /TrustedScriptURL/])
    await eventually(() => expect(ada.faults.some((fault) => told.test(fault))).toBe(true));
  expect(
    ada.faults.splice(0).every((fault) => /policy refused require-trusted-types|TrustedScriptURL/.test(fault)),
  ).toBe(true);
});
