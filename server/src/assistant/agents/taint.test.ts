// Taint follows the content: a run that has received what somebody else wrote changes nothing without asking, whatever
// changes_at_once says.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { custom, ofRun, ran, runsOf, settled } from "../../../test/agent-runs.ts";
import { type HostileWorld, hostileCase, hostileWorld, MARK, rows } from "../../../test/hostile.ts";
import { scriptedModel } from "../../../test/scripted-model.ts";
import { newComment } from "../../../test/work.ts";
import { service } from "../../../test/world.ts";
import { agentTools } from "../tools/tools.ts";

const provider = await scriptedModel();
const running = service({ roles: ["api", "worker", "realtime"], ...provider.config });
afterAll(() => provider.close());
beforeEach(() => provider.clear());

let planted: HostileWorld;
// biome-ignore lint/suspicious/noExplicitAny: shapes are held against the contract.
let agent: any;
const names = agentTools.map(({ name }) => name);
const triggers = [{ kind: "manual" }, { kind: "mention" }];
const budgets = { changes_at_once: 20, runs_per_hour: 60 };
beforeAll(async () => {
  planted = await hostileWorld(running);
  const member = await planted.home.member("member");
  await running.asOwner("update users set display_name = $2, username = 'hostess' where id = $1", [
    member.userId,
    MARK,
  ]);
  agent = await custom(planted.owner, planted.home, { tools: names, triggers, budgets });
});
const commentOn = ({ code }: { code: string }) => ({ name: "comment", args: { code, markdown: "Planted" } });
const wantedOn = async (run: { id: string }, { code }: { code: string }) =>
  (await ofRun(planted.owner, planted.home, agent, run, "actions"))
    .filter(({ kind, target }) => kind === "comment" && target === code)
    .map(({ state }) => state);

test("the matrix has every tool that an Agent can be given", () => {
  const used = new Set(rows.map(({ tool }) => tool));
  for (const name of names) expect(used, name).toContain(name);
});

/** Agents do not have the first; the second waits, and returns no text of others. */
const returnsNothing = ["get_change_set", "patch_document"];
const own = rows.filter(({ tool }) => names.includes(tool));
describe("a comment that the model makes after", () => {
  test.each(own.map((each) => [each.what ? `${each.tool}, ${each.what}` : each.tool, each] as const))(
    "%s waits where the result holds what somebody else wrote, and only there",
    async (_name, { tool, needs, args, hostile }) => {
      const { owner, home } = planted;
      const at = await hostileCase(planted, owner, needs, agent.actor_id);
      provider.say({ calls: [{ name: tool, args: args(at) }] }, { calls: [commentOn(at.victim)] }, { text: ["Done."] });
      const run = await ran(owner, home, agent, { input: "Go on" });
      expect(run.error_code).toBe(null);
      const returned = JSON.stringify(provider.asked[1]?.body.messages);
      const isHostile = hostile && !returnsNothing.includes(tool);
      expect(returned.includes(MARK), returned.slice(-500)).toBe(isHostile);
      // The path of a Document may begin with that of a parent, so its creation taints as well.
      const waits = isHostile || tool === "create_document";
      expect(await wantedOn(run, at.victim)).toEqual([waits ? "waiting" : "done"]);
    },
  );
});

test("a run that a mention started waits: its text is somebody else's", async () => {
  const { owner, home } = planted;
  const at = await hostileCase(planted, owner);
  const before = (await runsOf(owner, home, agent)).length;
  provider.say({ calls: [commentOn(at.victim)] }, { text: ["Done."] });
  await newComment(owner, at.task.id, `@${agent.username} ${MARK}`);
  await expect.poll(async () => (await runsOf(owner, home, agent)).length).toBe(before + 1);
  const [begun] = await runsOf(owner, home, agent);
  const run = await settled(owner, home, agent, begun.id);
  expect([run.trigger, JSON.stringify(provider.asked[0]?.body.messages).includes(MARK)]).toEqual(["mention", true]);
  expect(await wantedOn(run, at.victim)).toEqual(["waiting"]);
});

test("a run about a Task is told its code alone, and is not tainted by it", async () => {
  const { owner, home } = planted;
  const at = await hostileCase(planted, owner);
  provider.say({ calls: [commentOn(at.victim)] }, { text: ["Done."] });
  const run = await ran(owner, home, agent, { task_id: at.task.id });
  expect(JSON.stringify(provider.asked[0]?.body.messages)).not.toContain(MARK);
  expect(await wantedOn(run, at.victim)).toEqual(["done"]);
});
