// Documents in a real browser: the tree by mouse and by keyboard, two people in one text, revisions side by side,
// publishing, links.

import { expect, test } from "vitest";
import { clientOf } from "../../client/test/client-of.ts";
import { browser } from "../../server/test/browser.ts";
import { childrenOf, newDocument, readDocument } from "../../server/test/documents.ts";
import { eventually } from "../../server/test/eventually.ts";
import { newProject, newTask } from "../../server/test/work.ts";
import { service, type World, world } from "../../server/test/world.ts";
import { looked, type Seat, seat } from "./app.ts";
import { faultsOf } from "./look.ts";
import { visit } from "./visit.ts";
import { attacks, watched } from "./xss.ts";

/** A text becomes a revision after 30 s without a change; these tests do not wait that long. */
const running = service({}, { pace: { calmMs: 300 } });
const chromium = browser();
const line = ({ page }: Seat, title: string) => page.getByRole("treeitem", { name: title, exact: true });
const textOf = ({ page }: Seat) => page.getByRole("textbox", { name: "Content" });
const markdownOf = async ({ owner }: World, id: string) =>
  (await clientOf(owner).getDocumentMarkdown({ document_id: id })).markdown as string;

test("a Document is begun, named, written in and found again", async () => {
  const home = await world(running);
  await newProject(home, { name: "Difference Engine", key: "ENG" });
  const ada = await seat(running, chromium, home);
  const { page } = ada;
  await ada.goTo("documents");
  await page.getByText("There are no Documents yet").waitFor();
  await looked(ada, "documents-none");
  await page.getByRole("button", { name: "New Document", exact: true }).click();
  const title = page.getByRole("textbox", { name: "Title" });
  await title.waitFor();
  await title.fill("How we plan");
  await title.press("Enter");
  await ada.settled();
  await textOf(ada).click();
  await page.keyboard.type("# Mondays\nWe plan.\n## Fridays\nWe look back.");
  await page.locator("[data-text=live]").waitFor();
  await page.getByRole("navigation", { name: "On this page" }).getByRole("button", { name: "Fridays" }).waitFor();
  await line(ada, "How we plan").waitFor();
  await looked(ada, "document");
  const id = ada.at().split("/").at(-1);
  await page.reload();
  await textOf(ada).getByText("We look back.").waitFor();
  const { items } = await clientOf(home.owner).listDocuments({ workspace_id: home.workspaceId });
  const [made = expect.fail("no Document")] = items;
  expect(items).toMatchObject([{ title: "How we plan" }]);
  expect([id, (await markdownOf(home, made.id)).trim()]).toEqual([
    made.id,
    "# Mondays\n\nWe plan.\n\n## Fridays\n\nWe look back.",
  ]);
});

test("the tree is put in order by mouse and by keyboard, and taken back", async () => {
  const home = await world(running);
  const [a, b, c] = [
    await newDocument(home, { title: "Alpha" }),
    await newDocument(home, { title: "Beta" }),
    await newDocument(home, { title: "Gamma" }),
  ];
  const ada = await seat(running, chromium, home);
  const { page } = ada;
  await ada.goTo("documents");
  await line(ada, "Gamma").waitFor();
  await ada.settled();
  const titles = () =>
    page.getByRole("treeitem").evaluateAll((all) => all.map((one) => one.getAttribute("aria-label")));
  expect(await titles()).toEqual(["Alpha", "Beta", "Gamma"]);
  await line(ada, "Gamma").focus();
  await page.keyboard.press("Alt+ArrowUp");
  await eventually(async () => expect(await titles()).toEqual(["Alpha", "Gamma", "Beta"]));
  await page.keyboard.press("Alt+ArrowRight");
  await eventually(async () => expect(await line(ada, "Gamma").getAttribute("aria-level")).toBe("2"));
  await expect.poll(() => page.locator("[aria-live=polite]").allInnerTexts()).toContain("Gamma: place 1 of 1, level 2");
  await ada.settled();
  expect(await childrenOf(home.owner, a.id)).toEqual([c.id]);
  await page.keyboard.press("ArrowUp");
  await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute("aria-label"))).toBe("Alpha");
  await line(ada, "Beta").dragTo(line(ada, "Gamma"), { targetPosition: { x: 60, y: 2 } });
  await eventually(async () => expect(await titles()).toEqual(["Alpha", "Beta", "Gamma"]));
  await ada.settled();
  expect(await childrenOf(home.owner, a.id)).toEqual([b.id, c.id]);
  // Nothing goes below itself.
  await line(ada, "Alpha").dragTo(line(ada, "Gamma"), { targetPosition: { x: 60, y: 16 } });
  await ada.settled();
  expect((await readDocument(home.owner, a.id)).parent_id).toBeNull();
  await looked(ada, "documents-tree");
  await page.keyboard.press("ControlOrMeta+z");
  await ada.settled();
  await eventually(async () => expect(await childrenOf(home.owner, a.id)).toEqual([c.id]));
});

