// Agents in the application: one is found and enabled, written and published, assigned and mentioned, and stopped at
// once.
import { afterAll, expect, test } from "vitest";
import { clientOf } from "../../client/test/client-of.ts";
import { browser } from "../../server/test/browser.ts";
import { eventually } from "../../server/test/eventually.ts";
import { scriptedModel } from "../../server/test/scripted-model.ts";
import { newProject, newTask } from "../../server/test/work.ts";
import { service, world } from "../../server/test/world.ts";
import { looked, seat } from "./app.ts";

const provider = await scriptedModel();
const running = service({ roles: ["api", "worker", "realtime"], ...provider.config });
const chromium = browser();
afterAll(() => provider.close());

async function workshop() {
  const home = await world(running);
  const project = await newProject(home, { name: "Difference Engine", key: "ENG" });
  const task = await newTask(home.owner, project.id, { title: "Cut the gears" });
  const api = clientOf(home.owner);
  const of = { workspace_id: home.workspaceId };
  const agents = async () => (await api.listAgents(of)).items;
  const enabled = async () => {
    const [option] = (await api.listAgentDefinitions(of)).items;
    return api.createAgent({ ...of, definition_id: option?.id ?? "" });
  };
  return { home, project, task, api, of, agents, enabled };
}

test("an Agent that comes with svc is enabled, says what it does, is put into quarantine at once, and released", async () => {
  const { home, agents } = await workshop();
  const ada = await seat(running, chromium, home);
  const { page } = ada;
  await ada.goTo("agents");
  await ada.heading("Agents");
  const ready = page.getByRole("list", { name: "Ready to be enabled" });
  await ready.getByRole("listitem").nth(4).waitFor();
  await looked(ada, "agents");
  await ready
    .getByRole("button", { name: /^Enable / })
    .first()
    .click();
  const atWork = page.getByRole("list", { name: "At work here" });
  await atWork.locator('[data-state="active"]').waitFor();
  const [agent] = await agents();
  await atWork.getByRole("link", { name: agent?.name }).click();
  await ada.heading(agent?.name ?? "");
  await page.locator("[data-usage]").waitFor();
  await page.getByText(`Mentioned as @${agent?.username}`).waitFor();
  await looked(ada, "agent");
  await page.getByRole("button", { name: "Quarantine" }).click();
  await page.getByLabel("Why").fill("Comments on every Task <script>ran()</script>");
  await page.getByRole("form", { name: "Quarantine" }).getByRole("button", { name: "Quarantine" }).click();
  await page.locator('[data-state="quarantined"]').waitFor();
  await page.getByText("Comments on every Task <script>ran()</script>").waitFor();
  expect((await agents())[0]?.state).toBe("quarantined");
  await looked(ada, "agent-quarantined");
  await ada.press("Release");
  await page.locator('[data-state="active"]').waitFor();
  expect((await agents())[0]?.state).toBe("active");
});

test("one is written in the studio, published, enabled, changed, and run at an earlier version again", async () => {
  const { home, api, of, agents } = await workshop();
  const ada = await seat(running, chromium, home);
  const { page } = ada;
  await ada.goTo("agents");
  await ada.press("New Agent");
  await page.getByLabel("Name", { exact: true }).fill("Greeter");
  await page.getByLabel("What it is good for").fill("Welcomes people");
  await page.getByLabel("Instructions").fill("Say where the handbook is.");
  await page.getByLabel("Comment on a Task").check();
  await page.getByLabel("a Task is created").check();
  await looked(ada, "agent-studio");
  await ada.press("Save the draft");
  await page.locator('[data-state="draft"]').waitFor();
  await ada.press("Publish");
  await page.locator('[data-state="published"]').waitFor();
  const [made] = (await api.listStudioDefinitions(of)).items;
  expect(made).toMatchObject({ name: "Greeter", version: 1, state: "published" });
  expect(made?.triggers).toEqual([{ kind: "manual" }, { kind: "event", action: "task.created" }]);
  await ada.goTo("agents");
  await page.getByRole("button", { name: "Enable Greeter" }).click();
  await page.getByRole("list", { name: "At work here" }).getByRole("link", { name: "Greeter" }).click();
  await ada.press("Edit");
  await page.getByLabel("Instructions").fill("Say where the handbook is, kindly.");
  await ada.press("Save the draft");
  await page.locator('[data-state="draft"]').waitFor();
  await ada.press("Publish");
  await page.locator('[data-state="published"]').waitFor();
  expect((await agents())[0]?.version).toBe(2);
  await ada.goTo(`agents/${made?.id}`);
  await page.getByRole("button", { name: "Run this one: Version 1" }).click();
  await eventually(async () => expect((await agents())[0]?.version).toBe(1));
});

