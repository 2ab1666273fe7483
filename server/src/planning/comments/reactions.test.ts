// Reactions: counted by name, one of each per Actor, idempotent both ways, and quiet.
import { expect, test } from "vitest";
import { eventsOf, newComment, newProject, newTask } from "../../../test/work.ts";
import { newKey, service, world } from "../../../test/world.ts";

const running = service();

async function commented() {
  const home = await world(running);
  const project = await newProject(home);
  const task = await newTask(home.owner, project.id);
  const comment = await newComment(home.owner, task.id);
  const [ada, bob] = [await home.member("member"), await home.member("member")];
  return { ...home, home, task, comment, ada, bob, path: `/comments/${comment.id}` };
}

test("reactions are counted by name in the order of first use, and say whether one is the reader's", async () => {
  const { ada, bob, path, task } = await commented();
  await ada.call("PUT", `${path}/reactions/tada`);
  await ada.call("PUT", `${path}/reactions/heart`);
  const last = await bob.call("PUT", `${path}/reactions/tada`);
  const reactions = [
    { reaction: "tada", count: 2, reacted: true },
    { reaction: "heart", count: 1, reacted: false },
  ];
  expect(last.body.reactions).toEqual(reactions);
  expect(last.trips).toBeLessThanOrEqual(5);
  const list = await bob.call("GET", `/tasks/${task.id}/comments`);
  expect(list.body.items[0].reactions).toEqual(reactions);
  expect(list.trips).toBe(1);
  expect((await ada.call("GET", path)).body.reactions[1]).toEqual({ reaction: "heart", count: 1, reacted: true });
});

test("reacting again changes nothing and records nothing", async () => {
  const { ada, path, home, comment } = await commented();
  const first = await ada.call("PUT", `${path}/reactions/heart`);
  const second = await ada.call("PUT", `${path}/reactions/heart`);
  expect([second.status, second.body]).toEqual([200, first.body]);
  const events = (await eventsOf(running, home, comment.id)).slice(1);
  expect(events).toEqual([{ type: "task.comment.reaction_added", activity: null, payload: { reaction: "heart" } }]);
});

test("taking a reaction back takes one's own, and nothing when there is none", async () => {
  const { ada, bob, path, home, comment } = await commented();
  await ada.call("PUT", `${path}/reactions/heart`);
  expect((await bob.call("DELETE", `${path}/reactions/heart`)).status).toBe(204);
  expect((await ada.call("GET", path)).body.reactions).toHaveLength(1);
  expect((await ada.call("DELETE", `${path}/reactions/heart`)).status).toBe(204);
  expect((await ada.call("DELETE", `${path}/reactions/heart`)).status).toBe(204);
  expect((await ada.call("GET", path)).body.reactions).toEqual([]);
  const events = (await eventsOf(running, home, comment.id)).map(({ type }) => type.split(".").at(-1));
  expect(events).toEqual(["created", "reaction_added", "reaction_removed"]);
});

test("reactions leave the revision alone: the author's edit does not conflict with them", async () => {
  const { owner, ada, path } = await commented();
  expect((await ada.call("PUT", `${path}/reactions/heart`)).body.revision).toBe("1");
  const edit = await owner.call("PATCH", path, { body: { markdown: "Edited" }, ifMatch: "1" });
  expect(edit.body).toMatchObject({ revision: "2", reactions: [{ reaction: "heart", count: 1, reacted: false }] });
});

test("a comment carries 20 names; the 21st is refused until one is gone, and the 20 stay open to others", async () => {
  const { ada, bob, path } = await commented();
  for (let index = 1; index <= 20; index++)
    expect((await ada.call("PUT", `${path}/reactions/r${index}`)).status).toBe(200);
  expect((await bob.call("PUT", `${path}/reactions/r21`)).body.code).toBe("limit_reached");
  expect((await bob.call("PUT", `${path}/reactions/r1`)).status).toBe(200);
  await ada.call("DELETE", `${path}/reactions/r2`);
  expect((await bob.call("PUT", `${path}/reactions/r21`)).status).toBe(200);
});

test("the limit holds when many react at once", async () => {
  const { ada, path } = await commented();
  const names = Array.from({ length: 26 }, (_, index) => `n${index}`);
  const answers = await Promise.all(names.map((name) => ada.call("PUT", `${path}/reactions/${name}`)));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(20);
  expect((await ada.call("GET", path)).body.reactions).toHaveLength(20);
});

test("one Actor reacting many times at once is counted once", async () => {
  const { ada, path, home, comment } = await commented();
  await Promise.all(Array.from({ length: 10 }, () => ada.call("PUT", `${path}/reactions/heart`, { key: newKey() })));
  expect((await ada.call("GET", path)).body.reactions).toEqual([{ reaction: "heart", count: 1, reacted: true }]);
  expect(await eventsOf(running, home, comment.id)).toHaveLength(2);
});

test("a name is 1 to 32 characters of an emoji short name", async () => {
  const { ada, path } = await commented();
  expect((await ada.call("PUT", `${path}/reactions/${"x".repeat(32)}`)).status).toBe(200);
  for (const name of ["x".repeat(33), "Heart", "%E2%9D%A4", "a%20b"]) {
    const refused = await ada.call("PUT", `${path}/reactions/${name}`);
    expect(refused.body).toMatchObject({ code: "invalid_request", errors: [{ pointer: "/path/reaction" }] });
  }
});
