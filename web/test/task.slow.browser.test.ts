// An open Task in a real browser: everything about it is seen and changed there, others see it, and nothing that is
// written in it runs.

import { expect, test } from "vitest";
import { clientOf } from "../../client/test/client-of.ts";
import { newAttached } from "../../server/test/attachments.ts";
import { browser } from "../../server/test/browser.ts";
import { eventually } from "../../server/test/eventually.ts";
import { smallPicture } from "../../server/test/pictures.ts";
import { newComment, newMilestone, newProject, newTask, relationsOf } from "../../server/test/work.ts";
import { service, world } from "../../server/test/world.ts";
import { looked, seat } from "./app.ts";
import { attacks, inPieces, watched } from "./xss.ts";

const running = service({});
const chromium = browser();

async function workshop(body: object = {}) {
  const home = await world(running);
  const project = await newProject(home, { name: "Difference Engine", key: "ENG" });
  const task = await newTask(home.owner, project.id, { title: "Cut the gears", ...body });
  return { home, project, task, owner: home.owner };
}
test("a Task is described, divided, related, discussed and timed on its page", async () => {
  const bench = await workshop({
    description_markdown: "All of **brass**.\n\n- [x] drawn\n- [ ] cut\n\n| a | b |\n|---|---|\n| 1 | 2 |",
  });
  const { home, project, task, owner } = bench;
  const other = await newTask(owner, project.id, { title: "Buy brass" });
  const milestone = await newMilestone(owner, project.id, { name: "First turn" });
  await newComment(owner, task.id, "The brass arrives **tomorrow**.");
  await newAttached(owner, `/tasks/${task.id}`, await smallPicture(), {
    filename: "gear.png",
    content_type: "image/png",
  });
  const ada = await seat(running, chromium, home);
  const { page } = ada;
  await ada.goTo(`tasks/${task.code}`);
  await page.getByText("brass", { exact: true }).first().waitFor();
  await page.locator(".rich strong", { hasText: "brass" }).waitFor();
  await page.locator(".rich li[data-task=done]", { hasText: "drawn" }).waitFor();
  await page.getByRole("columnheader", { name: "a" }).waitFor();
  await page.locator("li img").waitFor();
  await ada.settled();

  await page.getByRole("button", { name: "Add a sub-task" }).click();
  await page.getByRole("textbox", { name: "Add a sub-task" }).fill("Cut the first");
  await page.keyboard.press("Enter");
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: /Cut the first/ }).waitFor();
  await page.getByText("0 of 1 done").waitFor();

  await page.getByRole("button", { name: "Relate to a Task" }).click();
  await page.getByRole("combobox", { name: "Relate to a Task" }).fill(other.code);
  await page.getByRole("option", { name: /Buy brass/ }).click();
  await page.locator("li", { hasText: "Blocked by" }).getByText("Buy brass").waitFor();
  await ada.settled();
  expect(await relationsOf(owner, task)).toContain(`blocked_by ${other.id}`);

  await page.getByRole("button", { name: /^Milestone/ }).click();
  await page.getByRole("option", { name: "First turn" }).click();
  await page.getByRole("button", { name: "Milestone: First turn" }).waitFor();

  await page.getByRole("textbox", { name: "Comment" }).fill("Done *soon*");
  await page.keyboard.press("ControlOrMeta+Enter");
  await page.locator("[data-comment] em", { hasText: "soon" }).waitFor();
  await page.locator("[data-comment]", { hasText: "tomorrow" }).getByRole("button", { name: "React" }).click();
  await page.getByRole("button", { name: "tada" }).click();
  await page.getByRole("button", { name: "tada, 1 person" }).waitFor();
  await ada.settled();
  await looked(ada, "task-page");

  await page.getByRole("tab", { name: "Time" }).click();
  await page.getByRole("textbox", { name: "Duration" }).fill("nonsense");
  await page.getByRole("button", { name: "Record" }).click();
  await page.getByText("Write a duration such as").waitFor();
  await page.getByRole("textbox", { name: "Duration" }).fill("1h 30m");
  await page.getByRole("button", { name: "Record" }).click();
  await page.getByText("1:30 in total").waitFor();
  await ada.settled();
  await page.getByRole("tab", { name: "Activity" }).click();
  await page.getByText("created the Task").waitFor();
  await page.getByText(`${project.key}-M1 First turn`).first().waitFor();

  expect(await clientOf(owner).getTask({ task_id: task.id })).toMatchObject({ milestone_id: milestone.id });
  const comments = await clientOf(owner).listTaskComments({ task_id: task.id });
  expect(comments.items.map(({ markdown }) => markdown)).toEqual(["The brass arrives **tomorrow**.", "Done *soon*"]);
  expect(comments.items[0]?.reactions).toMatchObject([{ reaction: "tada", count: 1 }]);
  expect((await clientOf(owner).getTaskTimeTotals({ task_id: task.id })).seconds).toBe(5400);
});

