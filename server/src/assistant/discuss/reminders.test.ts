// Reminders: set only once they are confirmed, told once at their time to whose they are, and completed, cancelled or
// snoozed at an exact revision.
import { expect, test } from "vitest";
import { acting } from "../../../test/people.ts";
import { joinProject, newProject, newTask, pages, refusalOf } from "../../../test/work.ts";
import { asTenant, newKey, type Person, service, type World, world } from "../../../test/world.ts";
import { newId } from "../../platform/wire/ids.ts";
import { deliverReminders, sweeps } from "./reminder/reminder-jobs.ts";
import { toldAfter } from "./store.ts";

const running = service();
const pathOf = ({ workspaceId }: World, rest = "") => `/workspaces/${workspaceId}/discuss/reminders${rest}`;
const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();
const asked = (own: object = {}) => ({ text: "Ask Grace", due_at: inHours(1), confirmed: true, ...own });
const send = (home: World, body: object, person: Person = home.owner, key = newKey()) =>
  person.call("POST", pathOf(home), { body, key });
async function set(home: World, own: object = {}, person?: Person) {
  const answer = await send(home, asked(own), person);
  expect([answer.status, answer.trips <= 5], answer.text).toEqual([201, true]);
  return answer.body;
}
const act = (home: World, { id, revision }: { id: string; revision: string }, body: object, person = home.owner) =>
  person.call("PATCH", pathOf(home, `/${id}`), { body, ifMatch: revision });
const listed = async (home: World, query = "", person: Person = home.owner) => {
  const answer = await person.call("GET", pathOf(home, query));
  expect([answer.status, answer.trips], answer.text).toEqual([200, 1]);
  return answer.body.items;
};
/** Their time has come. */
const pass = (home: World, id: string) =>
  running.sql(
    "update discuss_reminders set due_at = now() - interval '1 second' where id = $1",
    [id],
    home.workspaceId,
  );
const deliver = () => deliverReminders(running.database);
const inbox = async (home: World, person: Person = home.owner, state = "all") =>
  (await person.call("GET", `/workspaces/${home.workspaceId}/inbox?state=${state}`)).body.items;

test("a reminder is set once it is confirmed, listed in the order of its time, and shows what it is about", async () => {
  const home = await world(running);
  const task = await newTask(home.owner, (await newProject(home)).id, { title: "Cut the gears" });
  const target = { kind: "task", id: task.id };
  const late = await set(home, { due_at: inHours(5), target });
  expect(late).toMatchObject({ text: "Ask Grace", state: "scheduled", delivered_at: null, revision: "1" });
  expect(late.target).toMatchObject({ ...target, state: "available", title: "Cut the gears" });
  expect([late.capabilities, late.due_at > inHours(4.9)]).toEqual([["reminder:update"], true]);
  const early = await set(home, { text: "Tea" });
  expect(early.target).toBe(null);
  expect((await listed(home)).map(({ text }: { text: string }) => text)).toEqual(["Tea", "Ask Grace"]);
  expect((await pages(home.owner, pathOf(home), 1)).items).toHaveLength(2);
  for (const confirmed of [false, undefined, "true"])
    expect((await send(home, asked({ confirmed }))).body.errors[0].pointer).toBe("/body/confirmed");
  expect((await home.owner.call("POST", pathOf(home), { body: asked() })).body.code).toBe("idempotency_key_required");
  expect(await listed(home, "?state=all")).toHaveLength(2);
});

