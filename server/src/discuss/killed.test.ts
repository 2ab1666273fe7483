// A process that is killed while it answers: another goes on from the last step, nothing has two effects, and no text is there twice.
import { afterAll, afterEach, expect, test } from "vitest";
import { type Another, anotherProcess } from "../../test/another-process.ts";
import { discussPath, ended, partsOf, readMessage, say, talkers } from "../../test/discuss.ts";
import { eventually } from "../../test/eventually.ts";
import { scriptedModel } from "../../test/scripted-model.ts";
import { newProject } from "../../test/work.ts";
import { service } from "../../test/world.ts";

const provider = await scriptedModel();
const running = service({});
let others: Another[] = [];
afterEach(async () => {
  await Promise.all(others.map((other) => other.kill()));
  others = [];
});
afterAll(() => provider.close());
const worker = async () => {
  const { url, name, key } = provider.model();
  const other = await anotherProcess(running, 0, {
    ...{ ROLES: "api,worker", MODEL_PROVIDER: "openai", MODEL_URL: url, MODEL_NAME: name, MODEL_KEY: key ?? "" },
    EGRESS_ALLOW: provider.origin,
  });
  others.push(other);
  return other;
};

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
