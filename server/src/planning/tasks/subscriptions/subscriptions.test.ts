// Following a Task: what somebody decides for themselves, and what follows from what they do with it.
import { expect, test } from "vitest";
import { eventsOf, joinProject, newComment, newProject, newTask, trashTask } from "../../../../test/work.ts";
import { type Person, service, world } from "../../../../test/world.ts";
import { newId } from "../../../platform/wire/ids.ts";

const running = service();

async function workshop() {
  const home = await world(running);
  const project = await newProject(home);
  const task = await newTask(home.owner, project.id);
  return { home, owner: home.owner, project, task, path: `/tasks/${task.id}/subscription` };
}
const standing = async (person: Person, path: string) => {
  const { state, reasons } = (await person.call("GET", path)).body;
  return [state, ...reasons];
};

test("who creates a Task, is its assignee or comments on it follows it; nobody else does", async () => {
  const { home, owner, task, path } = await workshop();
  const [assignee, commenter, other] = [
    await home.member("member"),
    await home.member("member"),
    await home.member("viewer"),
  ];
  await owner.call("PATCH", `/tasks/${task.id}`, { body: { assignee_actor_id: assignee.actorId }, ifMatch: "1" });
  const comment = await newComment(commenter, task.id);
  expect(await standing(owner, path)).toEqual(["following", "creator"]);
  expect(await standing(assignee, path)).toEqual(["following", "assignee"]);
  expect(await standing(commenter, path)).toEqual(["following", "commenter"]);
  expect(await standing(other, path)).toEqual(["none"]);
  const { body, trips } = await other.call("GET", path);
  expect(body).toEqual({ task_id: task.id, state: "none", reasons: [], revision: "0", updated_at: null });
  expect(trips).toBe(1);
  // It ends with its reason: the next assignee follows instead, and a deleted comment is no reason.
  await owner.call("PATCH", `/tasks/${task.id}`, { body: { assignee_actor_id: other.actorId }, ifMatch: "2" });
  await commenter.call("DELETE", `/comments/${comment.id}`);
  expect(await standing(assignee, path)).toEqual(["none"]);
  expect(await standing(other, path)).toEqual(["following", "assignee"]);
  expect(await standing(commenter, path)).toEqual(["none"]);
});

// From what has been decided before, and with a reason or without, to the state afterwards.
const steps = [
  // done, creator, somebody else
  [["PUT", ""], "following", "following"],
  [["DELETE", ""], "none", "none"],
  [["PUT", "/mute"], "muted", "muted"],
  [["DELETE", "/mute"], "following", "none"],
  [["PUT", ""], ["PUT", "/mute"], "muted", "muted"],
  [["PUT", ""], ["PUT", "/mute"], ["DELETE", "/mute"], "following", "following"],
  [["DELETE", ""], ["PUT", "/mute"], ["DELETE", "/mute"], "none", "none"],
  [["PUT", "/mute"], ["DELETE", "/mute"], "following", "none"],
  [["PUT", "/mute"], ["PUT", ""], "following", "following"],
  [["PUT", "/mute"], ["DELETE", ""], "none", "none"],
  [["DELETE", ""], ["PUT", ""], "following", "following"],
] as (string | [string, string])[][];

test.for(steps.map((step) => [step.slice(0, -2).join(" "), step] as const))("%s", async ([, step]) => {
  const { home, owner, path } = await workshop();
  const viewer = await home.member("viewer");
  for (const [person, expected] of [
    [owner, step.at(-2)],
    [viewer, step.at(-1)],
  ] as const) {
    for (const [method, part] of step.slice(0, -2) as [string, string][]) {
      const answer = await person.call(method, path + part);
      expect([answer.status, answer.trips <= 5]).toEqual([method === "PUT" ? 200 : 204, true]);
      if (method === "PUT") expect((await person.call("GET", path)).body).toEqual(answer.body);
    }
    expect((await person.call("GET", path)).body.state).toBe(expected);
  }
});

