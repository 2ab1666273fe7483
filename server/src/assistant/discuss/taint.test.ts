// Taint follows the content: whatever a tool returns that somebody else wrote, the next change waits for its person,
// also for those who have opted in.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { custom } from "../../../test/agent-runs.ts";
import { newAttachment, privateUploads } from "../../../test/attachments.ts";
import { answerTo, discussPath, ended, partsOf } from "../../../test/discuss.ts";
import { type HostileWorld, hostileCase, hostileWorld, MARK, rows } from "../../../test/hostile.ts";
import { type Reply, type Request, scriptedModel } from "../../../test/scripted-model.ts";
import { newKey, type Person, service } from "../../../test/world.ts";
import { assistantTools } from "../tools/tools.ts";
import { askAgent } from "./specialists/specialists.ts";

const provider = await scriptedModel();
const running = service({ roles: ["api", "worker", "realtime"], ...provider.config });
afterAll(() => provider.close());
beforeEach(() => provider.clear());

let planted: HostileWorld;
beforeAll(async () => {
  planted = await hostileWorld(running);
  await custom(planted.owner, planted.home, { name: MARK });
  const member = await planted.home.member("member");
  await running.asOwner("update users set display_name = $2, username = 'hostess' where id = $1", [
    member.userId,
    MARK,
  ]);
});

/** A member who has opted in, with a conversation of their own. */
async function optedIn(): Promise<Person> {
  const person = await planted.home.member("member");
  const body = { opt_in: true };
  const opted = await person.call("PATCH", discussPath(planted.home, "preferences"), { body, ifMatch: "0" });
  expect(opted.status, opted.text).toBe(200);
  return person;
}
/** The Agent that ask_agent starts asks the same provider. */
const isAgent = ({ messages }: Request) => JSON.stringify(messages[0]).includes("an Agent of svc");
const commentOn = ({ code }: { code: string }) => ({ name: "comment", args: { code, markdown: "Planted" } });
/** What was written there for this person: the Task is shared by all rows. */
const commentsOf = async ({ actorId }: Person, { id }: { id: string }): Promise<unknown[]> =>
  (await planted.owner.call("GET", `/tasks/${id}/comments?limit=100`)).body.items.filter(
    ({ author_actor_id }: { author_actor_id: string }) => author_actor_id === actorId,
  );

test("the matrix has every tool of the assistant", () => {
  const used = new Set(rows.map(({ tool }) => tool));
  for (const { name } of [...assistantTools, askAgent]) expect(used, name).toContain(name);
});

describe("a comment that the model makes after", () => {
  test.each(rows.map((each) => [each.what ? `${each.tool}, ${each.what}` : each.tool, each] as const))(
    "%s waits where the result holds what somebody else wrote, and only there",
    async (_name, { tool, needs, args, hostile }) => {
      const person = await optedIn();
      const at = await hostileCase(planted, person, needs);
      const script: Reply[] = [{ calls: [{ name: tool, args: args(at) }] }, { calls: [commentOn(at.victim)] }];
      provider.always((asked) => (isAgent(asked) ? { text: ["Found."] } : (script.shift() ?? { text: ["Done."] })));
      const answer = await answerTo(person, planted.home, "Go on");
      expect(answer.generation_state, JSON.stringify(answer.generation_error)).toBe("completed");
      const asked = provider.asked.filter(({ body }) => !isAgent(body));
      expect(JSON.stringify(asked[1]?.body.messages).includes(MARK)).toBe(hostile);
      expect(await commentsOf(person, at.victim)).toHaveLength(hostile ? 0 : 1);
      if (hostile) expect(partsOf(answer, "interaction").map(({ state }) => state)).toContain("open");
    },
  );
});

test("the name of a file that was sent taints the turn", async () => {
  const person = await optedIn();
  const { victim } = await hostileCase(planted, person);
  const file = { filename: `${MARK}.txt`, content_type: "text/plain" };
  const { id } = await newAttachment(person, Buffer.from("-"), file, privateUploads(planted.home.workspaceId));
  provider.say({ calls: [commentOn(victim)] }, { text: ["Done."] });
  const body = { content: "What is this?", file_ids: [id] };
  const sent = await person.call("POST", discussPath(planted.home, "turns"), { body, key: newKey() });
  await ended(person, planted.home, sent.body.assistant_message.id);
  expect(JSON.stringify(provider.asked[0]?.body.messages)).toContain(MARK);
  expect(await commentsOf(person, victim)).toEqual([]);
});

test("an answer that builds on what others wrote taints every later turn, also once that has left the history", async () => {
  const person = await optedIn();
  const { task, victim } = await hostileCase(planted, person);
  provider.say({ calls: [{ name: "get_task", args: { code: task.code } }] });
  provider.always({ text: [`It says: ${MARK}.`] });
  for (let turn = 0; turn < 11; turn++) await answerTo(person, planted.home, "Say it again");
  provider.clear();
  provider.say({ calls: [commentOn(victim)] }, { text: ["Done."] });
  await answerTo(person, planted.home, "Go on");
  expect(JSON.stringify(provider.asked[0]?.body.messages)).toContain(MARK);
  expect(JSON.stringify(provider.asked[0]?.body.messages)).not.toContain(task.code);
  expect(await commentsOf(person, victim)).toEqual([]);
});
