// Pushes and mails of an inbox reach a person who still belongs, sees the item, wants it and has not read it.
import { expect, test } from "vitest";
import { any, changeDocument, newDocument } from "../../../test/documents.ts";
import { newInboxItem } from "../../../test/inbox.ts";
import { inboxDelivery } from "../../../test/inbox-delivery.ts";
import { lettersTo } from "../../../test/mailbox.ts";
import { newComment, newProject, newTask } from "../../../test/work.ts";
import { newKey, world } from "../../../test/world.ts";
import { deliverReminders } from "../../assistant/discuss/reminder/reminder-jobs.ts";
import type { PushPayload } from "./delivery.ts";
import { tellEvents } from "./fill-inboxes.ts";

const { running, taken, push, mail, digests, place, reading, browserOf, prefer } = await inboxDelivery();

test("one thing is pushed in its words and several in one message, to each browser of who wants it", async () => {
  const { home, ada, assign } = await place();
  const shown = await browserOf(ada);
  const task = await assign();
  await tellEvents(running.database);
  const jobs = await taken<PushPayload>("push_inbox");
  expect(JSON.stringify(jobs)).not.toContain("gears");
  await push(jobs);
  const { display_name } = (await home.owner.call("GET", "/me")).body;
  expect(shown()).toEqual([
    {
      id: jobs[0]?.id,
      title: `${display_name} assigned ${task.code} to you`,
      body: "Cut the gears",
      path: `/?task=${task.code}`,
    },
  ]);
  for (let n = 0; n < 7; n++) await assign(`Task ${n}`);
  await newComment(home.owner, task.id, "So?");
  await tellEvents(running.database);
  await push(await taken("push_inbox"));
  expect(shown().slice(1)).toMatchObject([{ title: "8 new notifications" }]);
  await prefer(home, ada, "assigned", { push: false });
  await assign();
  await tellEvents(running.database);
  expect(await taken("push_inbox")).toEqual([]);
});

for (const [what, happen] of Object.entries({
  "has read it": ({ home, ada }) => reading(home, ada),
  "does not see it any more": ({ leave }) => leave(),
  "is suspended": ({ ada }) =>
    running.sql("update memberships set state = 'suspended' where user_id = $1", [ada.userId]),
  "has left": ({ ada }) => running.sql("update memberships set state = 'left' where user_id = $1", [ada.userId]),
  "does not want it any more": ({ home, ada }) => prefer(home, ada, "assigned", { push: false, email: false }),
  "is not its assignee any more": ({ home }) =>
    running.sql("update tasks set assignee_actor_id = null", [], home.workspaceId),
  "has it in the trash": ({ home }) => running.sql("update tasks set trashed_at = now()", [], home.workspaceId),
  "is in a Workspace that was archived": ({ home }) =>
    running.sql("update workspaces set archived_at = now() where id = $1", [home.workspaceId]),
} satisfies Record<string, (there: Awaited<ReturnType<typeof place>>) => Promise<unknown>>))
  test(`nothing is pushed or mailed to somebody who ${what} by the time it would be sent`, async () => {
    const there = await place();
    const { home, ada, assign } = there;
    const shown = await browserOf(ada);
    await assign();
    await tellEvents(running.database);
    const [pushes, mails] = [await taken<PushPayload>("push_inbox"), await digests(home)];
    expect([pushes.length, mails.length]).toEqual([1, 1]);
    await happen(there);
    await push(pushes);
    await mail(mails);
    expect([shown(), await lettersTo(running, ada.email)]).toEqual([[], []]);
  });

/** A Document without a Project that mentions Ada, who has been told, and what is to be sent of it. */
async function mentioning(title: string) {
  const there = await place();
  const { home, ada } = there;
  const shown = await browserOf(ada);
  const document = await newDocument(home, { title, markdown: `@${ada.userId}` });
  await tellEvents(running.database);
  return { ...there, shown, document, pushes: await taken<PushPayload>("push_inbox"), mails: await digests(home) };
}