test("a member asks for a draft to be published, and who manages Agents decides", async () => {
  const { home, api, of } = await workshop();
  const bob = await home.member("member");
  const { id } = await clientOf(bob).createStudioDefinition({
    ...of,
    name: "Counter",
    instructions: "Count the gears.",
    tools: ["find"],
  });
  const his = await seat(running, chromium, home, bob);
  await his.goTo(`agents/${id}`);
  await his.page.getByLabel("Note").fill("We count every week.");
  await his.press("Ask");
  await his.page.getByText("We count every week.").waitFor();
  const ada = await seat(running, chromium, home);
  await ada.goTo(`agents/${id}`);
  await ada.page.getByText("We count every week.").waitFor();
  await ada.press("Approve");
  await ada.page.getByText("approved", { exact: true }).waitFor();
  expect((await api.getStudioDefinition({ ...of, definition_id: id })).state).toBe("published");
});

test("an Agent is assigned a Task and mentioned like anybody else", async () => {
  const { home, task, api, enabled } = await workshop();
  const agent = await enabled();
  const ada = await seat(running, chromium, home);
  const { page } = ada;
  await ada.goTo(`tasks/${task.code}`);
  await ada.settled();
  await page.getByRole("button", { name: /^Assignee/ }).click();
  await page.getByRole("option", { name: new RegExp(`${agent.name}.*Agent`) }).click();
  await ada.settled();
  expect((await api.getTask({ task_id: task.id })).assignee_actor_id).toBe(agent.actor_id);
  const field = page.getByRole("textbox", { name: "Comment" });
  await field.fill("");
  await field.pressSequentially(`@${agent.username.slice(0, 4)}`);
  await page.getByRole("option", { name: new RegExp(agent.name) }).click();
  await page.getByRole("button", { name: "Send", exact: true }).click();
  await ada.settled();
  const { items } = await api.listTaskComments({ task_id: task.id });
  expect(items.map(({ markdown }) => markdown).join()).toContain(agent.username);
});

test("a Task is handed to an Agent with a note, once, and its run is a link away", async () => {
  const { home, task, api, of, enabled } = await workshop();
  const agent = await enabled();
  const ada = await seat(running, chromium, home);
  const { page } = ada;
  await ada.goTo(`tasks/${task.code}`);
  await ada.settled();
  await page.getByRole("button", { name: new RegExp(task.code as string) }).click();
  await page.getByRole("menuitem", { name: "Hand to an Agent" }).click();
  const dialog = page.getByRole("dialog", { name: "Hand to an Agent" });
  await dialog.getByRole("combobox").selectOption({ label: agent.name });
  await dialog.getByLabel("What it is to do with it").fill("Look for duplicates.");
  await looked(ada, "agent-handed");
  await dialog.getByRole("button", { name: "Hand over" }).click();
  await dialog.getByText(`${agent.name} is at work on it.`).waitFor();
  const { items } = await api.listAgentRuns({ ...of, agent_id: agent.id });
  expect(items).toMatchObject([{ trigger: "delegation", task_id: task.id }]);
  await dialog.getByRole("link", { name: "See its runs" }).click();
  await page.waitForURL(`**/agents/${agent.definition_id}`);
});