test("what was said, related and recorded is taken back; a deleted comment offers no way back", async () => {
  const bench = await workshop();
  const { home, project, task, owner } = bench;
  const other = await newTask(owner, project.id, { title: "Buy brass" });
  await clientOf(owner).createTaskRelation({ task_id: task.id, type: "blocks", related_task_id: other.id });
  const ada = await seat(running, chromium, home);
  const { page } = ada;
  await ada.goTo(`projects/ENG?task=${task.id}`);
  await page.getByRole("button", { name: "Remove the relation to Buy brass" }).click();
  await ada.toast("Relation removed");
  await ada.settled();
  expect(await relationsOf(owner, task)).toEqual([]);
  await ada.press("Undo");
  await page.locator("li", { hasText: "Blocks" }).getByText("Buy brass").waitFor();
  await ada.settled();
  expect(await relationsOf(owner, task)).toEqual([`blocks ${other.id}`]);

  await page.getByRole("textbox", { name: "Comment" }).fill("Oops");
  await page.keyboard.press("ControlOrMeta+Enter");
  await page.locator("[data-comment]", { hasText: "Oops" }).waitFor();
  await ada.settled();
  page.on("dialog", (dialog) => void dialog.accept());
  await page.getByRole("button", { name: /^Comment of/ }).click();
  await page.getByRole("menuitem", { name: "Delete the comment" }).click();
  await page.getByText("has deleted a comment.").waitFor();
  await page.locator("[data-toast=done]", { hasText: "Comment deleted" }).waitFor();
  expect(await page.locator("[data-toast]").getByRole("button", { name: "Undo" }).count()).toBe(0);
  await ada.settled();
  const { items } = await clientOf(owner).listTaskComments({ task_id: task.id });
  expect(items).toMatchObject([{ markdown: "", deleted_at: expect.any(String) }]);
});

test("two people in one Task see what the other says, reacts to and changes", async () => {
  const { home, project, task } = await workshop();
  const [ada, bob] = [
    await seat(running, chromium, home),
    await seat(running, chromium, home, await home.member("member")),
  ];
  for (const one of [ada, bob]) {
    await one.goTo(`projects/ENG?task=${task.id}`);
    await one.page.getByText("Nobody has said anything yet").waitFor();
    await one.settled();
  }
  await ada.page.getByRole("textbox", { name: "Comment" }).fill("Bob?");
  await ada.page.getByRole("button", { name: "Send" }).click();
  const seen = bob.page.locator("[data-comment]", { hasText: "Bob?" });
  await seen.waitFor();
  await seen.getByRole("button", { name: "React" }).click();
  await bob.page.getByRole("button", { name: "eyes" }).click();
  await ada.page.getByRole("button", { name: "eyes, 1 person" }).waitFor();
  await bob.page.getByRole("textbox", { name: "Title", exact: true }).fill("Cut all the gears");
  await bob.page.keyboard.press("Enter");
  await eventually(async () =>
    expect(await ada.page.getByRole("textbox", { name: "Title", exact: true }).inputValue()).toBe("Cut all the gears"),
  );
  // Another tab of hers does not follow changes itself, and is told of all the same.
  const second = await ada.page.context().newPage();
  await second.goto(ada.page.url());
  await second.locator('[data-connection="live"]').waitFor({ state: "attached" });
  await second.locator("[data-comment]", { hasText: "Bob?" }).waitFor();
  const other = await newTask(home.owner, project.id, { title: "Buy brass" });
  await clientOf(home.owner).createTaskRelation({
    task_id: task.id,
    type: "blocked_by",
    related_task_id: other.id,
  });
  await newAttached(home.owner, `/tasks/${task.id}`, Buffer.from("brass"), { filename: "bill.txt" });
  for (const tab of [ada.page, second]) {
    await tab.locator("li", { hasText: "Blocked by" }).getByText("Buy brass").waitFor();
    await tab.locator("li", { hasText: "bill.txt" }).waitFor();
  }
});

