// Ten things that people do in the conversation, with a model that follows a script, in a real browser: from a streamed
// answer with its sources to a server that is killed in the middle of one. What is so afterwards is asked of the
// service.
import { afterAll, beforeEach, expect, test } from "vitest";
import { type Another, anotherProcess } from "../../server/test/another-process.ts";
import { asserted } from "../../server/test/asserts.ts";
import { browser } from "../../server/test/browser.ts";
import { answerTo, discussPath } from "../../server/test/discuss.ts";
import { documentIn, letAiIn, taskByCode } from "../../server/test/mcp.ts";
import { scriptedModel } from "../../server/test/scripted-model.ts";
import { service, type TestService, type World } from "../../server/test/world.ts";
import { looked, offlineIsExpected } from "./app.ts";
import { talkingIn } from "./talk.ts";
import { inPieces, watched } from "./xss.ts";

const provider = await scriptedModel();
const running = service({ roles: ["api", "worker", "realtime"], ...provider.config });
/** Nobody answers here but processes that a test starts, and kills. */
const bare = service({ ...provider.config });
const chromium = browser();
beforeEach(() => provider.clear());
afterAll(() => provider.close());

const workshop = (where: TestService = running) => talkingIn(where, chromium);
/** The messages of a person, the oldest first. */
const messagesOf = async ({ owner, workspaceId }: World) =>
  (await owner.call("GET", discussPath({ workspaceId }, "messages?order=asc"))).body.items;

test("an answer is shown as it is written, with its sources, which open at their place", async () => {
  const { home, task, ada, page, panel, answer, open, ask, completed } = await workshop();
  await documentIn(home, { title: "Handbook", markdown: "Gears are made of **brass**." });
  const { promise: held, resolve: goOn } = Promise.withResolvers<void>();
  provider.say(
    { calls: [{ name: "get_task", args: { code: task.code } }] },
    { text: ["It is about **gears**", ": ENG-1, as the [Handbook](svc://document/handbook) says."], hold: held },
  );
  await open();
  await looked(ada, "talk-empty");
  await ask("What is to be cut?");
  await panel.getByText("What is to be cut?").waitFor();
  await answer.locator("strong", { hasText: "gears" }).waitFor();
  await answer.getByText("Read a Task").waitFor();
  expect(await answer.getAttribute("data-generation")).toBe("running");
  goOn();
  await completed();
  await looked(ada, "talk-answer");
  await answer.locator('[data-source="task"]', { hasText: "Cut the gears" }).click();
  await page.getByRole("complementary", { name: "Task ENG-1" }).waitFor();
  await looked(ada, "talk-beside-task");
  await answer.locator('[data-source="document"]', { hasText: "Handbook" }).click();
  await page.getByText("Gears are made of").waitFor();
  // It was read while it was open: no mark is left, also not after a reload.
  await panel.getByRole("button", { name: "Close" }).click();
  await page.reload();
  await ada.settled();
  await expect.poll(() => page.getByRole("button", { name: "Assistant", exact: true }).count()).toBe(1);
});

test("a change waits as a review in the conversation, happens once it is approved there, and is taken back there", async () => {
  const { home, task, ada, panel, answer, open, ask, completed } = await workshop();
  provider.say(
    { calls: [{ name: "update_task", args: { code: task.code, revision: "1", priority: "high" } }] },
    { text: ["It waits for you."] },
  );
  await open();
  await ask("Make it urgent");
  await completed();
  const review = answer.locator('[data-interaction="approval"]');
  await review.getByText("added: high").waitFor();
  expect((await taskByCode(home, task.code)).priority).toBe("none");
  await looked(ada, "talk-approval");
  await review.getByRole("button", { name: "Approve" }).click();
  await panel.getByText("as you approved it").waitFor();
  expect(await taskByCode(home, task.code)).toMatchObject({ priority: "high", revision: "2" });
  expect(await panel.locator('[data-interaction="approval"]').getAttribute("data-state")).toBe("decided");
  await answer.getByRole("button", { name: "Undo" }).click();
  await answer.locator('[data-receipt="undone"]').waitFor();
  expect((await taskByCode(home, task.code)).priority).toBe("none");
});