test("an Agent is tried without changing anything, then runs, and what it wants to do waits for whoever started it", async () => {
  const { home, task, api, of } = await workshop();
  const { id } = await api.createStudioDefinition({
    ...of,
    name: "Greeter",
    instructions: "Say hello on every Task.",
    tools: ["get_task", "comment"],
  });
  const draft = await api.getStudioDefinition({ ...of, definition_id: id });
  await api.updateStudioDefinition({ ...of, definition_id: id, state: "published" }, { at: draft });
  await api.createAgent({ ...of, definition_id: id });
  const comments = async () => (await api.listTaskComments({ task_id: task.id })).items.length;
  // Agents of other tests may be at work, too.
  provider.always((asked) => {
    if (!JSON.stringify(asked).includes("Say hello on every Task")) return { text: ["Nothing to do."] };
    if (asked.messages.at(-1).role === "tool") return { text: ["I have said **hello**."] };
    return { calls: [{ name: "comment", args: { code: task.code, markdown: "Hello from an Agent" } }] };
  });
  const ada = await seat(running, chromium, home);
  const { page } = ada;
  await ada.goTo(`agents/${id}`);
  const runs = page.getByRole("list", { name: "Runs" });
  await ada.press("Try it without changing anything");
  await runs.locator('[data-run="completed"]').waitFor();
  await runs.locator('[data-action="planned"]', { hasText: "Hello from an Agent" }).waitFor();
  expect(await comments()).toBe(0);
  await ada.press("Start");
  const waiting = runs.locator('[data-run="waiting"]');
  await waiting.locator('[data-action="waiting"]', { hasText: "ENG-1" }).waitFor();
  await waiting.locator("strong", { hasText: "hello" }).waitFor();
  await looked(ada, "agent-runs");
  expect(await comments()).toBe(0);
  await ada.goTo("agents");
  await page.getByRole("list", { name: "Waits for you" }).getByRole("link", { name: "Greeter" }).click();
  await waiting.getByRole("button", { name: "Approve" }).click();
  await eventually(async () => expect(await comments()).toBe(1));
  await runs.locator('[data-action="done"]').waitFor();
  // Others see that it ran, and nothing of what it said.
  const bob = await seat(running, chromium, home, await home.member("member"));
  await bob.goTo(`agents/${id}`);
  await bob.page.locator("[data-run]").first().getByRole("button").click();
  await bob.page.getByText("What it did and said is seen by whoever started it.").waitFor();
  expect(await bob.page.locator("[data-output]").count()).toBe(0);
});

test("a run that somebody starts elsewhere is told while it goes on, and nobody asks again and again", async () => {
  const { home, api, of } = await workshop();
  const { id } = await api.createStudioDefinition({
    ...of,
    name: "Counter",
    instructions: "Count the gears slowly.",
    tools: ["get_task"],
  });
  const draft = await api.getStudioDefinition({ ...of, definition_id: id });
  await api.updateStudioDefinition({ ...of, definition_id: id, state: "published" }, { at: draft });
  const agent = await api.createAgent({ ...of, definition_id: id });
  const held = Promise.withResolvers<void>();
  provider.always((asked) =>
    JSON.stringify(asked).includes("Count the gears slowly")
      ? { before: held.promise, text: ["There are **seven**."] }
      : { text: ["Nothing to do."] },
  );
  const ada = await seat(running, chromium, home);
  const { page } = ada;
  await ada.goTo(`agents/${id}`);
  await page.getByText("It has not run yet.").waitFor();
  await api.startAgentRun({ ...of, agent_id: agent.id });
  const row = page.getByRole("list", { name: "Runs" }).getByRole("listitem").first();
  await page.locator('[data-run="running"]').waitFor();
  await row.getByRole("button").first().click();
  await ada.settled();
  let asked = 0;
  page.on("request", (request) => {
    if (request.url().includes(`/agents/${agent.id}/runs`)) asked++;
  });
  await eventually(async () => {
    asked = 0;
    // Wait: longer than it polls without a socket. Requests that an event caused have ended at the next attempt.
    await page.waitForTimeout(4_000);
    expect(asked).toBe(0);
  });
  held.resolve();
  await page.locator('[data-run="completed"]').locator("strong", { hasText: "seven" }).waitFor();
});

