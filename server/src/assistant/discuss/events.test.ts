// Message events: listed in the order of their last change, without any content.
import { expect, test } from "vitest";
import { discussPath, say, talkers } from "../../../test/discuss.ts";
import { service } from "../../../test/world.ts";

const running = service();

test("each message stands where it changed last, a hundred at a time", async () => {
  const { home, ada } = await talkers(running);
  const turns = [];
  for (let count = 0; count < 51; count++) turns.push(await say(ada, home, `Canary ${count}`));
  const events = async (after: number) => (await ada.call("GET", discussPath(home, `events?after=${after}`))).body;
  const first = await events(0);
  expect([first.items.length, first.sequence, first.has_more]).toEqual([100, 100, true]);
  expect(JSON.stringify(first)).not.toContain("Canary");
  const rest = await events(first.sequence);
  expect(rest.items.map(({ action }: { action: string }) => action)).toEqual(["created", "created"]);
  await ada.call("POST", discussPath(home, `messages/${turns[0].assistant_message.id}/cancel`));
  const changed = await events(rest.sequence);
  expect(changed.items).toEqual([
    { sequence: 103, message_id: turns[0].assistant_message.id, action: "changed", revision: "2" },
  ]);
  expect(await events(changed.sequence)).toEqual({ items: [], sequence: 103, has_more: false });
});
