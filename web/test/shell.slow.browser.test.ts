// The application from the first minute on, by mouse and by keyboard alone: registering, a Project, a board with a
// moved card, the palette, a phone.

import { expect, test } from "vitest";
import { clientOf } from "../../client/test/client-of.ts";
import { tellEvents } from "../../server/src/history/inbox/fill-inboxes.ts";
import { newAttached } from "../../server/test/attachments.ts";
import { browser } from "../../server/test/browser.ts";
import { propose } from "../../server/test/changes.ts";
import { newDocument } from "../../server/test/documents.ts";
import { eventually } from "../../server/test/eventually.ts";
import { newComment, newMilestone, newProject, newTask } from "../../server/test/work.ts";
import { service, world } from "../../server/test/world.ts";
import { looked, seat } from "./app.ts";
import { register, visit } from "./visit.ts";
import { attacks, watched } from "./xss.ts";

const running = service({});
const chromium = browser();
const today = () => new Date().toISOString().slice(0, 10);

test("somebody registers, begins a Project and moves its first card, by keyboard alone", async () => {
  const ada = await visit(running, chromium);
  const { keyboard } = ada.page;
  await register(ada);
  await ada.page.getByLabel("Name", { exact: true }).waitFor();
  await keyboard.type("Analytical Engines");
  await keyboard.press("Tab");
  await keyboard.press("ControlOrMeta+a");
  await keyboard.type(`keys-${process.pid}`);
  await keyboard.press("Enter");
  await ada.heading("Welcome to Analytical Engines");
  await looked(ada, "start");
  await ada.page.getByLabel("Name of the Project").focus();
  await keyboard.type("Difference Engine");
  await keyboard.press("Enter");
  // The first Task is half written.
  const title = ada.page.getByRole("textbox", { name: "Title" });
  await expect.poll(() => title.inputValue()).toBe("Write down the first thing to do");
  await keyboard.press("ControlOrMeta+Enter");
  const card = ada.page.locator("article", { hasText: "Write down the first thing to do" });
  await card.getByText("DE-1").waitFor();
  expect(ada.at()).toBe(`/workspaces/keys-${process.pid}/projects/DE`);
  await card.locator(".card-title").focus();
  await keyboard.press("Shift+ArrowRight");
  await ada.page.locator('[data-column="In Progress"] article').waitFor();
  await expect
    .poll(() => ada.page.locator("main [aria-live=polite]").first().innerText())
    .toContain("In Progress, place 1 of 1");
  expect(await ada.page.evaluate(() => document.activeElement?.textContent)).toContain(
    "Write down the first thing to do",
  );
  await keyboard.press("Shift+ArrowLeft");
  await ada.page.locator('[data-column="Todo"] article').waitFor();
});

test("the palette goes to a Task by its code and to a list by words, and ? lists the keys", async () => {
  const home = await world(running);
  const project = await newProject(home, { name: "Difference Engine", key: "ENG" });
  const task = await newTask(home.owner, project.id, {
    title: "Cut the gears",
    description_markdown: "All of **brass**",
  });
  const ada = await seat(running, chromium, home);
  await ada.goTo("projects/ENG");
  await ada.page.getByText("Cut the gears").waitFor();
  const { keyboard } = ada.page;
  await keyboard.press("ControlOrMeta+k");
  await ada.page.getByRole("combobox", { name: "Go anywhere, do anything" }).waitFor();
  await looked(ada, "palette");
  await keyboard.type("eng-1");
  await keyboard.press("Enter");
  const description = ada.page.getByRole("region", { name: "Description" }).getByText("All of brass");
  await description.waitFor();
  expect(ada.at()).toContain(`task=${task.id}`);
  await looked(ada, "panel");
  await keyboard.press("Escape");
  await description.waitFor({ state: "detached" });
  await keyboard.press("ControlOrMeta+k");
  await keyboard.type("engine list");
  await keyboard.press("Enter");
  await eventually(() => expect(ada.at()).toContain("/projects/ENG/list"));
  await keyboard.press("Shift+?");
  await ada.page.getByRole("heading", { name: "Keyboard shortcuts" }).waitFor();
  await looked(ada, "keys");
  await keyboard.press("Escape");
  await keyboard.press("c");
  await ada.page.getByRole("dialog", { name: "New Task" }).waitFor();
  await looked(ada, "new-task");
});