test("a choice outlives its reasons: who has unfollowed does not follow again for commenting", async () => {
  const { owner, task, path } = await workshop();
  await owner.call("DELETE", path);
  await newComment(owner, task.id);
  expect(await standing(owner, path)).toEqual(["none", "creator", "commenter"]);
  await owner.call("PUT", path);
  expect(await standing(owner, path)).toEqual(["following", "explicit", "creator", "commenter"]);
});

test("every change is recorded without an activity and advances the revision; repeated it does neither", async () => {
  const { home, owner, task, path } = await workshop();
  const answers = [
    await owner.call("PUT", path),
    await owner.call("PUT", path),
    await owner.call("PUT", `${path}/mute`),
  ];
  expect(answers.map(({ body }) => body.revision)).toEqual(["1", "1", "2"]);
  await owner.call("DELETE", `${path}/mute`);
  await owner.call("DELETE", `${path}/mute`);
  const recorded = (await eventsOf(running, home, task.id)).slice(1);
  expect(recorded.map(({ type, activity }) => [type, activity])).toEqual(
    Array.from({ length: 3 }, () => ["task.subscription_changed", null]),
  );
  expect(recorded[1]?.payload).toEqual({ from: { follows: true, muted: false }, to: { follows: true, muted: true } });
  // The Task itself has not changed.
  expect((await owner.call("GET", `/tasks/${task.id}`)).body.revision).toBe("1");
});

test("If-Match is honoured where it is sent", async () => {
  const { owner, path } = await workshop();
  expect((await owner.call("PUT", path, { ifMatch: "1" })).body).toMatchObject({
    code: "revision_conflict",
    current_revision: "0",
  });
  expect((await owner.call("PUT", path, { ifMatch: "0" })).status).toBe(200);
  expect((await owner.call("DELETE", path, { ifMatch: "0" })).body.code).toBe("revision_conflict");
  expect((await owner.call("DELETE", `${path}/mute`, { ifMatch: "1" })).status).toBe(204);
});

test("of many first decisions at once each stands on the one before", async () => {
  const { owner, path } = await workshop();
  const answers = await Promise.all(
    Array.from({ length: 6 }, (_, n) => owner.call("PUT", n % 2 ? path : `${path}/mute`)),
  );
  expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 6 }, () => 200));
  const revisions = new Set(answers.map(({ body }) => body.revision));
  expect((await owner.call("GET", path)).body.revision).toBe(String(revisions.size));
});

test("what is hidden, foreign or missing is the same 404; the trash can be followed and unfollowed", async () => {
  const { home, owner, task, path } = await workshop();
  const stranger = await home.member("member");
  const hidden = await newTask(owner, (await newProject(home, { visibility: "private" })).id);
  const foreign = (await workshop()).task;
  for (const id of [hidden.id, foreign.id, newId()])
    for (const [method, part] of [
      ["GET", ""],
      ["PUT", ""],
      ["DELETE", ""],
      ["PUT", "/mute"],
      ["DELETE", "/mute"],
    ] as const)
      expect((await stranger.call(method, `/tasks/${id}/subscription${part}`)).body.code, method).toBe("not_found");
  await trashTask(running, home, task.id);
  expect((await stranger.call("PUT", path)).status).toBe(200);
  expect((await stranger.call("DELETE", path)).status).toBe(204);
});

test("a viewer of a private Project decides for themselves, until they are taken out of it", async () => {
  const { home, owner } = await workshop();
  const project = await newProject(home, { visibility: "private" });
  const reader = await home.member("viewer");
  await joinProject(home, project.id, reader, "viewer");
  const path = `/tasks/${(await newTask(owner, project.id)).id}/subscription`;
  expect((await reader.call("PUT", path)).body.state).toBe("following");
  await owner.call("DELETE", `/projects/${project.id}/members/${reader.actorId}`);
  expect((await reader.call("GET", path)).status).toBe(404);
});
