// Who follows a Task, and which Tasks somebody follows: under today's access, each once whatever the reasons, in pages.
import { expect, test } from "vitest";
import { joinProject, newComment, newProject, newTask, pages, trashTask } from "../../../../test/work.ts";
import { type Person, service, type World, world } from "../../../../test/world.ts";
import { newId } from "../../../platform/wire/ids.ts";

const running = service();
type Item = Record<string, unknown> & {
  id: string;
  actor_id: string;
  subscription: { state: string; reasons: string[] };
};

const followed = async (person: Person, { workspaceId }: World, query = "", limit = 2) =>
  (await pages(person, `/workspaces/${workspaceId}/subscribed-tasks${query}`, limit)).items as Item[];
const ids = (items: { id: string }[]) => items.map(({ id }) => id);
const subscription = (task: { id: string }) => `/tasks/${task.id}/subscription`;

test("the Tasks that somebody follows for any reason are listed once each, newest first", async () => {
  const home = await world(running);
  const { owner } = home;
  const person = await home.member("member");
  const project = await newProject(home);
  const made: { id: string }[] = [];
  for (let n = 0; n < 7; n++) made.push(await newTask(n === 1 ? person : owner, project.id, { title: `Task ${n}` }));
  const [none, own, assigned, commented, chosen, every, gone] = made as Record<"id", string>[] & { id: string }[];
  const assign = { body: { assignee_actor_id: person.actorId }, ifMatch: "1" };
  for (const task of [assigned, every]) await owner.call("PATCH", `/tasks/${task?.id}`, assign);
  for (const task of [commented, commented, every, gone]) await newComment(person, task?.id as string);
  for (const task of [chosen, every, gone]) await person.call("PUT", `/tasks/${task?.id}/subscription`);
  await person.call("DELETE", `/tasks/${gone?.id}/subscription`);
  const items = await followed(person, home);
  expect(ids(items)).toEqual([every, chosen, commented, assigned, own].map((task) => task?.id));
  expect(ids(items)).not.toContain(none?.id);
  expect(items.map((item) => item.subscription.reasons)).toEqual([
    ["explicit", "assignee", "commenter"],
    ["explicit"],
    ["commenter"],
    ["assignee"],
    ["creator"],
  ]);
  const first = await person.call("GET", `/workspaces/${home.workspaceId}/subscribed-tasks`);
  expect([first.trips, first.body.items.length]).toEqual([1, 5]);
  const { capabilities, description_markdown, ...plain } = (await person.call("GET", `/tasks/${every?.id}`)).body;
  expect(items[0]).toEqual({
    ...plain,
    description_excerpt: "",
    subscription: { state: "following", reasons: ["explicit", "assignee", "commenter"] },
  });
});

test("what is muted is listed apart, whatever else speaks for it", async () => {
  const home = await world(running);
  const { owner } = home;
  const project = await newProject(home);
  const [one, two] = [await newTask(owner, project.id), await newTask(owner, project.id)];
  await owner.call("PUT", `${subscription(one)}/mute`);
  expect(ids(await followed(owner, home))).toEqual([two.id]);
  const muted = await followed(owner, home, "?state=muted");
  expect(muted.map((item) => [item.id, item.subscription])).toEqual([
    [one.id, { state: "muted", reasons: ["creator"] }],
  ]);
  await owner.call("DELETE", `${subscription(one)}/mute`);
  expect(ids(await followed(owner, home))).toEqual([two.id, one.id]);
  expect(await followed(owner, home, "?state=muted")).toEqual([]);
  const unknown = await owner.call("GET", `/workspaces/${home.workspaceId}/subscribed-tasks?state=none`);
  expect(unknown.body.code).toBe("invalid_request");
});

test("what lies in the trash, was unfollowed or is not seen any more is left out, and the pages go on behind it", async () => {
  const home = await world(running);
  const { owner } = home;
  const person = await home.member("member");
  const [open, closed] = [await newProject(home), await newProject(home, { visibility: "private" })];
  await joinProject(home, closed.id, person, "member");
  const kept = await newTask(person, open.id);
  const hidden = [await newTask(person, closed.id), await newTask(person, closed.id)];
  const trashed = await newTask(owner, open.id);
  await person.call("PUT", subscription(trashed));
  const unfollowed = await newTask(person, open.id);
  await person.call("DELETE", subscription(unfollowed));
  expect(ids(await followed(person, home))).toEqual([trashed.id, ...ids(hidden).reverse(), kept.id]);
  await trashTask(running, home, trashed.id);
  await owner.call("DELETE", `/projects/${closed.id}/members/${person.actorId}`);
  for (const limit of [1, 2, 100]) expect(ids(await followed(person, home, "", limit))).toEqual([kept.id]);
});