test("on a phone everything is reached, and nothing is wider than the screen", async () => {
  const home = await world(running);
  const project = await newProject(home, { name: "Difference Engine", key: "ENG" });
  await newTask(home.owner, project.id, { title: "Cut the gears" });
  const ada = await seat(running, chromium, home, home.owner, {
    viewport: { width: 390, height: 844 },
    hasTouch: true,
    isMobile: true,
  });
  await ada.goTo("");
  await ada.page.getByRole("button", { name: "Navigation" }).tap();
  await ada.page.getByRole("dialog").getByRole("link", { name: "Difference Engine" }).tap();
  await ada.page.getByText("Cut the gears").tap();
  await ada.page.getByRole("button", { name: "Status: Todo" }).tap();
  await ada.page.getByRole("option", { name: "Done" }).tap();
  await ada.page.getByRole("button", { name: "Status: Done" }).waitFor();
  await ada.settled();
  expect(await ada.page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
  await ada.page.getByRole("complementary").getByRole("button", { name: "Close" }).tap();
  await ada.page.locator('[data-column="Done"] article').waitFor();
});

test("a viewer reads everything and is offered nothing that they may not do", async () => {
  const home = await world(running);
  const project = await newProject(home, { name: "Difference Engine", key: "ENG" });
  const task = await newTask(home.owner, project.id, { title: "Cut the gears" });
  const eve = await seat(running, chromium, home, await home.member("viewer"));
  await eve.goTo(`projects/ENG?task=${task.id}`);
  await eve.page.getByRole("heading", { name: "Cut the gears" }).waitFor();
  expect(await eve.page.getByRole("button", { name: /^Add a Task/ }).count()).toBe(0);
  expect(await eve.page.getByRole("button", { name: "Status: Todo" }).isDisabled()).toBe(true);
  await eve.page.locator("article .card-title").focus();
  await eve.page.keyboard.press("Shift+ArrowRight");
  expect(await eve.column("Todo")).toEqual(["Cut the gears"]);
  await looked(eve, "viewer");
});

test("Home tells what others did since the last visit, what is followed, and what one is working on", async () => {
  const home = await world(running);
  const project = await newProject(home, { name: "Difference Engine", key: "ENG" });
  const task = await newTask(home.owner, project.id, { title: "Cut the gears", assignee_actor_id: home.owner.actorId });
  const grace = await home.member("member");
  const first = await seat(running, chromium, home);
  await first.goTo("");
  await first.page
    .getByRole("button", { name: /Cut the gears/ })
    .first()
    .waitFor();
  // A first visit has none before it.
  expect(await first.page.getByText("Since your last visit").count()).toBe(0);
  await first.press("Choose a Task");
  await first.page.getByRole("option", { name: /Cut the gears/ }).click();
  await first.page.getByRole("button", { name: "On nothing" }).waitFor();
  const state = await first.page.context().storageState();
  await first.page.close();
  await newTask(grace, project.id, { title: "Oil the axles" });
  await newTask(home.owner, project.id, { title: "Turn the crank" });
  const ada = await seat(running, chromium, home, home.owner, { storageState: state });
  await ada.goTo("");
  const since = ada.page.getByRole("region", { name: "Since your last visit" });
  await since.getByText("Oil the axles").waitFor();
  expect(await since.getByText("Turn the crank").count()).toBe(0);
  await ada.page.reload();
  await since.getByText("Oil the axles").waitFor();
  await looked(ada, "home");
  await ada.page.getByRole("link", { name: "Followed" }).click();
  await ada.page.getByRole("listitem").filter({ hasText: "Turn the crank" }).waitFor();
  expect((await clientOf(home.owner).getCurrentWork()).task?.id).toBe(task.id);
  await ada.press("On nothing");
  await ada.page.getByRole("button", { name: "Choose a Task" }).waitFor();
});

test("German is complete where the account speaks it", async () => {
  const home = await world(running);
  await newProject(home, { name: "Differenzmaschine", key: "ENG" });
  await running.sql("update users set locale = 'de-CH' where id = $1", [home.owner.userId]);
  const ada = await seat(running, chromium, home);
  await ada.goTo("projects/ENG");
  await ada.page.getByRole("link", { name: "Meine Arbeit" }).waitFor();
  expect(await ada.page.evaluate(() => document.documentElement.lang)).toBe("de");
});

test("names that look like scripts run on no page", async () => {
  const home = await world(running);
  const { owner, workspaceId } = home;
  // Everything that is shown as Markdown is tried with all of them, in task.slow.browser.test.ts and
  // documents.slow.browser.test.ts.
  const names = attacks.filter((text) => text.length <= 80 && !/[\t\n]/.test(text) && text === text.trim());
  let taken = 0;
  const next = () => names[(7 * ++taken) % names.length] as string;
  const grace = await home.member("member");
  await running.sql("update users set display_name = $2 where id = any($1)", [[owner.userId, grace.userId], next()]);
  await running.sql("update workspaces set name = $2 where id = $1", [workspaceId, next()]);
  const project = await newProject(home, { name: next(), key: "ENG", description_markdown: next() });
  const milestone = await newMilestone(owner, project.id, { name: next(), target_date: today() });
  const labelled = await clientOf(owner).createWorkspaceLabel({
    workspace_id: workspaceId,
    name: next(),
    color: "blue",
    purpose: "task",
  });
  const tasks = [];
  for (let made = 0; made < 40; made++)
    tasks.push(
      await newTask(grace, project.id, {
        title: next(),
        due_date: today(),
        start_date: today(),
        milestone_id: milestone.id,
        assignee_actor_id: owner.actorId,
        label_ids: [labelled.id],
      }),
    );
  const [task] = tasks;
  await newComment(grace, task.id, `<img src=x onerror="ran()"> found ${next()}`);
  await newAttached(owner, `/tasks/${task.id}`, Buffer.from("x"), { filename: `<img src=x onerror=ran()>.txt` });
  const entry = { duration: "1h", work_date: today(), note: next() };
  await clientOf(owner).createTimeEntry({ task_id: task.id, ...entry });
  const { id } = await newDocument(home, { title: next(), markdown: next() });
  await propose(owner, home, [{ action: "task.update", task_id: task.id, revision: "1", set: { title: next() } }], {
    title: next(),
    reason: next(),
  });
  await tellEvents(running.database);
  const ada = await seat(running, chromium, home);
  const ran = await watched(ada.page);
  await ada.goTo("");
  await ada.settled();
  const start = new URL(ada.page.url()).pathname;
  const settings = ["profile", "notifications", "security", "tokens", "workspace", "members", "workflow", "labels"];
  for (const path of [
    ...["", "inbox", "activity", "search?q=found", "search?q=src", "time", "time/report", "changes", "receipts"],
    ...["", "/list", "/overview", "/milestones", "/timeline", "/calendar", `?task=${task.id}`].map(
      (view) => `projects/ENG${view}`,
    ),
    ...[`tasks/${task.code}`, "documents", `documents/${id}`, ...settings.map((name) => `settings/${name}`)],
  ]) {
    // As a link does it: a visit of its own for each would take four times as long.
    await ada.page.evaluate((to) => {
      history.pushState(null, "", to);
      dispatchEvent(new PopStateEvent("popstate"));
    }, `${start}/${path}`);
    await ada.page.locator("main:not(:has([aria-busy]))").waitFor();
    await ada.settled();
    expect(await ada.page.locator("body").innerText(), path).toMatch(/=x|src|ran|onerror|<|go /);
    const made = ada.page.locator(
      "body :is(iframe,object,embed,marquee,[onerror],[onload],[onclick],[onfocus],[src=x])",
    );
    expect([path, await made.count(), await ran()]).toEqual([path, 0, 0]);
  }
});