test("a comment that is written offline is there after a reload, and is sent once", async () => {
  const bench = await workshop();
  const { home, task } = bench;
  const ada = await seat(running, chromium, home);
  const { page } = ada;
  await ada.goTo(`projects/ENG?task=${task.id}`);
  await page.getByText("Nobody has said anything yet").waitFor();
  await ada.settled();
  await page.route("**/api/**", (route) => route.abort("internetdisconnected"));
  await page.getByRole("textbox", { name: "Comment" }).fill("Half a thought");
  await page.reload();
  await expect.poll(() => page.getByRole("textbox", { name: "Comment" }).inputValue()).toBe("Half a thought");
  await page.getByRole("button", { name: "Send" }).click();
  await page.locator("[data-comment]", { hasText: "Half a thought" }).waitFor();
  await page.reload();
  await page.locator("[data-comment]", { hasText: "Half a thought" }).waitFor();
  await page.unroute("**/api/**");
  await page.evaluate(() => dispatchEvent(new Event("online")));
  await ada.settled();
  expect((await clientOf(home.owner).listTaskComments({ task_id: task.id })).items).toHaveLength(1);
  ada.faults.splice(0);
});

test("a file is attached by dropping it and by pasting it, with its picture, and an address that fails is tried again", async () => {
  const bench = await workshop();
  const { home, task } = bench;
  const ada = await seat(running, chromium, home);
  const { page } = ada;
  await ada.goTo(`projects/ENG?task=${task.id}`);
  await page.getByRole("button", { name: "Attach a file" }).waitFor();
  await ada.settled();
  const bytes = [...(await smallPicture())];
  const give = (how: "drop" | "paste", name: string) =>
    page.evaluate(
      ([how, name, bytes]) => {
        const data = new DataTransfer();
        data.items.add(new File([new Uint8Array(bytes as number[])], name as string, { type: "image/png" }));
        const target = document.querySelector(".panel h2") as HTMLElement;
        const init = { bubbles: true, cancelable: true };
        target.dispatchEvent(
          how === "drop"
            ? new DragEvent("drop", { ...init, dataTransfer: data })
            : new ClipboardEvent("paste", { ...init, clipboardData: data }),
        );
      },
      [how, name, bytes] as const,
    );
  await give("drop", "dropped.png");
  await page
    .getByRole("button", { name: /^Save dropped.png/ })
    .locator("img")
    .waitFor();
  await page.route("**/attachment-uploads", (route) => route.abort("connectionreset"));
  await give("paste", "pasted.png");
  await page.locator("[data-upload]", { hasText: "Not attached" }).waitFor();
  await page.unroute("**/attachment-uploads");
  await ada.press("Try again");
  await page
    .getByRole("button", { name: /^Save pasted.png/ })
    .locator("img")
    .waitFor();
  const { items } = await clientOf(home.owner).listTaskAttachments({ task_id: task.id });
  expect(items.map(({ filename }) => filename).sort()).toEqual(["dropped.png", "pasted.png"]);
  await looked(ada, "task-panel");
  ada.faults.splice(0, ada.faults.length, ...ada.faults.filter((fault) => !/ERR_CONNECTION_RESET/.test(fault)));
});

test("an earlier description is compared with what came of it, and restored", async () => {
  const bench = await workshop({ description_markdown: "First line\n\nSecond line" });
  const { home, task, owner } = bench;
  await clientOf(owner).updateTask(
    { task_id: task.id, description_markdown: "First line\n\nAnother line" },
    { at: task.revision },
  );
  const ada = await seat(running, chromium, home);
  const { page } = ada;
  await ada.goTo(`tasks/${task.code}`);
  await page.getByRole("tab", { name: "History" }).click();
  await page.getByRole("button", { name: /replaced this text/ }).click();
  await page.locator("del", { hasText: "Second line" }).waitFor();
  await page.locator("ins", { hasText: "Another line" }).waitFor();
  await looked(ada, "task-history");
  await ada.press("Restore");
  await page.locator(".rich p", { hasText: "Second line" }).waitFor();
  await ada.settled();
  expect((await clientOf(owner).getTask({ task_id: task.id })).description_markdown).toBe("First line\n\nSecond line");
});

test("a Task is put into the trash from its page and taken out again", async () => {
  const bench = await workshop();
  const { home, task } = bench;
  const ada = await seat(running, chromium, home);
  const { page } = ada;
  const trashed = async () => (await clientOf(home.owner).getTask({ task_id: task.id })).trashed_at !== null;
  await ada.goTo(`projects/ENG?task=${task.id}`);
  await page.getByRole("complementary", { name: "Task ENG-1" }).getByRole("button", { name: "Task ENG-1" }).click();
  await page.getByRole("menuitem", { name: "Put into the trash" }).click();
  await ada.settled();
  expect(await trashed()).toBe(true);
  await ada.goTo(`tasks/${task.code}`);
  await page.getByText("This Task is in the trash.").waitFor();
  expect(await page.getByRole("button", { name: /^Priority/ }).isDisabled()).toBe(true);
  await ada.press("Restore");
  await page.getByText("This Task is in the trash.").waitFor({ state: "detached" });
  await ada.settled();
  expect(await trashed()).toBe(false);
});

