// Runs of Agents with a model: for their initiator and no further, one action for each change, and nothing without a
// decision that the definition does not allow.
import { afterAll, beforeEach, describe, expect, test } from "vitest";
import {
  curatedIds,
  custom,
  decide,
  enabled,
  ofRun,
  ran,
  runsOf,
  runsPath,
  settled,
  start,
} from "../../../test/agent-runs.ts";
import { eventually } from "../../../test/eventually.ts";
import { letAiIn } from "../../../test/mcp.ts";
import { scriptedModel } from "../../../test/scripted-model.ts";
import { newProject, newTask } from "../../../test/work.ts";
import { service, world } from "../../../test/world.ts";

const provider = await scriptedModel();
const running = service({ roles: ["api", "worker", "realtime"], ...provider.config });
afterAll(() => provider.close());
beforeEach(() => provider.clear());
const at = async () => {
  const home = await world(running);
  const [ada, bob] = [home.owner, await home.member("member")];
  const project = await newProject(home);
  return { home, ada, bob, project, task: await newTask(ada, project.id, { title: "Cut the gears" }) };
};
const commentsOn = async (person: Awaited<ReturnType<typeof at>>["ada"], task: { id: string }) =>
  (await person.call("GET", `/tasks/${task.id}/comments`)).body.items;

