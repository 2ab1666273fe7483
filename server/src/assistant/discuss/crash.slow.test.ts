// A process that is killed while it answers: another goes on from the last step, nothing has two effects, and no text
// is there twice.
import pg from "pg";
import { afterAll, afterEach, expect, test } from "vitest";
import { type Another, anotherProcess } from "../../../test/another-process.ts";
import { discussPath, ended, partsOf, readMessage, say, talkers } from "../../../test/discuss.ts";
import { eventually } from "../../../test/eventually.ts";
import { scriptedModel } from "../../../test/scripted-model.ts";
import { newProject } from "../../../test/work.ts";
import { service } from "../../../test/world.ts";

const provider = await scriptedModel();
const running = service({});
let others: Another[] = [];
const held: pg.Client[] = [];
afterEach(async () => {
  await Promise.all(held.splice(0).map((client) => client.end()));
  await Promise.all(others.map((other) => other.kill()));
  others = [];
});
afterAll(() => provider.close());
const worker = async () => {
  const other = await anotherProcess(running, 0, { ...provider.env, ROLES: "api,worker" });
  others.push(other);
  return other;
};

/** A transaction that holds something until it ends. */
async function holder() {
  const client = new pg.Client(running.databaseUrl);
  await client.connect();
  await client.query("begin");
  held.push(client);
  return client;
}

test("while the model speaks after a change: the change is there once, and so is every word", async () => {
  const { home, ada } = await talkers(running);
  const project = await newProject(home);
  const first = await worker();
  provider.say(
    { text: ["I propose it."], calls: [{ name: "create_task", args: { project: project.key, title: "Once" } }] },
    { text: ["It ", "waits"], after: "silence" },
  );
  const { assistant_message: message } = await say(ada, home, "Make a Task");
  await eventually(async () => {
    const [text] = partsOf(await readMessage(ada, home, message.id), "runtime_text");
    expect(text?.text).toBe("I propose it.\n\nIt waits");
  });
  await first.kill();
  // Its time limit does not end the lease: that the process is gone does.
  const lease = `update discuss_runs set lease_until = now() + interval '1 hour' where id = $1 and lease_until is not null
      returning 1`;
  expect(await running.asOwner(lease, [message.run_id])).toHaveLength(1);
  provider.say({ text: ["It ", "waits ", "for you."] });
  await worker();
  const answer = await ended(ada, home, message.id);
  expect(answer).toMatchObject({ generation_state: "completed", content: "I propose it.\n\nIt waits for you." });
  expect(partsOf(answer, "interaction")).toHaveLength(1);
  const sets = await ada.call("GET", `/workspaces/${home.workspaceId}/change-sets`);
  expect(sets.body.items).toHaveLength(1);
  const events = (await ada.call("GET", discussPath(home, `messages/${message.id}/run-events`))).body.items;
  expect(events.map(({ type }: { type: string }) => type)).toEqual([
    "started",
    "tool_started",
    "interaction",
    "tool_ended",
    "resumed",
    "completed",
  ]);
  // What was asked of the model after the tool was asked again, and nothing before it.
  expect(provider.asked).toHaveLength(3);
});

test("in the middle of a tool, before and after what it did was committed: it was done once", async () => {
  const { home, ada } = await talkers(running);
  const project = await newProject(home);
  await ada.call("PATCH", discussPath(home, "preferences"), { body: { opt_in: true }, ifMatch: "0" });
  const tasks = async () =>
    (
      await running.asOwner<{ n: number }>("select count(*)::int as n from tasks where workspace_id = $1", [
        home.workspaceId,
      ])
    )[0]?.n;
  const [creating, ending] = [await holder(), await holder()];
  await creating.query("lock table tasks in share row exclusive mode");
  provider.clear();
  provider.say({ calls: [{ name: "create_task", args: { project: project.key, title: "Once" } }] });
  const first = await worker();
  const { assistant_message: message } = await say(ada, home, "Make a Task");
  // It has begun, and cannot go on.
  const begun = "select from discuss_steps where run_id = $1 and kind = 'tool' and answered is null";
  await eventually(async () => expect(await running.asOwner(begun, [message.run_id])).toHaveLength(1));
  await first.kill();
  expect(await tasks()).toBe(0);
  // The next one makes the Task, and cannot note that it has.
  await ending.query(`${begun} for update`, [message.run_id]);
  const second = await worker();
  await creating.end();
  await eventually(async () => expect(await tasks()).toBe(1));
  await second.kill();
  await ending.end();
  provider.say({ text: ["There it is."] });
  await worker();
  const answer = await ended(ada, home, message.id);
  expect(answer).toMatchObject({ generation_state: "completed", content: "There it is." });
  expect([await tasks(), partsOf(answer, "action_result").length]).toEqual([1, 1]);
  const receipts = partsOf(answer, "operation_receipts").flatMap(({ receipts: each }) => each);
  expect(receipts).toMatchObject([{ tool: "create_task", state: "succeeded" }]);
  expect(provider.asked).toHaveLength(2);
});

test("a process that has lost the lease of its run while the model speaks writes nothing more", async () => {
  const { home, ada } = await talkers(running);
  provider.clear();
  const gate = Promise.withResolvers<void>();
  provider.say({ text: ["Old ", "words"], hold: gate.promise });
  await worker();
  const { assistant_message: message } = await say(ada, home, "Hello");
  await eventually(async () => {
    const [text] = partsOf(await readMessage(ada, home, message.id), "runtime_text");
    expect(text?.text).toBe("Old ");
  });
  // The update does what a claim of the run does.
  const claim = `update discuss_runs set fence = fence + 1, lease_process = null, lease_until = now() + interval '1 hour'
      where id = $1`;
  await running.asOwner(claim, [message.run_id]);
  provider.say({ text: ["New words."] });
  gate.resolve();
  await running.asOwner("update discuss_runs set lease_until = null where id = $1", [message.run_id]);
  await worker();
  const answer = await ended(ada, home, message.id);
  expect(answer).toMatchObject({ generation_state: "completed", content: "New words." });
  const events = (await ada.call("GET", discussPath(home, `messages/${message.id}/run-events`))).body.items;
  expect(events.map(({ type }: { type: string }) => type)).toEqual(["started", "resumed", "completed"]);
});