test("tokens and native clients read what their person follows, and nothing of another Workspace", async () => {
  const [home, other] = [await world(running), await world(running)];
  const task = await newTask(home.owner, (await newProject(home)).id);
  const path = `/workspaces/${home.workspaceId}/subscribed-tasks`;
  const answer = await home.owner.bearer(await home.token(["svc:read"]), "GET", path);
  expect(ids(answer.body.items)).toEqual([task.id]);
  expect((await other.owner.call("GET", path)).status).toBe(404);
  expect((await home.owner.bearer(await home.token(["svc:write"]), "GET", path)).body.code).toBe("insufficient_scope");
});

test("whoever follows a Task is listed once, with the reasons; who has muted it is not told", async () => {
  const home = await world(running);
  const { owner } = home;
  const people: Person[] = [];
  for (let n = 0; n < 6; n++) people.push(await home.member("member"));
  const [assignee, commenter, chosen, muted, unfollowed, onlyMuted] = people as [
    Person,
    Person,
    Person,
    Person,
    Person,
    Person,
  ];
  const task = await newTask(owner, (await newProject(home)).id, { assignee_actor_id: assignee.actorId });
  for (const person of [commenter, commenter, unfollowed, muted, owner]) await newComment(person, task.id);
  await chosen.call("PUT", subscription(task));
  await unfollowed.call("DELETE", subscription(task));
  for (const person of [muted, onlyMuted]) await person.call("PUT", `${subscription(task)}/mute`);
  const { items } = await pages(people[0] as Person, `/tasks/${task.id}/subscribers`, 2);
  const [{ username, display_name } = { username: "", display_name: "" }] = await running.sql<Record<string, string>>(
    "select username, display_name from users where id = $1",
    [owner.userId],
  );
  expect(items[0]).toEqual({
    actor_id: owner.actorId,
    user_id: owner.userId,
    username,
    display_name,
    picture_url: null,
    reasons: ["creator", "commenter"],
  });
  expect(items.slice(1).map((item) => [item.actor_id, item.reasons])).toEqual([
    [assignee.actorId, ["assignee"]],
    [commenter.actorId, ["commenter"]],
    [chosen.actorId, ["explicit"]],
    [muted.actorId, ["commenter"]],
  ]);
  expect((await owner.call("GET", `/tasks/${task.id}/subscribers`)).trips).toBe(1);
});

test("followers who were suspended, removed or taken out of a private Project are not listed", async () => {
  const home = await world(running);
  const { owner } = home;
  const project = await newProject(home, { visibility: "private" });
  const task = await newTask(owner, project.id);
  const people: Person[] = [];
  for (const role of ["member", "member", "member", "admin", "viewer"] as const) {
    const person = await home.member(role);
    if (role !== "admin") await joinProject(home, project.id, person, "member");
    await person.call("PUT", subscription(task));
    people.push(person);
  }
  const [suspended, removed, out, admin, viewer] = people as [Person, Person, Person, Person, Person];
  const listed = async () =>
    (await owner.call("GET", `/tasks/${task.id}/subscribers`)).body.items.map((item: Item) => item.actor_id);
  expect((await listed()).length).toBe(6);
  for (const [person, state] of [
    [suspended, "suspended"],
    [removed, "removed"],
  ] as const)
    await running.sql("update memberships set state = $2 where user_id = $1", [person.userId, state]);
  await owner.call("DELETE", `/projects/${project.id}/members/${out.actorId}`);
  expect(await listed()).toEqual([owner.actorId, admin.actorId, viewer.actorId]);
  expect((await out.call("GET", `/tasks/${task.id}/subscribers`)).status).toBe(404);
  expect((await owner.call("GET", `/tasks/${newId()}/subscribers`)).status).toBe(404);
});
