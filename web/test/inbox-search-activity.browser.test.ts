// The journey of a day's begin: what is new on Home, the inbox by keyboard, what others did, and search.
import { expect, test } from "vitest";
import { clientOf } from "../../client/test/client-of.ts";
import { browser } from "../../server/test/browser.ts";
import { eventually } from "../../server/test/eventually.ts";
import { service } from "../../server/test/world.ts";
import { offlineIsExpected, seat } from "./app.ts";
import { notifiedMember } from "./notified-member.ts";

const running = service();
const chromium = browser();

test("a person goes through the inbox by keyboard, also without a connection, sees what others did, and searches", async () => {
  const { home, grace, first, inbox } = await notifiedMember(running);
  await clientOf(grace).updateTask({ task_id: first.id, priority: "high" }, { at: "1" });
  const ada = await seat(running, chromium, home);
  const { page } = ada;
  const { keyboard } = page;
  const rows = page.locator("[data-item]");
  const archived = async () => (await inbox()).items.filter(({ archived_at }) => archived_at !== null).length;

  await ada.goTo("");
  await ada.shows("");
  await page.getByRole("main").getByText("Oil the axles").first().waitFor();
  await keyboard.press("g");
  await keyboard.press("i");
  await ada.shows("inbox");
  await expect.poll(() => rows.count()).toBe(3);
  await keyboard.press("j");
  await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toContain("commented");
  await keyboard.press("e");
  await expect.poll(() => rows.count()).toBe(2);
  await ada.settled();
  await eventually(async () => expect((await inbox()).unread_count).toBe(2));
  await keyboard.press("ControlOrMeta+z");
  await expect.poll(() => rows.count()).toBe(3);
  await ada.settled();
  expect(await archived()).toBe(0);
  await ada.offline(true);
  await keyboard.press("j");
  await keyboard.press("e");
  await expect.poll(() => rows.count()).toBe(2);
  expect(await archived()).toBe(0);
  await ada.offline(false);
  await ada.settled();
  expect(await archived()).toBe(1);
  offlineIsExpected(ada);
  await page.getByRole("button", { name: /Oil the axles/ }).click();
  await page.getByRole("complementary", { name: "Task ENG-2" }).waitFor();

  await ada.reach("activity");
  const entry = page.locator("li", { hasText: "ENG-1 Cut the gears" }).first();
  await expect.poll(() => entry.innerText()).toContain("Priority: No priority → High");

  await ada.reach("search");
  const field = page.getByRole("searchbox", { name: "Search" });
  await field.fill("bras");
  await expect.poll(() => page.locator("mark").allInnerTexts()).toEqual(["Bras"]);
  await field.fill("eng-2");
  await expect.poll(() => page.locator("[data-result]").first().innerText()).toContain("Oil the axles");
  await field.press("Enter");
  await page.getByRole("complementary", { name: "Task ENG-2" }).waitFor();
  await field.fill("nothing like this at all");
  await page.getByText("Nothing found for").waitFor();
});
