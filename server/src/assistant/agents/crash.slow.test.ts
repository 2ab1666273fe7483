// A process that is killed while an Agent is at work: another goes on from the last step, and what was changed is
// changed once.
import { afterAll, afterEach, expect, test } from "vitest";
import { custom, decide, ofRun, settled, start } from "../../../test/agent-runs.ts";
import { type Another, anotherProcess } from "../../../test/another-process.ts";
import { eventually } from "../../../test/eventually.ts";
import { scriptedModel } from "../../../test/scripted-model.ts";
import { newProject, newTask } from "../../../test/work.ts";
import { service, world } from "../../../test/world.ts";

const provider = await scriptedModel();
const running = service({});
let others: Another[] = [];
afterEach(async () => {
  await Promise.all(others.map((other) => other.kill()));
  others = [];
});
afterAll(() => provider.close());
const worker = async () => {
  const other = await anotherProcess(running, 0, { ...provider.env, ROLES: "api,worker" });
  others.push(other);
  return other;
};

test("after a change was made, and another was asked for: each is there once, and the model is asked again for what it had not said", async () => {
  const home = await world(running);
  const ada = home.owner;
  const task = await newTask(ada, (await newProject(home)).id);
  const agent = await custom(ada, home, { budgets: { changes_at_once: 1 } });
  const comment = (markdown: string) => ({ name: "comment", args: { code: task.code, markdown } });
  const first = await worker();
  provider.say({ calls: [comment("once"), comment("asked")] }, { text: ["I am"], after: "silence" });
  const { body } = await start(ada, home, agent);
  await eventually(async () => expect(provider.asked).toHaveLength(2));
  await first.kill();
  // Its time limit does not end the lease: that the process is gone does.
  const lease = `update agent_runs set lease_until = now() + interval '1 hour' where id = $1 and lease_until is not null
      returning 1`;
  expect(await running.asOwner(lease, [body.id])).toHaveLength(1);
  provider.say({ text: ["I am done."] });
  await worker();
  const run = await settled(ada, home, agent, body.id);
  expect(run).toMatchObject({ state: "waiting", usage: { steps: 4 } });
  expect(await ofRun(ada, home, agent, run, "outputs")).toMatchObject([{ text: "I am done." }]);
  const [done, waiting, ...more] = await ofRun(ada, home, agent, run, "actions");
  expect([done.state, waiting.state, more]).toEqual(["done", "waiting", []]);
  expect((await decide(ada, home, agent, waiting)).status).toBe(200);
  expect((await settled(ada, home, agent, run.id, ["queued", "running", "waiting"])).state).toBe("completed");
  const comments = (await ada.call("GET", `/tasks/${task.id}/comments`)).body.items;
  expect(comments.map(({ markdown }: { markdown: string }) => markdown).sort()).toEqual(["asked", "once"]);
  expect(provider.asked).toHaveLength(3);
});

test("a process that has lost the lease of its run while the model speaks changes nothing more", async () => {
  const home = await world(running);
  const ada = home.owner;
  const task = await newTask(ada, (await newProject(home)).id);
  const agent = await custom(ada, home, { budgets: { changes_at_once: 1 } });
  provider.clear();
  const gate = Promise.withResolvers<void>();
  const calls = [{ name: "comment", args: { code: task.code, markdown: "old" } }];
  provider.say({ text: ["I ", "comment."], calls, hold: gate.promise });
  await worker();
  const { body } = await start(ada, home, agent);
  await eventually(async () => expect(provider.asked).toHaveLength(1));
  // The update does what a claim of the run does.
  const claim = `update agent_runs set fence = fence + 1, lease_process = null, lease_until = now() + interval '1 hour'
      where id = $1`;
  await running.asOwner(claim, [body.id]);
  provider.say({ text: ["I am done."] });
  gate.resolve();
  await running.asOwner("update agent_runs set lease_until = null where id = $1", [body.id]);
  await worker();
  const run = await settled(ada, home, agent, body.id);
  expect(run).toMatchObject({ state: "completed" });
  expect(await ofRun(ada, home, agent, run, "outputs")).toMatchObject([{ text: "I am done." }]);
  expect(await ofRun(ada, home, agent, run, "actions")).toEqual([]);
  expect((await ada.call("GET", `/tasks/${task.id}/comments`)).body.items).toEqual([]);
});
