// Runs that meet a database error are retried from their last step: they end as they would have, and never with
// `internal`.
import pg from "pg";
import { afterAll, beforeEach, expect, test } from "vitest";
import { custom, ofRun, settled, start } from "../../../test/agent-runs.ts";
import { discussPath, ended, partsOf, say, talkers } from "../../../test/discuss.ts";
import { eventually } from "../../../test/eventually.ts";
import { scriptedModel } from "../../../test/scripted-model.ts";
import { service } from "../../../test/world.ts";

const provider = await scriptedModel();
const running = service({ roles: ["api", "worker"], ...provider.config });
afterAll(() => provider.close());
beforeEach(() => provider.clear());

/** Background work waits for locks of its own: only what waits for the holder is meant. */
const END_BLOCKED = `select pg_terminate_backend(pid) from pg_stat_activity
  where pg_backend_pid() = any(pg_blocking_pids(pid))`;
/** Has a write on this row wait, terminates the backend that waits, and lets go of the row. */
async function breakWriteOn(row: string, id: string, write: () => void) {
  const holder = new pg.Client(running.databaseUrl);
  await holder.connect();
  await holder.query("begin");
  await holder.query(`select from ${row} where id = $1 for update`, [id]);
  write();
  await eventually(async () => expect((await holder.query(END_BLOCKED)).rowCount).toBeGreaterThan(0));
  await holder.end();
}
const asked = (count: number) => eventually(() => expect(provider.asked).toHaveLength(count));

test("an assistant turn whose snapshot fails is answered, with every word once", async () => {
  const { home, ada } = await talkers(running);
  const hold = Promise.withResolvers<void>();
  provider.say({ text: ["It ", "is "], hold: hold.promise, after: "silence" });
  const { assistant_message: message } = await say(ada, home, "How is it?");
  await asked(1);
  provider.say({ text: ["It ", "is ", "done."] });
  await breakWriteOn("discuss_messages", message.id, hold.resolve);
  const answer = await ended(ada, home, message.id);
  expect(answer).toMatchObject({ generation_state: "completed", generation_error: null, content: "It is done." });
  const events = (await ada.call("GET", discussPath(home, `messages/${message.id}/run-events`))).body.items;
  expect(events.map(({ type }: { type: string }) => type)).toEqual(["started", "resumed", "completed"]);
});

test("an Agent run whose step cannot be stored is completed", async () => {
  const { home, ada } = await talkers(running);
  const agent = await custom(ada, home);
  const before = Promise.withResolvers<void>();
  provider.say({ text: ["Lost."], before: before.promise });
  const { body } = await start(ada, home, agent);
  await asked(1);
  provider.say({ text: ["Found."] });
  await breakWriteOn("agent_runs", body.id, before.resolve);
  const run = await settled(ada, home, agent, body.id);
  expect(run).toMatchObject({ state: "completed", error_code: null });
  expect(await ofRun(ada, home, agent, run, "outputs")).toMatchObject([{ text: "Found." }]);
});

test("a specialist run whose step cannot be stored delivers its result once", async () => {
  const { home, ada } = await talkers(running);
  await custom(ada, home, { name: "Scout" });
  const before = Promise.withResolvers<void>();
  let ofAgent = 0;
  provider.always(({ messages }) => {
    if (String(messages[0].content).includes("You are Scout, an Agent"))
      return ++ofAgent === 1 ? { text: ["Lost."], before: before.promise } : { text: ["Found."] };
    const hasAsked = messages.at(-1).role === "tool";
    return hasAsked
      ? { text: ["I asked."] }
      : { calls: [{ name: "ask_agent", args: { agent: "Scout", task: "Look" } }] };
  });
  await say(ada, home, "Have Scout look");
  await eventually(() => expect(ofAgent).toBe(1));
  const run = async () => (await ada.call("GET", discussPath(home, "specialist-runs"))).body.items[0];
  const { id } = await run();
  await breakWriteOn("agent_runs", id, before.resolve);
  await eventually(async () => expect((await run()).state).toBe("completed"));
  const { items } = (await ada.call("GET", discussPath(home, "messages"))).body;
  const results = items.filter((item: { content: string }) => /Found|Lost/.test(JSON.stringify(item)));
  expect(results).toHaveLength(1);
  expect(JSON.stringify(results)).toContain("Found.");
  expect(partsOf(results[0], "interaction")).toEqual([]);
});
