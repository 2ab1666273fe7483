// The activity of one Task, wherever it was.
import { expect, test } from "vitest";
import { newComment, newProject, newTask, pages } from "../../../test/work.ts";
import { service, world } from "../../../test/world.ts";

const running = service();

test("it shows what happened to the Task and its comments, in whichever Project, and nothing of another Task", async () => {
  const home = await world(running);
  const { owner } = home;
  const [from, to] = [await newProject(home), await newProject(home)];
  const [task] = [await newTask(owner, from.id), await newTask(owner, from.id)];
  const move = { body: { project_id: to.id }, ifMatch: "1" };
  const { code } = (await owner.call("POST", `/tasks/${task.id}/move`, move)).body;
  await owner.call("PATCH", `/tasks/${task.id}`, { body: { priority: "high", title: "Other" }, ifMatch: "2" });
  await newComment(owner, task.id);
  const { body, trips } = await owner.call("GET", `/tasks/${task.id}/activity`);
  expect(trips).toBe(1);
  expect(body.items.map((item: { action: string }) => item.action)).toEqual([
    "activity.task.comment.created",
    "activity.task.priority_changed",
    "activity.task.moved",
    "activity.task.created",
  ]);
  for (const { affected } of body.items) expect(affected[0]).toMatchObject({ code, title: "Other" });
  const paged = await pages(owner, `/tasks/${task.id}/activity`, 1);
  expect([paged.items, paged.pages]).toEqual([body.items, 4]);
  const feed = await owner.call("GET", `/projects/${to.id}/activity`);
  expect(feed.body.items.map((item: { action: string }) => item.action)).toContain("activity.task.moved");
});