test("two people write in one Document at once, and a third who only reads sees it come", async () => {
  const home = await world(running);
  const { id } = await newDocument(home, { title: "Together", markdown: "Begun" });
  const [ada, bob, eve] = [
    await seat(running, chromium, home),
    await seat(running, chromium, home, await home.member("member")),
    await seat(running, chromium, home, await home.member("viewer")),
  ];
  for (const one of [ada, bob]) {
    await one.goTo(`documents/${id}`);
    await textOf(one).getByText("Begun").waitFor();
    await one.page.locator("[data-text=live]").waitFor();
  }
  await eve.goTo(`documents/${id}`);
  await eve.page.locator(".rich p", { hasText: "Begun" }).waitFor();
  expect(await textOf(eve).count()).toBe(0);
  await textOf(ada).press("Control+End");
  await textOf(bob).press("Control+Home");
  await Promise.all([ada.page.keyboard.type(" by Ada"), bob.page.keyboard.type("Bob has ")]);
  await eventually(async () => expect((await markdownOf(home, id)).trim()).toBe("Bob has Begun by Ada"));
  await eve.page.locator(".rich p", { hasText: "Bob has Begun by Ada" }).waitFor();
  await ada.page.getByText(/is here$/).waitFor({ state: "attached" });
});

test("revisions are compared side by side, and an earlier one is restored, which can be taken back", async () => {
  const home = await world(running);
  const { id } = await newDocument(home, { title: "Plan", markdown: "First words here\n\nStays" });
  const put = (markdown: string) =>
    clientOf(home.owner).replaceDocumentMarkdown({ document_id: id, markdown }, { at: "*" });
  await put("First letters here\n\nStays\n\nNew");
  const ada = await seat(running, chromium, home);
  const { page } = ada;
  await ada.goTo(`documents/${id}`);
  await textOf(ada).getByText("First letters here").waitFor();
  await page.getByRole("button", { name: "More for Plan" }).click();
  await page.getByRole("menuitem", { name: "Revisions" }).click();
  const dialog = page.getByRole("dialog", { name: "Revisions" });
  await dialog.locator("del", { hasText: "words" }).waitFor();
  await dialog.locator("ins", { hasText: "letters" }).waitFor();
  await dialog.locator("ins", { hasText: "New" }).waitFor();
  await looked(ada, "document-revisions");
  await dialog.getByRole("listitem").nth(1).getByRole("button").click();
  await dialog.getByRole("button", { name: "Restore this revision" }).click();
  await expect.poll(() => dialog.getByRole("listitem").count()).toBeGreaterThan(2);
  expect((await markdownOf(home, id)).trim()).toBe("First words here\n\nStays");
  await dialog.getByText("The revision is restored.").waitFor();
  await dialog.getByRole("button", { name: "Undo" }).click();
  await dialog.getByText("The revision is restored.").waitFor({ state: "detached" });
  expect((await markdownOf(home, id)).trim()).toBe("First letters here\n\nStays\n\nNew");
  await dialog.getByRole("listitem").last().getByRole("button").click();
  await dialog.getByRole("button", { name: "Restore this revision" }).click();
  await dialog.getByText("The revision is restored.").waitFor();
  await dialog.getByRole("button", { name: "Close" }).click();
  await textOf(ada).getByText("First words here").waitFor();
  expect((await markdownOf(home, id)).trim()).toBe("First words here\n\nStays");
});