test("a mention in a Document is pushed and mailed with its title, and leads to it", async () => {
  const { home, ada, shown, document, pushes, mails } = await mentioning("Gears \u202e& oil");
  await push(pushes);
  await mail(mails);
  const { display_name } = (await home.owner.call("GET", "/me")).body;
  const [title, path] = [`${display_name} mentioned you in \u2068Gears & oil\u2069`, `/?document=${document.id}`];
  expect(shown()).toEqual([{ id: pushes[0]?.id, title, body: document.path, path }]);
  const [letter] = await lettersTo(running, ada.email);
  expect(letter?.subject).toBe(title);
  expect(letter?.text).toContain(`${title}\n\u2068${document.path}\u2069\nhttps://svc.example.com${path}`);
});

test("a long title of a Document fits into a push", async () => {
  const { shown, pushes } = await mentioning("Long ".repeat(99));
  await push(pushes);
  expect([...shown()[0].title].length).toBe(300);
});

for (const [what, happen] of Object.entries({
  "is in the trash": ({ home, document }) => home.owner.call("DELETE", `/documents/${document.id}`, any),
  "was deleted for ever": async ({ home, document }) => {
    await home.owner.call("DELETE", `/documents/${document.id}`, any);
    return home.owner.call("DELETE", `/documents/${document.id}/permanent`, any);
  },
  "has moved into a private Project of others": async ({ home, document, project, leave }) => {
    await leave();
    return changeDocument(home.owner, document.id, { project_id: project.id });
  },
} satisfies Record<string, (there: Awaited<ReturnType<typeof mentioning>>) => Promise<{ status: number }>>))
  test(`nothing is pushed or mailed of a Document that ${what} by the time it would be sent`, async () => {
    const there = await mentioning("Gears");
    const { ada, shown, pushes, mails } = there;
    expect([pushes.length, mails.length]).toEqual([1, 1]);
    expect((await happen(there)).status).toBeLessThan(300);
    await push(pushes);
    await mail(mails);
    expect([shown(), await lettersTo(running, ada.email)]).toEqual([[], []]);
  });

test("a reminder is pushed and mailed in its own words, and names what it is about only to somebody who sees it", async () => {
  const { home, ada, assign, leave } = await place();
  const shown = await browserOf(ada);
  const task = await assign();
  await tellEvents(running.database);
  await taken("push_inbox");
  await reading(home, ada);
  const target = { kind: "task", id: task.id };
  const body = { text: "Gears?", due_at: "2030-01-15T09:00:00Z", confirmed: true, target };
  const path = `/workspaces/${home.workspaceId}/discuss/reminders`;
  expect((await ada.call("POST", path, { body, key: newKey() })).status).toBe(201);
  await running.sql("update discuss_reminders set due_at = now()", [], home.workspaceId);
  await deliverReminders(running.database);
  const jobs = await taken<PushPayload>("push_inbox");
  expect(JSON.stringify(jobs)).not.toContain("Gears");
  await push(jobs);
  const title = "Reminder: \u2068Gears?\u2069";
  expect(shown()).toEqual([{ id: expect.any(String), title, body: "Cut the gears", path: `/?task=${task.code}` }]);
  await leave();
  await push(jobs);
  expect(shown().at(-1)).toEqual({ id: expect.any(String), title, body: "", path: "/" });
  await mail(await digests(home));
  const [letter] = await lettersTo(running, ada.email);
  expect(letter?.text).toContain(title);
  expect(letter?.text).not.toContain("Cut the gears");
});

test("a reminder about a Task that its person has muted is pushed all the same", async () => {
  const { home, ada, assign } = await place();
  const shown = await browserOf(ada);
  const task = await assign();
  await tellEvents(running.database);
  await taken("push_inbox");
  expect((await ada.call("PUT", `/tasks/${task.id}/subscription/mute`)).status).toBeLessThan(300);
  const target = { kind: "task", id: task.id };
  const body = { text: "Gears?", due_at: "2030-01-15T09:00:00Z", confirmed: true, target };
  const path = `/workspaces/${home.workspaceId}/discuss/reminders`;
  expect((await ada.call("POST", path, { body, key: newKey() })).status).toBe(201);
  await running.sql("update discuss_reminders set due_at = now()", [], home.workspaceId);
  await deliverReminders(running.database);
  await push(await taken("push_inbox"));
  expect(shown().map(({ title }: { title: string }) => title)).toEqual(["Reminder: \u2068Gears?\u2069"]);
});