test("what is rejected does not happen; what has changed since is proposed again, with what changed", async () => {
  const { home, task, ada, panel, answer, open, ask, completed } = await workshop();
  const proposal = { name: "update_task", args: { code: task.code, revision: "1", priority: "high" } };
  provider.say({ calls: [proposal] }, { text: ["It waits."] });
  await open();
  await ask("Make it urgent");
  await completed();
  await answer.getByRole("button", { name: "Reject" }).click();
  await answer.locator('[data-state="decided"]').waitFor();
  expect(await taskByCode(home, task.code)).toMatchObject({ priority: "none", revision: "1" });
  provider.say({ calls: [proposal] }, { text: ["It waits again."] });
  await ask("Make it urgent after all");
  await panel.getByText("It waits again.").waitFor();
  await home.owner.call("PATCH", `/tasks/${task.id}`, { body: { title: "Cut the big gears" }, ifMatch: "1" });
  await answer.getByRole("button", { name: "Approve" }).click();
  await panel.locator('[data-interaction="approval"][data-state="stale"]').waitFor();
  await panel.getByText("What this builds on has changed. See the answer below.").waitFor();
  expect((await taskByCode(home, task.code)).priority).toBe("none");
  await looked(ada, "talk-stale");
  await answer.getByRole("button", { name: "Approve" }).click();
  await panel.getByText("as you approved it").waitFor();
  expect(await taskByCode(home, task.code)).toMatchObject({ priority: "high", title: "Cut the big gears" });
});

test("of several people that are meant one is chosen, and what follows waits for its approval", async () => {
  const { home, task, ada, answer, open, ask, completed, panel } = await workshop();
  await letAiIn(home.owner, home.workspaceId, false);
  await home.member("member");
  await open();
  await ask(`assign ${task.code} to Person`);
  await completed();
  await answer.locator('[data-interaction="ambiguity"][data-state="open"]').waitFor();
  await looked(ada, "talk-choice");
  await answer
    .getByRole("button", { name: /^Person/ })
    .first()
    .click();
  await panel.locator('[data-interaction="approval"][data-state="open"]').waitFor();
  expect(await panel.locator('[data-interaction="ambiguity"]').getAttribute("data-state")).toBe("decided");
});

test("a reminder is set after it was shown once more, moved, and done", async () => {
  const { home, task, ada, page, panel, open } = await workshop();
  const reminders = async () =>
    (await home.owner.call("GET", discussPath(home, "reminders?state=all"))).body.items as Record<string, unknown>[];
  await open(`projects/ENG?task=${task.id}`);
  await panel.getByRole("tab", { name: "Reminders" }).click();
  await panel.getByLabel("Remind me of").fill("Ask Grace about the gears");
  await panel.getByLabel("When").fill("2030-01-15T09:00");
  await panel.getByLabel("It is about ENG-1").check();
  await panel.getByRole("button", { name: "Next" }).click();
  await panel.getByText("Shall this reminder be set?").waitFor();
  expect(await reminders()).toEqual([]);
  await panel.getByRole("button", { name: "Set it" }).click();
  await panel.locator('[data-reminder="scheduled"]').waitFor();
  await ada.settled();
  expect(await reminders()).toMatchObject([
    { text: "Ask Grace about the gears", due_at: "2030-01-15T09:00:00.000Z", target: { id: task.id } },
  ]);
  await looked(ada, "talk-reminders");
  await panel.getByRole("button", { name: /^Snooze or cancel/ }).click();
  await page.getByRole("menuitem", { name: "In an hour" }).click();
  await ada.settled();
  expect(new Date(String((await reminders())[0]?.due_at)).getFullYear()).toBeLessThan(2030);
  await panel.getByRole("button", { name: /^Done: Ask Grace/ }).click();
  await panel.getByText("Nothing to remind you of").waitFor();
  await ada.settled();
  expect(await reminders()).toMatchObject([{ state: "completed" }]);
});

