// A part of the work handed to an Agent from a conversation: private to who asked, read only, stopped and taken up
// again, and its result once in the conversation.
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { custom, runsPath } from "../../../test/agent-runs.ts";
import { answerTo, discussPath, partsOf, talkers } from "../../../test/discuss.ts";
import { eventually } from "../../../test/eventually.ts";
import { letAiIn } from "../../../test/mcp.ts";
import { scriptedModel } from "../../../test/scripted-model.ts";
import { newProject, newTask } from "../../../test/work.ts";
import { newKey, service } from "../../../test/world.ts";

const provider = await scriptedModel();
const running = service({ roles: ["api", "worker", "realtime"], ...provider.config });
afterAll(() => provider.close());
beforeEach(() => provider.clear());

type Talk = Awaited<ReturnType<typeof talkers>>;
const path = (home: Talk["home"], rest = "") => discussPath(home, `specialist-runs${rest}`);
const listed = async (person: Talk["ada"], home: Talk["home"]) => (await person.call("GET", path(home))).body.items;
const becomes = (person: Talk["ada"], home: Talk["home"], id: string, state: string) =>
  eventually(async () => {
    const { body } = await person.call("GET", path(home, `/${id}`));
    expect(body.state).toBe(state);
    return body;
  });
const newest = (person: Talk["ada"], home: Talk["home"], kind: string) =>
  eventually(async () => {
    const { items } = (await person.call("GET", discussPath(home, "messages"))).body;
    expect(partsOf(items[0], kind)).toHaveLength(1);
    return items[0];
  });