test("a repeated key sets one, and of 500 that are open there is no room for another", async () => {
  const home = await world(running);
  const [key, body] = [newKey(), asked()];
  const first = await send(home, body, home.owner, key);
  const again = await send(home, body, home.owner, key);
  expect([again.body, again.headers.get("idempotent-replayed")]).toEqual([first.body, "true"]);
  const fill = `insert into discuss_reminders (workspace_id, actor_id, id, text, due_at)
    select $1, $2, gen_random_uuid(), 'Full', now() + interval '1 day' from generate_series(1, $3)`;
  await running.sql(fill, [home.workspaceId, home.owner.actorId, 498], home.workspaceId);
  const last = await Promise.all([1, 2, 3].map(() => send(home, asked())));
  expect(last.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
  expect(refusalOf(last.find(({ status }) => status === 409) as never)).toEqual([409, "limit_reached"]);
  await act(home, first.body, { action: "complete" });
  expect((await send(home, asked())).status).toBe(201);
});

test("its time lies ahead, within ten years, and what it is about is something that its maker sees", async () => {
  const home = await world(running);
  const member = await home.member("member");
  const hidden = await newProject(home, { visibility: "private" });
  for (const due_at of [inHours(-1), inHours(24 * 3661), "tomorrow", "2030-13-01T00:00:00Z"])
    expect((await send(home, asked({ due_at }))).body.errors[0].pointer, due_at).toBe("/body/due_at");
  for (const text of ["", " ", "x".repeat(501), "two\nlines"])
    expect((await send(home, asked({ text }))).body.errors[0].pointer).toBe("/body/text");
  expect((await set(home, { text: "x".repeat(500), due_at: inHours(24 * 3659) })).text).toHaveLength(500);
  for (const target of [
    { kind: "project", id: hidden.id },
    { kind: "project", id: newId() },
  ])
    expect(refusalOf(await send(home, asked({ target }), member))).toEqual([422, "invalid_reference", "/body/target"]);
});

test("when its time comes it is told once, in the inbox of whose it is, and stays told", async () => {
  const home = await world(running);
  const { owner } = home;
  const member = await home.member("member");
  const project = await newProject(home, { visibility: "private" });
  await joinProject(home, project.id, member, "member");
  const task = await newTask(owner, project.id, { title: "Cut the gears" });
  const [about, plain] = [
    await set(home, { text: "Gears?", target: { kind: "task", id: task.id } }, member),
    await set(home, { text: "Tea" }, member),
  ];
  const waiting = await set(home, {}, member);
  for (const { id } of [about, plain]) await pass(home, id);
  await Promise.all([deliver(), deliver()]);
  await deliver();
  const items = await inbox(home, member);
  expect(items.map(({ reminder }: { reminder: object }) => reminder)).toEqual(
    expect.arrayContaining([
      { id: about.id, text: "Gears?" },
      { id: plain.id, text: "Tea" },
    ]),
  );
  expect(items).toHaveLength(2);
  const [first, second] = [about, plain].map(({ id }) =>
    items.find(({ reminder }: { reminder: { id: string } }) => reminder.id === id),
  );
  expect(first).toMatchObject({ category: "reminder", action: "reminder.due", count: 1, actor: null, read_at: null });
  expect([first.task.code, second.task, second.project]).toEqual([task.code, null, null]);
  expect(await inbox(home)).toEqual([]);
  const states = Object.fromEntries(
    (await listed(home, "", member)).map(({ id, state }: { id: string; state: string }) => [id, state]),
  );
  expect(states).toEqual({ [about.id]: "delivered", [plain.id]: "delivered", [waiting.id]: "scheduled" });
  // What it is about is not named any more to somebody who does not see it; the reminder stays theirs.
  await owner.call("DELETE", `/projects/${project.id}/members/${member.actorId}`);
  const after = (await inbox(home, member)).find(({ id }: { id: string }) => id === first.id);
  expect(after).toMatchObject({ reminder: { text: "Gears?" }, task: null, project: null });
  const [shown] = (await listed(home, "", member)).filter(({ id }: { id: string }) => id === about.id);
  expect(shown.target).toMatchObject({ state: "unavailable", title: null, url: null });
});

test("it is completed, cancelled or snoozed at an exact revision, which reads what was told; what is closed stays so", async () => {
  const home = await world(running);
  const reminder = await set(home);
  await pass(home, reminder.id);
  await deliver();
  const stale = await act(home, reminder, { action: "complete" });
  expect([...refusalOf(stale), stale.body.current_revision]).toEqual([409, "revision_conflict", "2"]);
  const [told] = await inbox(home);
  const until = inHours(2);
  const snoozed = await act(home, { ...reminder, revision: "2" }, { action: "snooze", snooze_until: until });
  expect([snoozed.status, snoozed.trips <= 3], snoozed.text).toEqual([200, true]);
  expect(snoozed.body).toMatchObject({ state: "scheduled", due_at: until, delivered_at: null, revision: "3" });
  expect((await inbox(home, home.owner, "read")).map(({ id }: { id: string }) => id)).toEqual([told.id]);
  await pass(home, reminder.id);
  await deliver();
  expect(await inbox(home)).toHaveLength(2);
  const done = await act(home, { ...reminder, revision: "4" }, { action: "complete" });
  expect([done.body.state, done.body.capabilities]).toEqual(["completed", []]);
  for (const body of [{ action: "cancel" }, { action: "snooze", snooze_until: inHours(1) }])
    expect(refusalOf(await act(home, done.body, body))).toEqual([409, "reminder_closed"]);
  // What is so already is no change.
  expect((await act(home, done.body, { action: "complete" })).body).toEqual(done.body);
  const other = await set(home);
  expect((await act(home, other, { action: "snooze", snooze_until: other.due_at })).body).toEqual(other);
  for (const [body, pointer] of [
    [{ action: "snooze" }, "/body/snooze_until"],
    [{ action: "complete", snooze_until: inHours(1) }, "/body/snooze_until"],
    [{ action: "snooze", snooze_until: inHours(-1) }, "/body/snooze_until"],
    [{ action: "delay" }, "/body/action"],
  ] as const)
    expect((await act(home, other, body)).body.errors[0].pointer).toBe(pointer);
  expect((await act(home, other, { action: "cancel" })).body.state).toBe("cancelled");
  expect(await listed(home)).toEqual([]);
  expect(await listed(home, "?state=all")).toHaveLength(2);
  expect(await listed(home, "?state=completed")).toHaveLength(1);
});

test("what somebody wants to be told in no way is told in none, and whoever is suspended is told afterwards", async () => {
  const home = await world(running);
  const member = await home.member("member");
  const people = acting(running, home);
  const preference = `/workspaces/${home.workspaceId}/notification-preferences/reminder`;
  await home.owner.call("PATCH", preference, { body: { in_app: false, push: false, email: false }, ifMatch: "0" });
  const silent = await set(home);
  const suspended = await set(home, {}, member);
  await people.change(home.owner, member, { state: "suspended" });
  for (const { id } of [silent, suspended]) await pass(home, id);
  await deliver();
  expect(await inbox(home)).toEqual([]);
  const states = () =>
    running.sql<{ state: string }>("select state from discuss_reminders order by id", [], home.workspaceId);
  expect(await states()).toEqual([{ state: "delivered" }, { state: "scheduled" }]);
  await people.change(home.owner, member, { state: "active" });
  await deliver();
  expect(await states()).toEqual([{ state: "delivered" }, { state: "delivered" }]);
});

test("nobody else finds them, an owner neither; they go with the membership, and what is closed after 90 days", async () => {
  const home = await world(running);
  const member = await home.member("member");
  const reminder = await set(home, {}, member);
  for (const person of [home.owner, (await world(running)).owner])
    expect(refusalOf(await act(home, reminder, { action: "cancel" }, person))).toEqual([404, "not_found"]);
  expect(await listed(home, "?state=all")).toEqual([]);
  await pass(home, reminder.id);
  await deliver();
  await acting(running, home).remove(home.owner, member);
  const left = (table: string) => running.sql(`select from ${table}`, [], home.workspaceId);
  expect([await left("discuss_reminders"), await left("inbox_items")]).toEqual([[], []]);
  const [old, young] = [await set(home), await set(home)];
  for (const each of [old, young]) await act(home, each, { action: "complete" });
  await running.sql(
    "update discuss_reminders set updated_at = now() - interval '91 days' where id = $1",
    [old.id],
    home.workspaceId,
  );
  for (const sql of sweeps) await running.asOwner(sql);
  expect((await listed(home, "?state=all")).map(({ id }: { id: string }) => id)).toEqual([young.id]);
});

test("changes are read in their order, a page at a time", async () => {
  const home = await world(running);
  const made: string[] = [];
  for (let count = 0; count < 3; count++) made.push((await send(home, asked())).body.id);
  const read = (after: string | number) =>
    asTenant(running, home.workspaceId, (tx) => toldAfter(tx, home.owner.actorId, after, 2));
  const first = await read(0);
  expect(first.map(({ id }) => id)).toEqual(made.slice(0, 2));
  expect((await read(first.at(-1)?.sequence ?? "0")).map(({ id }) => id)).toEqual(made.slice(2));
});