test("files go along by button, by drop and by paste, are shown, and their words are quoted", async () => {
  const { home, ada, page, panel, field, answer, open, ask, completed } = await workshop();
  await letAiIn(home.owner, home.workspaceId, false);
  await open();
  const text = Buffer.from("The crank turns left. The handle is red.");
  await panel.locator("input[type=file]").setInputFiles({ name: "crank.txt", mimeType: "text/plain", buffer: text });
  await panel.locator('[data-file="here"]', { hasText: "crank.txt" }).waitFor();
  for (const [kind, name] of [
    ["paste", "pasted.txt"],
    ["drop", "dropped.txt"],
  ] as const) {
    await field.evaluate(
      (element, [kind, name]) => {
        const data = new DataTransfer();
        data.items.add(new File(["Nothing of it."], name, { type: "text/plain" }));
        const options = { bubbles: true, cancelable: true };
        element.dispatchEvent(
          kind === "paste"
            ? new ClipboardEvent("paste", { ...options, clipboardData: data })
            : new DragEvent("drop", { ...options, dataTransfer: data }),
        );
      },
      [kind, name] as const,
    );
    await panel.locator('[data-file="here"]', { hasText: name }).waitFor();
  }
  await panel.getByRole("button", { name: "Without dropped.txt" }).click();
  await field.fill("Where does the crank turn?");
  // A reload takes neither the words nor the files.
  await page.reload();
  await panel.locator('[data-file="here"]').nth(1).waitFor();
  expect(await field.inputValue()).toBe("Where does the crank turn?");
  await ask("Where does the crank turn?");
  await completed();
  await answer.getByText("The crank turns left.").waitFor();
  await panel.getByRole("button", { name: /crank\.txt/ }).waitFor();
  await looked(ada, "talk-file");
  const [said] = await messagesOf(home);
  expect(said.file_ids).toHaveLength(2);
  const { items } = await messagesOf(home).then((all) => ({ items: all }));
  expect(items).toHaveLength(2);
});

test("an answer is stopped, and keeps what was written of it", async () => {
  const { home, panel, answer, open, ask } = await workshop();
  provider.say({ text: ["I shall count all ", "gears"], after: "silence" });
  await open();
  await ask("Count the gears");
  await answer.getByText("I shall count all gears").waitFor();
  await panel.getByRole("button", { name: "Stop" }).click();
  await answer.locator('[data-failed="cancelled"]').waitFor();
  await answer.getByText("I shall count all gears").waitFor();
  expect((await messagesOf(home))[1]).toMatchObject({
    generation_state: "failed",
    generation_error: { code: "cancelled" },
  });
});

test("a server that is killed in the middle of an answer: another goes on, and every word is there once", async () => {
  const worker = () => anotherProcess(bare, 0, { ...provider.env, ROLES: "api,worker" });
  const others: Another[] = [];
  try {
    const { panel, answer, open, ask, completed } = await workshop(bare);
    others.push(await worker());
    provider.say({ text: ["The gears ", "are"], after: "silence" });
    await open();
    await ask("What are the gears made of?");
    await answer.getByText("The gears are").waitFor();
    await others[0]?.kill();
    provider.say({ text: ["The gears ", "are ", "of brass."] });
    others.push(await worker());
    await completed();
    expect((await answer.locator("[data-answer]").innerText()).trim()).toBe("The gears are of brass.");
    expect(await panel.locator("[data-message]").count()).toBe(2);
  } finally {
    await Promise.all(others.map((other) => other.kill()));
  }
});

test("without a model the assistant says so, quotes what stands there, and understands a plain request", async () => {
  const { home, task, ada, panel, answer, open, ask, completed } = await workshop();
  await letAiIn(home.owner, home.workspaceId, false);
  await documentIn(home, { title: "Brass", markdown: "# Brass\n\nBrass does not rust. Steel is cheaper." });
  await open("");
  await panel.locator('[data-access="limited"]', { hasText: "This Workspace lets no AI in from outside." }).waitFor();
  await ask("Does brass rust?");
  await completed();
  await answer.locator("blockquote", { hasText: "Brass does not rust." }).waitFor();
  await answer.locator('[data-source="document"]', { hasText: "Brass" }).waitFor();
  await looked(ada, "talk-limited");
  await ask(`move ${task.code} to In Progress`);
  await answer.locator('[data-interaction="approval"]').getByText("added: In Progress").waitFor();
  expect(provider.asked).toEqual([]);
});

