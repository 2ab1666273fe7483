// What a second visit shows first: the page as it was seen last, before anything that could draw it is here; what is
// pressed meanwhile, and what is never kept.
import { expect, test } from "vitest";
import { browser } from "../../server/test/browser.ts";
import { newProject, newTask } from "../../server/test/work.ts";
import { service, world } from "../../server/test/world.ts";
import { type Seat, seat } from "./app.ts";

const running = service();
const chromium = browser();
const TITLE = "Cut the <b>gears</b>";

async function atBoard() {
  const home = await world(running);
  const project = await newProject(home, { name: "Difference Engine", key: "ENG" });
  for (const title of ["Oil the crank", TITLE]) await newTask(home.owner, project.id, { title });
  const ada = await seat(running, chromium, home, home.owner, { viewport: { width: 1280, height: 800 } });
  await ada.goTo("projects/ENG");
  await ada.page.getByText(TITLE).waitFor();
  await ada.settled();
  await expect.poll(() => kept(ada)).toHaveLength(1);
  return { home, project, ada };
}
const kept = ({ page }: Seat) =>
  page.evaluate(() => Object.keys(localStorage).filter((name) => name.startsWith("svc:picture:")));

/** Before the next page looks for it. */
const changeKept = ({ page }: Seat, from: string, to: string) =>
  page.addInitScript(
    ([from, to]) => {
      for (const [key, value] of Object.entries(localStorage))
        if (key.startsWith("svc:picture:")) localStorage.setItem(key, value.replace(from, to));
    },
    [from, to] as const,
  );

/** Visits the page again, with everything that draws it held back; answers with what lets it come. */
async function reloadHeld({ page }: Seat) {
  const waiting: (() => void)[] = [];
  let isOpen = false;
  await page.route(/\/assets\/(?:pages|app)-/, async (route) => {
    if (!isOpen) await new Promise<void>((go) => waiting.push(go));
    await route.continue();
  });
  await page.reload({ waitUntil: "commit" });
  return async () => {
    isOpen = true;
    for (const go of waiting) go();
    await page.locator("#root article").first().waitFor();
  };
}

test("a second visit shows the page as it was seen last before anything that draws it is here", async () => {
  const { ada } = await atBoard();
  const before = await ada.page.locator("article", { hasText: TITLE }).boundingBox();
  const title = await ada.page.title();
  const come = await reloadHeld(ada);
  const card = ada.page.locator("article", { hasText: TITLE });
  await card.waitFor();
  expect(await ada.page.locator("#root article").count()).toBe(0);
  // At its place, under the same title, its text as text; and nobody can reach it, by keys or by ear.
  expect(await card.boundingBox()).toEqual(before);
  expect(await ada.page.title()).toBe(title);
  expect(await ada.page.getByRole("button", { name: TITLE }).count()).toBe(0);
  await come();
  await ada.settled();
  expect(await card.count()).toBe(1);
  expect(await ada.page.getByRole("button", { name: TITLE }).count()).toBe(1);
});

test("what is clicked on the picture is done by the page that takes its place", async () => {
  const { ada } = await atBoard();
  const come = await reloadHeld(ada);
  const box = await ada.page.locator("article", { hasText: TITLE }).boundingBox();
  await ada.page.mouse.click((box?.x ?? 0) + 60, (box?.y ?? 0) + 30);
  await come();
  await ada.page.locator("aside", { hasText: "ENG-2" }).waitFor();
  expect(new URL(ada.page.url()).searchParams.has("task")).toBe(true);
});

test("a click is not done where something else stands by now", async () => {
  const { ada } = await atBoard();
  await changeKept(ada, "Oil the crank", "Oil the axle");
  const come = await reloadHeld(ada);
  const box = await ada.page.locator("article", { hasText: "Oil the axle" }).boundingBox();
  await ada.page.mouse.click((box?.x ?? 0) + 60, (box?.y ?? 0) + 30);
  await come();
  await ada.settled();
  await ada.page.getByRole("button", { name: "Oil the crank" }).waitFor();
  expect(new URL(ada.page.url()).search).toBe("");
});

test("a key that is pressed on the picture is taken by the page, and what follows it is not", async () => {
  const { ada } = await atBoard();
  const come = await reloadHeld(ada);
  await ada.page.locator("article").first().waitFor();
  for (const key of ["c", "?", "c"]) await ada.page.keyboard.press(key);
  await come();
  await ada.page.getByRole("dialog").waitFor();
  await ada.settled();
  expect(await ada.page.getByRole("dialog").count()).toBe(1);
  expect(await ada.page.getByPlaceholder("What is to be done?").inputValue()).toBe("");
});