test("a Document is published and taken back, linked to a Task, and shows who names it", async () => {
  const home = await world(running);
  const project = await newProject(home, { name: "Difference Engine", key: "ENG" });
  const task = await newTask(home.owner, project.id, { title: "Cut the gears" });
  const { id } = await newDocument(home, { title: "Plan", markdown: "Words" });
  await newDocument(home, { title: "Other", markdown: `See [Plan](svc:document/${id})` });
  const ada = await seat(running, chromium, home);
  const { page } = ada;
  page.on("dialog", (dialog) => void dialog.accept());
  await ada.goTo(`documents/${id}`);
  const links = page.getByRole("region", { name: "Links" });
  await links.getByRole("link", { name: "Other" }).waitFor();
  await links.getByRole("button", { name: "Link to a Task or Milestone" }).click();
  await page.getByRole("combobox", { name: "Link to a Task or Milestone" }).fill(task.code);
  await page.getByRole("option", { name: /Cut the gears/ }).click();
  await links.getByRole("link", { name: `${task.code} Cut the gears` }).waitFor();
  const later = await newTask(home.owner, project.id, { title: "Oil the axles" });
  await clientOf(home.owner).linkDocument({ document_id: id, target_kind: "task", target_id: later.id });
  await links.getByRole("link", { name: `${later.code} Oil the axles` }).waitFor();
  await looked(ada, "document-links");
  await page.getByRole("button", { name: "More for Plan" }).click();
  await page.getByRole("menuitem", { name: "Publish" }).click();
  const published = page.getByRole("link", { name: "Published" });
  await published.waitFor();
  const address = await published.getAttribute("href");
  // Readable in the dark, too, for anybody.
  const reader = await visit(running, chromium, { colorScheme: "dark" });
  await reader.page.goto(address as string);
  await reader.heading("Plan");
  expect(await reader.page.evaluate(() => getComputedStyle(document.body).backgroundColor)).toBe("rgb(22, 22, 22)");
  expect(await faultsOf(reader.page, "color-contrast")).toEqual([]);
  await page.getByRole("button", { name: "More for Plan" }).click();
  await page.getByRole("menuitem", { name: "Take back the publication" }).click();
  await published.waitFor({ state: "detached" });
  await ada.settled();
  expect((await fetch(address as string)).status).toBe(404);
  await page.getByRole("button", { name: "More for Plan" }).click();
  await page.getByRole("menuitem", { name: "Put into the trash" }).click();
  await page.getByText("This Document is in the trash.").waitFor();
  await ada.press("Restore");
  await page.getByText("This Document is in the trash.").waitFor({ state: "detached" });
  await ada.settled();
  expect((await readDocument(home.owner, id)).trashed_at).toBeNull();
});

test("where two people rename a Document, both names are shown, and the person decides", async () => {
  const home = await world(running);
  const { id } = await newDocument(home, { title: "Before" });
  const ada = await seat(running, chromium, home);
  const { page } = ada;
  await ada.goTo(`documents/${id}`);
  await textOf(ada).waitFor();
  await ada.settled();
  await page.route("**/api/**", (route) => route.abort("internetdisconnected"));
  const title = page.getByRole("textbox", { name: "Title" });
  await title.fill("Mine");
  await title.press("Enter");
  await clientOf(home.owner).updateDocument({ document_id: id, title: "Theirs" }, { at: "*" });
  await page.unroute("**/api/**");
  await page.evaluate(() => dispatchEvent(new Event("online")));
  await page.getByText("1 change needs your decision").waitFor();
  await ada.press("Show");
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("cell", { name: "Mine" }).waitFor();
  await dialog.getByRole("cell", { name: "Theirs" }).waitFor();
  await ada.press("Take theirs");
  await dialog.getByRole("button", { name: "Close" }).click();
  await ada.settled();
  expect(await readDocument(home.owner, id)).toMatchObject({ title: "Theirs" });
  await expect.poll(() => title.inputValue()).toBe("Theirs");
  ada.faults.splice(0, ada.faults.length, ...ada.faults.filter((fault) => !/ERR_|WebSocket connection/.test(fault)));
});

test("texts that look like scripts run nowhere in a Document", async () => {
  const home = await world(running);
  const markdown = attacks
    .filter((_, at) => at % 4 === 0)
    .join("\n\n")
    .slice(0, 200_000);
  const { id } = await newDocument(home, { title: attacks[5], markdown });
  for (const person of [home.owner, await home.member("viewer")]) {
    const one = await seat(running, chromium, home, person);
    const ran = await watched(one.page);
    await one.goTo(`documents/${id}`);
    await eventually(async () => expect(await one.page.locator(".rich p").count()).toBeGreaterThan(500));
    if (person === home.owner) await textOf(one).waitFor();
    expect(await one.page.locator(".rich :is(script,svg,iframe,style,object,video,[onerror],[onload])").count()).toBe(
      0,
    );
    expect(await ran()).toBe(0);
  }
});
