// Mentions in texts of Tasks that several people change before anybody is told: each is told of what somebody else
// wrote, and of nothing that they wrote.
import { expect, test } from "vitest";
import { enter } from "../../../test/editing.ts";
import { newTask, workshopOn } from "../../../test/work.ts";
import { type Person, service } from "../../../test/world.ts";
import { tellEvents } from "./fill-inboxes.ts";

const running = service({});
async function place() {
  const { home, owner, project, workspaceId } = await workshopOn(running);
  const ada = await home.member("member");
  const task = await newTask(owner, project.id);
  await tellEvents(running.database);
  const told = async (person: Person) => {
    await tellEvents(running.database);
    const { items } = (await person.call("GET", `/workspaces/${workspaceId}/inbox`)).body;
    return items.map(({ category, actor }: { category: string; actor: { id: string } }) => [category, actor.id]);
  };
  const describe = async (person: Person, description_markdown: string) => {
    const body = { description_markdown };
    const answer = await person.call("PATCH", `/tasks/${task.id}`, { body, headers: { "if-match": "*" } });
    expect(answer.status, answer.text).toBe(200);
  };
  return { owner, ada, task, told, describe };
}

test("who changed a description just before somebody else mentioned them in it is told", async () => {
  const { owner, ada, told, describe } = await place();
  await describe(ada, "Mine");
  await describe(owner, `Yours, @${ada.userId}`);
  expect(await told(ada)).toEqual([["mentioned", owner.actorId]]);
});

test("who has named themselves is told nothing, whoever changes the text afterwards", async () => {
  const { owner, ada, told, describe } = await place();
  await describe(ada, `Mine: @${ada.userId}`);
  expect(await told(ada)).toEqual([]);
  await describe(owner, `Hers: @${ada.userId}`);
  expect(await told(ada)).toEqual([]);
});

test("those who write a description together are not told that they stand in it", async () => {
  const { owner, ada, task, told } = await place();
  const editors = [await enter(owner, `/tasks/${task.id}`), await enter(ada, `/tasks/${task.id}`)];
  editors[1]?.type("Mine. ", 0);
  await editors[1]?.kept();
  editors[0]?.type(`Ask @${ada.userId} or @${owner.userId}.`, 1);
  await editors[0]?.kept();
  expect((await owner.call("GET", `/tasks/${task.id}`)).body.description_markdown).toContain(ada.userId);
  for (const editor of editors) editor.leave();
  expect([await told(ada), await told(owner)]).toEqual([[], []]);
});