test("nothing that a model writes runs, and nothing is loaded from outside", async () => {
  const { page, panel, open, ask, ada } = await workshop();
  const ran = await watched(page);
  const [piece = ""] = inPieces(30_000);
  const picture = "![x](https://elsewhere.example/leak.png?q=secret) <img src=https://elsewhere.example/leak.png>";
  const { promise: held, resolve: goOn } = Promise.withResolvers<void>();
  provider.say({ text: [`${picture}\n\n${piece}`, "The end."], hold: held });
  await open();
  await ask("Say something");
  // While it is written, and when it is whole.
  await panel.locator('[data-generation="running"] [data-answer]').waitFor();
  await page.waitForFunction(() => (document.querySelector("[data-answer]")?.textContent?.length ?? 0) > 1000);
  const active = () =>
    panel
      .locator("[data-answer]")
      .evaluate(
        (answer) =>
          [...answer.querySelectorAll("img,script,iframe,object,video,audio,style,svg,math,[onerror],[onload]")]
            .length + [...answer.querySelectorAll("a")].filter(({ href }) => !/^https?:|^mailto:/.test(href)).length,
      );
  expect(await active()).toBe(0);
  goOn();
  await panel.getByText("The end.").waitFor();
  await panel.locator('[data-generation="completed"]').waitFor();
  expect([await active(), await ran()]).toEqual([0, 0]);
  expect(ada.faults).toEqual([]);
});

test("what is said without a connection waits, survives a reload, and is asked once; a question of a search is asked with what it found", async () => {
  const { home, task, ada, page, panel, field, answer, open, ask, completed } = await workshop();
  provider.always({ text: ["About ENG-1."] });
  await open("search?q=gears");
  await page.getByRole("button", { name: "Ask", exact: true }).click();
  await expect.poll(() => field.inputValue()).toBe("gears");
  await panel.getByRole("button", { name: "With “gears”" }).click();
  await panel.locator("[data-pinned]").waitFor();
  await page.route("**/api/**", (route) => route.abort("internetdisconnected"));
  await field.press("Enter");
  await panel.locator('[data-message="user"]', { hasText: "gears" }).waitFor();
  await page.reload();
  await panel.locator('[data-message="user"]', { hasText: "gears" }).waitFor();
  await page.unroute("**/api/**");
  await completed();
  await answer.getByText("About ENG-1.").waitFor();
  expect((await messagesOf(home)).map(({ role }: { role: string }) => role)).toEqual(["user", "assistant"]);
  expect(JSON.stringify(provider.asked.at(-1)?.body.messages)).toContain(task.title);
  offlineIsExpected(ada);
  // What is on the screen goes along on request alone.
  await ada.goTo(`projects/ENG?task=${task.id}`);
  await panel.getByRole("button", { name: "With ENG-1 Cut the gears" }).click();
  await panel.locator("[data-pinned]").waitFor();
  await ask("What is this?");
  await expect.poll(async () => (await messagesOf(home)).length).toBe(4);
  // On a phone it covers the page, and a source makes room for what it opens.
  await page.setViewportSize({ width: 390, height: 844 });
  await completed();
  await answer.locator('[data-source="task"]').click();
  await page.getByRole("complementary", { name: "Task ENG-1" }).waitFor();
  expect(await panel.count()).toBe(0);
});

test("an answer that nobody has seen is marked until it is read", async () => {
  const { home, ada, page, panel } = await workshop();
  provider.say({ text: ["Unseen."] });
  await ada.goTo("projects/ENG");
  await ada.settled();
  await answerTo(home.owner, home, "Something?");
  const button = page.getByRole("button", { name: /^Assistant/ });
  await button.getByText("1 unread").waitFor({ state: "attached" });
  await button.click();
  await panel.getByText("Unseen.").waitFor();
  await asserted(button.getByText("1 unread").waitFor({ state: "detached" }));
});
