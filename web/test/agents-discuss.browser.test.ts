// The journeys with an assistant: the conversation beside a page, and an Agent from its draft to a run that its person
// approves.
import { afterAll, beforeEach, expect, test } from "vitest";
import { clientOf } from "../../client/test/client-of.ts";
import { browser } from "../../server/test/browser.ts";
import { eventually } from "../../server/test/eventually.ts";
import { documentIn } from "../../server/test/mcp.ts";
import { scriptedModel } from "../../server/test/scripted-model.ts";
import { newProject, newTask } from "../../server/test/work.ts";
import { service, world } from "../../server/test/world.ts";
import { seat } from "./app.ts";
import { talkingIn } from "./talk.ts";
import { watched } from "./xss.ts";

const provider = await scriptedModel();
const running = service({ roles: ["api", "worker", "realtime"], ...provider.config });
const chromium = browser();
beforeEach(() => provider.clear());
afterAll(() => provider.close());

test("an answer comes with its sources, a change waits for approval in the conversation, and nothing of it runs", async () => {
  const { home, task, ada, page, panel, answer, open, ask, completed } = await talkingIn(running, chromium);
  const ran = await watched(page);
  await documentIn(home, { title: "Handbook", markdown: "Gears are made of **brass**." });
  provider.say(
    { calls: [{ name: "get_task", args: { code: task.code } }] },
    { text: ["It is about **gears**: ENG-1. <img src=x onerror=ran()>"] },
    { calls: [{ name: "update_task", args: { code: task.code, revision: "1", priority: "high" } }] },
    { text: ["It waits for you."] },
  );
  const priority = async () => (await clientOf(home.owner).getTask({ task_id: task.id })).priority;
  await open();
  await ask("What is to be cut?");
  await answer.locator("strong", { hasText: "gears" }).waitFor();
  await completed();
  await answer.locator('[data-source="task"]', { hasText: "Cut the gears" }).click();
  await page.getByRole("complementary", { name: "Task ENG-1" }).waitFor();
  await ask("Make it urgent");
  await panel.getByRole("button", { name: "Approve" }).click();
  await eventually(async () => expect(await priority()).toBe("high"));
  expect(await ran()).toBe(0);
  expect(ada.faults).toEqual([]);
});

test("an Agent is written, published, enabled and started; its action waits for the person who started it", async () => {
  const home = await world(running);
  const project = await newProject(home, { name: "Difference Engine", key: "ENG" });
  const task = await newTask(home.owner, project.id, { title: "Cut the gears" });
  const api = clientOf(home.owner);
  const of = { workspace_id: home.workspaceId };
  const agents = async () => (await api.listAgents(of)).items;
  const comments = async () => (await api.listTaskComments({ task_id: task.id })).items.length;
  provider.always((asked) => {
    if (!JSON.stringify(asked).includes("Say hello on every Task")) return { text: ["Nothing to do."] };
    if (asked.messages.at(-1).role === "tool") return { text: ["I have said **hello**."] };
    return { calls: [{ name: "comment", args: { code: task.code, markdown: "Hello from an Agent" } }] };
  });
  const ada = await seat(running, chromium, home);
  const { page } = ada;
  await ada.goTo("agents");
  await ada.shows("agents");
  await ada.press("New Agent");
  await ada.shows("agents/new");
  await page.getByLabel("Name", { exact: true }).fill("Greeter");
  await page.getByLabel("What it is good for").fill("Welcomes people");
  await page.getByLabel("Instructions").fill("Say hello on every Task.");
  await page.getByLabel("Comment on a Task").check();
  await ada.press("Save the draft");
  await page.locator('[data-state="draft"]').waitFor();
  await ada.press("Publish");
  await page.locator('[data-state="published"]').waitFor();
  const [made] = (await api.listStudioDefinitions(of)).items;
  const id = made?.id as string;
  await ada.reach("agents");
  await page.getByRole("button", { name: "Enable Greeter" }).click();
  await page.getByRole("list", { name: "At work here" }).getByRole("link", { name: "Greeter" }).click();
  await ada.shows("agents/:id");
  await ada.press("Start");
  const waiting = page.getByRole("list", { name: "Runs" }).locator('[data-run="waiting"]');
  await waiting.locator('[data-action="waiting"]', { hasText: "ENG-1" }).waitFor();
  expect(await comments()).toBe(0);
  await waiting.getByRole("button", { name: "Approve" }).click();
  await eventually(async () => expect(await comments()).toBe(1));
  await ada.reach("agents/:id/edit", { id });
  expect(await page.getByLabel("Instructions").inputValue()).toBe("Say hello on every Task.");
  await ada.reach("agents/:id", { id });
  await page.getByRole("button", { name: "Quarantine" }).click();
  await page.getByLabel("Why").fill("Comments on every Task");
  await page.getByRole("form", { name: "Quarantine" }).getByRole("button", { name: "Quarantine" }).click();
  await page.locator('[data-state="quarantined"]').waitFor();
  expect((await agents())[0]?.state).toBe("quarantined");
});
