// Activity in groups, of texts that people write together: an editing session is one group, of all who wrote.
import { afterEach, expect, test } from "vitest";
import { childrenOf, groupsOf, short, telling } from "../../../test/activity-groups.ts";
import { type Editor, enter } from "../../../test/editing.ts";
import { newTask } from "../../../test/work.ts";

const { workshop, groups } = telling({ pace: { calmMs: 60_000, longestMs: 60_000, watchMs: 100 } });
const open: Editor[] = [];
afterEach(() => {
  for (const editor of open.splice(0)) editor.leave();
});

test.each([
  ["task", "task.description_changed"],
  ["document", "document.content_updated"],
] as const)("what people write together in a %s is one session, by all of them", async (kind, action) => {
  const { home, owner, project, workspaceId } = await workshop();
  const ada = await home.member("member");
  const made = async () =>
    (await owner.call("POST", `/workspaces/${workspaceId}/documents`, { body: { title: "Plan" } })).body;
  const { id } = kind === "task" ? await newTask(owner, project.id, { description_markdown: "One" }) : await made();
  const [first, second] = [await enter(owner, `/${kind}s/${id}`), await enter(ada, `/${kind}s/${id}`)];
  open.push(first, second);
  for (const word of [" two", " three"]) {
    first.type(word);
    second.type(word);
    await Promise.all([first.kept(), second.kept()]);
    // Whoever reads it has it written down.
    expect((await owner.call("GET", kind === "task" ? `/tasks/${id}` : `/documents/${id}/markdown`)).status).toBe(200);
  }
  const [session] = await groups(home, ada);
  expect(session && short(session)).toBe(`session 2 ${action}`);
  expect(session?.actor_ids.toSorted()).toEqual([owner.actorId, ada.actorId].toSorted());
  expect(session?.resource).toMatchObject({ kind, id });
  const { body } = await ada.call("GET", `${childrenOf(home, session as { id: string })}?limit=1`);
  expect([body.items.length, body.has_more]).toEqual([1, true]);
  const people = (await ada.call("GET", `${groupsOf(home)}?limit=1&include=people`)).body.included.actors;
  expect(Object.keys(people).toSorted()).toEqual([owner.actorId, ada.actorId].toSorted());
});