test("a viewer reads everything and changes nothing", async () => {
  const { home, task, owner } = await workshop({ description_markdown: "Words" });
  await newComment(owner, task.id, "Said");
  const eve = await seat(running, chromium, home, await home.member("viewer"));
  const { page } = eve;
  await eve.goTo(`tasks/${task.code}`);
  await page.getByRole("heading", { name: "Cut the gears", exact: true }).waitFor();
  await page.locator("[data-comment]", { hasText: "Said" }).waitFor();
  for (const name of ["Add a sub-task", "Relate to a Task", "Attach a file", "React", "Send", "Edit the description …"])
    expect(await page.getByRole("button", { name }).count(), name).toBe(0);
  expect(await page.getByRole("button", { name: /^Priority/ }).isDisabled()).toBe(true);
  await page.getByRole("button", { name: /^Notifications/ }).click();
  await page.getByRole("option", { name: "Following", exact: true }).click();
  await eve.settled();
  await page.getByText("You follow this Task").waitFor();
});

test("8,000 texts that look like scripts run nowhere in a Task", async () => {
  const { home, task, owner } = await workshop();
  expect(new Set(attacks).size).toBe(8000);
  const [first = "", ...more] = inPieces(250_000);
  await clientOf(owner).updateTask(
    { task_id: task.id, title: attacks[3], description_markdown: first },
    { at: task.revision },
  );
  for (const piece of inPieces(65_000).slice(-Math.ceil((more.join().length + 1) / 60_000)))
    await newComment(owner, task.id, piece);
  const ada = await seat(running, chromium, home);
  const ran = await watched(ada.page);
  await ada.goTo(`tasks/${task.code}`);
  await ada.page.locator(".rich p").first().waitFor();
  await eventually(async () => expect(await ada.page.locator("[data-comment] .rich p").count()).toBeGreaterThan(100));
  expect(await ada.page.locator(".rich :is(script,svg,iframe,style,object,video,img[onerror])").count()).toBe(0);
  expect(await ada.page.locator('.rich a:not([href^="http"]):not([href^="mailto"]):not([href^="/"])').count()).toBe(0);
  expect(await ran()).toBe(0);
});

test("a Task is moved to another Project and duplicated, from its menu and the palette, and both are taken back", async () => {
  const { home, project, task, owner } = await workshop();
  const other = await newProject(home, { name: "Analytical Engine", key: "ANA" });
  const ada = await seat(running, chromium, home);
  const { page } = ada;
  await ada.goTo(`tasks/${task.code}`);
  const now = () => clientOf(owner).getTask({ task_id: task.id });
  await page.getByRole("button", { name: "Task ENG-1" }).click();
  await page.getByRole("menuitem", { name: "Move to another Project" }).click();
  await page.getByRole("option", { name: /Analytical Engine/ }).click();
  await ada.toast("Task moved to another Project");
  await page.getByRole("complementary", { name: "Task ANA-1" }).waitFor();
  expect(await now()).toMatchObject({ project_id: other.id, code: "ANA-1" });
  await page.locator("[data-toast]", { hasText: "Task moved to another Project" }).getByText("Undo").click();
  await eventually(async () => expect((await now()).project_id).toBe(project.id));
  // By the code that it had meanwhile it is still found.
  await ada.goTo("tasks/ANA-1");
  await page.getByRole("button", { name: /^Task ENG-/ }).waitFor();
  await ada.settled();
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox").fill("Duplicate ENG");
  await page.keyboard.press("Enter");
  await ada.toast("Task duplicated");
  const copy = page.getByRole("complementary", { name: /^Task ENG-\d/ });
  await copy.getByText("Cut the gears").first().waitFor();
  await ada.settled();
  const titles = async () => (await clientOf(owner).listProjectTasks({ project_id: project.id })).items.length;
  expect(await titles()).toBe(2);
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox").fill("Move to Analytical");
  await page.getByRole("option", { name: /^Move ENG-\d to Analytical Engine/ }).waitFor();
  await page.keyboard.press("Escape");
  await page.locator("[data-toast]", { hasText: "Task duplicated" }).getByText("Undo").click();
  await eventually(async () => expect(await titles()).toBe(1));
});
