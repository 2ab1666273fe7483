// The journey through Documents: two people write one text, and it is found in the tree, compared, published and
// linked.
import { expect, test } from "vitest";
import { clientOf } from "../../client/test/client-of.ts";
import { browser } from "../../server/test/browser.ts";
import { eventually } from "../../server/test/eventually.ts";
import { newProject, newTask } from "../../server/test/work.ts";
import { service, world } from "../../server/test/world.ts";
import { seat } from "./app.ts";
import { watched } from "./xss.ts";

/** A text becomes a revision after 30 s without a change; this test does not wait that long. */
const running = service({}, { pace: { calmMs: 300 } });
const chromium = browser();

test("a Document is created and written by two people, linked to a Task, published, and taken back", async () => {
  const home = await world(running);
  const project = await newProject(home, { name: "Difference Engine", key: "ENG" });
  const task = await newTask(home.owner, project.id, { title: "Cut the gears" });
  const api = clientOf(home.owner);
  const ada = await seat(running, chromium, home);
  const { page } = ada;
  const ran = await watched(page);
  await ada.goTo("documents");
  await ada.shows("documents");
  await page.getByText("There are no Documents yet").waitFor();
  await page.getByRole("button", { name: "New Document", exact: true }).click();
  const title = page.getByRole("textbox", { name: "Title" });
  await title.fill("How we plan");
  await title.press("Enter");
  await ada.settled();
  const text = page.getByRole("textbox", { name: "Content" });
  await text.click();
  await page.keyboard.type("# Mondays\nWe **plan**.");
  await page.keyboard.press("Enter");
  await page.keyboard.insertText("<img src=x onerror=ran()>");
  await page.locator("[data-text=live]").waitFor();
  await page.getByRole("treeitem", { name: "How we plan", exact: true }).waitFor();
  await ada.shows("documents/:id");
  const id = ada.at().split("/").at(-1) as string;
  const markdown = async () => (await api.getDocumentMarkdown({ document_id: id })).markdown.trim();

  const bob = await seat(running, chromium, home, await home.member("member"));
  await bob.goTo(`documents/${id}`);
  const his = bob.page.getByRole("textbox", { name: "Content" });
  await bob.page.locator("[data-text=live]").waitFor();
  await his.press("Control+End");
  await bob.page.keyboard.type(" Bob too");
  await text.getByText("Bob too").waitFor();
  await page.getByText(/is here$/).waitFor({ state: "attached" });
  await eventually(async () =>
    expect(await markdown()).toBe("# Mondays\n\nWe **plan**.\n\n\\<img src=x onerror=ran()> Bob too"),
  );

  const links = page.getByRole("region", { name: "Links" });
  await links.getByRole("button", { name: "Link to a Task or Milestone" }).click();
  await page.getByRole("combobox", { name: "Link to a Task or Milestone" }).fill(task.code);
  await page.getByRole("option", { name: /Cut the gears/ }).click();
  await links.getByRole("link", { name: `${task.code} Cut the gears` }).waitFor();
  page.on("dialog", (dialog) => void dialog.accept());
  await page.getByRole("button", { name: "More for How we plan" }).click();
  await page.getByRole("menuitem", { name: "Publish" }).click();
  const published = page.getByRole("link", { name: "Published" });
  const address = (await published.getAttribute("href")) as string;
  expect((await fetch(address)).status).toBe(200);
  await page.getByRole("button", { name: "More for How we plan" }).click();
  await page.getByRole("menuitem", { name: "Take back the publication" }).click();
  await published.waitFor({ state: "detached" });
  await ada.settled();
  expect((await fetch(address)).status).toBe(404);
  expect(await ran()).toBe(0);
});