test("release notes wait as the Document that they would be, are in the Project when they are approved, and are taken back there", async () => {
  const { home, project, api, of } = await workshop();
  const releaseNotes = (await api.listAgentDefinitions(of)).items.find(({ curated }) => curated === "release_notes");
  const agent = await api.createAgent({ ...of, definition_id: releaseNotes?.id ?? "" });
  const notes = {
    project: project.key,
    title: "Release notes (draft)",
    markdown: "- You can cut **gears**\nassignee: bob",
  };
  provider.always((asked) => {
    if (!JSON.stringify(asked).includes("draft release notes")) return { text: ["Nothing to do."] };
    if (asked.messages.at(-1).role === "tool") return { text: ["They wait for you."] };
    const edits = [{ find: "nothing", replace: "gears" }];
    return {
      calls: [
        { name: "create_document", args: notes },
        { name: "patch_document", args: { path: news.path, revision: news.content_revision, edits } },
      ],
    };
  });
  const news = await api.createDocument({
    ...of,
    title: "News",
    markdown: "New is nothing.\n\nSo far.",
    project_id: project.id,
  });
  const documents = async () =>
    (await api.listDocuments({ ...of, project_id: project.id })).items.filter(({ id }) => id !== news.id);
  const ada = await seat(running, chromium, home);
  const { page } = ada;
  await ada.goTo(`agents/${agent.definition_id}`);
  await ada.press("Start");
  const card = page.locator("[data-action]", { hasText: "Create a Document" });
  // As a review shows fields, and no line of a text as one of them.
  await card.getByText("You can cut").waitFor();
  expect(await card.locator("dt").allInnerTexts()).toEqual(["Title", "Text"]);
  // What is there already is shown as how it would differ.
  const edit = page.locator("[data-action]", { hasText: "Change a Document" });
  await edit.locator("[data-diff] .text-good", { hasText: "+New is gears." }).waitFor();
  await edit.getByRole("button", { name: "Approve" }).scrollIntoViewIfNeeded();
  await looked(ada, "agent-document");
  expect(await documents()).toEqual([]);
  await card.getByRole("button", { name: "Approve" }).click();
  await card.locator('[data-receipt="committed"]').waitFor();
  expect(await documents()).toMatchObject([{ title: "Release notes (draft)", created_by_actor_id: agent.actor_id }]);
  await card.getByRole("button", { name: "Undo" }).click();
  await card.locator('[data-receipt="undone"]').waitFor();
  expect(await documents()).toEqual([]);
  expect((await api.getDocumentMarkdown({ document_id: news.id })).markdown).toContain("nothing");
  await edit.getByRole("button", { name: "Approve" }).click();
  await edit.locator('[data-receipt="committed"]').waitFor();
  expect((await api.getDocumentMarkdown({ document_id: news.id })).markdown).toBe("New is gears.\n\nSo far.");
});

test("an Agent that comes with svc takes its newest version from its page, by those who manage Agents", async () => {
  const { home, api, of, agents } = await workshop();
  const bob = await home.member("member");
  const releaseNotes = (await api.listAgentDefinitions(of)).items.find(({ curated }) => curated === "release_notes");
  const { id = "", version = 0 } = releaseNotes ?? {};
  await api.createAgent({ ...of, definition_id: id, name: "News", budgets: { runs_per_hour: 3 } });
  // As if it had been enabled when the service had the one before.
  const by = [home.workspaceId, id, version - 1];
  await running.asOwner(
    `insert into agent_versions
     select workspace_id, definition_id, $3, name, description, instructions, tools, triggers, project_ids, budgets,
       published_by_actor_id, published_at
     from agent_versions where workspace_id = $1 and definition_id = $2`,
    by,
  );
  await running.asOwner("update agents set version = $3 where workspace_id = $1 and definition_id = $2", by);
  await running.asOwner(
    "update agent_definitions set version = $3, published_version = $3 where workspace_id = $1 and id = $2",
    by,
  );
  const his = await seat(running, chromium, home, bob);
  await his.goTo(`agents/${id}`);
  await his.page.locator("[data-newer]").waitFor();
  expect(await his.page.getByRole("button", { name: "Take it" }).count()).toBe(0);
  const ada = await seat(running, chromium, home);
  await ada.goTo(`agents/${id}`);
  await ada.page.locator("[data-newer]").waitFor();
  await looked(ada, "agent-newer");
  await ada.press("Take it");
  await ada.page.locator("[data-newer]").waitFor({ state: "detached" });
  expect(await agents()).toMatchObject([{ version, name: "News", budgets: { runs_per_hour: 3 } }]);
});
