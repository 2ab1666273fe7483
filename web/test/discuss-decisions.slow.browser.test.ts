// What an answer asks its person when something went wrong: to propose anew what has moved on, or to try again what
// failed. Each choice does what it says, one that is over says so, and what is so afterwards is asked of the service.
import { afterAll, beforeEach, expect, test } from "vitest";
import { browser } from "../../server/test/browser.ts";
import { discussPath } from "../../server/test/discuss.ts";
import { taskByCode } from "../../server/test/mcp.ts";
import { scriptedModel } from "../../server/test/scripted-model.ts";
import { service } from "../../server/test/world.ts";
import { looked } from "./app.ts";
import { talkingIn } from "./talk.ts";

const provider = await scriptedModel();
const running = service({ roles: ["api", "worker", "realtime"], ...provider.config });
const chromium = browser();
beforeEach(() => provider.clear());
afterAll(() => provider.close());
const workshop = () => talkingIn(running, chromium);

/** A change that was approved, and whose Task somebody else has changed before it was made. */
async function overtaken() {
  const place = await workshop();
  const { home, task, panel, open, ask, completed } = place;
  provider.say(
    { calls: [{ name: "update_task", args: { code: task.code, revision: "1", priority: "high" } }] },
    { text: ["It waits for you."] },
  );
  await open();
  await ask("Make it urgent");
  await completed();
  // What follows from the approval waits behind another answer.
  const held = Promise.withResolvers<void>();
  provider.say({ before: held.promise, text: ["Later."] });
  await ask("First this");
  await expect.poll(() => provider.asked.length).toBe(3);
  await panel.getByRole("button", { name: "Approve" }).click();
  await panel.locator('[data-interaction="approval"][data-state="decided"]').waitFor();
  const changed = await home.owner.call("PATCH", `/tasks/${task.id}`, {
    body: { title: "Cut the big gears" },
    ifMatch: "1",
  });
  expect(changed.status, changed.text).toBe(200);
  held.resolve();
  const card = panel.locator('[data-interaction="stale_action"]');
  await card.and(panel.locator('[data-state="open"]')).waitFor();
  return { ...place, card };
}

test("what has moved on before it was made is proposed again on what is there, and happens when that is approved", async () => {
  const { home, task, ada, panel, card } = await overtaken();
  await panel.getByText("Nothing was changed").waitFor();
  expect(await card.getByRole("button").allTextContents()).toEqual(["Propose it again", "Leave it"]);
  expect((await taskByCode(home, task.code)).priority).toBe("none");
  await looked(ada, "talk-moved-on");
  await card.getByRole("button", { name: "Propose it again" }).click();
  const fresh = panel.locator('[data-interaction="approval"][data-state="open"]');
  await fresh.getByText("added: high").waitFor();
  await panel.locator('[data-interaction="stale_action"][data-state="decided"]').waitFor();
  expect((await taskByCode(home, task.code)).priority).toBe("none");
  await fresh.getByRole("button", { name: "Approve" }).click();
  await panel.getByText("as you approved it").waitFor();
  expect(await taskByCode(home, task.code)).toMatchObject({ priority: "high", title: "Cut the big gears" });
});

test("what has moved on and is left stays as it is, and nothing more is said", async () => {
  const { home, task, panel, card } = await overtaken();
  const messages = async () => (await home.owner.call("GET", discussPath(home, "messages"))).body.items.length;
  const before = await messages();
  await card.getByRole("button", { name: "Leave it" }).click();
  await panel.locator('[data-interaction="stale_action"][data-state="decided"]').waitFor();
  expect(await card.getByRole("button").count()).toBe(0);
  await card.getByText("Decided.").waitFor();
  expect(await messages()).toBe(before);
  expect(await taskByCode(home, task.code)).toMatchObject({ priority: "none", title: "Cut the big gears" });
});

const fails = { text: ["Half"], after: "cut" } as const;
test("an answer that failed is tried again, and the same question is answered", async () => {
  const { ada, panel, open, ask } = await workshop();
  provider.say(fails, fails, fails);
  await open();
  await ask("What is to be cut?");
  const card = panel.locator('[data-interaction="recovery"]');
  await card.getByText("Shall it be tried again?").waitFor();
  expect(await card.getByRole("button").allTextContents()).toEqual(["Try again", "Leave it"]);
  await looked(ada, "talk-failed");
  provider.say({ text: ["The gears."] });
  await card.getByRole("button", { name: "Try again" }).click();
  await panel.getByText("The gears.").waitFor();
  expect(await card.getAttribute("data-state")).toBe("decided");
  expect(JSON.stringify(provider.asked.at(-1)?.body.messages)).toContain("What is to be cut?");
});

test("one that failed and is left is asked of nobody again", async () => {
  const { panel, open, ask } = await workshop();
  provider.say(fails, fails, fails);
  await open();
  await ask("What is to be cut?");
  const card = panel.locator('[data-interaction="recovery"]');
  await card.getByRole("button", { name: "Leave it" }).click();
  await card.getByText("Decided.").waitFor();
  expect([await card.getByRole("button").count(), provider.asked.length]).toEqual([0, 3]);
});

test("one whose time is over says so: to whoever presses too late, and to whoever only looks at it", async () => {
  const { home, ada, page, panel, open, ask } = await workshop();
  await page.clock.install();
  provider.say(fails, fails, fails);
  await open();
  await ask("What is to be cut?");
  const card = panel.locator('[data-interaction="recovery"]');
  await card.getByRole("button", { name: "Try again" }).waitFor();
  await running.asOwner("update discuss_interactions set expires_at = now() where workspace_id = $1", [
    home.workspaceId,
  ]);
  await card.getByRole("button", { name: "Try again" }).click();
  await card.locator('[data-code="interaction_closed"]').getByText("has expired").waitFor();
  expect(provider.asked.length).toBe(3);
  await page.clock.fastForward("25:00:00");
  await card.getByText("It has expired. Ask again.").waitFor();
  expect(await card.getByRole("button").count()).toBe(0);
  await looked(ada, "talk-expired");
});