describe("a specialist", () => {
  test("is asked by an answer, reads for its person, and its result is one message of its own", async () => {
    const { home, ada, bob } = await talkers(running);
    const task = await newTask(ada, (await newProject(home)).id, { title: "Cut gears" });
    const agent = await custom(ada, home, { name: "Scout", budgets: { changes_at_once: 5 } });
    const wants = [
      { name: "get_task", args: { code: task.code } },
      { name: "comment", args: { code: task.code, markdown: "no" } },
    ];
    // The assistant and the Agent are at work at the same time.
    provider.always(({ messages }) => {
      const isAgent = String(messages[0].content).includes("You are Scout, an Agent");
      const hasUsed = messages.at(-1).role === "tool";
      if (isAgent) return hasUsed ? { text: [`${task.code} is about gears.`] } : { calls: wants };
      return hasUsed
        ? { text: ["Scout looks."] }
        : { calls: [{ name: "ask_agent", args: { agent: "scout", task: "Look at the gears" } }] };
    });
    const answer = await answerTo(bob, home, "What about the gears?");
    expect(answer.content).toBe("Scout looks.");
    expect(partsOf(answer, "tool_activity")).toMatchObject([{ tool: "ask_agent", state: "completed" }]);
    const result = await newest(bob, home, "specialist_result");
    expect(result).toMatchObject({
      role: "assistant",
      turn_id: answer.turn_id,
      run_id: null,
      content: `${task.code} is about gears.`,
    });
    expect(result.generation_state).toBeUndefined();
    const [run] = await listed(bob, home);
    expect(partsOf(result, "specialist_result")).toMatchObject([
      {
        specialist_run_id: run.id,
        delivery_mode: "direct",
        state: "completed",
        error_code: null,
        author: {
          actor_id: agent.actor_id,
          definition_id: agent.definition_id,
          version: 1,
          revision: agent.revision,
          name: "Scout",
          initiator_actor_id: bob.actorId,
          parent_run_id: answer.run_id,
        },
      },
    ]);
    expect(run).toMatchObject({ state: "completed", trigger: "discuss", name: "Scout", parent_run_id: answer.run_id });
    // It changes nothing, whatever its definition allows.
    expect((await ada.call("GET", `/tasks/${task.id}/comments`)).body.items).toEqual([]);
    // Nobody else learns of it: not an owner, and not among the runs of the Agent.
    expect(await listed(ada, home)).toEqual([]);
    for (const [method, rest] of [
      ["GET", ""],
      ["POST", "/cancel"],
      ["POST", "/resume"],
    ] as const)
      expect((await ada.call(method, path(home, `/${run.id}${rest}`))).status).toBe(404);
    expect((await ada.call("GET", runsPath(home, agent))).body.items).toEqual([]);
    expect((await bob.call("GET", runsPath(home, agent, `/${run.id}`))).status).toBe(404);
    expect((await bob.call("POST", path(home, `/${run.id}/resume`))).body.code).toBe("specialist_run_completed");
    expect((await bob.call("POST", path(home, `/${run.id}/cancel`))).body.state).toBe("completed");
    // What it found may be what others wrote: a later turn that is told of it changes nothing by itself.
    provider.always(null);
    await bob.call("PATCH", discussPath(home, "preferences"), { body: { opt_in: true }, ifMatch: "0" });
    provider.say({ calls: [{ name: "comment", args: { code: task.code, markdown: "done" } }] }, { text: ["Done."] });
    expect(partsOf(await answerTo(bob, home, "Then comment"), "interaction")).toMatchObject([
      { interaction_kind: "approval" },
    ]);
  });

  test("is stopped by its person, and goes on from its last finished step", async () => {
    const { home, ada } = await talkers(running);
    const task = await newTask(ada, (await newProject(home)).id, { title: "Cut gears" });
    await custom(ada, home, { name: "Scout" });
    await letAiIn(ada, home.workspaceId, false);
    const asked = await answerTo(ada, home, "Ask Scout to look at the gears.");
    expect(asked.content).toBe("Scout is at work on it. What it finds arrives here as a message of its own.");
    const failed = await newest(ada, home, "specialist_result");
    expect(partsOf(failed, "specialist_result")).toMatchObject([{ state: "failed", error_code: "ai_access_disabled" }]);
    const [run] = await listed(ada, home);
    await letAiIn(ada, home.workspaceId, true);
    provider.say({ calls: [{ name: "get_task", args: { code: task.code } }] }, { text: ["It"], after: "silence" });
    expect((await ada.call("POST", path(home, `/${run.id}/resume`))).body.state).toBe("queued");
    await eventually(async () => expect(provider.asked).toHaveLength(2));
    expect((await ada.call("POST", path(home, `/${run.id}/resume`))).body.state).toBe("running");
    expect((await ada.call("POST", path(home, `/${run.id}/cancel`))).body.state).toBe("cancel_requested");
    await becomes(ada, home, run.id, "cancelled");
    provider.say({ text: ["It is about gears."] });
    expect((await ada.call("POST", path(home, `/${run.id}/resume`))).body.state).toBe("queued");
    const done = await becomes(ada, home, run.id, "completed");
    expect(done.usage.steps).toBe(3);
    expect(provider.asked).toHaveLength(3);
    const { items } = (await ada.call("GET", discussPath(home, "messages"))).body;
    expect(items[0].content).toBe("It is about gears.");
  });

  test("is one that its person sees, by its name; and needs a credential that may run Agents", async () => {
    const { home, ada, bob } = await talkers(running);
    const hidden = await newProject(home, { visibility: "private" });
    await custom(ada, home, { name: "Canary scout", project_ids: [hidden.id] });
    await custom(ada, home, { name: "Open scout" });
    await letAiIn(ada, home.workspaceId, false);
    const refused = await answerTo(bob, home, "Ask canary scout to look");
    expect(refused.content).toContain("There are: Open scout.");
    expect(await listed(bob, home)).toEqual([]);
    const token = await home.token(["svc:discuss", "svc:read"]);
    const sent = await ada.bearer(token, "POST", discussPath(home, "messages"), {
      body: { content: "Ask open scout to look" },
      key: newKey(),
    });
    await eventually(async () => {
      const { body } = await ada.call("GET", discussPath(home, `messages/${sent.body.assistant_message.id}`));
      expect(body.content).toContain("There is no tool called ask_agent.");
    });
  });
});