test("a picture of another version, or of somebody else, is not shown", async () => {
  const { ada } = await atBoard();
  await changeKept(ada, '"of":"', '"of":"another ');
  const come = await reloadHeld(ada);
  await ada.page.waitForFunction(() => document.querySelector("link[rel=modulepreload]") !== null);
  // Wait: for what must not come. Where it does not come, no wait is too long.
  await ada.page.waitForTimeout(500);
  expect(await ada.page.locator("article").count()).toBe(0);
  await come();
});

test("nothing is kept of a page that shows secrets, of an open Task, or of a page that is not at its top", async () => {
  const { home, project, ada } = await atBoard();
  const { page } = ada;
  const leave = () => page.evaluate(() => dispatchEvent(new Event("pagehide")));
  const forget = () =>
    page.evaluate(() => localStorage.removeItem(`svc:picture:${location.pathname}${location.search}`));
  const keptHere = () =>
    page.evaluate(() => localStorage.getItem(`svc:picture:${location.pathname}${location.search}`) !== null);
  for (let at = 0; at < 20; at++) await newTask(home.owner, project.id, { title: `Tooth ${at}` });
  await page.getByText("Tooth 19").first().waitFor();
  await forget();
  await page.evaluate(() => {
    const [scroller] = [...document.querySelectorAll("[data-column] .overflow-y-auto")].filter(
      (each) => each.scrollHeight > each.clientHeight,
    );
    scroller?.scrollTo(0, 50);
  });
  await leave();
  expect(await keptHere()).toBe(false);
  await page.evaluate(() => {
    for (const each of document.querySelectorAll("[data-column] .overflow-y-auto")) each.scrollTo(0, 0);
  });
  await leave();
  expect(await keptHere()).toBe(true);
  await page.getByRole("button", { name: "Tooth 19" }).first().click();
  await page.locator("aside", { hasText: "ENG-" }).waitFor();
  await leave();
  expect(await keptHere()).toBe(false);
  await ada.goTo("settings/tokens");
  await page.getByRole("heading", { name: "API tokens" }).first().waitFor();
  await leave();
  expect(await keptHere()).toBe(false);
});

test("signing out forgets the pictures, and none is taken afterwards", async () => {
  const { ada } = await atBoard();
  // The same page in another tab, which is hidden only after that.
  const other = await ada.page.context().newPage();
  await other.goto(ada.page.url());
  await other.getByText(TITLE).waitFor();
  await ada.page.getByTitle(/^Workspace: /).click();
  await ada.page.getByRole("menuitem", { name: "Sign out" }).click();
  await ada.page.waitForURL("**/signed-out");
  expect(await kept(ada)).toEqual([]);
  await other.evaluate(() => dispatchEvent(new Event("pagehide")));
  expect(await kept(ada)).toEqual([]);
  // Nor rows: the other tab was just about to open them.
  const databases = () => ada.page.evaluate(async () => (await indexedDB.databases()).map(({ name }) => name));
  await expect.poll(databases).toEqual([]);
  // Wait: for what must not come. Where it does not come, no wait is too long.
  await other.waitForTimeout(500);
  expect(await databases()).toEqual([]);
});

test("a tab that hears late that somebody has signed out forgets what it kept in between", async () => {
  const { ada } = await atBoard();
  const other = await ada.page.context().newPage();
  // Other tabs' writes reach it only when it is told, as where another process has it.
  await other.addInitScript(() => {
    const before = { ...localStorage };
    const { getItem } = Storage.prototype;
    Storage.prototype.getItem = (name) => before[name] ?? null;
    addEventListener("tell", () => {
      Storage.prototype.getItem = getItem;
      dispatchEvent(new StorageEvent("storage", { key: "svc:left" }));
    });
    addEventListener("storage", (event) => event.isTrusted && event.stopImmediatePropagation(), true);
  });
  let go = () => {};
  const mayGo = new Promise<void>((resolve) => {
    go = resolve;
  });
  let isHeld = false;
  await other.route(/\/assets\/start-/, async (route) => {
    isHeld = true;
    await mayGo;
    await route.continue();
  });
  await other.goto(ada.page.url(), { waitUntil: "commit" });
  await expect.poll(() => isHeld).toBe(true);
  await ada.page.getByTitle(/^Workspace: /).click();
  await ada.page.getByRole("menuitem", { name: "Sign out" }).click();
  await ada.page.waitForURL("**/signed-out");
  const databases = () => ada.page.evaluate(async () => (await indexedDB.databases()).map(({ name }) => name));
  await expect.poll(databases).toEqual([]);
  go();
  await expect.poll(databases).toHaveLength(1);
  await other.evaluate(() => dispatchEvent(new Event("tell")));
  await expect.poll(databases).toEqual([]);
  expect(await kept(ada)).toEqual([]);
});

test("a picture that cannot be read is passed over, and the page is drawn", async () => {
  const { ada } = await atBoard();
  await changeKept(ada, "{", "no JSON");
  await ada.page.reload();
  await ada.page.locator("[data-column] article", { hasText: TITLE }).waitFor();
  await ada.settled();
});