describe("a run", () => {
  test("waits with what it wants to change; its initiator decides on a digest, once, and it is done once under the Agent's name", async () => {
    const { home, ada, bob, task } = await at();
    const agent = await custom(ada, home);
    provider.say(
      {
        text: ["I look."],
        calls: [
          { name: "get_task", args: { code: task.code } },
          { name: "comment", args: { code: task.code, markdown: "canary words" } },
          { name: "comment", args: { code: task.code, markdown: "other words" } },
        ],
      },
      { text: [`I asked about ${task.code}.`] },
    );
    const run = await ran(bob, home, agent, { input: "Ask about it", task_id: task.id });
    expect(run).toMatchObject({
      state: "waiting",
      trigger: "manual",
      limited: false,
      dry_run: false,
      task_id: task.id,
    });
    expect(run.usage).toMatchObject({ steps: 5, input_tokens: 42, output_tokens: 14, cost: 0.098 });
    expect(JSON.stringify(provider.asked[1]?.body.messages)).toContain("waiting");
    const [first, second] = await ofRun(bob, home, agent, run, "actions");
    for (const id of [first.id, first.approval.id])
      expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(first).toMatchObject({
      kind: "comment",
      target: task.code,
      preview: "markdown: canary words",
      state: "waiting",
    });
    expect(first.approval).toMatchObject({ state: "open" });
    expect(await ofRun(bob, home, agent, run, "outputs")).toMatchObject([
      { kind: "text", text: `I look.\n\nI asked about ${task.code}.` },
    ]);
    // Others see that there was one, and nothing of it.
    const seen = await ada.call("GET", runsPath(home, agent, `/${run.id}`));
    expect(seen.body).toMatchObject({ state: "waiting", task_id: null, usage: run.usage });
    for (const what of ["actions", "outputs"])
      expect((await ada.call("GET", runsPath(home, agent, `/${run.id}/${what}`))).body.items).toEqual([]);
    expect((await decide(ada, home, agent, first)).status).toBe(404);
    expect(await commentsOn(ada, task)).toEqual([]);
    expect((await decide(bob, home, agent, first, "approve", "0".repeat(64))).body.code).toBe("digest_mismatch");
    const decisions = await Promise.all([decide(bob, home, agent, first), decide(bob, home, agent, first)]);
    expect(decisions.map(({ status }) => status).sort()).toEqual([200, 409]);
    const done = await eventually(async () => {
      const [now] = await ofRun(bob, home, agent, run, "actions");
      expect(now.state).toBe("done");
      return now;
    });
    expect(done).toMatchObject({ approval: { state: "approved" }, receipt_id: expect.any(String) });
    expect(await commentsOn(ada, task)).toMatchObject([{ markdown: "canary words", author_actor_id: agent.actor_id }]);
    expect((await settled(bob, home, agent, run.id)).state).toBe("waiting");
    expect((await decide(bob, home, agent, second, "reject")).status).toBe(200);
    expect((await settled(bob, home, agent, run.id, ["waiting", "running", "queued"])).state).toBe("completed");
    expect((await decide(bob, home, agent, first)).body).toMatchObject({
      code: "approval_closed",
      errors: [{ code: "done" }],
    });
    const { items } = (await ada.call("GET", `/workspaces/${home.workspaceId}/activity`)).body;
    const told = items.find((item: { provenance: { source: string } }) => item.provenance.source === "agent");
    expect(told.provenance).toMatchObject({
      actor_id: agent.actor_id,
      display_name: agent.name,
      client: `Person ${bob.userId.slice(-4)}`,
    });
    expect(JSON.stringify(items)).not.toContain("agent_run");
    const steps = await running.asOwner("select asked, answered from agent_steps");
    expect(JSON.stringify([steps, seen.body])).not.toContain("canary");
  });

  test("asks again with what has changed where its Task has changed before the approval, and then does it on what is there", async () => {
    const { home, ada, task } = await at();
    const agent = await custom(ada, home);
    const args = { code: task.code, revision: "1", priority: "high" };
    provider.say({ calls: [{ name: "update_task", args }] }, { text: ["It waits."] });
    const run = await ran(ada, home, agent);
    const [first] = await ofRun(ada, home, agent, run, "actions");
    await ada.call("PATCH", `/tasks/${task.id}`, { body: { title: "Cut the big gears" }, ifMatch: "1" });
    expect((await decide(ada, home, agent, first)).status).toBe(200);
    expect((await settled(ada, home, agent, run.id)).state).toBe("waiting");
    const [refused, again] = await ofRun(ada, home, agent, run, "actions");
    expect(refused).toMatchObject({
      id: first.id,
      state: "refused",
      refusal: expect.stringContaining("proposed again"),
    });
    expect(again).toMatchObject({
      kind: "update_task",
      target: task.code,
      state: "waiting",
      approval: { state: "open" },
    });
    expect(again.preview).toContain("title: Cut the gears → Cut the big gears");
    expect(again.preview).toContain("priority: high");
    expect((await decide(ada, home, agent, again)).status).toBe(200);
    expect((await settled(ada, home, agent, run.id)).state).toBe("completed");
    const { body } = await ada.call("GET", `/tasks/${task.id}`);
    expect(body).toMatchObject({ priority: "high", title: "Cut the big gears", revision: "3" });
  });

  test("says where its text was cut off, and fails where there is none", async () => {
    const { home, ada } = await at();
    const agent = await custom(ada, home);
    provider.say({ text: ["Once upon"], after: "length" });
    const [output] = await ofRun(ada, home, agent, await ran(ada, home, agent), "outputs");
    expect(output.text).toMatch(/^Once upon\n\n.*cut off/);
    provider.say({ text: [] });
    expect(await ran(ada, home, agent)).toMatchObject({ state: "failed", error_code: "answer_empty" });
  });

  test("of a dry run says what it would do, and does nothing", async () => {
    const { home, ada, project, task } = await at();
    const agent = await custom(ada, home, { budgets: { changes_at_once: 5 } });
    const changes = [
      { action: "create", project: project.key, set: { title: "New" } },
      { action: "comment", code: task.code, markdown: "Hello" },
    ];
    provider.say(
      { calls: [{ name: "propose_changes", args: { title: "Both", changes } }] },
      { text: ["That is what I would do."] },
    );
    const run = await ran(ada, home, agent, { dry_run: true });
    expect(run).toMatchObject({ state: "completed", dry_run: true });
    expect(await ofRun(ada, home, agent, run, "actions")).toMatchObject([
      { kind: "create_task", target: project.key, state: "planned", approval: null },
      { kind: "comment", target: task.code, state: "planned", approval: null },
    ]);
    expect(await commentsOn(ada, task)).toEqual([]);
  });

  test("makes as many small changes at once as its budget has, and none once it has read", async () => {
    const { home, ada, project, task } = await at();
    const agent = await custom(ada, home, { budgets: { changes_at_once: 2 } });
    const comment = (markdown: string, code = task.code) => ({ name: "comment", args: { code, markdown } });
    provider.say({ calls: [comment("one"), comment("two"), comment("three")] }, { text: ["Done."] });
    const run = await ran(ada, home, agent);
    expect((await ofRun(ada, home, agent, run, "actions")).map(({ state }) => state).sort()).toEqual([
      "done",
      "done",
      "waiting",
    ]);
    expect((await commentsOn(ada, task)).length).toBe(2);
    const hidden = await newProject(home, { visibility: "private" });
    const secret = await newTask(ada, hidden.id, { title: "Secret plan" });
    provider.say(
      { calls: [{ name: "get_task", args: { code: secret.code } }] },
      { calls: [comment("leak")] },
      { text: ["Done."] },
    );
    const wide = await ran(ada, home, agent);
    expect(await ofRun(ada, home, agent, wide, "actions")).toMatchObject([{ state: "waiting", target: task.code }]);
    // A run about one Task stays within that Project; text from there taints it as well.
    provider.say(
      { calls: [{ name: "get_task", args: { code: secret.code } }, comment("within", secret.code)] },
      { text: ["Done."] },
    );
    const within = await ran(ada, home, agent, { task_id: secret.id });
    expect(await ofRun(ada, home, agent, within, "actions")).toMatchObject([{ state: "waiting", target: secret.code }]);
    provider.say({ calls: [{ name: "list_tasks", args: { project: project.key } }] }, { text: ["No."] });
    await ran(ada, home, agent, { task_id: secret.id });
    expect(JSON.stringify(provider.asked.at(-1)?.body.messages)).not.toContain("Cut the gears");
  });

  test("never has more than its initiator: not their Projects, and not what they may not change", async () => {
    const { home, ada, bob, task } = await at();
    const agent = await custom(ada, home, { budgets: { changes_at_once: 5 } });
    const hidden = await newProject(home, { visibility: "private" });
    const secret = await newTask(ada, hidden.id, { title: "canary plan" });
    provider.say(
      {
        calls: [
          { name: "get_task", args: { code: secret.code } },
          { name: "find", args: { query: "canary" } },
        ],
      },
      { text: ["Nothing."] },
    );
    expect((await ran(bob, home, agent)).state).toBe("completed");
    expect(JSON.stringify(provider.asked.at(-1)?.body)).not.toContain("canary plan");
    // A viewer of the Project reads it, and has nothing changed there.
    const added = await ada.call("POST", `/projects/${hidden.id}/members`, {
      body: { actor_id: bob.actorId, role: "viewer" },
    });
    expect(added.status, added.text).toBe(201);
    expect((await start(bob, home, agent, { task_id: secret.id })).status).toBe(403);
    const viewer = await home.member("viewer");
    expect((await start(viewer, home, agent)).status).toBe(403);
    expect((await start(ada, home, agent, { task_id: agent.id })).body.code).toBe("invalid_reference");
    expect(task.code).not.toBe(secret.code);
  });

  test("begins as often within an hour as its budget has, and not once more", async () => {
    const { home, ada } = await at();
    const agent = await custom(ada, home, { budgets: { runs_per_hour: 2 } });
    provider.always({ text: ["Done."] });
    expect([(await start(ada, home, agent)).status, (await start(ada, home, agent)).status]).toEqual([201, 201]);
    expect((await start(ada, home, agent)).body.code).toBe("agent_runs_exceeded");
    const begun = await runsOf(ada, home, agent);
    expect(begun).toHaveLength(2);
    for (const { id } of begun) expect((await settled(ada, home, agent, id)).state).toBe("completed");
  });

  test("stops at its next step in quarantine, when it is cancelled, and when its initiator is gone", async () => {
    const { home, ada, bob, task } = await at();
    const agent = await custom(ada, home);
    const held = async (person: typeof ada) => {
      const gone = Promise.withResolvers<void>();
      const before = provider.asked.length;
      provider.say(
        { before: gone.promise, calls: [{ name: "get_task", args: { code: task.code } }] },
        { text: ["Never said."] },
      );
      const { body } = await start(person, home, agent);
      await expect.poll(() => provider.asked.length).toBe(before + 1);
      return { id: body.id as string, go: gone.resolve };
    };
    const cancelled = await held(bob);
    expect((await ada.call("POST", runsPath(home, agent, `/${cancelled.id}/cancel`))).body.state).toBe(
      "cancel_requested",
    );
    expect((await settled(bob, home, agent, cancelled.id)).state).toBe("cancelled");
    cancelled.go();
    provider.clear();
    const left = await held(bob);
    await running.asOwner("update memberships set state = 'removed' where actor_id = $1", [bob.actorId]);
    left.go();
    expect(await settled(ada, home, agent, left.id)).toMatchObject({
      state: "failed",
      error_code: "initiator_lost_access",
    });
    provider.clear();
    const stopped = await held(ada);
    const quarantined = await ada.call("POST", `${runsPath(home, agent).replace("/runs", "")}/quarantine`, {
      body: { reason: "Too loud" },
    });
    expect(quarantined.status, quarantined.text).toBe(200);
    stopped.go();
    expect(await settled(ada, home, agent, stopped.id)).toMatchObject({
      state: "failed",
      error_code: "agent_quarantined",
    });
    expect((await start(ada, home, agent)).body.code).toBe("agent_not_active");
    expect(JSON.stringify(provider.asked.map(({ body }) => body.messages))).not.toContain("Cut the gears");
  });

  test("sends nothing to a model while the Workspace lets no AI in", async () => {
    const { home, ada } = await at();
    const agent = await custom(ada, home);
    const summary = await enabled(ada, home, curatedIds.dailySummary);
    await letAiIn(ada, home.workspaceId, false);
    expect(await ran(ada, home, agent)).toMatchObject({ state: "failed", error_code: "ai_access_disabled" });
    expect(await ran(ada, home, summary)).toMatchObject({ state: "completed", limited: true });
    expect(provider.asked).toHaveLength(0);
  });

  test("ends with a name where its steps, its tokens, its time or the tokens of the day are used up", async () => {
    const { home, ada, task } = await at();
    const agent = await custom(ada, home, { budgets: { steps_per_run: 2 } });
    provider.always({ calls: [{ name: "get_task", args: { code: task.code } }] });
    expect(await ran(ada, home, agent)).toMatchObject({
      state: "failed",
      error_code: "steps_exceeded",
      usage: { steps: 2 },
    });
    const wordy = await custom(ada, home, { name: "Wordy" });
    await running.asOwner(`update agents set own_budgets = '{"tokens_per_run": 50}' where id = $1`, [wordy.id]);
    // 28 tokens each time: with the third it would be more.
    expect(await ran(ada, home, wordy)).toMatchObject({
      state: "failed",
      error_code: "tokens_exceeded",
      usage: { input_tokens: 42, output_tokens: 14 },
    });
    const slow = await custom(ada, home, { name: "Slow" });
    await running.asOwner(`update agents set own_budgets = '{"seconds_per_run": 1}' where id = $1`, [slow.id]);
    provider.always({ text: ["A word, and then"], after: "silence" });
    const late = await ran(ada, home, slow);
    expect(late).toMatchObject({ state: "failed", error_code: "time_exceeded" });
    expect(Date.parse(late.ended_at) - Date.parse(late.started_at)).toBeGreaterThanOrEqual(1000);
    await running.asOwner("update agent_usage set input_tokens = 10000000 where workspace_id = $1", [home.workspaceId]);
    expect(await ran(ada, home, agent)).toMatchObject({ state: "failed", error_code: "tokens_per_day_exceeded" });
  });
});
