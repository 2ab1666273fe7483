// The page on which a person decides what was proposed in their name: it shows what would happen, field by field, and
// nothing happens before they approve that. Everything is done with the keyboard.

import { expect, test } from "vitest";
import { clientOf } from "../../client/test/client-of.ts";
import { browser } from "../../server/test/browser.ts";
import { applied, propose, read, reviewed } from "../../server/test/changes.ts";
import { newDocument } from "../../server/test/documents.ts";
import { newMilestone, newTask, workshopOn } from "../../server/test/work.ts";
import { type Person, service, sessionHeaders } from "../../server/test/world.ts";
import { look } from "./look.ts";
import { type Visit, visit } from "./visit.ts";

const running = service({});
const chromium = browser();

/** In a browser that has the session of this person. */
async function signedIn(person: Person): Promise<Visit> {
  const reader = await visit(running, chromium);
  const cookies = sessionHeaders(person.session).cookie.split("; ");
  await reader.page.context().addCookies(
    cookies.map((cookie) => {
      const [name = "", value = ""] = cookie.split("=");
      return { name, value, url: running.url.replace("http:", "https:"), secure: true };
    }),
  );
  return reader;
}
/** Goes there with the Tab key alone. */
async function tabTo({ page }: Visit, name: string) {
  for (let pressed = 0; pressed < 60; pressed++) {
    await page.keyboard.press("Tab");
    if ((await page.evaluate(() => document.activeElement?.textContent)) === name) return;
  }
  throw new Error(`the Tab key does not lead to ${name}`);
}

async function proposal() {
  const { home, owner, project } = await workshopOn(running);
  const ada = await home.member("member");
  const milestone = await newMilestone(owner, project.id);
  const task = await newTask(owner, project.id, {
    title: "Cut the gears",
    milestone_id: milestone.id,
    description_markdown: "We cut all of the gears out of brass, because brass is what we have.",
  });
  const document = await newDocument(home, { title: "Plan", markdown: "# Plan\n\nWe cut brass.\n\nThe end." });
  const drafted = await clientOf(owner).draftDocumentPatch({
    workspace_id: home.workspaceId,
    document_id: document.id,
    base_revision: "1",
    edits: [{ action: "find_replace", find: "brass", replace: "steel" }],
  });
  const captured = await clientOf(owner).captureEvidence({
    workspace_id: home.workspaceId,
    sources: [{ kind: "task_title", id: (await newTask(owner, project.id, { title: "No brass" })).id }],
  });
  const { items } = await clientOf(owner).listProjectStatuses({ project_id: project.id });
  const { body } = await propose(
    owner,
    home,
    [
      {
        action: "task.update",
        task_id: task.id,
        revision: "1",
        set: {
          status_id: items.find(({ name }) => name === "Done")?.id,
          assignee_actor_id: ada.actorId,
          description_markdown: "We cut all of the gears out of steel, because steel is what we have.",
        },
        reason: "The brass is gone <script>alert(1)</script>",
      },
      { action: "task.create", project_id: project.id, set: { title: "Oil the gears", priority: "high" } },
      { action: "document.patch", patch_id: drafted.id, version: 1 },
    ],
    {
      title: "Use steel",
      reason: "There is no brass any more.",
      evidence: [{ id: captured.id, version: 1 }],
    },
  );
  return { home, owner, project, task, set: body };
}

test("shows what would happen and lets its initiator approve and apply it, with the keyboard alone", async () => {
  const { home, owner, project, task, set } = await proposal();
  const reader = await signedIn(owner);
  await reader.open(set.review_url);
  await reader.heading("Use steel");
  const { page } = reader;
  for (const text of [
    "There is no brass any more.",
    "Because: The brass is gone <script>alert(1)</script>",
    "The Milestone First turn is complete then.",
    "is told that the Task is theirs",
    "Oil the gears",
    "No brass",
  ])
    await page.getByText(text).first().waitFor();
  const first = page.getByRole("article", { name: /^1\. Change a Task/ });
  expect(await first.locator("del").allTextContents()).toEqual(expect.arrayContaining(["removed: brass"]));
  expect(await first.locator("ins").allTextContents()).toEqual(expect.arrayContaining(["added: Done", "added: steel"]));
  const third = page.getByRole("article", { name: /^3\. Change what a Document says: Plan/ });
  expect(await third.locator("ins").allTextContents()).toEqual(["added: steel"]);
  await look(reader, "review");
  expect((await read(owner, home, set)).state).toBe("proposed");

  await page.locator("h1").focus();
  await tabTo(reader, "To the decision");
  await page.keyboard.press("Enter");
  await tabTo(reader, "Approve");
  await page.keyboard.press("Enter");
  await page.getByText("You have approved it").waitFor();
  expect((await clientOf(owner).getTask({ task_id: task.id })).revision).toBe("1");
  await look(reader, "review-approved");
  await page.locator("#decision").focus();
  await tabTo(reader, "Apply all of it");
  await page.keyboard.press("Enter");
  await page.getByText("It is done").waitFor();
  expect((await clientOf(owner).getTask({ task_id: task.id })).revision).toBe("2");
  expect((await clientOf(owner).listProjectTasks({ project_id: project.id })).items).toHaveLength(3);
  await tabTo(reader, "Undo all of it");
  await page.keyboard.press("Enter");
  await page.getByText("You have undone all of it.").waitFor();
  expect(await clientOf(owner).getTask({ task_id: task.id })).toMatchObject({ revision: "3", assignee_actor_id: null });
  await look(reader, "review-undone");
});

test("what somebody has changed since it was applied cannot be undone, and the page says so", async () => {
  const { home, owner, task, set } = await proposal();
  await reviewed(owner, home, set);
  expect((await applied(owner, home, set)).status).toBe(200);
  const description_markdown = "Nobody cuts anything.";
  await clientOf(owner).updateTask({ task_id: task.id, description_markdown }, { at: "2" });
  const reader = await signedIn(owner);
  await reader.open(set.review_url);
  await reader.page.getByText("It cannot be undone any more").waitFor();
});

test("what was rejected does not happen, and what has moved on cannot be approved", async () => {
  const { home, owner, task, set } = await proposal();
  const reader = await signedIn(owner);
  await reader.open(set.review_url);
  await reader.heading("Use steel");
  await clientOf(owner).updateTask({ task_id: task.id, title: "Other" }, { at: "1" });
  await reader.press("Approve");
  await reader.page.getByText("Changed since: no. 1.").waitFor();
  await reader.page.locator('[data-code="change_set_stale"]').waitFor();
  const { set: other, home: there, owner: them } = await proposal();
  const second = await signedIn(them);
  await second.open(other.review_url);
  await second.press("Reject");
  await second.page.getByText("You have rejected it").waitFor();
  expect((await applied(them, there, other)).body.code).toBe("change_set_closed");
  expect((await read(owner, home, set)).state).toBe("stale");
});

test("nobody else sees it, and whoever is not signed in comes back after signing in", async () => {
  const { home, set } = await proposal();
  const stranger = await signedIn(await home.member("admin"));
  await stranger.open(set.review_url);
  await stranger.page.locator('[data-code="not_found"]').waitFor();
  const nobody = await visit(running, chromium);
  await nobody.open(set.review_url);
  await nobody.heading("Sign in");
  expect(new URLSearchParams(nobody.at().split("?")[1]).get("return_to")).toBe(set.review_url);
});
