// Inbox, activity and search in front of the real service: triage by keyboard alone, also without a connection; groups
// as people tell them; a code first and the words marked.

import { expect, test } from "vitest";
import { clientOf } from "../../client/test/client-of.ts";
import { browser } from "../../server/test/browser.ts";
import { eventually } from "../../server/test/eventually.ts";
import { joinProject, newProject, newTask } from "../../server/test/work.ts";
import { service } from "../../server/test/world.ts";
import { looked, offlineIsExpected, seat } from "./app.ts";
import { notifiedMember } from "./notified-member.ts";

const running = service({});
const chromium = browser();
const told = () => notifiedMember(running);

test("the inbox is worked through by keyboard alone, and what is done can come back", async () => {
  const { home, inbox } = await told();
  const ada = await seat(running, chromium, home);
  await ada.goTo("");
  await ada.page.getByRole("link", { name: /^Inbox/ }).waitFor();
  const { keyboard } = ada.page;
  await keyboard.press("g");
  await keyboard.press("i");
  await ada.heading("Inbox");
  const rows = ada.page.locator("[data-item]");
  await expect.poll(() => rows.count()).toBe(3);
  await looked(ada, "inbox");
  await keyboard.press("j");
  await expect.poll(() => ada.page.evaluate(() => document.activeElement?.textContent)).toContain("commented");
  await keyboard.press("e");
  await expect.poll(() => rows.count()).toBe(2);
  await ada.settled();
  await eventually(async () => expect((await inbox()).unread_count).toBe(2));
  // The next one has the focus; U marks it as read and leaves it there.
  await keyboard.press("u");
  await expect.poll(() => ada.page.locator('[data-unread="true"]').count()).toBe(1);
  await ada.settled();
  await eventually(async () => expect((await inbox()).unread_count).toBe(1));
  await keyboard.press("ControlOrMeta+z");
  await expect.poll(() => rows.count()).toBe(3);
  await ada.settled();
  const { items } = await inbox();
  expect(items.every(({ archived_at }: { archived_at: string | null }) => archived_at === null)).toBe(true);
  await ada.press("Mark all as read");
  await expect.poll(() => ada.page.locator('[data-unread="true"]').count()).toBe(0);
  await ada.settled();
  await eventually(async () => expect((await inbox()).unread_count).toBe(0));
});

test("what is sorted without a connection is sorted once there is one, and a reload shows what was kept", async () => {
  const { home, inbox } = await told();
  const ada = await seat(running, chromium, home);
  await ada.goTo("inbox");
  const rows = ada.page.locator("[data-item]");
  await expect.poll(() => rows.count()).toBe(3);
  await ada.settled();
  await ada.offline(true);
  await ada.page.keyboard.press("j");
  await ada.page.keyboard.press("e");
  await ada.page.keyboard.press("e");
  await expect.poll(() => rows.count()).toBe(1);
  expect((await inbox()).items.filter((each: { archived_at: unknown }) => each.archived_at).length).toBe(0);
  await ada.offline(false);
  await ada.settled();
  expect((await inbox()).items.filter((each: { archived_at: unknown }) => each.archived_at).length).toBe(2);
  await ada.page.getByRole("link", { name: "Done" }).click();
  await expect.poll(() => rows.count()).toBe(2);
  await looked(ada, "inbox-done");
  offlineIsExpected(ada);
});

test("an item opens its Task beside the inbox and is read from then on, and an empty inbox says so", async () => {
  const { home, second } = await told();
  const ada = await seat(running, chromium, home);
  await ada.goTo("inbox");
  await ada.page.getByRole("button", { name: /Oil the axles/ }).click();
  await ada.page.getByRole("complementary", { name: "Task ENG-2" }).waitFor();
  expect(ada.at()).toContain(`task=${second.id}`);
  await ada.settled();
  const other = await seat(running, chromium, home, await home.member("member"));
  await other.goTo("inbox");
  await other.page.getByText("You have seen everything").waitFor();
  await looked(other, "inbox-empty");
});

test("activity tells what somebody did to one thing as one entry, which opens, and hides a private Project", async () => {
  const { home, grace, first } = await told();
  await clientOf(grace).updateTask({ task_id: first.id, priority: "high" }, { at: "1" });
  const secret = await newProject(home, { name: "Secret Engine", key: "SEC", visibility: "private" });
  await joinProject(home, secret.id, grace, "member").catch(() => {});
  await newTask(home.owner, secret.id, { title: "Hidden gears" });
  const eve = await home.member("viewer");
  const seen = await seat(running, chromium, home, eve);
  await seen.goTo("activity");
  await seen.heading("Activity");
  const entry = seen.page.locator("li", { hasText: "ENG-1 Cut the gears" }).first();
  await entry.waitFor();
  await expect.poll(() => entry.innerText()).toContain("Priority: No priority → High");
  await entry.getByRole("button", { expanded: false }).click();
  await entry.getByText("commented on").first().waitFor();
  expect(await seen.page.getByText("Hidden gears").count()).toBe(0);
  await looked(seen, "activity");
  await seen.page.getByLabel("Day", { exact: true }).fill("2020-01-01");
  await seen.page.getByText("Nothing has happened here").waitFor();
});

test("search answers while somebody types: a code first, the words marked, kinds apart, and remembers", async () => {
  const { home, project } = await told();
  await newTask(home.owner, project.id, { title: "A gearbox", description_markdown: "All of **brass** and more" });
  const ada = await seat(running, chromium, home);
  await ada.goTo("search");
  const { page } = ada;
  const { keyboard } = page;
  await page.getByText("Search everything").waitFor();
  await page.getByRole("searchbox", { name: "Search" }).focus();
  await keyboard.type("bras");
  await expect.poll(() => page.locator("[data-result]").count()).toBe(2);
  expect((await page.locator("mark").allInnerTexts()).map((text) => text.toLowerCase())).toEqual(["bras", "bras"]);
  await looked(ada, "search");
  await page.getByRole("link", { name: "Comments" }).click();
  await expect.poll(() => page.locator("[data-result]").count()).toBe(1);
  await page.getByRole("link", { name: "All" }).click();
  await page.getByRole("searchbox", { name: "Search" }).fill("eng-2");
  await expect.poll(() => page.locator("[data-result]").first().innerText()).toContain("Oil the axles");
  await page.getByRole("searchbox", { name: "Search" }).press("Enter");
  await page.getByRole("complementary", { name: "Task ENG-2" }).waitFor();
  await page.getByRole("searchbox", { name: "Search" }).fill("");
  await page.getByRole("button", { name: "eng-2" }).waitFor();
  await page.getByRole("searchbox", { name: "Search" }).fill("nothing like this at all");
  await page.getByText("Nothing found for").waitFor();
  // In the palette, what this browser does not hold is found too.
  await keyboard.press("ControlOrMeta+k");
  await page.getByRole("combobox", { name: "Go anywhere, do anything" }).waitFor();
  await keyboard.type("brass");
  await page.getByRole("option", { name: /A gearbox/ }).waitFor();
});