test("what is pushed is cut between characters", async () => {
  const { ada, assign } = await place();
  const shown = await browserOf(ada);
  await assign(`Oil ${"\u{1f6e2}".repeat(400)}`);
  await tellEvents(running.database);
  await push(await taken("push_inbox"));
  expect(shown()[0].body).toBe(`Oil ${"\u{1f6e2}".repeat(296)}`);
});

test("what is only sent is counted anew once it is on its way", async () => {
  const home = await world(running);
  const [pushed, mailed] = [await home.member("member"), await home.member("member")];
  await prefer(home, pushed, "commented", { in_app: false, push: true, email: false });
  await prefer(home, mailed, "commented", { in_app: false, push: false, email: true });
  const task = await newTask(home.owner, (await newProject(home)).id);
  for (const person of [pushed, mailed]) await person.call("PUT", `/tasks/${task.id}/subscription`);
  const counts = async () => {
    await newComment(home.owner, task.id);
    await tellEvents(running.database);
    const count = "select count from inbox_items where actor_id = $1";
    return Promise.all(
      [pushed, mailed].map(async ({ actorId }) => (await running.sql(count, [actorId], home.workspaceId))[0]),
    );
  };
  expect(await counts()).toEqual([{ count: 1 }, { count: 1 }]);
  expect(await counts()).toEqual([{ count: 1 }, { count: 2 }]);
  await running.sql("update inbox_items set mail_due = false", [], home.workspaceId);
  expect(await counts()).toEqual([{ count: 1 }, { count: 1 }]);
});

test("what stands in an inbox stays there when somebody wants what follows outside only", async () => {
  const { home, ada, assign } = await place();
  const task = await assign();
  const comment = async (text: string) => {
    await newComment(home.owner, task.id, text);
    await tellEvents(running.database);
    const { items } = (await ada.call("GET", `/workspaces/${home.workspaceId}/inbox?category=commented`)).body;
    return items.map(({ excerpt, count }: { excerpt: string; count: number }) => [excerpt, count]);
  };
  expect(await comment("First")).toEqual([["First", 1]]);
  await prefer(home, ada, "commented", { in_app: false });
  expect(await comment("Second")).toEqual([["First", 1]]);
  const path = `/workspaces/${home.workspaceId}/notification-preferences/commented`;
  await ada.call("PATCH", path, { body: { in_app: true }, ifMatch: "1" });
  expect(await comment("Third")).toEqual([["Third", 2]]);
});

test("of a review that is over, and of a date that was kept or put off, nothing is sent", async () => {
  const { home, ada, project } = await place();
  const { body } = await home.owner.call("GET", `/workspaces/${home.workspaceId}/statuses`);
  const status = (name: string) => body.items.find((one: { name: string }) => one.name === name).id;
  const day = (offset: number) => new Date(Date.now() + offset * 86_400_000).toISOString().slice(0, 10);
  const about = async (category: string, name: string, due_date: string | null = null) => {
    const task = await newTask(home.owner, project.id, { status_id: status(name), due_date });
    await newInboxItem(running, home, ada.actorId, task.id, { category });
    return task.code;
  };
  const waiting = [await about("review_requested", "In Review"), await about("due_soon", "Todo", day(0))];
  await about("review_requested", "Done");
  await about("due_soon", "Done", day(0));
  await about("due_soon", "Cancelled", day(0));
  await about("due_soon", "Todo", day(9));
  await about("due_soon", "Todo");
  await prefer(home, ada, "due_soon", { email: true });
  await running.sql("update inbox_items set mail_due = true", [], home.workspaceId);
  await mail(await digests(home));
  const [letter] = await lettersTo(running, ada.email);
  expect(letter?.subject).toBe("2 new notifications");
  for (const code of waiting) expect(letter?.text).toContain(`${code} `);
});
